"""Aggregates over the different values of several arguments, one derived relation for each.

COUNT(DISTINCT a), SUM(DISTINCT b): grouping by one of the two loses the other. So every argument but one gets groups of
its own, which join the groups of the query by their keys: each group is in all of them, and once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from toastergen.frontend import scalar as sc
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Compare, Const, Func, Scalar, Var
from toastergen.frontend.sql.block import Block, Stage, named, reading, rewrite, rewritten, unique
from toastergen.frontend.sql.context import Context
from toastergen.frontend.sql.grouping import Grouped, block_of
from toastergen.frontend.sql.names import RESERVED
from toastergen.frontend.sql.resolved import Aggregate, Item
from toastergen.frontend.types import LONG

_ROW: Final = "ROW"  # several values as one argument of COUNT(DISTINCT …); it never leaves this module's callers


def row_of(values: tuple[Scalar, ...]) -> Func:
    return Func(_ROW, values, LONG)


def _is_row(argument: Scalar | None) -> bool:
    return isinstance(argument, Func) and argument.name == _ROW


def groups_of(grouped: Grouped, context: Context) -> Block:
    """The block of a query with groups, whatever is DISTINCT in it."""
    arguments = unique(item.argument for item in grouped.distinct if item.argument is not None)
    kept = next((argument for argument in arguments if not _is_row(argument)), None)
    for argument in arguments:
        if argument != kept:
            grouped = _apart(grouped, argument, context)
    return block_of(grouped, context)


def _apart(grouped: Grouped, argument: Scalar, context: Context) -> Grouped:
    mine = tuple(item for item in grouped.distinct if item.argument == argument)
    keys = grouped.all_keys()
    shown = tuple(key for key in keys if not isinstance(key, Const))
    if _is_row(argument):
        block = _counted_rows(grouped, argument, keys, mine, context)
    else:
        block = block_of(_values(grouped, keys, mine), context)
    late = Stage(grouped.late.names, list(grouped.late.inputs), list(grouped.late.where))
    source = reading(context.workspace.derive((block,), "distinct"), late.names)
    late.inputs.append(source)
    for key, var in zip(shown, source.vars, strict=False):
        late.where.append(Compare("IS" if sc.is_nullable(key) or var.type.nullable else "=", key, var))
    results = zip((item.var for item in mine), source.vars[len(shown) :], strict=True)
    change: dict[Scalar, Scalar] = dict(results)
    return replace(
        grouped,
        distinct=tuple(item for item in grouped.distinct if item not in mine),
        items=rewritten(grouped.items, lambda value: rewrite(value, change)),
        having=tuple(rewrite(term, change) for term in grouped.having),
        late=replace(late, where=[rewrite(term, change) for term in late.where]),
    )


def _values(grouped: Grouped, keys: tuple[Scalar, ...], mine: tuple[Aggregate, ...]) -> Grouped:
    """The same groups with nothing but the aggregates over one argument."""
    shown = (key for key in keys if not isinstance(key, Const))
    columns = named((*shown, *(item.var for item in mine)))
    return Grouped(grouped.inputs, grouped.where, keys, (), mine, columns, (), Stage(Names()), ())


def _counted_rows(
    grouped: Grouped, argument: Scalar, keys: tuple[Scalar, ...], mine: tuple[Aggregate, ...], context: Context
) -> Block:
    """How many different rows of values each group has. A row with a NULL in it is a row."""
    values = unique((*keys, *sc.children(argument)))
    columns = named(value for value in values if not isinstance(value, Const)) or (Item("one", sc.ONE),)
    first = Block(grouped.inputs, grouped.where, values, (), columns)
    source = reading(context.workspace.derive((first,), "distinct"), Names(RESERVED))
    meaning: dict[Scalar, Scalar] = dict(zip((item.value for item in columns), source.vars, strict=True))
    shown = tuple(meaning[key] for key in keys if not isinstance(key, Const))
    count = Var("count", LONG)
    groups = tuple(meaning.get(key, key) for key in keys)
    items = (*named(shown), *(Item(f"rows_{place}", count) for place, _ in enumerate(mine)))
    return Block((source,), (), groups, (Aggregate("count", None, count),), items)
