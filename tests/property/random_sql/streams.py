"""Random streams: legal changes, in rows and batches, that delete, repeat, cancel and at times empty everything."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from property.random_sql.schema import GROWING, STREAM, TABLE, Table

from toastergen.changes import Step

Row = tuple[Any, ...]
MOST = 12


def random_stream(rng: Random, tables: Sequence[Table]) -> tuple[Step, ...]:
    """Tables are loaded first, and do not change once streams do."""
    live: dict[str, list[Row]] = {table.name: [] for table in tables}
    loading = [_load(rng, table, live[table.name]) for table in tables if table.form == TABLE]
    moving = [table for table in tables if table.form != TABLE]
    steps = [_step(rng, rng.choice(moving), live) for _ in range(rng.randint(3, MOST))] if moving else []
    if rng.random() < 0.4:
        for table in moving:
            rows = live[table.name]
            if rows and table.form == STREAM:
                steps.append(Step(table.name, tuple(rows), (-1,) * len(rows), True))
    return tuple(step for step in (*loading, *steps) if step.rows)


def _load(rng: Random, table: Table, rows: list[Row]) -> Step:
    changes = [change for _ in range(rng.randint(0, 5)) for change in _inserts(rng, table, rows)]
    return Step(table.name, tuple(row for row, _ in changes), tuple(weight for _, weight in changes), True)


def _step(rng: Random, table: Table, live: dict[str, list[Row]]) -> Step:
    rows = live[table.name]
    batch = rng.random() < 0.5
    changes: list[tuple[Row, int]] = []
    for _ in range(rng.randint(1, 5) if batch else 1):
        changes += _changes(rng, table, rows, weighty=batch)
    return Step(table.name, tuple(row for row, _ in changes), tuple(weight for _, weight in changes), batch)


def _changes(rng: Random, table: Table, rows: list[Row], weighty: bool) -> list[tuple[Row, int]]:
    kind = rng.choice(("new", "new", "new", "again", "delete", "delete", "cancel"))
    if rows and kind == "delete" and table.form != GROWING:
        row = rng.choice(rows)
        times = rows.count(row) if weighty and rng.random() < 0.5 else 1
        for _ in range(times):
            rows.remove(row)
        return [(row, -times)]
    if weighty and kind == "cancel" and table.form != GROWING and not table.keyed:
        row, times = _row(rng, table), rng.choice((1, 1, 2))
        return [(row, times), (row, -times)]
    if rows and kind == "again" and not table.keyed:
        row, times = rng.choice(rows), rng.choice((1, 1, 3)) if weighty else 1
        rows += [row] * times
        return [(row, times)]
    return _inserts(rng, table, rows)


def _inserts(rng: Random, table: Table, rows: list[Row]) -> list[tuple[Row, int]]:
    row = _row(rng, table)
    if table.keyed and any(row[0] == other[0] for other in rows):
        return []
    rows.append(row)
    return [(row, 1)]


def _row(rng: Random, table: Table) -> Row:
    return tuple(rng.choice(table.domain(place)) for place in range(len(table.types)))
