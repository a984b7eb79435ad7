"""Random insert/delete streams over a schema: small domains so that joins match, with the values that break engines."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from toastergen.frontend.m3 import Relation
from toastergen.frontend.types import Type

DATES = [datetime.date(1, 1, 1), datetime.date(1969, 12, 31), datetime.date(1995, 3, 15), datetime.date(1995, 3, 16)]
DATES += [datetime.date(2000, 2, 29), datetime.date(9999, 12, 31)]
WORDS = ["", "a", "b", "ab", "BUILDING", "a string that is longer than twelve bytes", "ünï", "a%b_c", "it's"]


def random_value(type_: Type, rng: random.Random) -> Any:
    match type_.kind:
        case "int" | "long":
            return rng.choice([0, 1, 2, 3, 4, -1, -2, 7])
        case "double":
            return rng.choice([0.0, 1.0, 0.5, -0.25, 3.75, 0.1, 1e6, -2.5])
        case "decimal":
            digits = rng.choice([0, 1, 5, 7, 10, 100, -3, -250, 999])
            return Decimal(digits).scaleb(-type_.scale)
        case "date":
            return rng.choice(DATES)
        case "string":
            return rng.choice(WORDS)
        case "bool":
            return rng.random() < 0.5
        case _:
            raise AssertionError(f"no values for {type_}")


def random_row(relation: Relation, rng: random.Random) -> tuple[Any, ...]:
    return tuple(random_value(column.type, rng) for column in relation.columns)


class Stream:
    """Draws events that are legal: a delete always names a row that is there."""

    def __init__(self, relations: Iterable[Relation], seed: int, deletes: float = 0.35) -> None:
        self._relations = [relation for relation in relations if relation.columns]
        self._rng = random.Random(seed)
        self._deletes = deletes
        self._live: dict[str, list[tuple[Any, ...]]] = {relation.name: [] for relation in self._relations}

    def event(self) -> tuple[str, tuple[Any, ...], int]:
        relation = self._rng.choice(self._relations)
        return (relation.name, *self._draw(relation))

    def batch(self, size: int) -> tuple[str, list[tuple[Any, ...]], list[int]]:
        """Changes of one relation: duplicates, inserts and deletes of one row, weights beyond one."""
        relation = self._rng.choice(self._relations)
        drawn = [self._draw(relation) for _ in range(size)]
        if drawn and self._rng.random() < 0.3:
            row, weight = self._rng.choice(drawn)
            drawn += [(row, 2), (row, -2)]
        self._rng.shuffle(drawn)
        return relation.name, [row for row, _ in drawn], [weight for _, weight in drawn]

    def drain(self) -> Iterable[tuple[str, tuple[Any, ...]]]:
        """Everything that is still there, in random order, to be deleted."""
        left = [(name, row) for name, rows in self._live.items() for row in rows]
        self._rng.shuffle(left)
        for rows in self._live.values():
            rows.clear()
        return left

    def _draw(self, relation: Relation) -> tuple[tuple[Any, ...], int]:
        live = self._live[relation.name]
        if live and self._rng.random() < self._deletes:
            return live.pop(self._rng.randrange(len(live))), -1
        row = self._rng.choice(live) if live and self._rng.random() < 0.15 else random_row(relation, self._rng)
        live.append(row)
        return row, 1
