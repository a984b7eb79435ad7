"""GROUP BY in more than one step: HAVING, subqueries over groups, MIN and MAX, and aggregates of different values only.

Each step is a query of its own: the first one computes groups, the next one reads them through a derived relation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import FIRST, LAST
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Arith, Case, Cast, Compare, Const, Scalar, Var
from toastergen.frontend.sql.block import Block, Stage, Tie, named, reading, rewrite, rewritten, unique
from toastergen.frontend.sql.context import Context
from toastergen.frontend.sql.names import RESERVED
from toastergen.frontend.sql.outer_join import LEFT, Side, outer_join
from toastergen.frontend.sql.resolved import Aggregate, Input, Item
from toastergen.frontend.types import DOUBLE, LONG, Type, sum_type

_ENDS: Final = {"min": FIRST, "max": LAST}


@dataclass(frozen=True, slots=True)
class Grouped:
    """A SELECT with groups, in its parts. ``late`` is what joins when the groups are there."""

    inputs: tuple[Input, ...]
    where: tuple[Scalar, ...]
    group_by: tuple[Scalar, ...]
    aggregates: tuple[Aggregate, ...]
    distinct: tuple[Aggregate, ...]
    items: tuple[Item, ...]
    having: tuple[Scalar, ...]
    late: Stage
    ties: tuple[Tie, ...]

    def all_keys(self) -> tuple[Scalar, ...]:
        """One group per key of the query, and per row of the query around it."""
        return unique((*self.group_by, *(tie.inner for tie in self.ties)))


def block_of(grouped: Grouped, context: Context) -> Block:
    if grouped.distinct:
        grouped = _without_distinct(grouped, context)
    if grouped.having or grouped.late.inputs or any(map(_is_end, grouped.aggregates)):
        return _Steps(grouped, context).block()
    return Block(
        grouped.inputs, grouped.where, grouped.group_by, grouped.aggregates, grouped.items, grouped.ties
    )


def _is_end(aggregate: Aggregate) -> bool:
    return aggregate.kind in _ENDS


class _Steps:
    """Groups first, then their least and greatest values, then conditions and values: a plain query over the groups."""

    def __init__(self, grouped: Grouped, context: Context) -> None:
        self.grouped = grouped
        self.context = context
        self.keys = grouped.all_keys()
        self.shown = tuple(key for key in self.keys if not isinstance(key, Const))
        self.ends = tuple(filter(_is_end, grouped.aggregates))
        late = (var.name for item in grouped.late.inputs for var in item.vars)
        self.names = Names([*RESERVED, *late])
        self.meaning: dict[Scalar, Scalar] = {}  # of keys and aggregates: the columns they are read from
        self.inputs: tuple[Input, ...] = ()
        self.where: tuple[Scalar, ...] = ()

    def block(self) -> Block:
        grouped = self.grouped
        self._start()
        for end in self.ends:
            self._join_end(end)
        late = tuple(grouped.late.inputs)
        where = tuple(rewrite(term, self.meaning) for term in (*grouped.having, *grouped.late.where))
        items = rewritten(grouped.items, lambda value: rewrite(value, self.meaning))
        ties = tuple(replace(tie, inner=rewrite(tie.inner, self.meaning)) for tie in grouped.ties)
        single = not grouped.group_by
        return Block((*self.inputs, *late), (*self.where, *where), None, (), items, ties, single=single)

    def _start(self) -> None:
        """The groups with all that adds up; left out where an end of every group says as much."""
        plain = tuple(item for item in self.grouped.aggregates if not _is_end(item))
        if self.ends and not plain and self._is_sure(self.ends[0]) and self.shown:
            return
        values = (*self.shown, *(item.var for item in plain))
        columns = named(values, self.grouped.items) or (Item("one", sc.ONE),)
        first = Block(self.grouped.inputs, self.grouped.where, self.keys, plain, columns)
        source = reading(self.context.workspace.derive((first,), "groups"), self.names)
        self.inputs = (source,)
        self.meaning = dict(zip((item.value for item in columns), source.vars, strict=True))

    def _is_sure(self, end: Aggregate) -> bool:
        """Does every group have it? Not where all its values may be NULL, nor where there may be no row."""
        return bool(self.keys) and end.argument is not None and not sc.is_nullable(end.argument)

    def _join_end(self, end: Aggregate) -> None:
        assert end.argument is not None
        value = sc.known(end.argument)
        missing = (sc.Not(sc.IsNull(end.argument)),) if sc.is_nullable(end.argument) else ()
        items = (*named(self.shown, self.grouped.items), Item("value", value))
        values = Block(
            self.grouped.inputs, (*self.grouped.where, *missing), unique((*self.keys, value)), (), items
        )
        source = reading(self.context.workspace.derive((values,), "values", _ENDS[end.kind]), self.names)
        *keys, result = source.vars
        if not self.inputs:
            self.inputs = (source,)
            self.meaning = {**dict(zip(self.shown, keys, strict=True)), end.var: result}
            return
        terms = tuple(
            Compare("IS", self.meaning[key], mine) for key, mine in zip(self.shown, keys, strict=True)
        )
        if self._is_sure(end):
            self.inputs, self.where = (*self.inputs, source), (*self.where, *terms)
            self.meaning[end.var] = result
        else:
            self._join_left(source, terms, end)

    def _join_left(self, source: Input, terms: tuple[Scalar, ...], end: Aggregate) -> None:
        meanings = unique(self.meaning.values())
        left = Side(self.inputs, self.where, named(meanings))
        right = Side((source,), (), (Item("end_value", source.vars[-1]),))
        relation = self.context.workspace.derive(outer_join(LEFT, left, right, terms, self.context), "ends")
        joined = reading(relation, self.names)
        *columns, result = joined.vars
        moved: dict[Scalar, Scalar] = dict(zip(meanings, columns, strict=True))
        self.inputs, self.where = (joined,), ()
        self.meaning = {**{old: moved[new] for old, new in self.meaning.items()}, end.var: result}


def _without_distinct(grouped: Grouped, context: Context) -> Grouped:
    """Group by the value as well, then add up those groups: each value is there once."""
    argument = grouped.distinct[0].argument
    assert argument is not None
    plain = tuple(_partials(grouped).values())
    keys = unique((*grouped.all_keys(), argument))
    values = (*(key for key in keys if not isinstance(key, Const)), *(item.var for item in plain))
    columns = named(values) or (Item("one", sc.ONE),)
    first = Grouped(grouped.inputs, grouped.where, keys, plain, (), columns, (), Stage(Names()), ())
    relation = context.workspace.derive((block_of(first, context),), "distinct")
    names = Names([*RESERVED, *(var.name for item in grouped.late.inputs for var in item.vars)])
    source = reading(relation, names)
    mapping: dict[Scalar, Scalar] = dict(zip((item.value for item in columns), source.vars, strict=True))
    return _Second(grouped, mapping, source, names).grouped()


Partial: TypeAlias = tuple[str, Scalar | None]


def _parts(item: Aggregate) -> tuple[Partial, ...]:
    """What an aggregate needs from each group of equal values."""
    counted = item.argument if item.argument is not None and sc.is_nullable(item.argument) else None
    match item.kind:
        case "count":
            return (("count", counted),)
        case "avg":
            return (("sum", item.argument), ("count", counted))
        case kind:
            return ((kind, item.argument),)


def _partials(grouped: Grouped) -> dict[Partial, Aggregate]:
    names = Names([*RESERVED, *(var.name for item in grouped.inputs for var in item.vars)])
    found: dict[Partial, Aggregate] = {}
    for item in grouped.aggregates:
        for kind, argument in _parts(item):
            if (kind, argument) not in found:
                wish = item.var.name.partition("_")[2] or "rows"
                name = names.fresh(f"{kind}_{wish}") if argument is not None else "count"
                found[kind, argument] = Aggregate(kind, argument, Var(name, _type(kind, argument)))
    return found


def _type(kind: str, argument: Scalar | None) -> Type:
    """Of an aggregate over a group that is there."""
    if kind == "count" or argument is None:
        return LONG
    plain = sum_type(sc.type_of(argument)) if kind == "sum" else sc.type_of(argument)
    return plain.or_null(sc.is_nullable(argument))


class _Second:
    """The outer of the two steps: every aggregate in terms of the columns of the first."""

    def __init__(self, old: Grouped, mapping: dict[Scalar, Scalar], source: Input, names: Names) -> None:
        self.old = old
        self.mapping = mapping
        self.source = source
        self.names = names
        self.partial = {meaning: item.var for meaning, item in _partials(old).items()}
        self.aggregates: dict[tuple[str, Scalar | None], Aggregate] = {}

    def grouped(self) -> Grouped:
        old = self.old
        change: dict[Scalar, Scalar] = {item.var: self._distinct(item) for item in old.distinct}
        change |= {item.var: self._plain(item) for item in old.aggregates}
        keys = {key: self.mapping[key] for key in self.mapping if key in old.all_keys()}
        whole: dict[Scalar, Scalar] = {**keys, **change}
        late = replace(old.late, where=[rewrite(term, whole) for term in old.late.where])
        return Grouped(
            (self.source,),
            (),
            tuple(keys.get(key, key) for key in old.group_by),
            tuple(self.aggregates.values()),
            (),
            rewritten(old.items, lambda value: rewrite(value, whole)),
            tuple(rewrite(term, whole) for term in old.having),
            late,
            tuple(replace(tie, inner=keys.get(tie.inner, tie.inner)) for tie in old.ties),
        )

    def _distinct(self, item: Aggregate) -> Scalar:
        assert item.argument is not None
        return self._add(item.kind, self.mapping.get(item.argument, item.argument), item.var)

    def _plain(self, item: Aggregate) -> Scalar:
        match item.kind:
            case "count":
                return sc.coalesce((self._total(_parts(item)[0], item.var), sc.ZERO))
            case "avg":
                whole, counted = (self._total(part, item.var) for part in _parts(item))
                count = sc.coalesce((counted, sc.ZERO))
                quotient = Arith("/!", sc.cast(sc.known(whole), DOUBLE), Cast(count, DOUBLE), DOUBLE)
                empty = Compare("=", count, sc.ZERO)
                return Case(((empty, Const(None, DOUBLE)),), quotient) if item.var.type.nullable else quotient
            case _:
                return self._total(_parts(item)[0], item.var)

    def _total(self, part: Partial, wish: Var) -> Scalar:
        """Sums and counts are added up, ends are ends of ends."""
        kind = "sum" if part[0] in ("sum", "count") else part[0]
        column = self.mapping[self.partial[part]]
        nullable = not self.old.all_keys() or sc.is_nullable(column)
        plain = sum_type(sc.type_of(column)) if kind == "sum" else sc.type_of(column)
        return self._add(kind, column, replace(wish, type=plain.or_null(nullable)))

    def _add(self, kind: str, column: Scalar, wish: Var) -> Var:
        if kind == "count" and not sc.is_nullable(column):
            return self.aggregates.setdefault(
                ("count", None), Aggregate("count", None, Var("count", LONG))
            ).var
        known = self.aggregates.get((kind, column))
        if known is None:
            var = replace(wish, name=self.names.fresh(wish.name))
            known = self.aggregates[kind, column] = Aggregate(kind, column, var)
        return known.var
