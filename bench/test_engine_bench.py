"""Engines from Python, under pytest-benchmark. Times are reported, never judged; results are judged every time."""

from __future__ import annotations

from typing import Any

import judge
import native
import pyarrow as pa
import pytest
import tpch_data
from tpch_queries import QUERIES, Query

from toastergen.codegen.emit import emit
from toastergen.codegen.lower import lower
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.maintain.hoivm import maintain
from toastergen.frontend.sql import read_script
from toastergen.runtime.engine import Engine
from toastergen.runtime.load import load

SCALE = 0.01
by_name = pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)


@pytest.fixture(scope="module")
def data() -> dict[str, pa.RecordBatch]:
    return tpch_data.generate(SCALE)


def fresh(query: Query) -> Engine:
    return load(native.module(query).module).engine()


def check(query: Query, data: dict[str, pa.RecordBatch], engine: Engine) -> None:
    judge.must_agree(query, judge.answer(query, data), native.comparable(engine.view(query.name).to_arrow()))


@by_name
def test_insert_row_by_row(benchmark: Any, query: Query, data: dict[str, pa.RecordBatch]) -> None:
    turns = [
        (name, list(zip(*(column.to_pylist() for column in rows.columns), strict=True)))
        for name, rows in judge.slices(query, data, 1000)
    ]

    def insert_all() -> Engine:
        engine = fresh(query)
        for name, rows in turns:
            for row in rows:
                engine.insert(name, row)
        return engine

    benchmark.extra_info["events"] = sum(len(rows) for _, rows in turns)
    check(query, data, benchmark.pedantic(insert_all, rounds=3, warmup_rounds=1))


@by_name
@pytest.mark.parametrize("size", [1, 10, 100, 1_000, 10_000, 100_000])
def test_apply_batches(benchmark: Any, query: Query, size: int, data: dict[str, pa.RecordBatch]) -> None:
    # Small batches cost by the call: some hundred show it.
    part = {name: rows.slice(0, size * 300) for name, rows in data.items()}
    batches = list(judge.slices(query, part, size))

    def apply_all() -> Engine:
        engine = fresh(query)
        for name, rows in batches:
            engine.apply(name, rows)
        return engine

    benchmark.extra_info["events"] = sum(rows.num_rows for _, rows in batches)
    check(query, part, benchmark.pedantic(apply_all, rounds=3))


@by_name
def test_read_view(benchmark: Any, query: Query, data: dict[str, pa.RecordBatch]) -> None:
    engine = fresh(query)
    for name, rows in judge.slices(query, data, 100_000):
        engine.apply(name, rows)
    table = benchmark(engine.view(query.name).to_arrow)
    judge.must_agree(query, judge.answer(query, data), native.comparable(table))


@by_name
def test_sql_to_cpp(benchmark: Any, query: Query) -> None:
    def compile_query() -> dict[str, str]:
        program = maintain(translate(read_script(query.script)))
        return dict(emit(program, lower(program, "allow"), query.name))

    assert benchmark(compile_query) == native.sources(query)
