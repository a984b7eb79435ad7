"""Random insert/delete streams over a schema: small domains so that joins match, with the values that break engines."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import DERIVED, Relation
from toastergen.frontend.scalar import Const, Scalar, Var
from toastergen.frontend.sql.resolved import Query, Script
from toastergen.frontend.types import Type

DATES = [datetime.date(1, 1, 1), datetime.date(1969, 12, 31), datetime.date(1995, 3, 15), datetime.date(1995, 3, 16)]
DATES += [datetime.date(2000, 2, 29), datetime.date(9999, 12, 31)]
WORDS = ["", "a", "b", "ab", "BUILDING", "a string that is longer than twelve bytes", "ünï", "a%b_c", "it's"]

# Columns that are joined draw from few values, or joins of six relations would stay empty.
FEW = {
    "int": [0, 1, 2],
    "long": [0, 1, 2],
    "double": [0.0, 1.0, 2.0],
    "decimal": [Decimal(0), Decimal(1), Decimal(2)],
    "date": DATES[2:4],
    "string": ["", "a", WORDS[5]],
}

Row = tuple[Any, ...]
Wishes = Mapping[tuple[str, int], Sequence[Any]]  # by relation and position of the column


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
        case "string":
            return WORDS
        case "bool":
            return [False, True]
        case _:
            raise AssertionError(f"no values for {type_}")


def wishes_of(script: Script) -> dict[tuple[str, int], list[Any]]:
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
    if isinstance(value, datetime.date):
        day = datetime.timedelta(1)
        return [value, *([value - day, value + day] if 1 < value.year < 9999 else [])]
    if isinstance(value, Decimal):
        step = Decimal(1).scaleb(int(value.as_tuple().exponent))
        return [value - step, value, value + step]
    return [value]


class Stream:
    """Draws events that are legal: a delete always names a row that is there.

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
        self._wishes = wishes or {}
        self._limit = limit
        self._live: dict[str, list[Row]] = {relation.name: [] for relation in self._relations}

    def event(self) -> tuple[str, Row, int]:
        relation = self._rng.choice(self._relations)
        return (relation.name, *self._draw(relation))

    def batch(self, size: int) -> tuple[str, list[Row], list[int]]:
        """Changes of one relation: duplicates, inserts and deletes of one row, weights beyond one."""
        relation = self._rng.choice(self._relations)
        drawn = [self._draw(relation) for _ in range(size)]
        if drawn and self._rng.random() < 0.3:
            row, _ = self._rng.choice(drawn)
            drawn += [(row, 2), (row, -2)]
        self._rng.shuffle(drawn)
        return relation.name, [row for row, _ in drawn], [weight for _, weight in drawn]

    def drain(self) -> list[tuple[str, Row]]:
        """Everything that is still there, in random order, to be deleted."""
        left = [(name, row) for name, rows in self._live.items() for row in rows]
        self._rng.shuffle(left)
        for rows in self._live.values():
            rows.clear()
        return left

    def _draw(self, relation: Relation) -> tuple[Row, int]:
        live = self._live[relation.name]
        if live and (len(live) >= self._limit or self._rng.random() < self._deletes):
            return live.pop(self._rng.randrange(len(live))), -1
        row = self._rng.choice(live) if live and self._rng.random() < 0.15 else self._row(relation)
        live.append(row)
        return row, 1

    def _row(self, relation: Relation) -> Row:
        return tuple(
            self._value(column.type, self._wishes.get((relation.name, index), ()))
            for index, column in enumerate(relation.columns)
        )

    def _value(self, type_: Type, wishes: Sequence[Any]) -> Any:
        if wishes and self._rng.random() < 0.8:
            return self._rng.choice(wishes)
        return self._rng.choice(values_of(type_))
