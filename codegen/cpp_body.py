"""Plan nodes to C++ statements. Nothing is decided here: each node has one spelling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from toastergen.codegen.cpp_names import journal, member, safe, total
from toastergen.codegen.cpp_scalar import SCRATCH, ScalarPrinter, needs_scratch
from toastergen.codegen.cpp_types import slot_type, value_type
from toastergen.codegen.passes.walk import function_scalars, nodes, own_scalars
from toastergen.codegen.plan import (
    LOOPS,
    READS,
    WEIGHT,
    AddTo,
    Block,
    Clear,
    DoubleWord,
    Find,
    ForEach,
    Function,
    If,
    Let,
    Look,
    MapPlan,
    Node,
    Payload,
    Plan,
    Propagate,
    RangeSum,
    Rows,
    Slice,
    Step,
    Sweep,
    Total,
    Update,
)
from toastergen.frontend.scalar import Scalar, Var, type_of

_INDENT = "    "
_MARK = f"const tg::scratch_mark mark({SCRATCH});"
_WIDTH = 120


def function_body(plan: Plan, function: Function) -> list[str]:
    """The lines of a trigger, indented once."""
    printer = BodyPrinter({item.name: item for item in plan.maps}, "m_overflow")
    lines: list[str] = [_MARK] if any(map(needs_scratch, function_scalars(function))) else []
    for node in function.body:
        if lines and not isinstance(node, Clear | Sweep):
            lines.append("")
        lines += printer.node(node)
    return [f"{_INDENT}{line}" if line else "" for line in lines]


@dataclass
class BodyPrinter:
    """``records`` knows which map the records in scope belong to; batch rows belong to none. ``found`` are pointers."""

    maps: Mapping[str, MapPlan]
    flag: str
    records: dict[str, str] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)
    names: Mapping[str, str] = field(default_factory=dict)  # records that go by another name in C++
    scratch: str = SCRATCH
    asked: str = ""  # the field that a range asks its keys for

    def scalar(self, scalar: Scalar) -> str:
        return ScalarPrinter(self.variable, self.flag, self.scratch).print(scalar)

    def condition(self, test: Scalar) -> str:
        return ScalarPrinter(self.variable, self.flag, self.scratch).holds(test)

    def variable(self, var: Var) -> str:
        if "." not in var.name:
            return safe(var.name)
        if var.name == self.asked:
            return "key"
        record, name = var.name.split(".", 1)
        if record not in self.records:
            return f"rows.weight({safe(record)})" if name == WEIGHT else f"{safe(name)}[{safe(record)}]"
        place = self.slot(var)
        if place is not None:
            return f"tg::read({place})"
        place = self._field(record, name)
        return f"{member(self.records[record])}.view({place})" if var.type.kind == "string" else place

    def slot(self, var: Var) -> str | None:
        """Where a payload is stored; None for all other variables."""
        record, _, name = var.name.partition(".")
        if record not in self.records or all(slot.name != name for slot in self.maps[self.records[record]].slots):
            return None
        return self._field(record, name)

    def _field(self, record: str, name: str) -> str:
        spelled = self.names.get(record, safe(record))
        return f"{spelled}{'->' if record in self.found else '.'}{safe(name)}"

    def payload(self, value: Payload) -> str:
        if not isinstance(value, DoubleWord):
            return self.scalar(value)
        factors = [self._factor(factor) for factor in value.factors]
        text = factors[0] if len(factors) == 1 else f"tg::product({', '.join(factors)})"
        return f"-{text}" if value.negative else text

    def _factor(self, factor: Scalar) -> str:
        type_ = type_of(factor)
        if type_.kind == "decimal":
            return f"tg::to_double_word({self.scalar(factor)}, {type_.scale})"
        place = self.slot(factor) if isinstance(factor, Var) and not type_.is_exact else None
        return place or self.scalar(factor)

    def node(self, node: Node) -> Iterator[str]:
        match node:
            case Block():
                yield from _comments(node.source)
                yield from self._block(node.step, node.body)
            case Update():
                yield from _comments(node.source)
                yield from self._update(node)
            case AddTo():
                yield f"tg::accumulate({self.flag}, {total(node.total)}, {self.payload(node.value)});"
            case Total():
                yield from _comments(node.source)
                yield from self._total(node)
            case Clear():
                yield f"{member(node.map)}.clear();"
            case Sweep():
                yield f"{member(node.map)}.sweep({self.flag if self.maps[node.map].ranges else ''});"
            case Propagate():
                yield "propagate();"
            case _:
                assert_never(node)

    def _block(self, step: Step, body: tuple[Node, ...]) -> Iterator[str]:
        head = self._head(step)
        if isinstance(step, READS):
            self.records[step.record] = step.map
            (self.found.add if isinstance(step, Find | Look) else self.found.discard)(step.record)
        elif isinstance(step, Rows):
            self.records.pop(step.record, None)  # an earlier block may have had a record of this name
        inner = [line for node in body for line in self.node(node)]
        computed = (scalar for node in nodes(body) for scalar in own_scalars(node))
        is_visit = isinstance(step, RangeSum) and step.each
        if (isinstance(step, LOOPS) or is_visit) and any(map(needs_scratch, computed)):
            inner.insert(0, _MARK)  # strings of one round are forgotten before the next
        if isinstance(step, Let | Look):
            # A name of its own scope: two blocks may lift the same variable.
            yield "{"
            yield from (f"{_INDENT}{line}" for line in head.splitlines())
        else:
            yield head if is_visit else f"{head} {{"
        yield from (f"{_INDENT}{line}" if line else "" for line in inner)
        yield "});" if is_visit else "}"

    def _head(self, step: Step) -> str:
        match step:
            case Rows():
                name = safe(step.record)
                return f"for (std::size_t {name} = 0; {name} < rows.size(); ++{name})"
            case ForEach():
                return f"for (const auto& {safe(step.record)} : {member(step.map)}.all())"
            case Slice():
                index = self.maps[step.map].slices.index(step.positions)
                keys = ", ".join(map(self.scalar, step.keys))
                return f"for (const auto& {safe(step.record)} : {member(step.map)}.slice<{index}>({keys}))"
            case Find():
                keys = ", ".join(map(self.scalar, step.keys))
                return f"if (const auto* {safe(step.record)} = {member(step.map)}.find({keys}))"
            case RangeSum():
                return self._range_sum(step)
            case Look():
                return self._look(step)
            case If():
                test = self.condition(step.test)
                return f"if {test}" if _is_wrapped(test) else f"if ({test})"
            case Let():
                return f"const {value_type(step.var.type)} {safe(step.var.name)} = {self.scalar(step.value)};"
            case _:
                assert_never(step)

    def _range_sum(self, step: RangeSum) -> str:
        plan = self.maps[step.map]
        ends = [self._end("from_where", step, step.above), self._end("until_where", step, step.below)]
        arguments = ", ".join([self.flag, *ends, *map(self.scalar, step.keys)])
        if step.each:
            visit = f"[&](const auto& {safe(step.record)}) {{"
            return f"{member(step.map)}.each_sum<{plan.range_index(step)}>({arguments}, {visit}"
        call = f"{member(step.map)}.sum<{plan.range_index(step)}>({arguments})"
        return f"if (const auto {safe(step.record)} = {call}; {safe(step.record)}.any)"

    def _end(self, word: str, step: RangeSum, test: Scalar | None) -> str:
        if test is None:
            return "tg::unbounded"
        name = f"{step.record}.{self.maps[step.map].keys[step.by].name}"
        asking = replace(self, asked=name)
        return f"tg::{word}{{[&](const auto& key) {{ return {asking.condition(test)}; }}}}"

    def _look(self, step: Look) -> str:
        record, type_ = safe(step.record), value_type(step.var.type)
        keys = ", ".join(map(self.scalar, step.keys))
        self.records[step.record] = step.map
        self.found.add(step.record)
        value = self.scalar(step.slot)
        return (
            f"const auto* {record} = {member(step.map)}.find({keys});\n"
            f"const {type_} {safe(step.var.name)} = {record} != nullptr ? {value} : {type_}{{}};"
        )

    def _update(self, node: Update) -> Iterator[str]:
        method = "update_deferred" if node.deferred else "update"
        keys = "".join(f", {self.scalar(key)}" for key in node.keys)
        adds = [f"{journal(node.map)}.note(record);"] if self.maps[node.map].tracked else []
        adds += [
            f"tg::accumulate({self.flag}, record.{safe(slot)}, {self.payload(value)});" for slot, value in node.values
        ]
        flag = f"{self.flag}, " if self.maps[node.map].ranges else ""
        head = f"{member(node.map)}.{method}({flag}[&](auto& record) {{"
        if len(adds) == 1 and len(head) + len(adds[0]) + len(keys) < _WIDTH - 16:
            yield f"{head} {adds[0]} }}{keys});"
            return
        yield head
        yield from (f"{_INDENT}{line}" for line in adds)
        yield f"}}{keys});"

    def _total(self, node: Total) -> Iterator[str]:
        yield "{"
        for name, type_ in node.totals:
            yield f"{_INDENT}{slot_type(type_)} {total(name)}{{}};"
        yield from (f"{_INDENT}{line}" for inner in node.body for line in self.node(inner))
        names = [name for name, _ in node.totals]
        totals = TotalPrinter(self.maps, self.flag, self.records, self.found, self.names, totals=frozenset(names))
        test = " && ".join(f"tg::is_zero({total(name)})" for name in names)
        yield f"{_INDENT}if (!({test})) {{"
        yield from (f"{_INDENT}{_INDENT}{line}" for line in totals.node(node.update))
        yield f"{_INDENT}}}"
        yield "}"


@dataclass
class TotalPrinter(BodyPrinter):
    """Inside the update after a TOTAL, totals are read like slots."""

    totals: frozenset[str] = frozenset()

    def variable(self, var: Var) -> str:
        return f"tg::read({total(var.name)})" if var.name in self.totals else BodyPrinter.variable(self, var)

    def slot(self, var: Var) -> str | None:
        return total(var.name) if var.name in self.totals else BodyPrinter.slot(self, var)


def _is_wrapped(text: str) -> bool:
    """Do the outer parentheses of an expression belong to each other?"""
    if not (text.startswith("(") and text.endswith(")")) or '"' in text:
        return False
    depth = 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and index < len(text) - 1:
            return False
    return True


def _comments(source: tuple[str, ...]) -> Iterator[str]:
    yield from (f"// {line}" for line in source)
