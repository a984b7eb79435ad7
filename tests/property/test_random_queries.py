"""Random queries on random streams. TOASTERGEN_SEED chooses other ones; the default is always the same."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from property.sql_strategies import Step, Table, draw_many, queries, schemas, streams

from oracle.fourway import FourWay
from oracle.reduce import apply, is_legal, report, run, shrunk

SEED = int(os.environ.get("TOASTERGEN_SEED", "20240229"))
VIEWS = 20  # per engine: compiling is the expensive part
STREAMS = 2

GROUPS = [
    *range(10),
    *(pytest.param(group, marks=pytest.mark.slow) for group in range(10, 100)),
]


@pytest.mark.parametrize("group", GROUPS)
def test_four_answers_agree(group: int) -> None:
    """200 queries per run, each on two streams; the slow half of the suite takes 2,000."""
    number = SEED * 1000 + group
    tables = draw_many(schemas(), 6, number)[-1]
    selects = list(dict.fromkeys(draw_many(queries(tables), VIEWS * 2, number)))[-VIEWS:]
    engines = FourWay(script(tables, selects), name=f"random_{group}")
    for steps in draw_many(streams(tables), 4 + STREAMS, number)[-STREAMS:]:
        found = run(engines, steps)
        if found is not None:
            pytest.fail(report(script(tables, ()), selects[engines.views.index(found.view)], steps, found))
        delete_what_is_left(engines, steps)
        engines.check_empty()


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, tuple[Step, ...]]:
    tables = draw(schemas())
    return script(tables, [draw(queries(tables))]), draw(streams(tables))


@seed(SEED)
@settings(max_examples=300, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_the_compiler_keeps_the_meaning(case: tuple[str, tuple[Step, ...]]) -> None:
    """Without native code, so many more of them, and hypothesis makes a failure small."""
    check(*case)


@pytest.mark.slow
@seed(SEED + 1)
@settings(max_examples=3000, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_the_compiler_keeps_the_meaning_of_many_more(case: tuple[str, tuple[Step, ...]]) -> None:
    check(*case)


def check(sql: str, steps: tuple[Step, ...]) -> None:
    engines = FourWay(sql, native=False)
    engines.check()
    found = run(engines, steps)
    assert found is None, f"{found}\n{sql}\n{steps}"
    delete_what_is_left(engines, steps)
    engines.check_empty()


def script(tables: Sequence[Table], selects: Sequence[str]) -> str:
    views = [f"CREATE VIEW v{index} AS {select};" for index, select in enumerate(selects)]
    return "\n".join([*(table.declaration() for table in tables), *views])


def delete_what_is_left(engines: FourWay, steps: Sequence[Step]) -> None:
    for relation in dict.fromkeys(step.relation for step in steps):
        for row in engines.duckdb.rows(relation):
            engines.change(relation, row, -1)
    engines.check()


def test_a_failure_is_made_small() -> None:
    """Break the interpreter on purpose: a delete of row 2 is lost. Two events are enough to show it."""

    class Forgetful(FourWay):
        def reset(self) -> None:
            super().reset()
            delete = self.m3.delete
            self.m3.delete = lambda relation, row: None if row == (2,) else delete(relation, row)  # type: ignore[method-assign]

    engines = Forgetful("CREATE STREAM r (a INT); CREATE VIEW v AS SELECT a FROM r;", native=False)
    steps = tuple(Step("r", ((value,),), (weight,), False) for weight in (1, -1) for value in (1, 2, 3))
    found = run(engines, steps)
    assert found is not None and found.stage == "m3"
    assert [(step.rows, step.weights) for step in shrunk(engines, steps)] == [(((2,),), (1,)), (((2,),), (-1,))]


def test_streams_are_legal() -> None:
    tables = draw_many(schemas(), 3, SEED)[-1]
    drawn = draw_many(streams(tables), 50, SEED)
    assert all(is_legal(steps) for steps in drawn)
    assert any(weight < 0 for steps in drawn for step in steps for weight in step.weights)
    apply(FourWay(script(tables, ["SELECT x.a FROM r AS x"]), native=False), drawn[-1][0])
