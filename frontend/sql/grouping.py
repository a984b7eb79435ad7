"""GROUP BY in more than one step: HAVING, subqueries over groups, and aggregates of different values only.

Each step is a query of its own: the first one computes groups, the next one reads them through a derived relation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from toastergen.errors import Span
from toastergen.frontend import scalar as sc
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Arith, Case, Cast, Compare, Const, Scalar, Var
from toastergen.frontend.sql.block import Block, Stage, Tie, named, reading, rewrite, rewritten, unique
from toastergen.frontend.sql.names import RESERVED
from toastergen.frontend.sql.resolved import Aggregate, Input, Item
from toastergen.frontend.sql.workspace import Workspace
from toastergen.frontend.types import DOUBLE, LONG, sum_type


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


def block_of(grouped: Grouped, workspace: Workspace, span: Span) -> Block:
    if grouped.distinct:
        grouped = _without_distinct(grouped, workspace, span)
    if grouped.having or grouped.late.inputs:
        return _filtered(grouped, workspace, span)
    return Block(
        grouped.inputs, grouped.where, grouped.group_by, grouped.aggregates, grouped.items, grouped.ties
    )


def _filtered(grouped: Grouped, workspace: Workspace, span: Span) -> Block:
    """Groups first, then their conditions and values: a plain query over the groups."""
    keys = grouped.all_keys()
    values = (*(key for key in keys if not isinstance(key, Const)), *(item.var for item in grouped.aggregates))
    columns = named(values, grouped.items) or (Item("one", sc.ONE),)
    first = Block(grouped.inputs, grouped.where, keys, grouped.aggregates, columns)
    relation = workspace.derive((first,), "groups", span)
    late = tuple(grouped.late.inputs)
    source = reading(relation, Names([*RESERVED, *(var.name for item in late for var in item.vars)]))
    mapping: dict[Scalar, Scalar] = dict(zip((item.value for item in columns), source.vars, strict=True))
    where = tuple(rewrite(term, mapping) for term in (*grouped.having, *grouped.late.where))
    items = rewritten(grouped.items, lambda value: rewrite(value, mapping))
    ties = tuple(Tie(rewrite(tie.inner, mapping), tie.outer) for tie in grouped.ties)
    block = Block((source, *late), where, None, (), items, ties)
    if block.nullable() is None:
        return block
    # A key of a map cannot be NULL, a value computed from keys can: keep all that tells the rows apart.
    used = {var for item in items for var in sc.variables(item.value)}
    return replace(block, group_by=unique((*source.vars, *sorted(used - set(source.vars), key=lambda v: v.name))))


def _without_distinct(grouped: Grouped, workspace: Workspace, span: Span) -> Grouped:
    """Group by the value as well, then add up those groups: each value is there once."""
    argument = grouped.distinct[0].argument
    assert argument is not None
    plain = _partial_sums(grouped)
    keys = unique((*grouped.all_keys(), argument))
    values = (*(key for key in keys if not isinstance(key, Const)), *(item.var for item in plain))
    columns = named(values) or (Item("one", sc.ONE),)
    first = Block(grouped.inputs, grouped.where, keys, plain, columns)
    relation = workspace.derive((first,), "distinct", span)
    names = Names([*RESERVED, *(var.name for item in grouped.late.inputs for var in item.vars)])
    source = reading(relation, names)
    mapping: dict[Scalar, Scalar] = dict(zip((item.value for item in columns), source.vars, strict=True))
    return _Second(grouped, mapping, source, names).grouped()


def _partial_sums(grouped: Grouped) -> tuple[Aggregate, ...]:
    """What the plain aggregates need from each group of equal values: its sums and its size."""
    found: dict[Scalar | None, Aggregate] = {}
    names = Names([*RESERVED, *(var.name for item in grouped.inputs for var in item.vars)])
    for item in grouped.aggregates:
        if item.kind != "sum":
            found.setdefault(None, Aggregate("count", None, Var("count", LONG)))
        if item.argument is not None and item.argument not in found:
            name = names.fresh("sum_" + item.var.name.removeprefix("avg_").removeprefix("sum_"))
            total = Var(name, sum_type(sc.type_of(item.argument)))
            found[item.argument] = Aggregate("sum", item.argument, total)
    return tuple(found.values())


class _Second:
    """The outer of the two steps: every aggregate in terms of the columns of the first."""

    def __init__(self, old: Grouped, mapping: dict[Scalar, Scalar], source: Input, names: Names) -> None:
        self.old = old
        self.mapping = mapping
        self.source = source
        self.names = names
        self.partial = {item.argument: item.var for item in _partial_sums(old)}
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
            tuple(Tie(keys.get(tie.inner, tie.inner), tie.outer) for tie in old.ties),
        )

    def _distinct(self, item: Aggregate) -> Var:
        if item.kind == "count":
            return self._count()
        assert item.argument is not None
        return self._add(item.kind, self.mapping.get(item.argument, item.argument), item.var)

    def _plain(self, item: Aggregate) -> Scalar:
        if item.kind == "sum":
            return self._total(item.argument, item.var)
        count = self._total(None, Var("rows_counted", LONG))
        if item.kind == "count":
            return self._unless_empty(count, sc.ZERO)
        total = sc.cast(self._total(item.argument, item.var), DOUBLE)
        quotient = Arith("/!", total, Cast(count, DOUBLE), DOUBLE)
        return self._unless_empty(quotient, Const(None, DOUBLE))

    def _unless_empty(self, value: Scalar, otherwise: Const) -> Scalar:
        if self.old.all_keys():
            return value
        return Case(((Compare("=", self._count(), sc.ZERO), otherwise),), value)

    def _count(self) -> Var:
        return self.aggregates.setdefault(
            ("count", None), Aggregate("count", None, Var("count", LONG))
        ).var

    def _total(self, argument: Scalar | None, wish: Var) -> Var:
        column = self.mapping[self.partial[argument]]
        return self._add("sum", column, replace(wish, type=sum_type(sc.type_of(column))))

    def _add(self, kind: str, column: Scalar, wish: Var) -> Var:
        known = self.aggregates.get((kind, column))
        if known is None:
            var = replace(wish, name=self.names.fresh(wish.name))
            known = self.aggregates[kind, column] = Aggregate(kind, column, var)
        return known.var


def guarded(test: Scalar) -> tuple[Scalar, ...] | None:
    """A condition over quotients as conditions without NULL, where a NULL makes the condition fail.

    ``x / y > c`` is ``y <> 0 AND x / y > c``. None where NULL would not simply fail, as in OR.
    """
    if not sc.is_nullable(test):
        return (test,)
    inner = test.term if isinstance(test, sc.Not) else test
    if not isinstance(inner, Compare):
        return None
    divisors: list[Scalar] = []
    safe = _safe(inner, divisors)
    if sc.is_nullable(safe):
        return None
    tests = tuple(Compare("<>", divisor, Const(0.0, DOUBLE)) for divisor in unique(divisors))
    return (*tests, sc.negation(safe) if isinstance(test, sc.Not) else safe)


def _safe(value: Scalar, divisors: list[Scalar]) -> Scalar:
    if isinstance(value, Case):
        return value
    below = sc.children(value)
    parts = tuple(_safe(child, divisors) for child in below)
    if isinstance(value, Arith) and value.op == "/" and sc.is_nullable(value):
        divisors.append(parts[1])
        return Arith("/!", parts[0], parts[1], value.type)
    return sc.rebuild(value, parts) if below else value
