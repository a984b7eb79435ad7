"""A SELECT between its text and its name: the rows it gives, and what ties it to the query around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import Relation
from toastergen.frontend.names import Names, identifier
from toastergen.frontend.scalar import Compare, Scalar, Var
from toastergen.frontend.sql.names import OutputNames
from toastergen.frontend.sql.resolved import Aggregate, Input, Item, Query


@dataclass(frozen=True, slots=True)
class Tie:
    """A correlation: ``inner`` belongs to the subquery, ``outer`` to the query around it; they must be equal.

    ``same`` also ties NULL to NULL.
    """

    inner: Scalar
    outer: Scalar
    same: bool = False

    @property
    def op(self) -> str:
        return "IS" if self.same else "="


@dataclass(frozen=True, slots=True)
class Block:
    """A resolved SELECT without a name. With ``ties`` it is one answer per row of the query around it.

    ``free`` are columns of the query around it that stand in the block as variables nothing binds yet.
    """

    inputs: tuple[Input, ...]
    where: tuple[Scalar, ...]
    group_by: tuple[Scalar, ...] | None
    aggregates: tuple[Aggregate, ...]
    items: tuple[Item, ...]
    ties: tuple[Tie, ...] = ()
    free: tuple[tuple[Var, Scalar], ...] = ()
    single: bool = False  # aggregates over everything: for each row around it one row, if only of NULLs
    nothing: Scalar | None = None  # the value of a scalar subquery that finds no rows, if it is not NULL

    def query(self, name: str, hidden: bool) -> Query:
        return Query(name, self.inputs, self.where, self.group_by, self.aggregates, self.items, hidden)

    def grouped_by(self, keys: tuple[Scalar, ...]) -> Block:
        """The same aggregates, once per key: where there is a group there is something to aggregate."""
        sure = {
            item.var: replace(item.var, type=item.var.type.plain)
            for item in self.aggregates
            if item.argument is not None and not sc.is_nullable(item.argument)
        }
        aggregates = tuple(replace(item, var=sure.get(item.var, item.var)) for item in self.aggregates)
        change: dict[Scalar, Scalar] = dict(sure.items())
        items = rewritten(self.items, lambda value: rewrite(value, change))
        return replace(self, group_by=keys, aggregates=aggregates, items=items)

    def renamed(self, names: Iterable[str]) -> Block:
        return replace(
            self, items=tuple(Item(name, item.value) for name, item in zip(names, self.items, strict=True))
        )


@dataclass(slots=True)
class Stage:
    """The joined rows an expression is computed over; subqueries join in while it is being read."""

    names: Names
    inputs: list[Input] = field(default_factory=list)
    where: list[Scalar] = field(default_factory=list)

    def attach(self, relation: Relation, ties: Sequence[Tie], same: bool = False) -> tuple[Var, ...]:
        """Join a relation by its first columns; the variables of its other columns. ``same``: NULL joins NULL."""
        item = reading(relation, self.names)
        self.inputs.append(item)
        pairs = zip(item.vars, ties, strict=False)
        for var, tie in pairs:
            matters = (same or tie.same) and (var.type.nullable or sc.is_nullable(tie.outer))
            self.where.append(Compare("IS" if matters else "=", var, tie.outer))
        return item.vars[len(ties) :]


def reading(relation: Relation, names: Names) -> Input:
    """A relation as an input, its variables named after its columns."""
    wishes = [identifier(column.name, f"column_{place}") for place, column in enumerate(relation.columns, 1)]
    variables = tuple(
        Var(names.fresh(wish), column.type) for wish, column in zip(wishes, relation.columns, strict=True)
    )
    return Input(relation.name, relation.name, variables)


def named(values: Iterable[Scalar], known: Iterable[Item] = ()) -> tuple[Item, ...]:
    """Columns for values: named as the select list names them, else after the variable, else ``key``."""
    labels = {item.value: item.name for item in reversed(tuple(known))}
    names = OutputNames()
    return tuple(
        Item(names.fresh(labels.get(value, value.name if isinstance(value, Var) else "key")), value)
        for value in values
    )


def columns_of(item: Input, items: Sequence[Item]) -> tuple[Item, ...]:
    """The columns of an input that reads ``items``, under the same names."""
    return tuple(Item(old.name, var) for old, var in zip(items, item.vars, strict=True))


def rewrite(value: Scalar, mapping: Mapping[Scalar, Scalar]) -> Scalar:
    """Replace whole subexpressions, the largest first."""
    if value in mapping:
        return mapping[value]
    below = sc.children(value)
    return sc.rebuild(value, tuple(rewrite(child, mapping) for child in below)) if below else value


def rewritten(items: Iterable[Item], change: Callable[[Scalar], Scalar]) -> tuple[Item, ...]:
    return tuple(Item(item.name, change(item.value)) for item in items)


def unique(values: Iterable[Scalar]) -> tuple[Scalar, ...]:
    return tuple(dict.fromkeys(values))
