"""Random queries on random streams. TOASTERGEN_SEED chooses other ones; the default is always the same."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from property.judge import AGREED, BEYOND, CRASHED, REFUSED, accepted, judge
from property.random_sql import FLAT, Case, random_case

from oracle.fourway import FourWay
from oracle.reduce import apply, is_legal, report, run, shrunk
from toastergen.changes import Step, stream_text

SEED = os.environ.get("TOASTERGEN_SEED", "20240229")
VIEWS = 12  # per engine: compiling is the expensive part
STREAMS = 2
FEW = 5  # views per script without native code
MOST_REFUSED = 0.05  # of the views: more, and the search would look at too little

GROUPS = [
    *range(10),
    *(pytest.param(group, marks=pytest.mark.slow) for group in range(10, 100)),
]
PARTS = [
    *range(6),
    *(pytest.param(part, marks=pytest.mark.slow) for part in range(6, 60)),
]


@pytest.mark.parametrize("group", GROUPS)
def test_four_answers_agree(group: int) -> None:
    """120 queries per run, each on two streams; the slow half of the suite takes 1,200."""
    case, _ = accepted(random_case(f"{SEED} native {group}", VIEWS, STREAMS, FLAT))
    engines = FourWay(case.sql, name=f"random_{group}")
    for steps in case.streams:
        found = run(engines, steps)
        if found is not None:
            tables = "\n".join(table.declaration() for table in case.tables)
            pytest.fail(report(tables, case.select_of(found.view), steps, found))
        if case.can_empty:
            delete_what_is_left(engines, steps)
            engines.check_empty()


@pytest.mark.parametrize("part", PARTS)
def test_the_compiler_keeps_the_meaning(part: int) -> None:
    """Without native code, so many more of them: 50 views per part, 300 in every run."""
    for number in range(10):
        seed = f"{SEED} compiler {part} {number}"
        case, verdicts = accepted(random_case(seed, FEW, 1))
        crashed = [verdict.detail for verdict in verdicts if verdict.kind == CRASHED]
        assert not crashed, f"{seed}: {crashed[0]}"
        check(case)


def check(case: Case) -> None:
    if not case.selects:
        return
    verdict = judge(case.sql, case.streams, can_empty=case.can_empty)
    streams = "\n".join(map(stream_text, case.streams))
    assert verdict.kind in (AGREED, BEYOND), f"{verdict.detail}\n{case.sql}\n{streams}"


def test_few_views_are_refused() -> None:
    """A generator that writes what is refused would test nothing; a refusal shows its place in the text."""
    views, count = 0, Counter[str]()
    for number in range(40):
        case = random_case(f"{SEED} refused {number}", FEW, 1)
        views += len(case.selects)
        count.update(verdict.kind for verdict in accepted(case)[1])
    assert count[CRASHED] == 0
    assert count[REFUSED] <= MOST_REFUSED * views, count


def delete_what_is_left(engines: FourWay, steps: tuple[Step, ...]) -> None:
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
    cases = [random_case(f"{SEED} legal {number}", 1, 1) for number in range(100)]
    drawn = [steps for case in cases for steps in case.streams]
    assert all(is_legal(steps) for steps in drawn)
    weights = {weight for steps in drawn for step in steps for weight in step.weights}
    assert {-2, -1, 1, 2, 3} <= weights
    apply(FourWay(cases[0].sql, native=False), drawn[0][0])


def test_the_generator_writes_the_whole_grammar() -> None:
    """Every construct it is meant to reach shows up in a few hundred views."""
    text = "\n".join(random_case(f"{SEED} words {number}", FEW, 1).sql for number in range(100))
    missing = [word for word in WORDS if word not in text]
    assert not missing


WORDS = (
    "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "NATURAL", "USING", "CROSS JOIN", "HAVING", "DISTINCT", "COUNT(DISTINCT",
    "MIN(", "MAX(", "AVG(", "STDDEV", "VAR_", "BOOL_AND", "BOOL_OR", "FILTER", "ROLLUP", "CUBE", "GROUPING SETS",
    "GROUPING(", "NOT EXISTS", "NOT IN (SELECT", "ANY (", "ALL (", "WITH ", "UNION ALL", "UNION SELECT", "INTERSECT",
    "EXCEPT", "FROM v0", "ORDER BY", "LIMIT", "OFFSET", "CASE WHEN", "COALESCE", "NULLIF", "LIKE", "ILIKE", "EXTRACT",
    "INTERVAL", "SUBSTRING", "||", "IS NOT DISTINCT FROM", "IS NOT TRUE", "CREATE TABLE", "APPEND ONLY", "PRIMARY KEY",
    "OVER (", "PARTITION BY", "QUALIFY", "ROWS BETWEEN", "RANGE BETWEEN",
)  # fmt: skip
