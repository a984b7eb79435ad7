"""The workloads of tests/queries/workloads: native engines equal DuckDB while rows come, go and change.

An engine takes long to compile, so views that share maps share an engine, and one test runs all the streams of it.
The slow tests run every kind of stream in every cut, in all modes; the others a slice of them.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Final

import pytest

from oracle.workload_data import DATA
from oracle.workload_streams import INSERTS, KINDS, UPDATES, WINDOW, Feed
from oracle.workloads import CUTS, WORKLOADS, Contest, alone, compiled, interpret, parts, script
from toastergen.errors import UnsupportedSql
from toastergen.frontend.m3 import DERIVED
from toastergen.frontend.maintain import STRATEGIES
from toastergen.frontend.sql import read_script
from toastergen.recompute import Recomputation

TPCH: Final = (
    ("q1", "q4", "q6", "q12", "q14", "q17", "q19"),
    ("q3", "q10", "q13", "q18", "q22"),
    ("q2", "q11", "q16", "q20"),
    ("q5", "q7", "q9"),
    ("q8",),
    ("q15", "q21"),
)
ENGINES: Final = {
    "tpch": (*TPCH[:-1], ("revenue0", "q15", "q15_with", "q21")),
    "tpch_adapted": TPCH,
    "finance": (("axf", "bsp", "bsv", "psp"), ("mst", "vwap")),
    "tpcds": (("q3", "q42", "q43", "q52", "q55"), ("q7", "q27"), ("q34", "q73", "q79"), ("q19", "q46", "q68")),
    "ssb": (
        ("q1_1", "q1_2", "q1_3", "q2_1", "q2_2", "q2_3"), ("q3_1", "q3_2", "q3_3", "q3_4"), ("q4_1", "q4_2", "q4_3"),
    ),
    "graphs": (
        ("q1", "q1_agg", "q2", "q2_agg", "q3", "q3_agg", "q_fanout"),
        ("follower_chain_1", "follower_chain_2", "follower_chain_3", "follower_chain_4"),
        ("retweet_chain_1", "retweet_chain_2", "retweet_chain_3", "retweet_chain_4"),
        ("triangles", "triangles_by_user", "four_cycles", "mixed_triangles"),
    ),
    "job": (
        ("by_country", "sequels_by_year"), ("rated_productions",), ("other_names",), ("links",), ("casts",), ("facts",),
        ("linked_pairs",), ("everything",), ("everything_first",),
    ),
}  # fmt: skip
# What `make test` builds: one engine of every kind of query.
QUICK: Final = {
    "tpch": ("q1", "q3", "q2", "q5", "revenue0"),
    "finance": ("axf", "mst"),
    "tpcds": ("q3", "q34"),
    "ssb": ("q1_1",),
    "graphs": ("q1", "triangles"),
    "job": ("by_country",),
}
MODES: Final = ("hoivm", "ivm", "reeval")
ALL_ENGINES: Final = [(workload, views) for workload, engines in ENGINES.items() for views in engines]


def named(engine: tuple[str, tuple[str, ...]]) -> str:
    return f"{engine[0]}-{engine[1][0]}"


@cache
def contest(workload: str, views: tuple[str, ...], mode: str) -> Contest:
    return Contest(workload, views, mode, f"{workload}_{views[0]}_{mode}")


@pytest.mark.parametrize("engine", [item for item in ALL_ENGINES if item[1][0] in QUICK.get(item[0], ())], ids=named)
def test_a_slice(engine: tuple[str, tuple[str, ...]]) -> None:
    found = contest(*engine, "hoivm")
    for cut, kind in (("rows", UPDATES), ("batches of 10", WINDOW), ("batches of 1000", UPDATES)):
        found.run(CUTS[cut], kind, seed=1)


def test_a_slice_in_the_other_modes() -> None:
    for mode in MODES[1:]:
        contest("graphs", ENGINES["graphs"][3], mode).run(CUTS["rows"], UPDATES, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("engine", ALL_ENGINES, ids=named)
def test_every_stream(engine: tuple[str, tuple[str, ...]], mode: str) -> None:
    workload, views = engine
    if mode == "reeval" and not all(is_supported(workload, view, mode) for view in views):
        views = tuple(view for view in views if is_supported(workload, view, mode))
        if not views:
            pytest.skip("nothing here can be re-evaluated")
    found = contest(workload, views, mode)
    for cut, kind in product(CUTS.values(), KINDS):
        found.run(cut, kind, seed=2)


@pytest.mark.parametrize(
    "mode", [*MODES, *(pytest.param(mode, marks=pytest.mark.slow) for mode in STRATEGIES if mode not in MODES)]
)
@pytest.mark.parametrize("engine", ALL_ENGINES, ids=named)
def test_every_query_in_every_mode_in_the_interpreter(engine: tuple[str, tuple[str, ...]], mode: str) -> None:
    workload, views = engine
    taken = tuple(view for view in views if mode in MODES[:2] or is_supported(workload, view, mode))
    if taken:
        interpret(workload, taken, mode, UPDATES, 0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", (INSERTS, WINDOW))
@pytest.mark.parametrize("mode", STRATEGIES)
@pytest.mark.parametrize("engine", ALL_ENGINES, ids=named)
def test_other_streams_in_the_interpreter(engine: tuple[str, tuple[str, ...]], mode: str, kind: str) -> None:
    workload, views = engine
    taken = tuple(view for view in views if mode in MODES[:2] or is_supported(workload, view, mode))
    if taken:
        interpret(workload, taken, mode, kind, 3)


def is_supported(workload: str, view: str, mode: str) -> bool:
    try:
        compiled(alone(workload, view), mode)
    except UnsupportedSql:
        return False
    return True


# --- the workloads themselves -----------------------------------------------------------------------------


def test_every_view_of_every_file_is_in_an_engine() -> None:
    assert {path.stem for path in WORKLOADS.glob("*.sql")} == set(ENGINES) == set(DATA)
    for workload, engines in ENGINES.items():
        assert sorted(parts(workload)[1]) == sorted(view for views in engines for view in views)


@pytest.mark.parametrize(
    ("workload", "queries"),
    [("tpch", 24), ("tpch_adapted", 22), ("finance", 6), ("tpcds", 13), ("ssb", 13), ("graphs", 19), ("job", 10)],
)
def test_no_query_is_missing(workload: str, queries: int) -> None:
    assert len(parts(workload)[1]) == queries


@pytest.mark.parametrize("workload", ENGINES)
def test_every_mode_takes_every_query_but_reeval_of_queries_over_queries(workload: str) -> None:
    for engine, mode in product(ENGINES[workload], MODES):
        sql = script(workload, engine)
        is_nested = any(relation.kind == DERIVED for relation in read_script(sql).relations)
        if mode != "reeval" or not is_nested:
            compiled(sql, mode)


@pytest.mark.parametrize("workload", ENGINES)
def test_the_streams_reach_every_view(workload: str) -> None:
    """Answers that stay empty would agree about nothing."""
    sql = script(workload, list(parts(workload)[1]))
    relations = read_script(sql).relations
    unseen = set(parts(workload)[1])
    duckdb = Recomputation(sql, relations, list(parts(workload)[1]))
    for seed, kind, (size, scale) in product((1, 2), (INSERTS, UPDATES, WINDOW), ((10, 4), (1000, 40), (0, 1))):
        duckdb.clear()
        feed = Feed(relations, DATA[workload](scale), kind, seed)
        for number, step in enumerate([*feed.tables(), *feed.steps(size)]):
            for row, weight in sorted(zip(step.rows, step.weights, strict=True), key=lambda pair: -pair[1]):
                duckdb.apply(step.relation, row, weight)
            if number % 3 == 0:
                unseen -= {view for view in unseen if any(any(row) for row in duckdb.view(view))}
        if not unseen:
            return
    assert unseen == set()
