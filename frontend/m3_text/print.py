"""AGCA and M3 as text; ``docs/m3.md`` has the grammar, ``read.py`` the way back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, repeat
from typing import assert_never

from toastergen.frontend import payload
from toastergen.frontend.calculus.agca import (
    Add,
    AggSum,
    Cond,
    Delta,
    Exists,
    Expr,
    Lift,
    MapRef,
    Product,
    Rel,
    Value,
)
from toastergen.frontend.m3 import BATCH, INSERT, Map, Order, Program, Relation, Source, Statement, Trigger, View
from toastergen.frontend.m3_text.crossing import print_crossing
from toastergen.frontend.m3_text.print_scalar import print_scalar
from toastergen.frontend.m3_text.scope import Scope
from toastergen.frontend.m3_text.tokens import name_text, quoted_text, string_text
from toastergen.frontend.m3_text.windows import print_order_keys, print_window
from toastergen.frontend.scalar import Var
from toastergen.frontend.types import Type

LINE_FORMATS = ("csv", "tsv", "json", "orderbook")


def print_expr(expr: Expr, scope: Scope | None = None) -> str:
    """One line. With a scope, variables whose type a reader could not find out carry it."""
    return _ExprPrinter(scope).text(expr)


def print_statement(statement: Statement, scope: Scope | None = None) -> str:
    """One line of ASCII ending in ``;``, fit for a comment."""
    printer = _ExprPrinter(scope)
    value = printer.text(statement.expr)
    types = scope.key_types(statement.target) if scope else ()
    keys = printer.var_list(statement.keys, types)
    return f"{name_text(statement.target)}.{name_text(statement.slot)}[][{keys}] {statement.op} {value};"


@dataclass(frozen=True, slots=True)
class Part:
    """The text of one declaration or trigger; ``item`` is what it is the text of."""

    item: Relation | Map | View | Trigger
    text: str


def print_program(program: Program) -> str:
    """Relations and views stand close together, maps and triggers apart."""
    sections: list[str] = []
    before: Part | None = None
    for part in program_parts(program):
        close = before is not None and type(before.item) is type(part.item) and isinstance(part.item, Relation | View)
        sections += [part.text] if close or before is None else ["\n", part.text]
        before = part
    return "".join(sections)


def program_parts(program: Program) -> tuple[Part, ...]:
    scope = Scope.of(program)
    return (
        *(Part(item, _relation(item)) for item in program.relations),
        *(Part(item, _map(item, scope, "DECLARE MAP", "")) for item in program.maps),
        *(Part(item, _view(item, program)) for item in program.views),
        *(Part(item, _trigger(item, program)) for item in program.triggers),
    )


class _ExprPrinter:
    """Walks an expression in binding order, as the reader will, to know which types go without saying."""

    def __init__(self, scope: Scope | None) -> None:
        self._scope = scope
        self._bound: dict[str, Type] = dict(scope.vars) if scope else {}

    def text(self, expr: Expr) -> str:
        match expr:
            case Value():
                return f"[{print_scalar(expr.scalar, self._known())}]"
            case Cond():
                return f"{{{print_scalar(expr.test, self._known())}}}"
            case Rel():
                return f"{name_text(expr.name)}({self._columns(expr)})"
            case Delta():
                return f"(DELTA {name_text(expr.name)})({self._columns(expr)})"
            case MapRef():
                types = self._scope.key_types(expr.map) if self._scope else ()
                return f"{name_text(expr.map)}.{name_text(expr.slot)}[][{self.var_list(expr.keys, types)}]"
            case Lift():
                body = self.text(expr.body)
                type_ = payload.lifted(expr.body, self._scope.maps) if self._scope else None
                return f"({self._var(expr.var, type_)} := {body})"
            case Exists():
                return f"Exists({self.text(expr.body)})"
            case Product():
                return self._joined(" * ", "Product", expr.terms, (Product, Add))
            case Add():
                return self._sum(expr)
            case AggSum():
                return self._aggregate(expr)
            case _:
                assert_never(expr)

    def var_list(self, items: Iterable[Var], types: Iterable[Type]) -> str:
        return ", ".join(self._var(var, type_) for var, type_ in zip(items, chain(types, repeat(None)), strict=False))

    def _var(self, var: Var, default: Type | None) -> str:
        expected = self._bound.get(var.name, default)
        self._bound.setdefault(var.name, var.type)
        plain = self._scope is None or expected == var.type
        return name_text(var.name) if plain else f"{name_text(var.name)}::{var.type}"

    def _known(self) -> dict[str, Type] | None:
        return self._bound if self._scope else None

    def _columns(self, expr: Rel | Delta) -> str:
        return self.var_list(expr.vars, self._scope.column_types(expr.name) if self._scope else ())

    def _joined(self, sign: str, word: str, terms: tuple[Expr, ...], weaker: tuple[type, ...]) -> str:
        if len(terms) < 2:
            return f"{word}({', '.join(map(self.text, terms))})"
        return sign.join(self._part(term, weaker) for term in terms)

    def _part(self, term: Expr, weaker: tuple[type, ...]) -> str:
        text = self.text(term)
        grouped = isinstance(term, Product | Add) and len(term.terms) > 1 and isinstance(term, weaker)
        return f"({text})" if grouped else text

    def _sum(self, expr: Add) -> str:
        """Each term starts from what is bound before the sum; behind it all that any term bound is known."""
        before = self._bound
        after = dict(before)
        parts = []
        for term in expr.terms:
            self._bound = dict(before)
            parts.append(self.text(term) if len(expr.terms) < 2 else self._part(term, (Add,)))
            after = self._bound | after
        self._bound = after
        return " + ".join(parts) if len(parts) > 1 else f"Add({', '.join(parts)})"

    def _aggregate(self, expr: AggSum) -> str:
        """Variables of the body end with it, except the keys."""
        before = dict(self._bound)
        body = self.text(expr.body)
        inner = self._bound
        keys = self.var_list(expr.keys, ())
        self._bound = {key.name: inner[key.name] for key in expr.keys} | before
        return f"AggSum([{keys}], {body})"


def _relation(relation: Relation) -> str:
    parts = [f"{name_text(column.name)} {column.type}" for column in relation.columns]
    if relation.primary_key:
        parts.append(f"PRIMARY KEY ({', '.join(map(name_text, relation.primary_key))})")
    source = " APPEND ONLY" if relation.append_only else ""
    source += _source(relation.source) if relation.source else ""
    if relation.queries:
        end = f" {relation.end.upper()} OF" if relation.end else ""
        source = f" FROM{end} QUERY ({', '.join(map(name_text, relation.queries))})"
        source += f"\n    {print_window(relation.window)}" if relation.window else ""
        source += f"\n    {print_crossing(relation.crossing)}" if relation.crossing else ""
    return f"CREATE {relation.kind.upper()} {name_text(relation.name)} ({', '.join(parts)}){source};\n"


def _source(source: Source) -> str:
    line = " LINE DELIMITED" if source.format in LINE_FORMATS else ""
    word = source.format.upper()
    plain = name_text(word) == word and word.lower() == source.format
    options = ", ".join(f"{name_text(key)} := {string_text(value)}" for key, value in source.options)
    ending = f" ({options})" if options else ""
    written = word if plain else quoted_text(source.format)
    return f" FROM FILE {string_text(source.path)}{line} {written}{ending}"


def _map(item: Map, scope: Scope, opening: str, indent: str) -> str:
    slots = ", ".join(f"{name_text(slot.name)}: {slot.type}" for slot in item.slots)
    keys = ", ".join(f"{name_text(key.name)}: {key.type}" for key in item.keys)
    head = f"{indent}{opening} {name_text(item.name)}({slots})[][{keys}]"
    definitions = ",\n".join(
        f"{indent}    {name_text(slot.name)}: {print_expr(slot.definition, scope)}" for slot in item.slots
    )
    return f"{head} :=\n{definitions};\n" if definitions else f"{head};\n"


def _view(view: View, program: Program) -> str:
    source = next((item for item in program.maps if item.name == view.map), None)
    names = view_names(source) if source else {}
    outputs = ", ".join(f"{name_text(out.name)} := {print_scalar(out.value, names)}" for out in view.outputs)
    word = "HIDDEN QUERY" if view.hidden else "QUERY"
    head = f"DECLARE {word} {name_text(view.name)} {view.shape.upper()} OF {name_text(view.map)}"
    return f"{head} ({outputs}){_order(view.order)};\n"


def _order(order: Order | None) -> str:
    if order is None:
        return ""
    text = f" ORDER BY ({print_order_keys(order.keys)})"
    text += f" LIMIT {order.limit}" if order.limit is not None else ""
    return text + (f" OFFSET {order.offset}" if order.offset else "")


def view_names(source: Map) -> dict[str, Type]:
    """The variables a view's outputs may use: slots and keys of its map."""
    return {slot.name: slot.type for slot in source.slots} | {key.name: key.type for key in source.keys}


def _trigger(trigger: Trigger, program: Program) -> str:
    outside = Scope.of(program)
    params = _ExprPrinter(outside).var_list(trigger.params, outside.column_types(trigger.relation))
    scope = Scope.of(program, trigger)
    body = [_map(item, scope, "DECLARE LOCAL MAP", "    ") for item in trigger.locals]
    body += [f"    {print_statement(statement, scope)}\n" for statement in trigger.statements]
    name = name_text(trigger.relation)
    if trigger.event == BATCH:
        head = f"ON BATCH UPDATE OF {name}" + (f" ({params})" if params else "")
    else:
        head = f"ON {'+' if trigger.event == INSERT else '-'} {name} ({params})"
    return f"{head} {{\n{''.join(body)}}}\n"
