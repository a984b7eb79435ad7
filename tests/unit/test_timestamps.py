"""TIMESTAMP at the border: what goes in, what comes out, what is refused, and what leaves the calendar."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import toastergen as tg
from toastergen.errors import DataError, EngineError
from toastergen.frontend.timestamps import from_microseconds, microseconds, read_timestamp, timestamp_text
from toastergen.runtime import Engine

NOON = datetime.datetime(2020, 2, 29, 12, 30, 15, 250)
QUERY = """
CREATE VIEW seen AS SELECT t, COUNT(*) AS n FROM r GROUP BY t;
CREATE VIEW next_day AS SELECT t + INTERVAL '1' DAY AS t, COUNT(*) AS n FROM s GROUP BY 1;
CREATE VIEW ends AS SELECT MIN(t) AS first, MAX(t) AS last FROM r;
"""


@pytest.fixture(scope="module")
def program() -> Any:
    schema = {"r": {"t": "TIMESTAMP"}, "s": {"t": "TIMESTAMP", "a": "INT"}}
    return tg.compile(QUERY, schema, name="moments").build(debug=True)


@pytest.fixture
def engine(program: Any) -> Engine:
    found: Engine = program.engine()
    return found


@pytest.mark.parametrize("value", [datetime.datetime.min, datetime.datetime.max, NOON, pd.Timestamp(NOON)])
def test_rows_arrive_unchanged(engine: Engine, value: datetime.datetime) -> None:
    engine.insert("r", (value,))
    assert engine.view("seen").rows() == [(value, 1)]
    engine.apply_row("r", (value,), 40)
    engine.delete("r", (value,))
    assert engine.view("seen").rows() == [(value, 40)]
    assert engine.view("ends").rows() == [(value, value)]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([NOON], pa.timestamp("us")),
        pa.array([NOON], pa.timestamp("us")).cast(pa.timestamp("ns")),
        pd.Series([NOON]),
        np.array([NOON], "datetime64[us]"),
        [NOON],
    ],
    ids=["us", "ns", "pandas", "numpy", "list"],
)
def test_batches_arrive_unchanged(engine: Engine, column: Any) -> None:
    engine.apply("r", {"t": column})
    assert engine.view("seen").rows() == [(NOON, 1)]
    assert engine.view("seen").to_arrow().schema.field("t").type == pa.timestamp("us")
    assert "2020-02-29 12:30:15.000250,1" in engine.view("seen").to_csv()
    assert '"t": "2020-02-29T12:30:15.000250"' in engine.view("seen").to_json()


def test_a_date_column_is_midnight(engine: Engine) -> None:
    engine.apply("r", {"t": pa.array([NOON.date()], pa.date32())})
    assert engine.view("seen").rows() == [(datetime.datetime(2020, 2, 29), 1)]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (NOON.replace(tzinfo=datetime.UTC), "zone"),
        (NOON.date(), "date"),
        ("2020-02-29 12:30:15", "2020|str"),
        (5, "5|int"),
        (None, "NULL"),
    ],
)
def test_other_values_are_refused(engine: Engine, value: Any, reason: str) -> None:
    for change in (lambda: engine.insert("r", (value,)), lambda: engine.apply("r", [(value,)])):
        with pytest.raises(DataError, match=reason):
            change()
    assert engine.view("seen").rows() == []


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (pa.array([NOON], pa.timestamp("us", "UTC")), "zone UTC"),
        (pa.array([1], pa.timestamp("ns")), "lose data"),
        (pa.array([2**62], pa.timestamp("us")), "outside the years"),
        (pa.array([1], pa.int64()), "not converted"),
        (pa.array(["2020-02-29"]), "not converted"),
    ],
)
def test_other_columns_are_refused(engine: Engine, column: Any, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        engine.apply("r", {"t": column})
    assert engine.view("seen").rows() == []


def test_a_timestamp_that_leaves_the_calendar_changes_nothing(engine: Engine) -> None:
    engine.insert("s", (NOON, 1))
    with pytest.raises(EngineError, match="left the range"):
        engine.insert("s", (datetime.datetime.max, 1))
    with pytest.raises(EngineError, match="left the range"):
        engine.apply("s", [(NOON, 2), (datetime.datetime.max, 1)])
    assert engine.view("next_day").rows() == [(datetime.datetime(2020, 3, 1, 12, 30, 15, 250), 1)]


@pytest.mark.parametrize("value", [datetime.datetime.min, datetime.datetime.max, NOON])
def test_texts_and_numbers_read_back(value: datetime.datetime) -> None:
    assert read_timestamp(timestamp_text(value)) == value
    assert from_microseconds(microseconds(value)) == value


@pytest.mark.parametrize("text", ["", "2020-2-29", "2020-02-30", "2020-02-29 7:00", "2020-02-29 25:00", "2020-02-29T"])
def test_other_texts_are_no_timestamps(text: str) -> None:
    assert read_timestamp(text) is None
