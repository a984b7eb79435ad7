"""The written corpus: every view of tests/queries agrees in all four engines after every step, and ends empty."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from oracle.duck import DuckOracle
from oracle.fourway import FourWay
from oracle.streams import Stream, wishes_of

SCRIPTS = sorted(path.stem for path in (Path(__file__).parent.parent / "queries").glob("*.sql"))
ROWS_AT_ONCE = 8  # per relation: the interpreters join by brute force

# How a stream is cut into events: rows per batch (None: single-row events), steps, share of deletes.
CUTS = {
    "rows": (None, 40, 0.35),
    "batches of 1": (1, 24, 0.35),
    "batches of 5": (5, 14, 0.40),
    "batches of 50": (50, 5, 0.45),
}
SEEDS = (1, 2)


@cache
def four_way(script: str) -> FourWay:
    """Compiled once per process; the engine itself comes from the build cache."""
    path = Path(__file__).parent.parent / "queries" / f"{script}.sql"
    return FourWay(path.read_text(), name=script)


def stream_for(engines: FourWay, seed: int, deletes: float) -> Stream:
    relations = engines.script.relations
    return Stream(relations, seed, deletes, wishes=wishes_of(engines.script), limit=ROWS_AT_ONCE)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_four_answers_agree(script: str, cut: str, seed: int) -> None:
    engines = four_way(script)
    engines.reset()
    size, steps, deletes = CUTS[cut]
    stream = stream_for(engines, seed, deletes)
    engines.check()  # nothing is there yet: ungrouped views have their one row already
    for _ in range(steps):
        if size is None:
            engines.change(*stream.event())
        else:
            engines.batch(*stream.batch(size))
        engines.check()
    delete_everything(engines, stream, in_batches=size is not None)
    engines.check()
    engines.check_empty()


def delete_everything(engines: FourWay, stream: Stream, in_batches: bool) -> None:
    left = stream.drain()
    if not in_batches:
        for relation, row in left:
            engines.change(relation, row, -1)
        return
    for relation in dict.fromkeys(name for name, _ in left):
        rows = [row for name, row in left if name == relation]
        engines.batch(relation, rows, [-1] * len(rows))


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_streams_reach_every_view(script: str) -> None:
    """A corpus whose views stay empty would agree about nothing."""
    engines = four_way(script)
    reached: set[str] = set()
    for seed in SEEDS:
        duckdb = DuckOracle(engines.sql, engines.script.relations, engines.views)
        stream = stream_for(engines, seed, CUTS["rows"][2])
        for _ in range(CUTS["rows"][1]):
            duckdb.apply(*stream.event())
            reached |= {view for view in engines.views if any(any(row) for row in duckdb.view(view))}
    assert set(engines.views) - reached <= {"never", "never_at_all"}


def test_the_corpus_is_large() -> None:
    assert sum(len(four_way(script).views) for script in SCRIPTS) >= 75
