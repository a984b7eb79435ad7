"""The same query gives the same answer in every mode."""

from __future__ import annotations

import contextlib
from functools import cache
from pathlib import Path

import pytest
from property.judge import CRASHED, accepted, judge
from property.random_sql import DEEP, FLAT, random_case

from oracle.fourway import FourWay
from oracle.streams import Stream, wishes_of
from toastergen.changes import stream_text
from toastergen.errors import ResolveError, UnsupportedSql
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.maintain import STRATEGIES
from toastergen.frontend.sql import read_script

QUERIES = Path(__file__).parent.parent / "queries"
MODES = ("ivm", "reeval")
SCRIPTS = ("joins", "self_joins", "graphs", "inequalities", "tpch_lines")
VIEWLETS = ("joins", "self_joins", "graphs", "tpch_lines", "tpch_customers", "nested_conditions", "outer_joins")
# One script is enough to see that the other modes reach native code; the compiler's part is checked on all of them.
NATIVE = "self_joins"


@cache
def engines_for(script: str, mode: str) -> FourWay:
    sql = (QUERIES / f"{script}.sql").read_text()
    return FourWay(sql, name=f"{script}_{mode}", mode=mode, native=script == NATIVE)


@cache
def viewlets_of(script: str) -> FourWay:
    """The views of a script that have viewlets: the others compare event variables with others, and are refused."""
    declarations, kept = "", ""
    for statement in (QUERIES / f"{script}.sql").read_text().split(";\n"):
        if "CREATE VIEW" not in statement:
            declarations += f"{statement};\n"
            continue
        with contextlib.suppress(UnsupportedSql, ResolveError):
            STRATEGIES["viewlet"](translate(read_script(f"{declarations}{kept}{statement};")))
            kept += f"{statement};\n"
    assert kept.count("CREATE VIEW") > 2
    return FourWay(declarations + kept, name=f"{script}_viewlet", mode="viewlet", native=script == NATIVE)


@pytest.mark.parametrize("size", [None, 6])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("script", SCRIPTS)
def test_modes_agree_with_duckdb(script: str, mode: str, size: int | None) -> None:
    check_mode(engines_for(script, mode), size)


@pytest.mark.parametrize("size", [None, 6])
@pytest.mark.parametrize("script", VIEWLETS)
def test_viewlets_agree_with_duckdb(script: str, size: int | None) -> None:
    check_mode(viewlets_of(script), size)


def check_mode(engines: FourWay, size: int | None) -> None:
    engines.reset()
    stream = Stream(engines.script.relations, 3, 0.35, wishes=wishes_of(engines.script), limit=8)
    for _ in range(25 if size is None else 8):
        if size is None:
            engines.change(*stream.event())
        else:
            engines.batch(*stream.batch(size))
        engines.check()
    for relation, row in stream.drain():
        engines.change(relation, row, -1)
    engines.check()
    engines.check_empty()


@pytest.mark.parametrize("part", [*range(4), *(pytest.param(part, marks=pytest.mark.slow) for part in range(4, 40))])
@pytest.mark.parametrize("mode", [mode for mode in STRATEGIES if mode != "hoivm"])
def test_modes_agree_on_random_queries(mode: str, part: int) -> None:
    """What a mode cannot do it refuses; what it takes is right after every step."""
    seen = 0
    for number in range(4):
        nesting = DEEP if mode == "ivm" else FLAT
        case, verdicts = accepted(random_case(f"modes {mode} {part} {number}", 4, 1, nesting), mode)
        assert not [verdict.detail for verdict in verdicts if verdict.kind == CRASHED]
        seen += len(case.selects)
        if case.selects:
            verdict = judge(case.sql, case.streams, can_empty=case.can_empty, mode=mode)
            assert not verdict.is_find, f"{verdict.detail}\n{case.sql}\n{''.join(map(stream_text, case.streams))}"
    assert seen > 0
