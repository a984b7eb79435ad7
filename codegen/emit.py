"""Plan to source files: ``engine.hpp`` (records and the engine class), ``engine.cpp`` (triggers), ``schema.json``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

import jinja2

from toastergen.codegen import names
from toastergen.codegen.cpp_body import BodyPrinter, function_body
from toastergen.codegen.cpp_crossing import crossing_context
from toastergen.codegen.cpp_names import journal, map_type, member, record_type, safe
from toastergen.codegen.cpp_scalar import needs_functions, needs_scratch, string_literal
from toastergen.codegen.cpp_types import (
    arrow_format,
    column_reader,
    key_type,
    slot_type,
    unpack_value,
    value_type,
)
from toastergen.codegen.cpp_window import window_context
from toastergen.codegen.passes.walk import function_scalars, own_scalars
from toastergen.codegen.plan import (
    Block,
    DerivedPlan,
    Find,
    ForEach,
    Function,
    Look,
    MapPlan,
    Node,
    Plan,
    RangePlan,
    RangeSum,
    Rows,
    Slice,
    Total,
    ViewPlan,
)
from toastergen.codegen.schema import schema_json
from toastergen.frontend import m3
from toastergen.frontend import scalar as sc
from toastergen.frontend.names import Names, identifier
from toastergen.frontend.scalar import Scalar


def emit(program: m3.Program, plan: Plan, name: str) -> dict[str, str]:
    """The files of one engine. The same program always gives the same bytes."""
    module = names.module_name(name)
    schema = schema_json(program, plan, module)
    context = {
        "name": module,
        "namespace": names.namespace(module),
        "schema_lines": [_c_string(line + "\n") for line in schema.splitlines()],
        "relations": [_Relation(program, plan, index).context() for index in range(len(program.relations))],
        "inputs": [index for index, relation in enumerate(program.relations) if relation.kind != m3.DERIVED],
        "derived": _derived(program, plan),
        "views": [_view(plan, view) for view in plan.views],
        "maps": [_map(item) for item in plan.maps],
        "uses_ranges": any(item.ranges for item in plan.maps),
        "uses_crossings": any(item.crossing for item in plan.derived),
        "uses_ends": any(item.end for item in plan.derived),
        "uses_windows": any(item.window for item in plan.derived),
        "uses_like": _uses(plan, sc.Like),
        "uses_functions": any(map(needs_functions, _scalars(plan))),
        "uses_scratch": any(map(needs_scratch, _scalars(plan))),
    }
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    texts = {file: environment.get_template(f"{file}.j2").render(context) for file in ("engine.hpp", "engine.cpp")}
    return {**{file: re.sub(r"\n{3,}", "\n\n", text) for file, text in texts.items()}, "schema.json": schema}


def _template(name: str) -> str:
    return (files("toastergen.codegen") / "templates" / name).read_text()


def _map(item: MapPlan) -> dict[str, object]:
    record = record_type(item.name)
    fields = ", ".join(f"&{record}::{safe(key.name)}" for key in item.keys)
    slices = ", ".join(
        f"tg::fields<{', '.join(f'&{record}::{safe(item.keys[p].name)}' for p in positions)}>"
        for positions in item.slices
    )
    storage = f"tg::scalar_map<{record}>"
    if item.ranges:
        ranges = ", ".join(_range(item, found) for found in item.ranges)
        storage = f"tg::ranged_map<{record}, tg::fields<{fields}>, tg::slices<{slices}>, tg::ranges<{ranges}>>"
    elif item.keys:
        storage = f"tg::keyed_map<{record}, tg::fields<{fields}>" + (f", tg::slices<{slices}>>" if slices else ">")
    return {
        "name": item.name,
        "local": item.local,
        "tracked": item.tracked,
        "journal": journal(item.name),
        "record": record,
        "type": map_type(item.name),
        "member": member(item.name),
        "key_fields": [(key_type(key.type), safe(key.name)) for key in item.keys],
        "slot_fields": [(slot_type(slot.type), safe(slot.name)) for slot in item.slots],
        "slices": len(item.slices),
        "vacant": _vacant(item),
        "storage": storage,
    }


def _range(item: MapPlan, found: RangePlan) -> str:
    members = [f"&{record_type(item.name)}::{safe(key.name)}" for key in item.keys]
    group = ", ".join(members[position] for position in found.positions)
    slots = ", ".join(f"&{record_type(item.name)}::{safe(name)}" for name in found.slots)
    return f"tg::range<tg::fields<{group}>, {members[found.by]}, tg::fields<{slots}>>"


def _vacant(item: MapPlan) -> str:
    """When a record is gone: all exact slots are zero. Floating slots have no say, they may keep a residue."""
    if item.local:
        return "false"
    return " && ".join(f"tg::is_zero({safe(slot.name)})" for slot in item.slots if slot.type.is_exact)


@dataclass
class _Relation:
    """The template context of one relation: its columns and the functions of its triggers."""

    program: m3.Program
    plan: Plan
    index: int

    def context(self) -> dict[str, object]:
        relation = self.program.relations[self.index]
        taken = Names()
        words = [taken.fresh(identifier(r.name, "relation")) for r in self.program.relations]
        functions = {f.event: f for f in self.plan.functions if f.relation == relation.name}
        params = next((f.params for f in functions.values()), ())
        typed = [f"{value_type(p.type)} {safe(p.name)}" for p in params]
        return {
            "index": self.index,
            "name": _c_string(relation.name),
            "append_only": relation.append_only,
            "is_table": relation.kind == m3.TABLE,
            "ledger": next((item for item in self.plan.ledgers if item.relation == relation.name), None),
            "word": words[self.index],
            "columns": [(_c_string(c.name), arrow_format(c.type), c.type.nullable) for c in relation.columns],
            "params": ", ".join(typed),
            "unpack": [unpack_value(p.type, f"values[{i}]") for i, p in enumerate(params)],
            "rows": [f"{safe(p.name)}[row]" for p in params],
            "readers": [(safe(p.name), column_reader(p.type, i)) for i, p in enumerate(params)],
            "insert": self._row_function(functions.get(m3.INSERT)),
            "delete": self._row_function(functions.get(m3.DELETE)),
            "batch": self._batch_function(functions.get(m3.BATCH)),
        }

    def _row_function(self, function: Function | None) -> dict[str, object] | None:
        if function is None:
            return None
        used = {var.name for scalar in function_scalars(function) for var in sc.variables(scalar)}
        params = [
            f"{value_type(p.type)} {safe(p.name)}" if p.name in used else f"{value_type(p.type)} /*{safe(p.name)}*/"
            for p in function.params
        ]
        return {"params": ", ".join(params), "body": function_body(self.plan, function)}

    def _batch_function(self, function: Function | None) -> dict[str, object] | None:
        if function is None:
            return None
        used = set(_columns_read(function.body, frozenset()))
        readers = [
            (safe(p.name), column_reader(p.type, i)) for i, p in enumerate(function.params) if p.name in used
        ]
        return {"readers": readers, "body": function_body(self.plan, function)}


def _columns_read(body: tuple[Node, ...], rows: frozenset[str]) -> Iterator[str]:
    """The columns of a batch that are read; ``rows`` are the names under which its rows are in scope."""
    for node in body:
        inside = rows
        match node:
            case Block(step=Rows(record)):
                inside = rows | {record}
            case Block(step=Slice() | Find() | ForEach() | RangeSum() | Look() as step):
                inside = rows - {step.record}
        places = [var.name.partition(".") for scalar in own_scalars(node) for var in sc.variables(scalar)]
        yield from (column for record, _, column in places if record in rows)
        match node:
            case Block():
                yield from _columns_read(node.body, inside)
            case Total():
                yield from _columns_read((*node.body, node.update), inside)


def _scalars(plan: Plan) -> list[Scalar]:
    outputs = [column.value for view in plan.views for column in view.columns]
    outputs += [value for item in plan.derived for value in item.values]
    outputs += [item.crossing.test for item in plan.derived if item.crossing is not None]
    return [scalar for function in plan.functions for scalar in function_scalars(function)] + outputs


def _uses(plan: Plan, kind: type[Scalar]) -> bool:
    return any(isinstance(node, kind) for scalar in _scalars(plan) for node in sc.walk(scalar))


def _derived(program: m3.Program, plan: Plan) -> list[dict[str, object]]:
    """Tracked maps in the order in which changes travel, each with the derived relations it feeds."""
    taken = Names()
    words = {relation.name: taken.fresh(identifier(relation.name, "relation")) for relation in program.relations}
    handled = {function.relation for function in plan.functions}
    maps = dict.fromkeys(item.map for item in plan.derived)
    maps_by_name = {item.name: item for item in plan.maps}

    last_feed = {item.relation: name for name in maps for item in plan.derived if item.map == name}

    def spelled(values: tuple[Scalar, ...], map_name: str, record: str) -> list[str]:
        printer = BodyPrinter(maps_by_name, "m_overflow", {"entry": map_name}, names={"entry": record})
        return [printer.scalar(value) for value in values]

    return [
        {
            "map": name,
            "member": member(name),
            "sweep": "m_overflow" if plan.map(name).ranges else "",
            "journal": journal(name),
            "record": record_type(name),
            "keyed": bool(plan.map(name).keys),
            "uses_scratch": any(needs_scratch(v) for item in plan.derived if item.map == name for v in item.values),
            "relations": [
                {
                    "word": words[item.relation],
                    "shape": item.shape,
                    "before": spelled(item.values, name, "before"),
                    "after": spelled(item.values, name, "after"),
                    "end": _end(item, spelled(item.values, name, "after")),
                    "crossing": crossing_context(item, maps_by_name, words[item.relation]) if item.crossing else None,
                    "settles": item.crossing is not None and name == last_feed[item.relation],
                    "window": item.window
                    and window_context(
                        item.window,
                        words[item.relation],
                        spelled(item.values, name, "after"),
                        spelled(item.values, name, "before"),
                    ),
                }
                for item in plan.derived
                if item.map == name and item.relation in handled
            ],
        }
        for name in maps
    ]


def _end(item: DerivedPlan, values: list[str]) -> dict[str, object] | None:
    """The index of a derived relation's ends. What can be NULL in a group counts as two: is it there, and what."""
    if not item.end:
        return None
    types: list[str] = []
    group: list[str] = []
    for scalar, text in zip(item.values[:-1], values, strict=False):
        if sc.is_nullable(scalar):
            types.append("bool")
            group.append(f"{text}.present")
            text = f"{text}.value"
        types.append(key_type(sc.type_of(scalar)))
        group.append(text)
    if not types:
        types, group = ["bool"], ["false"]
    value = key_type(sc.type_of(item.values[-1]))
    kind = f"tg::{item.end}_end"
    return {
        "member": f"m_{item.end}_of_{identifier(item.relation, 'relation')}",
        "type": f"tg::group_ends<{kind}, tg::ordered_key<{', '.join(types)}>, tg::ordered_key<{value}>>",
        "group": group[0] if len(group) == 1 else f"{{{', '.join(group)}}}",
        "row": "".join(f"{text}, " for text in values[:-1]),
        "value": values[-1],
    }


def _view(plan: Plan, view: ViewPlan) -> dict[str, object]:
    printer = BodyPrinter(
        {item.name: item for item in plan.maps}, "overflow", {"entry": view.map}, scratch="scratch"
    )
    taken = Names()
    words = {other.name: taken.fresh(identifier(other.name, "view")) for other in plan.views}

    has_count = any(slot.name == m3.COUNT for slot in plan.map(view.map).slots)
    texts = [printer.scalar(column.value) for column in view.columns]
    return {
        "word": words[view.name],
        "member": member(view.map),
        "keyed": bool(plan.map(view.map).keys),
        "shape": view.shape,
        "has_count": has_count,
        "columns": [(_c_string(c.name), arrow_format(c.type), c.nullable) for c in view.columns],
        "expressions": texts,
        "reads_record": any("entry." in text for text in texts) or view.shape != "single",
        "checks": any("overflow" in text for text in texts),
        "uses_scratch": any(needs_scratch(column.value) for column in view.columns),
    }


def _c_string(text: str) -> str:
    """A plain C string literal; hostile names come out as octal escapes. A zero byte has no place in a name."""
    literal = string_literal(text.replace("\0", ""))
    return literal[len("std::string_view(") : literal.rindex(",")]
