"""ROLLUP, CUBE and GROUPING SETS: one SELECT per set of columns, all rows together.

In the SELECT of a set the columns that only other sets group by are NULL, and GROUPING(…) is a literal.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations, product

from sqlglot import exp

from toastergen.errors import UnsupportedSql
from toastergen.frontend.sql.expressions import AGGREGATES
from toastergen.frontend.sql.places import Places

_MANY = (exp.Rollup, exp.Cube, exp.GroupingSets)
_MOST = 64  # sets of one query
Set = tuple[exp.Expr, ...]


def has_grouping_sets(select: exp.Select) -> bool:
    group = select.args.get("group")
    return group is not None and any(isinstance(item, _MANY) for item in group.expressions)


def selects_of_sets(select: exp.Select, places: Places) -> list[exp.Select]:
    group = select.args["group"]
    sets = [
        tuple(dict.fromkeys(_meant(item, select) for item in chain(*choice)))
        for choice in product(*map(_sets, group.expressions))
    ]
    if len(sets) > _MOST:
        raise UnsupportedSql(
            f"GROUP BY of {len(sets)} sets is not supported",
            span=places.keyword("GROUP", select),
            hint=f"list the sets you need with GROUPING SETS, at most {_MOST}",
        )
    window = select.args.get("qualify") or next((item for item in select.expressions if item.find(exp.Window)), None)
    if window is not None:
        raise UnsupportedSql(
            "window functions over ROLLUP, CUBE or GROUPING SETS are not supported",
            span=places.span(window),
            hint="group in a subquery and compute the windows over its rows",
        )
    everything = tuple(dict.fromkeys(chain(*sets)))
    return [_select_of(select, chosen, everything) for chosen in sets]


def _sets(item: exp.Expr) -> list[Set]:
    """The sets that one item of GROUP BY stands for."""
    match item:
        case exp.Rollup():
            parts = [_columns(part) for part in item.expressions]
            return [tuple(chain(*parts[:size])) for size in range(len(parts), -1, -1)]
        case exp.Cube():
            parts = [_columns(part) for part in item.expressions]
            sizes = range(len(parts), -1, -1)
            return [tuple(chain(*chosen)) for size in sizes for chosen in combinations(parts, size)]
        case exp.GroupingSets():
            return [found for part in item.expressions for found in _sets(part)]
        case _:
            return [_columns(item)]


def _meant(item: exp.Expr, select: exp.Select) -> exp.Expr:
    """A position means an item of the select list, which is another thing in the SELECT of another set."""
    item = item.unnest()
    if isinstance(item, exp.Literal) and item.is_int and 1 <= int(item.name) <= len(select.expressions):
        item = select.expressions[int(item.name) - 1].unalias().unnest()
    return item


def _columns(item: exp.Expr) -> Set:
    match item:
        case exp.Tuple():
            return tuple(item.expressions)
        case _:
            return (item,)


def _select_of(select: exp.Select, chosen: Set, everything: Set) -> exp.Select:
    others = [item for item in everything if item not in chosen]
    made = select.copy()
    made.set("group", exp.Group(expressions=[item.copy() for item in chosen]))  # of none: one group of all rows
    made.set("expressions", [_named(item, _without(item, others, chosen)) for item in select.expressions])
    having = select.args.get("having")
    if having is not None:
        made.set("having", exp.Having(this=_without(having.this, others, chosen)))
    return made


def _named(item: exp.Expr, made: exp.Expr) -> exp.Expr:
    """A column that became NULL keeps its name."""
    if isinstance(item, exp.Column) and isinstance(made, exp.Null):
        return exp.alias_(made, item.name, quoted=True)
    return made


def _without(node: exp.Expr, others: Iterable[exp.Expr], chosen: Set) -> exp.Expr:
    missing = tuple(others)

    def change(part: exp.Expr) -> exp.Expr:
        if isinstance(part, exp.Grouping | exp.GroupingId):
            bits = [0 if item.unnest() in chosen else 1 for item in part.expressions]
            return exp.Literal.number(int("".join(map(str, bits)), 2))
        if part in chosen or isinstance(part, (*AGGREGATES, exp.Filter)):
            return part.copy()
        if part in missing:
            return exp.Null()
        made = part.copy()
        for name, value in part.args.items():
            if isinstance(value, exp.Expr):
                made.set(name, change(value))
            elif isinstance(value, list):
                made.set(name, [change(item) if isinstance(item, exp.Expr) else item for item in value])
        return made

    return change(node)
