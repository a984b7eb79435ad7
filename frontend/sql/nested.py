"""Subqueries in conditions and values, each turned into a join with a derived relation.

    EXISTS, IN    as a whole conjunct    join with the different keys of the subquery
                  anywhere else          join with a flag per key of the outer query: 1 if the key is found, else 0
    (SELECT …)    uncorrelated           join with its one row
                  correlated             join with its groups, one per key

A correlation is an equality of an expression of the subquery and one of the query around it. A subquery without any
matching row is NULL, unless it counts: as the row of that NULL is missing from the join, such a subquery may only stand
where a NULL drops the row anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from toastergen.errors import SqlTypeError, UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import Relation
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Compare, Const, Scalar, Var
from toastergen.frontend.sql.block import Block, Stage, Tie, named, reading, rewrite, unique
from toastergen.frontend.sql.context import MEMBERS, VALUE, Context
from toastergen.frontend.sql.expressions import Translator
from toastergen.frontend.sql.names import RESERVED
from toastergen.frontend.sql.resolved import Aggregate, Item
from toastergen.frontend.types import LONG

# If one operand of these is NULL, so is the result.
_STRICT: Final = (
    exp.Paren, exp.Not, exp.Neg, exp.Cast, exp.Add, exp.Sub, exp.Mul, exp.Div,
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Nested:
    """Reads the subqueries of one place. ``rows`` are the outer rows, ``stage`` is where the subquery joins."""

    context: Context
    rows: Stage
    stage: Stage

    def __call__(self, at: Translator, node: exp.Expr) -> Scalar:
        match node:
            case exp.Exists():
                return self._exists(at, node)
            case exp.In():
                return self._member(at, node)
            case _:
                return self._value(at, node)

    # --- EXISTS and IN ------------------------------------------------------------------------------------

    def _exists(self, at: Translator, node: exp.Expr) -> Scalar:
        block = _localized(self.context.resolve(node.this, self.context, MEMBERS, at.column))
        if block.group_by == ():
            if block.ties:
                raise self._over_everything(node)
            return sc.TRUE  # aggregates over everything always give a row
        return self._found(at, node, block, ())

    def _member(self, at: Translator, node: exp.Expr) -> Scalar:
        tested = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        operands = [at.scalar(item) for item in tested]
        block = self.context.resolve(node.args["query"], self.context, MEMBERS, at.column)
        if len(block.items) != len(operands):
            raise SqlTypeError(
                f"IN compares {len(operands)} values with {len(block.items)} columns",
                span=self.context.places.span(node),
                hint="select as many columns as stand before IN",
            )
        if block.group_by == ():
            raise self._over_everything(node)
        pairs = [sc.unify_types((item.value, other), "IN") for item, other in zip(block.items, operands, strict=True)]
        ties = tuple(Tie(inner, outer) for inner, outer in pairs)
        return self._found(at, node, _localized(block), ties)

    def _over_everything(self, node: exp.Expr) -> UnsupportedSql:
        return UnsupportedSql(
            "IN or EXISTS over an aggregate without GROUP BY is not supported",
            span=self.context.places.span(node),
            hint="compare with the aggregate itself: a = (SELECT SUM(b) FROM …)",
        )

    def _found(self, at: Translator, node: exp.Expr, block: Block, more: tuple[Tie, ...]) -> Scalar:
        ties = (*block.ties, *more)
        if at.root is not None and node is at.root.unnest():
            relation = self._derive((self._members(block, ties, node),), "keys", node)
            self.stage.attach(relation, [tie.outer for tie in ties])
            return sc.TRUE
        if not ties:
            count = Var("count", LONG)
            rows = self._members(block, ties, node)
            counting = (Aggregate("count", None, count),)
            single = replace(rows, group_by=(), aggregates=counting, items=(Item("n", count),))
            (number,) = self.stage.attach(self._derive((single,), "count", node), ())
            return Compare(">", number, sc.ZERO)
        keys = self._members(block, ties, node)
        inner = replace(keys, items=(*keys.items, Item("found", sc.ONE)))
        return Compare("=", self._total(inner, [tie.outer for tie in ties], node, "flags"), sc.ONE)

    def _members(self, block: Block, ties: tuple[Tie, ...], node: exp.Expr) -> Block:
        """The different keys a subquery holds; a lone 1 where it has none."""
        values: tuple[Scalar, ...] = tuple(tie.inner for tie in ties) or (sc.ONE,)
        if block.group_by is None:
            return Block(block.inputs, block.where, unique(values), (), named(values, block.items))
        keys = unique((*block.group_by, *(tie.inner for tie in block.ties)))
        grouped = replace(block, group_by=keys, items=named(values, block.items), ties=())
        if set(keys) <= set(values):
            return grouped
        source = reading(self._derive((grouped,), "rows", node), Names(RESERVED))
        items = tuple(Item(item.name, var) for item, var in zip(grouped.items, source.vars, strict=True))
        return Block((source,), (), tuple(source.vars), (), items)

    # --- (SELECT …) ---------------------------------------------------------------------------------------

    def _value(self, at: Translator, node: exp.Expr) -> Scalar:
        block = _localized(self.context.resolve(node, self.context, VALUE, at.column))
        outers = [tie.outer for tie in block.ties]
        inners = tuple(tie.inner for tie in block.ties)
        item = block.items[0]
        is_count = block.group_by == () and all(found.kind == "count" for found in block.aggregates)
        if is_count and inners:
            return self._counted(block, inners, outers, node)
        if not is_count:
            self._check_strict(at, node)
            block = replace(block, group_by=unique((*(block.group_by or ()), *inners)) or (sc.ONE,))
        whole = replace(block, items=(*named(inners), item), ties=())
        (value,) = self.stage.attach(self._derive((whole,), "value", node), outers)
        return value

    def _counted(
        self, block: Block, inners: tuple[Scalar, ...], outers: list[Scalar], node: exp.Expr
    ) -> Scalar:
        """Keys nobody counts have the count 0: the keys of the outer rows are added with nothing."""
        count = block.aggregates[0].var if block.aggregates else Var("count", LONG)
        counts = replace(
            block, group_by=unique(inners), items=(*named(inners), Item("counted", count)), ties=()
        )
        total = self._total(counts, outers, node, "counts")
        return rewrite(block.items[0].value, {count: total})

    def _check_strict(self, at: Translator, node: exp.Expr) -> None:
        above: exp.Expr | None = node
        while above is not None and above is not at.root and isinstance(above.parent, _STRICT):
            above = above.parent
        if above is not None and isinstance(above.parent, exp.Between) and above.parent is at.root:
            above = above.parent  # x BETWEEN NULL AND y never holds; NOT BETWEEN may
        if at.root is None or above is not at.root:
            raise UnsupportedSql(
                "this subquery is NULL where it finds no rows, which is not supported here",
                span=self.context.places.span(node),
                hint="compare with it in a condition of its own in WHERE or HAVING, or use COUNT",
            )

    # --- both ---------------------------------------------------------------------------------------------

    def _total(self, inner: Block, outers: Sequence[Scalar], node: exp.Expr, wish: str) -> Var:
        """The sum of the last column per key, 0 for keys that only the outer rows have."""
        nothing = Item(inner.items[-1].name, sc.ZERO)
        outer = self._outer_keys(outers, node)
        both = self._derive((inner, replace(outer, items=(*outer.items, nothing))), wish, node)
        names = Names(RESERVED)
        source = reading(both, names)
        *keys, last = source.vars
        total = Var(names.fresh("total"), LONG)
        items = tuple(Item(column.name, var) for column, var in zip(both.columns, keys, strict=False))
        sums = Block((source,), (), tuple(keys), (Aggregate("sum", last, total),), (*items, Item("total", total)))
        (value,) = self.stage.attach(self._derive((sums,), f"{wish}_by_key", node), outers)
        return value

    def _outer_keys(self, outers: Sequence[Scalar], node: exp.Expr) -> Block:
        """The different keys of the outer rows; of more rows than those where that takes fewer joins."""
        needed = {var for value in outers for var in sc.variables(value)}
        bound = {var for item in self.rows.inputs for var in item.vars}
        if not needed <= bound:
            raise UnsupportedSql(
                "this subquery is tied to an aggregate, or to a query further out than the next one",
                span=self.context.places.span(node),
                hint="tie it to columns of the query right around it",
            )
        inputs = [item for item in self.rows.inputs if needed & set(item.vars)]
        if len(inputs) != 1:
            inputs = self.rows.inputs if inputs else self.rows.inputs[:1]
        visible = {var for item in inputs for var in item.vars}
        where = tuple(term for term in self.rows.where if sc.variables(term) <= visible)
        return Block(tuple(inputs), where, unique(outers), (), named(outers))

    def _derive(self, blocks: tuple[Block, ...], wish: str, node: exp.Expr) -> Relation:
        return self.context.workspace.derive(blocks, wish, self.context.places.span(node))


def _localized(block: Block) -> Block:
    """An equality with a constant of the outer query is a condition of the subquery's own."""
    fixed = tuple(Compare("=", tie.inner, tie.outer) for tie in block.ties if isinstance(tie.outer, Const))
    ties = tuple(tie for tie in block.ties if not isinstance(tie.outer, Const))
    return replace(block, where=(*block.where, *fixed), ties=ties)
