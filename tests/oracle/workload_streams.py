"""Streams over the rows of a workload: only inserts, a sliding window, random updates; cut into events of any size.

Tables are loaded first and never change. A declared primary key is respected after every event.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from oracle.workload_data import Data, Draw, Row
from toastergen.changes import Step
from toastergen.frontend.m3 import DERIVED, Relation

INSERTS = "inserts"
WINDOW = "window"
UPDATES = "updates"
KINDS = (INSERTS, WINDOW, UPDATES)

TRIES = 40  # to draw a row whose key is free
ROUNDS = {INSERTS: 1.0, WINDOW: 1.8, UPDATES: 2.2}  # changes, as a multiple of the rows that are there at once

Change = tuple[Row, int]


@dataclass(slots=True)
class _Live:
    """The rows of one relation that are there, oldest first."""

    draw: Draw
    key: tuple[int, ...]
    rows: list[Row]
    taken: set[Row]

    def key_of(self, row: Row) -> Row:
        return tuple(row[place] for place in self.key)

    def add(self, row: Row) -> Change:
        self.rows.append(row)
        self.taken.add(self.key_of(row))
        return row, 1

    def remove(self, place: int) -> Change:
        row = self.rows.pop(place)
        self.taken.discard(self.key_of(row))
        return row, -1


class Feed:
    """Draws the steps of one stream."""

    def __init__(self, relations: tuple[Relation, ...], data: Data, kind: str, seed: int) -> None:
        self._rng = random.Random(f"{seed} {kind}")
        self._kind = kind
        self._fixed = [relation.name for relation in relations if relation.name in data.fixed]
        self._data = data
        fed = [item for item in relations if item.kind != DERIVED and item.name not in data.fixed]
        self._live: Mapping[str, _Live] = {item.name: _live(item, data.drawn[item.name]) for item in fed}

    def tables(self) -> Iterator[Step]:
        for name in self._fixed:
            rows = tuple(self._data.fixed[name])
            yield Step(name, rows, (1,) * len(rows), batch=True)

    def steps(self, size: int) -> Iterator[Step]:
        """Events of ``size`` changes each, 0 for single rows, until every relation has had its share."""
        left = {name: round(live.draw.rows * ROUNDS[self._kind]) for name, live in self._live.items()}
        while left:
            (name,) = self._rng.choices(list(left), [left[name] for name in left])
            changes: list[Change] = []
            while len(changes) < max(1, size) and left[name] > 0:
                left[name] -= 1
                changes += self._changes(self._live[name])
            if left[name] <= 0:
                del left[name]
            yield from _events(name, changes, size)

    def drain(self, size: int) -> Iterator[Step]:
        """Delete everything that is still there, in random order."""
        waiting = [name for name, live in self._live.items() if live.rows]
        while waiting:
            name = self._rng.choice(waiting)
            live = self._live[name]
            count = min(max(1, size), len(live.rows))
            yield from _events(name, [live.remove(self._rng.randrange(len(live.rows))) for _ in range(count)], size)
            if not live.rows:
                waiting.remove(name)

    def _changes(self, live: _Live) -> list[Change]:
        is_full = len(live.rows) >= (0.9 if self._kind == WINDOW else 0.7) * live.draw.rows
        if self._kind == UPDATES and is_full:
            return self._update(live)
        row = self._row(live)
        if row is None:
            return [] if self._kind == INSERTS else [live.remove(0)]
        added = live.add(row)
        return [added, live.remove(0)] if self._kind == WINDOW and is_full else [added]

    def _update(self, live: _Live) -> list[Change]:
        """Mostly the row with the same key and other values behind it; sometimes it only goes."""
        removed = live.remove(self._rng.randrange(len(live.rows)))
        if self._rng.random() < 0.15:
            return [removed]
        row = list(self._any_row(live))
        if self._rng.random() < 0.8:
            for place in live.key:
                row[place] = removed[0][place]
        added = tuple(row)
        return [removed] if live.key and live.key_of(added) in live.taken else [removed, live.add(added)]

    def _row(self, live: _Live) -> Row | None:
        for _ in range(TRIES):
            row = self._any_row(live)
            if not live.key or live.key_of(row) not in live.taken:
                return row
        return None

    def _any_row(self, live: _Live) -> Row:
        return sum((self._rng.choice(group) for group in live.draw.groups), ())


def _live(relation: Relation, draw: Draw) -> _Live:
    names = [column.name for column in relation.columns]
    return _Live(draw, tuple(names.index(name) for name in relation.primary_key), [], set())


def _events(relation: str, changes: list[Change], size: int) -> Iterator[Step]:
    """Single rows keep their order; in a batch there is none."""
    if size == 0:
        for row, weight in changes:
            yield Step(relation, (row,), (weight,), batch=False)
    elif changes:
        yield Step(relation, tuple(row for row, _ in changes), tuple(weight for _, weight in changes), batch=True)
