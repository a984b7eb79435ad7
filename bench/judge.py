"""DuckDB beside the engine: the judge of every result, and recomputation as a peer."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

import duckdb
import pyarrow as pa
from native import comparable
from tpch_queries import Query

Row = tuple[str, ...]


def slices(query: Query, data: dict[str, pa.RecordBatch], size: int) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Batches of at most ``size`` rows, the relations in turn."""
    for start in range(0, max(data[name].num_rows for name in query.relations), size):
        for name in query.relations:
            if start < data[name].num_rows:
                yield name, data[name].slice(start, size)


def answer(query: Query, data: dict[str, pa.RecordBatch]) -> list[Row]:
    with duckdb.connect(config={"threads": 1}) as database:
        for name in query.relations:
            database.register(name, pa.Table.from_batches([data[name]]))
        return comparable(database.sql(query.select).to_arrow_table())


def must_agree(query: Query, expected: Sequence[Row], found: Sequence[Row]) -> None:
    """Exact columns must be equal, floating ones equal but for rounding."""
    if len(expected) != len(found):
        raise AssertionError(f"{query.name}: {len(found)} rows instead of {len(expected)}")
    for want, have in zip(sorted(expected), sorted(found), strict=True):
        if not all(map(_same, want, have)):
            raise AssertionError(f"{query.name}: {have} instead of {want}")


def _same(want: str, have: str) -> bool:
    if want == have:
        return True
    return "." in want and math.isclose(float(want), float(have), rel_tol=1e-9)


def recompute(query: Query, data: dict[str, pa.RecordBatch], size: int, budget: float) -> tuple[float, int]:
    """CPU seconds and events of: append a batch, run the query again. Stops after ``budget`` CPU seconds.

    The tables are full but for the batches that are timed, so the figure is that of a loaded system.
    """
    batches = list(slices(query, data, size))
    timed = batches[-max(len(batches) // 10, min(len(batches), 3)) :]
    with duckdb.connect(config={"threads": 1}) as database:
        for name in query.relations:
            rows = pa.Table.from_batches([part for relation, part in batches if relation == name])
            later = sum(part.num_rows for relation, part in timed if relation == name)
            database.register("incoming", rows.slice(0, rows.num_rows - later))
            database.execute(f"CREATE TABLE {name} AS SELECT * FROM incoming")
        return _append_and_ask(query, database, timed, budget)


def _append_and_ask(
    query: Query, database: duckdb.DuckDBPyConnection, timed: list[tuple[str, pa.RecordBatch]], budget: float
) -> tuple[float, int]:
    events = 0
    start = time.process_time()
    for name, rows in timed:
        database.register("incoming", pa.Table.from_batches([rows]))
        database.execute(f"INSERT INTO {name} SELECT * FROM incoming")
        database.sql(query.select).to_arrow_table()
        events += rows.num_rows
        if time.process_time() - start > budget:
            break
    return time.process_time() - start, events
