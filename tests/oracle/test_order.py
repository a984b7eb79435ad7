"""ORDER BY shows rows in DuckDB's order, NULLs included, in the interpreters and in the engine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from oracle.fourway import FourWay, normal
from oracle.streams import Stream

SCRIPT = Path(__file__).parent.parent / "queries" / "nested_order.sql"
ORDERED = ("by_name", "top", "ratios", "ratios_last", "second", "rows_ordered", "both", "inside")


@cache
def four_way() -> FourWay:
    return FourWay(SCRIPT.read_text(), name="nested_order")


@pytest.mark.parametrize("seed", range(4))
def test_rows_come_in_the_order_that_was_asked_for(seed: int) -> None:
    engines = four_way()
    engines.reset()
    stream = Stream(engines.script.relations, seed, 0.2)
    orders = set()
    for _ in range(25):
        engines.change(*stream.event())
        for view in ORDERED:
            expected = list(map(exact, engines.duckdb.view(view)))
            assert list(map(exact, engines.agca.view(view))) == expected
            assert list(map(exact, engines.m3.view(view))) == expected
            assert engines.engine is not None
            assert list(map(exact, engines.engine.view(view).rows())) == expected
            orders.add(tuple(expected) == tuple(sorted(expected, key=str)))
    assert orders == {True, False}  # some answers are in no order a test could expect by accident


def exact(row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(round(value, 9) if isinstance(value, float) else normal(value) for value in row)
