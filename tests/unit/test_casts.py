"""CAST that fails: the error, the engine as it was, and what neither CAST nor TRY_CAST reads."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

import toastergen as tg
from toastergen.errors import DataError, EngineError, SqlTypeError
from toastergen.frontend.conversions import Unclear, Unconvertible, convert, is_castable, may_fail
from toastergen.frontend.types import BOOL, DATE, DOUBLE, INT, LONG, STRING, TIMESTAMP, Type, decimal
from toastergen.runtime import Engine

TYPES = (INT, LONG, DOUBLE, decimal(10, 2), BOOL, DATE, TIMESTAMP, STRING)
QUERY = """
CREATE VIEW total AS SELECT k, SUM(CAST(s AS INT)) AS t, COUNT(*) AS n FROM r GROUP BY k;
CREATE VIEW maybe AS SELECT SUM(TRY_CAST(s AS DOUBLE)) AS t FROM u;
CREATE VIEW small AS SELECT CAST(b AS DECIMAL(4,2)) AS b FROM w;
"""


@pytest.fixture(scope="module")
def program() -> Any:
    schema = "CREATE STREAM r (k INT, s VARCHAR); CREATE STREAM u (s VARCHAR); CREATE STREAM w (b BIGINT);"
    return tg.compile(QUERY, schema, name="casting").build(debug=True)


@pytest.fixture
def engine(program: Any) -> Engine:
    found: Engine = program.engine()
    return found


@pytest.mark.parametrize("text", ["x", "", "3000000000", "0x10", "1e", "--1"])
def test_a_text_that_is_no_value_changes_nothing(engine: Engine, text: str) -> None:
    engine.apply("r", [(1, "5"), (1, " -2.5 "), (2, "1e3")])
    expected = sorted(engine.view("total").rows())
    assert expected == [(1, 2, 2), (2, 1000, 1)]
    with pytest.raises(DataError, match="a CAST met a text that is no value of its type; the change was taken back"):
        engine.insert("r", (1, text))
    with pytest.raises(DataError, match="CAST met a text"):
        engine.apply("r", [(3, "1"), (1, text), (2, "7")])
    assert sorted(engine.view("total").rows()) == expected
    engine.delete("r", (2, "1e3"))
    assert engine.view("total").rows() == [(1, 2, 2)]


def test_what_others_might_read_fails_under_try_cast_too(engine: Engine) -> None:
    engine.apply("u", [("1.5",), ("x",), ("1_0",)])
    assert engine.view("maybe").rows() == [(11.5,)]
    for text in ("inf", "NaN", "1e999"):
        with pytest.raises(DataError, match="CAST met a text"):
            engine.insert("u", (text,))
    assert engine.view("maybe").rows() == [(11.5,)]


def test_a_number_with_too_many_digits_changes_nothing(engine: Engine) -> None:
    engine.insert("w", (99,))
    with pytest.raises(EngineError, match="left the range"):
        engine.insert("w", (100,))
    assert engine.view("small").rows() == [(Decimal("99.00"),)]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("0x1F", INT), ("-0b1", LONG), ("infinity", DOUBLE), ("nan", DOUBLE), ("1e400", DOUBLE), ("0000-01-01", DATE),
        ("-5-01-01", DATE), ("12345-01-01", DATE), ("epoch", DATE), ("2020-01-01 10:00:00", DATE),
        ("2020-01-01 10:00:00+02", TIMESTAMP), ("2020-01-01T10:00Z", TIMESTAMP), ("2020-01-01 24:00:00", TIMESTAMP),
        ("infinity", TIMESTAMP), ("2020-01-01 10", TIMESTAMP),
    ],
)  # fmt: skip
def test_unclear_texts(text: str, target: Type) -> None:
    with pytest.raises(Unclear):
        convert(text, STRING, target)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("", INT), ("1 2", INT), ("1__0", INT), ("2147483647.5", INT), ("x", DOUBLE), ("1e39", decimal(38, 0)),
        ("2020-02-30", DATE), ("2020-13-01", TIMESTAMP), ("tomorrow", DATE), (" true", BOOL), ("on", BOOL),
    ],
)  # fmt: skip
def test_texts_that_are_no_value(text: str, target: Type) -> None:
    with pytest.raises(Unconvertible):
        convert(text, STRING, target)


def test_times_are_read_as_duckdb_reads_them() -> None:
    assert convert(" 2020-1-3 ", STRING, DATE) == datetime.date(2020, 1, 3)
    assert convert("2020/01/03 1:2", STRING, TIMESTAMP) == datetime.datetime(2020, 1, 3, 1, 2)
    assert convert("2020-01-03T01:02:03.1234567", STRING, TIMESTAMP) == datetime.datetime(2020, 1, 3, 1, 2, 3, 123456)


def test_a_literal_is_cast_at_once() -> None:
    schema = {"r": {"a": "INT"}}
    with pytest.raises(SqlTypeError, match="'x' has no value of type int"):
        tg.compile("SELECT CAST('x' AS INT) AS c FROM r", schema)
    assert "NULL::int" in str(tg.compile("SELECT TRY_CAST('x' AS INT) AS c FROM r", schema).m3)


def test_what_cannot_fail_is_no_try() -> None:
    assert not may_fail(INT, LONG) and not may_fail(LONG, DOUBLE) and not may_fail(DATE, TIMESTAMP)
    assert may_fail(LONG, INT) and may_fail(DOUBLE, INT) and may_fail(STRING, BOOL) and may_fail(LONG, decimal(18, 0))
    refused = {(str(a), str(b)) for a in TYPES for b in TYPES if not is_castable(a, b)}
    assert ("date", "int") in refused and ("timestamp", "double") in refused and ("string", "date") not in refused
