"""A case: relations, views over them and over each other, and a stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from property.random_sql.draw import Draw
from property.random_sql.queries import Query, query
from property.random_sql.schema import STREAM, Readable, Table, random_tables
from property.random_sql.streams import random_stream

from toastergen.changes import Step

DEEP, FLAT = (0, 1, 2, 2), (0, 0, 0, 0, 1)  # what is compiled to native code is better small: C++ takes its time


@dataclass(frozen=True, slots=True)
class Case:
    tables: tuple[Table, ...]
    selects: tuple[str, ...]
    streams: tuple[tuple[Step, ...], ...]
    names: tuple[str, ...] = ()  # of the views; v0, v1 … if there are none

    @property
    def sql(self) -> str:
        names = self.names or [f"v{place}" for place in range(len(self.selects))]
        views = [f"CREATE VIEW {name} AS {select};" for name, select in zip(names, self.selects, strict=True)]
        return "\n".join([*(table.declaration() for table in self.tables), *views])

    def select_of(self, view: str) -> str:
        names = self.names or tuple(f"v{place}" for place in range(len(self.selects)))
        return self.selects[names.index(view)]

    @property
    def can_empty(self) -> bool:
        return all(table.form == STREAM for table in self.tables)


def random_case(seed: object, views: int = 1, streams: int = 1, nesting: Sequence[int] = DEEP) -> Case:
    """``nesting``: how many levels of queries in queries a view may have, one of these numbers."""
    rng = Random(str(seed))
    tables = random_tables(rng)
    selects = random_views(rng, tables, views, nesting)
    return Case(tables, tuple(selects), tuple(random_stream(rng, tables) for _ in range(streams)))


def random_views(rng: Random, tables: Sequence[Table], count: int, nesting: Sequence[int]) -> list[str]:
    """Views can read the ones before them, but mostly read relations."""
    relations = [table.readable for table in tables]
    views: list[Readable] = []
    selects = []
    for place in range(count):
        levels = rng.choice(nesting)
        draw = Draw(rng, [*relations * 3, *views[-2:]], levels, size=3 * levels)
        found = query(draw, None)
        ending = _ending(draw, found)
        selects.append(found.text + ending)
        if "LIMIT" not in ending:
            views.append(Readable(f"v{place}", found.columns))
    return selects


def _ending(draw: Draw, found: Query) -> str:
    """ORDER BY all columns, so that LIMIT cuts the same rows everywhere."""
    if found.is_rough or not draw.chance(0.12):
        return ""
    keys = [f"{place}{_direction(draw)}" for place in range(1, len(found.columns) + 1)]
    limit = f" LIMIT {draw.pick((1, 2, 3))}" if draw.chance(0.7) else ""
    offset = f" OFFSET {draw.pick((0, 1, 2))}" if limit and draw.chance(0.4) else ""
    return f" ORDER BY {', '.join(keys)}{limit}{offset}"


def _direction(draw: Draw) -> str:
    return draw.pick(("", "", " DESC", " NULLS FIRST", " DESC NULLS LAST"))
