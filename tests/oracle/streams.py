"""Random insert/delete streams over a schema: small domains so that joins match, with the values that break engines."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import product
from typing import Any

from toastergen.frontend import scalar as sc
from toastergen.frontend.interpret.scalars import evaluate
from toastergen.frontend.m3 import DERIVED, TABLE, Relation
from toastergen.frontend.scalar import Const, Scalar, Var
from toastergen.frontend.sql.resolved import Query, Script
from toastergen.frontend.types import Type

DATES = [datetime.date(1, 1, 1), datetime.date(1969, 12, 31), datetime.date(1995, 3, 15), datetime.date(1995, 3, 16)]
DATES += [datetime.date(2000, 2, 29), datetime.date(9999, 12, 31)]
TIMES = [datetime.datetime(2, 1, 1), datetime.datetime(1969, 12, 31, 23, 59, 59, 999999)]
TIMES += [datetime.datetime(1995, 3, 15, 12, 30), datetime.datetime(1995, 3, 16)]
TIMES += [datetime.datetime(2000, 2, 29, 23, 15, 7, 250), datetime.datetime(9990, 12, 31, 1)]
WORDS = ["", "a", "b", "ab", "BUILDING", "a string that is longer than twelve bytes", "ünï", "a%b_c", "it's"]

LOADS = 9  # events of each table, before the streams
EVEN_LESS = datetime.timedelta(microseconds=1)
KEY_TRIES = 20
TRIES = 400  # to draw a row that passes the filters of a query

# Columns that are joined draw from few values, or joins of six relations would stay empty.
FEW = {
    "int": [1, 2],
    "long": [1, 2],
    "double": [1.0, 2.0],
    "decimal": [Decimal(1), Decimal(2)],
    "date": DATES[2:4],
    "timestamp": TIMES[2:4],
    "string": ["", WORDS[5]],
}

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What rows should be like so that a script's conditions hold often enough to matter.

    ``values`` are by relation and position of the column; ``filters`` are, by relation, the variables of one alias and
    the conditions on that alias alone.
    """

    values: Mapping[tuple[str, int], Sequence[Any]] = field(default_factory=dict)
    filters: Mapping[str, Sequence[tuple[tuple[str, ...], tuple[Scalar, ...]]]] = field(default_factory=dict)


def values_of(type_: Type) -> list[Any]:
    """The domain of a type: few enough to repeat, with the ends of its range where arithmetic allows."""
    match type_.kind:
        case "int" | "long":
            return [0, 1, 2, 3, 4, -1, -2, 7]
        case "double":
            return [0.0, 1.0, 0.5, -0.25, 3.75, 0.1, 1e6, -2.5]
        case "decimal":
            return [Decimal(digits).scaleb(-type_.scale) for digits in (0, 1, 5, 7, 10, 100, -3, -250, 999)]
        case "date":
            return DATES
        case "timestamp":
            return TIMES
        case "string":
            return WORDS
        case "bool":
            return [False, True]
        case _:
            raise AssertionError(f"no values for {type_}")


def wishes_of(script: Script) -> Wishes:
    return Wishes(_values(script), _filters(script))


def _filters(script: Script) -> dict[str, list[tuple[tuple[str, ...], tuple[Scalar, ...]]]]:
    found: dict[str, list[tuple[tuple[str, ...], tuple[Scalar, ...]]]] = {}
    for query in script.queries:
        for item in query.inputs:
            names = tuple(var.name for var in item.vars)
            for choice in _choices(query.where):
                tests = tuple(test for test in choice if sc.variables(test) <= set(item.vars))
                found.setdefault(item.relation, []).append((names, tests))
    return found


def _choices(where: tuple[Scalar, ...]) -> list[tuple[Scalar, ...]]:
    """The ways to fulfil a WHERE: of an OR, one alternative is enough."""
    alternatives = [
        [sc.conjuncts(term) for term in test.terms] if isinstance(test, sc.Or) else [(test,)] for test in where
    ]
    return [tuple(part for parts in choice for part in parts) for choice in product(*alternatives)]


def _values(script: Script) -> dict[tuple[str, int], list[Any]]:
    """Values that make a script's own conditions hold: its literals, and few different ones where it joins."""
    found: dict[tuple[str, int], list[Any]] = {}
    for query in script.queries:
        places = {
            var: (item.relation, index) for item in query.inputs for index, var in enumerate(item.vars)
        }
        for node in (part for scalar in _scalars(query) for part in sc.walk(scalar)):
            for var, value in _wanted(node):
                wanted = found.setdefault(places[var], []) if var in places else []
                if value not in wanted:
                    wanted.append(value)
    return found


def _scalars(query: Query) -> list[Scalar]:
    arguments = [aggregate.argument for aggregate in query.aggregates if aggregate.argument is not None]
    return [*query.where, *arguments, *(query.group_by or ()), *(item.value for item in query.items)]


def _wanted(node: Scalar) -> Iterable[tuple[Var, Any]]:
    match node:
        case sc.Compare(_, Var() as var, Const(value=value)):
            yield from ((var, near) for near in _around(value))
        case sc.Compare("=", left, right):
            sides = [side.operand if isinstance(side, sc.Cast) else side for side in (left, right)]
            for side in sides:
                if isinstance(side, Var):
                    yield from ((side, value) for value in FEW.get(side.type.kind, ()))
        case sc.InList(Var() as var, values):
            yield from ((var, item.value) for item in values)
        case sc.Like(Var() as var, pattern, ""):
            yield var, pattern.replace("%", "").replace("_", "x")


def _around(value: Any) -> list[Any]:
    if isinstance(value, datetime.datetime):
        return [value, *([value - EVEN_LESS, value + EVEN_LESS] if 1 < value.year < 9999 else [])]
    if isinstance(value, datetime.date):
        day = datetime.timedelta(1)
        return [value, *([value - day, value + day] if 1 < value.year < 9999 else [])]
    if isinstance(value, Decimal):
        step = Decimal(1).scaleb(int(value.as_tuple().exponent))
        return [value - step, value, value + step]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1000:
        return [value - 1, value, value + 1]
    return [value]


class Stream:
    """Draws events that are legal: a delete always names a row that is there, an insert never a
    key that is, and tables come before streams.

    ``limit`` bounds the rows that are there at once: the interpreters recompute joins by brute force.
    """

    def __init__(
        self,
        relations: Iterable[Relation],
        seed: int,
        deletes: float = 0.35,
        wishes: Wishes | None = None,
        limit: int = 1_000_000,
    ) -> None:
        self._relations = [item for item in relations if item.columns and item.kind != DERIVED]
        self._rng = random.Random(seed)
        self._deletes = deletes
        self._wishes = wishes or Wishes()
        self._limit = limit
        self._live: dict[str, list[Row]] = {relation.name: [] for relation in self._relations}
        tables = [item for item in self._relations if item.kind == TABLE]
        self._streams = [item for item in self._relations if item.kind != TABLE] or tables
        self._turns: list[Relation] = tables * LOADS if self._streams != tables else []

    def event(self) -> tuple[str, Row, int]:
        relation = self._next()
        return (relation.name, *self._draw(relation))

    def batch(self, size: int) -> tuple[str, list[Row], list[int]]:
        """Changes of one relation: duplicates, inserts and deletes of one row, weights beyond one."""
        relation = self._next()
        drawn = [self._draw(relation) for _ in range(size)]
        if drawn and self._rng.random() < 0.3:
            row, _ = self._rng.choice(drawn)
            drawn += [(row, 2), (row, -2)]
        self._rng.shuffle(drawn)
        return relation.name, [row for row, _ in drawn], [weight for _, weight in drawn]

    def drain(self) -> list[tuple[str, Row]]:
        """Everything that is still there, in random order, to be deleted; tables stay as they are."""
        left = [(item.name, row) for item in self._streams for row in self._live[item.name]]
        self._rng.shuffle(left)
        for item in self._streams:
            self._live[item.name].clear()
        return left

    def _next(self) -> Relation:
        """Tables first, then every stream gets its turn, in random order: a join needs rows in all of them."""
        if not self._turns:
            self._turns = self._rng.sample(self._streams, len(self._streams))
        return self._turns.pop()

    def _draw(self, relation: Relation) -> tuple[Row, int]:
        live = self._live[relation.name]
        if live and (len(live) >= self._limit or self._rng.random() < self._deletes):
            return live.pop(self._rng.randrange(len(live))), -1
        if relation.primary_key:
            return self._draw_by_key(relation, live)
        row = self._rng.choice(live) if live and self._rng.random() < 0.15 else self._row(relation)
        live.append(row)
        return row, 1

    def _draw_by_key(self, relation: Relation, live: list[Row]) -> tuple[Row, int]:
        """A row whose key is not there; where few tries find none, one that is there goes."""
        names = [column.name for column in relation.columns]
        places = [names.index(name) for name in relation.primary_key]
        taken = {tuple(row[place] for place in places) for row in live}
        for _ in range(KEY_TRIES):
            row = self._row(relation)
            if tuple(row[place] for place in places) not in taken:
                live.append(row)
                return row, 1
        return live.pop(self._rng.randrange(len(live))), -1

    def _row(self, relation: Relation) -> Row:
        """A row; mostly one that passes the filters of some alias of the relation, if a few tries find one."""
        filters = self._wishes.filters.get(relation.name, ())
        row = self._any_row(relation)
        if not filters or self._rng.random() < 0.25:
            return row
        names, tests = self._rng.choice(filters)
        for _ in range(TRIES):
            if all(evaluate(test, dict(zip(names, row, strict=True))) is True for test in tests):
                break
            row = self._any_row(relation)
        return row

    def _any_row(self, relation: Relation) -> Row:
        return tuple(
            self._value(column.type, self._wishes.values.get((relation.name, index), ()))
            for index, column in enumerate(relation.columns)
        )

    def _value(self, type_: Type, wishes: Sequence[Any]) -> Any:
        if type_.nullable and self._rng.random() < 0.25:
            return None
        if wishes and self._rng.random() < 0.85:
            return self._rng.choice(wishes)
        return self._rng.choice(values_of(type_))
