"""UNION, INTERSECT and EXCEPT over derived relations that hold the rows of both sides.

    UNION ALL   all rows together
    UNION       grouped by all columns
    INTERSECT   the different rows of both sides, marked by their side, grouped; rows with both marks stay
    EXCEPT      the same; rows with the left mark only stay
    … ALL       the same with equal rows numbered
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqlglot import exp

from toastergen.errors import SqlTypeError
from toastergen.frontend import m3
from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import Column, Relation
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Compare, Var
from toastergen.frontend.sql.block import Block, columns_of, reading, unique
from toastergen.frontend.sql.context import ROWS, Context, Outer
from toastergen.frontend.sql.names import RESERVED, OutputNames
from toastergen.frontend.sql.refuse import check_arguments
from toastergen.frontend.sql.resolved import Aggregate, Item
from toastergen.frontend.types import LONG, UNTYPED, Type, common

_WORDS: Final[dict[type[exp.Expr], str]] = {
    exp.Union: "UNION",
    exp.Intersect: "INTERSECT",
    exp.Except: "EXCEPT",
}
_PARTS: Final = ("this", "expression", "distinct", "with_")


def resolve_set_operation(node: exp.SetOperation, context: Context, outer: Outer | None = None) -> Block:
    word = _WORDS[type(node)]
    check_arguments(node, _PARTS, context.places, word)
    distinct = bool(node.args.get("distinct"))
    return _Operation(node, word, context).block(distinct, outer)


def union_all(node: exp.Expr, sides: list[Block], context: Context) -> Block:
    """All rows of several queries."""
    return _Operation(node, "UNION", context).together(sides, distinct=False)


class _Operation:
    def __init__(self, node: exp.Expr, word: str, context: Context) -> None:
        self.node = node
        self.word = word
        self.context = context

    def block(self, distinct: bool, outer: Outer | None) -> Block:
        sides = [self.context.resolve(side, self.context, ROWS, outer) for side in self._sides(distinct)]
        if self.word == "UNION":
            return self.together(sides, distinct)
        sides = self._unified(sides)
        return self._marked(sides) if distinct else self._counted(sides)

    def _counted(self, sides: list[Block]) -> Block:
        """With ALL equal rows are numbered: the first of one side meets the first of the other, and so on."""
        block = self._marked(list(map(self._numbered, sides)))
        return replace(block, items=block.items[:-1])

    def _numbered(self, side: Block) -> Block:
        number = Column(OutputNames(item.name for item in side.items).fresh("number"), LONG)
        call = m3.Call(number.name, "row_number", (), None, None)
        window = m3.Window(tuple(item.name for item in side.items), (), (call,))
        source = reading(self.context.workspace.derive_window(side, window, (number,)), Names(RESERVED))
        return Block((source,), (), None, (), columns_of(source, (*side.items, Item(number.name, sc.ONE))))

    def together(self, sides: list[Block], distinct: bool) -> Block:
        sides = self._unified(sides)
        source = reading(self._derive(tuple(sides), "union"), Names(RESERVED))
        group_by = unique(source.vars) if distinct else None
        return Block((source,), (), group_by, (), columns_of(source, sides[0].items))

    def _sides(self, distinct: bool) -> list[exp.Expr]:
        """A chain of one kind of UNION is one union of all its parts."""
        sides: list[exp.Expr] = [self.node.expression]
        left: exp.Expr = self.node.this
        while (
            isinstance(left, exp.Union)
            and self.word == "UNION"
            and bool(left.args.get("distinct")) == distinct
            and not any(value for part, value in left.args.items() if part not in _PARTS[:3])
        ):
            sides.append(left.expression)
            left = left.this
        return [left, *reversed(sides)]

    def _unified(self, sides: list[Block]) -> list[Block]:
        """Every column has the type that holds the values of all sides, and the name the first side gives."""
        if len({len(side.items) for side in sides}) > 1:
            counts = " and ".join(str(len(side.items)) for side in sides)
            raise self._mismatch(f"{self.word} of {counts} columns", "select the same number of columns")
        columns = list(zip(*(side.items for side in sides), strict=True))
        types = [self._common(items) for items in columns]
        names = [items[0].name for items in columns]
        return [
            replace(
                side,
                items=tuple(
                    Item(name, sc.cast(item.value, type_))
                    for name, item, type_ in zip(names, side.items, types, strict=True)
                ),
            )
            for side in sides
        ]

    def _common(self, items: tuple[Item, ...]) -> Type:
        """A bare NULL takes any type."""
        types = [UNTYPED if _is_null(item.value) else sc.type_of(item.value) for item in items]
        found = types[0]
        for other in types[1:]:
            merged = common(found, other)
            if merged is None:
                raise self._mismatch(
                    f"column {items[0].name} of {self.word} is {found} on one side and {other} on another",
                    "select values of the same kind",
                )
            found = merged
        return sc.type_of(items[0].value) if found == UNTYPED else found

    def _mismatch(self, message: str, hint: str) -> SqlTypeError:
        return SqlTypeError(message, span=self.context.places.keyword(self.word, self.node), hint=hint)

    def _marked(self, sides: list[Block]) -> Block:
        items = sides[0].items
        marked = tuple(
            self._mark(side, marks)
            for side, marks in zip(sides, ((sc.ONE, sc.ZERO), (sc.ZERO, sc.ONE)), strict=True)
        )
        names = Names(RESERVED)
        source = reading(self._derive(marked, "sides"), names)
        *keys, left, right = source.vars
        totals = [Var(names.fresh(f"{side}_total"), LONG) for side in ("left", "right")]
        sums = tuple(Aggregate("sum", mark, total) for mark, total in zip((left, right), totals, strict=True))
        outputs = (*(Item(item.name, key) for item, key in zip(items, keys, strict=True)),)
        outputs += tuple(Item(total.name, total) for total in totals)
        groups = Block((source,), (), tuple(keys), sums, outputs)
        result = reading(self._derive((groups,), "both"), Names(RESERVED))
        *keys, left, right = result.vars
        wanted = Compare("=", right, sc.ONE if self.word == "INTERSECT" else sc.ZERO)
        shown = tuple(Item(item.name, key) for item, key in zip(items, keys, strict=True))
        return Block((result,), (Compare("=", left, sc.ONE), wanted), None, (), shown)

    def _mark(self, side: Block, marks: tuple[sc.Const, sc.Const]) -> Block:
        """The different rows of a side, with its mark."""
        values = unique(item.value for item in side.items)
        if side.group_by is not None:
            source = reading(self._derive((side,), "side"), Names(RESERVED))
            side = Block((source,), (), None, (), columns_of(source, side.items))
            values = tuple(source.vars)
        extra = (Item("in_left", marks[0]), Item("in_right", marks[1]))
        return replace(side, group_by=values, items=(*side.items, *extra))

    def _derive(self, blocks: tuple[Block, ...], wish: str) -> Relation:
        return self.context.workspace.derive(blocks, wish)


def _is_null(value: sc.Scalar) -> bool:
    return isinstance(value, sc.Const) and value.value is None
