"""LEFT, RIGHT and FULL JOIN: the rows that match, and those of a side that match nothing with NULL for the other.

    L LEFT JOIN R ON p    L ⋈ R on p, and the rows of L for which NOT EXISTS (SELECT 1 FROM R WHERE p)

Whether a row matches is found out per key, as for any subquery, so a change of R costs the rows of L whose key it
gains or loses, not all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from toastergen.frontend import scalar as sc
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Compare, Const, Scalar
from toastergen.frontend.sql.block import Block, Stage, Tie
from toastergen.frontend.sql.context import Context
from toastergen.frontend.sql.matching import Matching
from toastergen.frontend.sql.names import RESERVED
from toastergen.frontend.sql.resolved import Input, Item

LEFT: Final = "LEFT"
RIGHT: Final = "RIGHT"
FULL: Final = "FULL"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a join: what it reads, which of it counts, and the columns that are kept."""

    inputs: tuple[Input, ...]
    where: tuple[Scalar, ...]
    items: tuple[Item, ...]


def outer_join(
    kind: str, left: Side, right: Side, terms: tuple[Scalar, ...], context: Context
) -> tuple[Block, ...]:
    """The queries whose rows together are the join; the columns of the left side come first."""
    nothing = () if left.items or right.items else (Item("one", sc.ONE),)
    inputs, where = (*left.inputs, *right.inputs), (*left.where, *right.where, *terms)
    blocks = [Block(inputs, where, None, (), (*left.items, *right.items, *nothing))]
    if kind in (LEFT, FULL):
        items = (*left.items, *_nulls(right.items), *nothing)
        blocks.append(_unmatched(left, right, terms, items, context))
    if kind in (RIGHT, FULL):
        items = (*_nulls(left.items), *right.items, *nothing)
        blocks.append(_unmatched(right, left, terms, items, context))
    return tuple(blocks)


def _nulls(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(Item(item.name, Const(None, sc.type_of(item.value))) for item in items)


def _unmatched(
    kept: Side, other: Side, terms: tuple[Scalar, ...], items: tuple[Item, ...], context: Context
) -> Block:
    names = Names([*RESERVED, *(var.name for item in (*kept.inputs, *other.inputs) for var in item.vars)])
    outside = {var for item in kept.inputs for var in item.vars}
    ties: list[Tie] = []
    rest: list[Scalar] = []
    for term in terms:
        tie = _tie(term, outside)
        if tie is None:
            rest.append(term)
        else:
            ties.append(tie)
    used = sorted({var for term in rest for var in sc.variables(term)} & outside, key=lambda var: var.name)
    matching = Block(
        other.inputs, (*other.where, *rest), None, (), (), tuple(ties), tuple((var, var) for var in used)
    )
    stage = Stage(names, list(kept.inputs), list(kept.where))
    rows = Stage(names, list(kept.inputs), list(kept.where))
    found = Matching(context, rows, stage).exists(matching)
    return Block(tuple(stage.inputs), (*stage.where, sc.negation(found)), None, (), items)


def _tie(term: Scalar, outside: set[sc.Var]) -> Tie | None:
    if not isinstance(term, Compare) or term.op not in ("=", "IS"):
        return None
    for inner, outer in ((term.left, term.right), (term.right, term.left)):
        here, there = sc.variables(inner), sc.variables(outer)
        if here and there and not here & outside and there <= outside:
            return Tie(inner, outer, same=term.op == "IS")
    return None
