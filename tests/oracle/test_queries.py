"""The written corpus: every view of tests/queries agrees in all four engines after every step, and ends empty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from oracle.duck import DuckOracle
from oracle.fourway import FourWay
from oracle.streams import Stream, wishes_of
from toastergen.frontend.m3 import DERIVED, Relation
from toastergen.frontend.sql import read_script
from toastergen.frontend.sql.resolved import Script

QUERIES = Path(__file__).parent.parent / "queries"
SCRIPTS = sorted(path.stem for path in QUERIES.glob("*.sql"))
ALWAYS_EMPTY = {"never", "never_at_all", "not_in_null"}
ROWS_AT_ONCE = 9  # per relation: the interpreters join by brute force


@dataclass(frozen=True, slots=True)
class Cut:
    """How a stream is cut into events: rows per batch (0: single-row events) and how many of them."""

    size: int
    steps: int
    steps_per_relation: int
    deletes: float

    def steps_for(self, relations: Sequence[Relation]) -> int:
        fed = sum(relation.kind != DERIVED for relation in relations)
        return max(self.steps, self.steps_per_relation * fed)


CUTS = {
    "rows": Cut(0, 48, 12, 0.25),
    "batches of 1": Cut(1, 24, 5, 0.30),
    "batches of 5": Cut(5, 12, 3, 0.40),
    "batches of 50": Cut(50, 5, 2, 0.45),
}
SEEDS = (1, 2)


@cache
def four_way(script: str) -> FourWay:
    """Compiled once per process; the engine itself comes from the build cache."""
    return FourWay((QUERIES / f"{script}.sql").read_text(), name=script)


def events(script: Script, cut: Cut, seed: int) -> tuple[Stream, int]:
    """A stream, and how many steps of it to take."""
    stream = Stream(script.relations, seed, cut.deletes, wishes=wishes_of(script), limit=ROWS_AT_ONCE)
    return stream, cut.steps_for(script.relations)


@pytest.mark.parametrize("seed", [SEEDS[0], *(pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS[1:])])
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_four_answers_agree(script: str, cut: str, seed: int) -> None:
    engines = four_way(script)
    engines.reset()
    size = CUTS[cut].size
    stream, steps = events(engines.script, CUTS[cut], seed)
    engines.check()  # nothing is there yet: ungrouped views have their one row already
    for _ in range(steps):
        if size == 0:
            engines.change(*stream.event())
        else:
            engines.batch(*stream.batch(size))
        engines.check()
    delete_everything(engines, stream, in_batches=size > 0)
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


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_streams_reach_every_view(name: str) -> None:
    """A corpus whose views stay empty would agree about nothing."""
    sql = (QUERIES / f"{name}.sql").read_text()
    script = read_script(sql)
    views = [query.name for query in script.queries if not query.hidden]
    unseen = set(views) - ALWAYS_EMPTY
    for cut, seed in product(CUTS.values(), SEEDS):
        duckdb = DuckOracle(sql, script.relations, views)
        stream, steps = events(script, cut, seed)
        for _ in range(steps):
            relation, rows, weights = stream.batch(max(1, cut.size))
            for row, weight in sorted(zip(rows, weights, strict=True), key=lambda pair: -pair[1]):
                duckdb.apply(relation, row, weight)
            unseen -= {view for view in unseen if any(any(row) for row in duckdb.view(view))}
    assert unseen == set()


def test_the_corpus_is_large() -> None:
    assert sum(len(read_script((QUERIES / f"{name}.sql").read_text()).queries) for name in SCRIPTS) >= 75
