"""Which keys of the outer rows a subquery has: the base of EXISTS, IN, counts per key and outer joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from toastergen.errors import UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import Relation
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Compare, Const, Scalar, Var
from toastergen.frontend.sql.block import Block, Stage, Tie, named, reading, unique
from toastergen.frontend.sql.context import Context
from toastergen.frontend.sql.names import RESERVED
from toastergen.frontend.sql.resolved import Aggregate, Input, Item
from toastergen.frontend.types import LONG


@dataclass(frozen=True, slots=True)
class Matching:
    """``rows`` are the outer rows, ``stage`` is where what is found out about their keys joins them.

    ``node`` is the subquery's place in the text; an outer join has none, and cannot fail.
    """

    context: Context
    rows: Stage
    stage: Stage
    node: exp.Expr | None = None

    def exists(self, block: Block) -> Scalar:
        """Does a block hold a row for the outer row? Asked for any outer row, so never dropping one."""
        closed = self.closed(block)
        return self.found(closed, closed.ties)

    def found(self, block: Block, ties: tuple[Tie, ...]) -> Scalar:
        keys = self.members(block, ties)
        if not ties:
            count = Var("count", LONG)
            counting = (Aggregate("count", None, count),)
            single = replace(keys, group_by=(), aggregates=counting, items=(Item("n", count),))
            (number,) = self.stage.attach(self.derive((single,), "count"), ())
            return Compare(">", number, sc.ZERO)
        inner = replace(keys, items=(*keys.items, Item("found", sc.ONE)))
        return Compare("=", self.total(inner, ties, "flags"), sc.ONE)

    def members(self, block: Block, ties: tuple[Tie, ...]) -> Block:
        """The different keys a subquery holds, without NULL where that equals nothing; a lone 1 where it has none."""
        missing = tuple(sc.IsNull(tie.inner) for tie in ties if not tie.same and sc.is_nullable(tie.inner))
        values = tuple(tie.inner if tie.same else sc.known(tie.inner) for tie in ties) or (sc.ONE,)
        if block.group_by is None:
            kept = (*block.where, *map(sc.Not, missing))
            return Block(block.inputs, kept, unique(values), (), named(values, block.items))
        values = tuple(tie.inner for tie in ties) or (sc.ONE,)
        keys = unique((*block.group_by, *(tie.inner for tie in block.ties)))
        grouped = replace(block, group_by=keys, items=named(values, block.items), ties=())
        if set(keys) <= set(values) and not missing:
            return grouped
        source = reading(self.derive((grouped,), "rows"), Names(RESERVED))
        mine = tuple(replace(tie, inner=var) for tie, var in zip(ties, source.vars, strict=False))
        rows = Block((source,), (), None, (), tuple(map(Item, (item.name for item in grouped.items), source.vars)))
        return self.members(rows, mine)

    def closed(self, block: Block) -> Block:
        """Bind the outer columns a subquery still mentions: it reads their different values, and is tied by them."""
        block = _localized(block)
        if not block.free:
            return block
        outers = [outer for _, outer in block.free]
        relation = self.derive((self.outer_keys(outers),), "outer")
        source = Input(relation.name, relation.name, tuple(var for var, _ in block.free))
        ties = tuple(Tie(var, outer, same=True) for var, outer in block.free)
        return replace(block, inputs=(*block.inputs, source), ties=(*block.ties, *ties), free=())

    def total(self, inner: Block, ties: Sequence[Tie], wish: str) -> Var:
        """The sum of the last column per key, 0 for keys that only the outer rows have."""
        nothing = Item(inner.items[-1].name, sc.ZERO)
        outer = self.outer_keys([tie.outer for tie in ties])
        both = self.derive((inner, replace(outer, items=(*outer.items, nothing))), wish)
        names = Names(RESERVED)
        source = reading(both, names)
        *keys, last = source.vars
        total = Var(names.fresh("total"), LONG)
        items = tuple(Item(column.name, var) for column, var in zip(both.columns, keys, strict=False))
        sums = Block((source,), (), tuple(keys), (Aggregate("sum", last, total),), (*items, Item("total", total)))
        (value,) = self.stage.attach(self.derive((sums,), f"{wish}_by_key"), ties, same=True)
        return value

    def outer_keys(self, outers: Sequence[Scalar]) -> Block:
        """The different keys of the outer rows; of more rows than those where that takes fewer joins."""
        needed = {var for value in outers for var in sc.variables(value)}
        bound = {var for item in self.rows.inputs for var in item.vars}
        if not needed <= bound:
            assert self.node is not None, "a join sees all its columns"
            raise UnsupportedSql(
                "this subquery is tied to an aggregate, or to a query further out than the next one",
                span=self.context.places.span(self.node),
                hint="tie it to columns of the query right around it",
            )
        inputs = [item for item in self.rows.inputs if needed & set(item.vars)]
        if len(inputs) != 1:
            inputs = self.rows.inputs if inputs else self.rows.inputs[:1]
        visible = {var for item in inputs for var in item.vars}
        where = tuple(term for term in self.rows.where if sc.variables(term) <= visible)
        return Block(tuple(inputs), where, unique(outers), (), named(outers))

    def derive(self, blocks: tuple[Block, ...], wish: str) -> Relation:
        return self.context.workspace.derive(blocks, wish)


def _localized(block: Block) -> Block:
    """An equality with a constant of the outer query is a condition of the subquery's own."""
    fixed = tuple(Compare(tie.op, tie.inner, tie.outer) for tie in block.ties if isinstance(tie.outer, Const))
    ties = tuple(tie for tie in block.ties if not isinstance(tie.outer, Const))
    return replace(block, where=(*block.where, *fixed), ties=ties)
