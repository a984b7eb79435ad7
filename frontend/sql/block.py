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
    """A correlation: ``inner`` belongs to the subquery, ``outer`` to the query around it; they must be equal."""

    inner: Scalar
    outer: Scalar


@dataclass(frozen=True, slots=True)
class Block:
    """A resolved SELECT without a name. With ``ties`` it is one answer per row of the query around it."""

    inputs: tuple[Input, ...]
    where: tuple[Scalar, ...]
    group_by: tuple[Scalar, ...] | None
    aggregates: tuple[Aggregate, ...]
    items: tuple[Item, ...]
    ties: tuple[Tie, ...] = ()

    def query(self, name: str, hidden: bool) -> Query:
        return Query(name, self.inputs, self.where, self.group_by, self.aggregates, self.items, hidden)

    def nullable(self) -> Item | None:
        """The first column that can be NULL: a quotient, or a sum over nothing."""
        empty = [item.var for item in self.aggregates if item.kind != "count"] if self.group_by == () else []
        return next((item for item in self.items if _can_be_null(item.value, empty)), None)

    def renamed(self, names: Iterable[str]) -> Block:
        return replace(
            self, items=tuple(Item(name, item.value) for name, item in zip(names, self.items, strict=True))
        )


def _can_be_null(value: Scalar, empty: Sequence[Var]) -> bool:
    return sc.is_nullable(value) or any(var in empty for var in sc.variables(value))


@dataclass(slots=True)
class Stage:
    """The joined rows an expression is computed over; subqueries join in while it is being read."""

    names: Names
    inputs: list[Input] = field(default_factory=list)
    where: list[Scalar] = field(default_factory=list)

    def attach(self, relation: Relation, keys: Sequence[Scalar]) -> tuple[Var, ...]:
        """Join a relation whose first columns equal ``keys``; the variables of its other columns."""
        item = reading(relation, self.names)
        self.inputs.append(item)
        pairs = zip(item.vars, keys, strict=False)
        self.where += [Compare("=", var, key) for var, key in pairs]
        return item.vars[len(keys) :]


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
