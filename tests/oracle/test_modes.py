"""The same query gives the same answer in every mode."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from oracle.fourway import FourWay
from oracle.streams import Stream, wishes_of

QUERIES = Path(__file__).parent.parent / "queries"
MODES = ("ivm", "reeval")
SCRIPTS = ("joins", "self_joins", "graphs", "inequalities", "tpch_lines")
# One script is enough to see that the other modes reach native code; the compiler's part is checked on all of them.
NATIVE = "self_joins"


@cache
def engines_for(script: str, mode: str) -> FourWay:
    sql = (QUERIES / f"{script}.sql").read_text()
    return FourWay(sql, name=f"{script}_{mode}", mode=mode, native=script == NATIVE)


@pytest.mark.parametrize("size", [None, 6])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("script", SCRIPTS)
def test_modes_agree_with_duckdb(script: str, mode: str, size: int | None) -> None:
    engines = engines_for(script, mode)
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
