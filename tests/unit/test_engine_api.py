"""Engines from Python and C: rows, batches, views, and what happens to data that does not fit."""

from __future__ import annotations

import ctypes
import datetime
import json
import pickle
import re
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import cffi
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sample_engine import sample_sources

from toastergen.codegen.build import BuildOptions, Built, build_engine
from toastergen.errors import DataError, EngineError, SourceError
from toastergen.runtime import Engine, EngineModule, load

OPTIONS = BuildOptions(debug=True, werror=True)
DAY = datetime.date(2020, 2, 29)
ROW = (1, Decimal("12.50"), DAY, "hello", True, 0.5, 7)
NAMES = ("k", "v", "d", "s", "b", "x", "n")
BIG = 2**63 - 1


@pytest.fixture(scope="module")
def built() -> Built:
    return build_engine(sample_sources(), "sample", OPTIONS)


@pytest.fixture(scope="module")
def module(built: Built) -> EngineModule:
    return load(built.module)


@pytest.fixture
def engine(module: EngineModule) -> Engine:
    return module.engine()


def changed(**values: Any) -> tuple[Any, ...]:
    return tuple(values.get(name, value) for name, value in zip(NAMES, ROW, strict=True))


def by_k(engine: Engine) -> list[tuple[Any, ...]]:
    return sorted(engine.view("by_k").rows())


# -- rows ----------------------------------------------------------------------------------------------


def test_rows_come_and_go(engine: Engine) -> None:
    engine.insert("r", ROW)
    engine.insert("r", list(changed(v=Decimal("0.25"))))
    engine.insert("R", dict(zip(NAMES, changed(k=2), strict=True)))
    assert by_k(engine) == [(1, 2, Decimal("12.75"), 14), (2, 1, Decimal("12.50"), 7)]
    assert engine.view("total").get() == (3, 1.5, "hello", DAY, 3)
    engine.delete("r", changed(k=2))
    assert by_k(engine) == [(1, 2, Decimal("12.75"), 14)]


@pytest.mark.parametrize("weight", [0, 1, -1, 2, -3, 16, 17, -17, 10**6])
def test_any_weight_counts_as_that_many_rows(engine: Engine, weight: int) -> None:
    engine.apply_row("r", ROW, weight)
    expected = [(1, weight, weight * Decimal("12.50"), weight * 7)] if weight else []
    assert by_k(engine) == expected
    engine.apply_row("r", ROW, -weight)
    assert by_k(engine) == []
    assert engine.view("total").get() == (0, None, None, None, 0)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("k", -(2**31)), ("k", np.int64(1)), ("k", np.int32(1)),
        ("v", 5), ("v", 0.1), ("v", Decimal("1E+3")), ("v", Decimal("1.2300")), ("v", np.float64(0.25)),
        ("v", Decimal("-9999999999999.99")),
        ("d", datetime.date.min), ("d", datetime.date.max), ("d", np.datetime64("2020-01-01")),
        ("s", ""), ("s", "été\0 \U0001f600"), ("s", "x" * 5000), ("s", np.str_("numpy")),
        ("b", False), ("b", np.bool_(True)),
        ("x", 3), ("x", -0.0), ("x", 2**60), ("x", np.float32(0.5)),
        ("n", BIG), ("n", -(2**63)),
    ],
)  # fmt: skip
def test_values_that_fit_are_taken(engine: Engine, column: str, value: Any) -> None:
    engine.insert("r", changed(**{column: value}))
    assert len(engine.view("by_k")) == 1


def test_values_arrive_unchanged(engine: Engine) -> None:
    engine.insert("r", (5, Decimal("-0.01"), datetime.date(1, 1, 1), "été \U0001f600", False, 1e300, -3))
    assert by_k(engine) == [(5, 1, Decimal("-0.01"), -3)]
    assert engine.view("total").get() == (1, 1e300, "été \U0001f600", datetime.date(1, 1, 1), 0)


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("k", 2**31, "range"), ("k", 2**70, "range"), ("k", 1.0, "float"), ("k", "1", "'1'"), ("k", True, "bool"),
        ("k", None, "NULL"),
        ("v", Decimal("0.001"), "after the point"), ("v", Decimal(10) ** 13, "digits"), ("v", "1.00", "'1.00'"),
        ("v", 0.1 + 0.2, "after the point"), ("v", Decimal("NaN"), "finite"), ("v", float("inf"), "finite"),
        ("v", True, "bool"), ("v", Decimal("1E+999999"), "digits"), ("v", Decimal("1E-999999"), "after the point"),
        ("d", "2020-01-01", "2020"), ("d", datetime.datetime(2020, 1, 1), "datetime"), ("d", 18000, "int"),
        ("s", 5, "int"), ("s", b"bytes", "bytes"), ("s", "\ud800", "Unicode"),
        ("b", 1, "int"), ("b", "true", "str"),
        ("x", float("nan"), "NaN"), ("x", float("-inf"), "infinite"), ("x", "1.0", "str"), ("x", 2**60 + 1, "double"),
        ("n", 2**63, "range"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit_are_refused(engine: Engine, column: str, value: Any, reason: str) -> None:
    engine.insert("r", ROW)
    with pytest.raises(DataError) as caught:
        engine.insert("r", changed(**{column: value}))
    assert re.search(reason, caught.value.message), caught.value.message
    assert '"r"' in caught.value.message and f'"{column}"' in caught.value.message
    assert caught.value.hint
    assert by_k(engine) == [(1, 1, Decimal("12.50"), 7)]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (ROW[:-1], "7 columns, the row has 6 values"),
        ((*ROW, 1), "7 columns, the row has 8 values"),
        ((), "has 0 values"),
        ("abcdefg", "a row cannot be"),
        (None, "a row cannot be"),
        (dict(zip(NAMES[:-1], ROW, strict=False)), "missing"),
        ({**dict(zip(NAMES, ROW, strict=True)), "more": 1}, "more keys"),
    ],
)
def test_rows_of_the_wrong_shape_are_refused(engine: Engine, row: Any, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        engine.insert("r", row)
    assert by_k(engine) == []


def test_an_unknown_relation_or_view_lists_the_known_ones(engine: Engine) -> None:
    with pytest.raises(DataError, match="no relation 'nope'") as caught:
        engine.insert("nope", ROW)
    assert "this engine has: r" in str(caught.value)
    with pytest.raises(DataError, match="no relation 'nope'"):
        engine.apply("nope", [ROW])
    with pytest.raises(DataError, match="no view 'nope'"):
        engine.view("nope")


# -- batches -------------------------------------------------------------------------------------------


def arrow_table(rows: int = 3) -> pa.Table:
    return pa.table(
        {
            "k": pa.array([i % 2 for i in range(rows)], pa.int32()),
            "v": pa.array([Decimal(i) for i in range(rows)], pa.decimal128(15, 2)),
            "d": pa.array([DAY] * rows, pa.date32()),
            "s": [f"s{i}" for i in range(rows)],
            "b": [i % 2 == 0 for i in range(rows)],
            "x": [i / 2 for i in range(rows)],
            "n": pa.array(range(rows), pa.int64()),
        }
    )


class OnlyStream:
    """Nothing but the protocol."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class OnlyArray:
    def __init__(self, table: pa.Table) -> None:
        self._batch = table.combine_chunks().to_batches()[0]

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._batch.__arrow_c_array__(requested_schema)


def structured(table: pa.Table) -> Any:
    kinds = [("k", "i4"), ("v", "f8"), ("d", "M8[D]"), ("s", "U9"), ("b", "?"), ("x", "f8"), ("n", "i8")]
    rows = [tuple(float(v) if n == "v" else v for n, v in row.items()) for row in table.to_pylist()]
    return np.array(rows, dtype=kinds)


FORMS: dict[str, Callable[[pa.Table], Any]] = {
    "arrow table": lambda table: table,
    "many chunks": lambda table: pa.concat_tables([table.slice(0, 1), table.slice(1, 1), table.slice(2)]),
    "sliced batch": lambda table: pa.concat_tables([table, table]).combine_chunks().to_batches()[0].slice(3, 3),
    "other order and case": lambda table: table.select(NAMES[::-1]).rename_columns([n.upper() for n in NAMES[::-1]]),
    "wider types": lambda table: table.set_column(0, "k", table["k"].cast(pa.int64())).set_column(
        1, "v", table["v"].cast(pa.decimal128(30, 5))
    ),
    "dictionary strings": lambda table: table.set_column(3, "s", table["s"].dictionary_encode()),
    "integers for decimals": lambda table: table.set_column(1, "v", table["v"].cast(pa.int64())),
    "pandas": lambda table: table.to_pandas(),
    "pandas with timestamps": lambda table: table.to_pandas().astype({"d": "datetime64[ns]"}),
    "polars": lambda table: pl.from_arrow(table),
    "structured array": structured,
    "dict of lists": lambda table: table.to_pydict(),
    "dict of arrays": lambda table: {name: table[name].to_numpy() for name in NAMES},
    "rows": lambda table: [tuple(row.values()) for row in table.to_pylist()],
    "dict rows": lambda table: table.to_pylist(),
    "stream protocol": OnlyStream,
    "array protocol": OnlyArray,
}


@pytest.mark.parametrize("form", FORMS)
def test_batches_of_every_origin(engine: Engine, form: str) -> None:
    data = FORMS[form](arrow_table())
    expected = [(0, 2, Decimal("2.00"), 2), (1, 1, Decimal("1.00"), 1)]
    engine.apply("r", data)
    assert by_k(engine) == expected
    assert engine.view("total").get() == (3, 1.5, "s0", DAY, 2)
    engine.apply("r", data, weights=-1)
    assert by_k(engine) == []


@pytest.mark.parametrize(
    "weights",
    [
        [2, 0, -1], np.array([2, 0, -1]), np.array([2, 0, -1], "int8"), pa.array([2, 0, -1]),
        pa.chunked_array([[2], [0, -1]]), pd.Series([2, 0, -1]), pl.Series([2, 0, -1]),
        pa.array([9, 2, 0, -1]).slice(1),
    ],
    ids=["list", "numpy", "int8", "arrow", "chunked", "pandas", "polars", "sliced"],
)  # fmt: skip
def test_weights_of_every_origin(engine: Engine, weights: Any) -> None:
    engine.apply("r", arrow_table(), weights)
    assert by_k(engine) == [(0, 1, Decimal("-2.00"), -2)]


def test_weights_from_a_column_of_the_data(engine: Engine) -> None:
    engine.apply("r", arrow_table().append_column("change", pa.array([2, 0, -1])), weights="change")
    assert by_k(engine) == [(0, 1, Decimal("-2.00"), -2)]


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        ([1, 1], "2 weights for 3 rows"), ([1.5, 1, 1], "not integers"), ([1, None, 1], "NULL"), ("k2", "missing"),
        ([1, 1, 2**70], "not integers"), ([1, 1, -(2**63)], "no negation"),
    ],
)  # fmt: skip
def test_bad_weights_are_refused(engine: Engine, weights: Any, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        engine.apply("r", arrow_table(), weights)
    assert by_k(engine) == []


def test_an_empty_batch_does_nothing(engine: Engine) -> None:
    engine.apply("r", [])
    engine.apply("r", arrow_table(0), [])
    engine.apply("r", arrow_table().slice(0, 0), -1)
    assert by_k(engine) == []


def with_column(name: str, values: Any) -> pa.Table:
    table = arrow_table()
    return table.set_column(NAMES.index(name), name, values if isinstance(values, pa.Array) else pa.array(values))


BAD_BATCHES: dict[str, tuple[Any, str]] = {
    "a null": (with_column("k", pa.array([1, None, 3], pa.int32())), "column \"k\", row 2: NULL"),
    "int out of range": (with_column("k", [1, 2, 2**40]), "'k'"),
    "fraction for int": (with_column("k", [1.0, 2.0, 2.5]), "'k'"),
    "text for int": (with_column("k", ["1", "2", "3"]), "not converted"),
    "bool for long": (with_column("n", [True, False, True]), "not converted"),
    "too many digits": (with_column("v", pa.array([Decimal(10) ** 14] * 3, pa.decimal128(20, 2))), "'v'"),
    "digits after the point": (with_column("v", pa.array([Decimal("0.001")] * 3, pa.decimal128(20, 3))), "'v'"),
    "inexact double for decimal": (with_column("v", [0.1 + 0.2, 0.0, 0.0]), "after the point"),
    "time of day": (with_column("d", [datetime.datetime(2020, 1, 1, 5)] * 3), "time of day"),
    "date past 9999": (with_column("d", pa.array([0, 0, 2932897], pa.int32()).cast(pa.date32())), "row 3"),
    "nan": (with_column("x", [0.0, float("nan"), 0.0]), "row 2: NaN"),
    "missing column": (arrow_table().drop_columns("x"), "column 'x' is missing"),
    "extra column": (arrow_table().append_column("y", pa.array([1, 2, 3])), "no column 'y'"),
    "doubled column": (arrow_table().append_column("x", pa.array([1, 2, 3])), "given twice"),
    "short row": ([ROW, ROW[:-1]], "row 2 has 6 values"),
    "bool in a row": ([ROW, changed(n=True)], "truth value"),
    "none in a row": ([ROW, changed(s=None)], "row 2: NULL"),
    "uneven columns": (dict(zip(NAMES, [[value] * (2 if value == 1 else 3) for value in ROW], strict=True)), "length"),
    "not a table": (42, "cannot come from int"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_BATCHES)
def test_a_bad_batch_changes_nothing(engine: Engine, case: str) -> None:
    data, reason = BAD_BATCHES[case]
    engine.insert("r", ROW)
    with pytest.raises(DataError, match=reason) as caught:
        engine.apply("r", data)
    assert caught.value.hint
    assert by_k(engine) == [(1, 1, Decimal("12.50"), 7)]


def test_invalid_utf8_in_a_batch_is_refused(engine: Engine) -> None:
    raw = pa.array([b"ok", b"\xff\xfe", b"ok"], pa.binary())
    texts = pa.Array.from_buffers(pa.string(), 3, raw.buffers())
    with pytest.raises(DataError, match=r"row 2.*UTF-8"):
        engine.apply("r", with_column("s", texts))


# -- overflow ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [1, 2, 16, 17, 5000])
def test_an_overflowing_row_is_taken_back(engine: Engine, weight: int) -> None:
    engine.insert("r", changed(n=BIG))
    before = (by_k(engine), engine.view("total").get())
    with pytest.raises(EngineError, match="range of its type"):
        engine.apply_row("r", changed(n=BIG, s="other", x=1e10), weight)
    assert (by_k(engine), engine.view("total").get()) == before
    engine.delete("r", changed(n=BIG))
    assert by_k(engine) == []


def test_an_overflowing_batch_is_taken_back_as_a_whole(engine: Engine) -> None:
    engine.insert("r", ROW)
    before = (by_k(engine), engine.view("total").get())
    with pytest.raises(EngineError):
        engine.apply("r", [changed(k=9), changed(n=BIG), changed(k=8)])
    assert (by_k(engine), engine.view("total").get()) == before
    engine.apply("r", [changed(k=9)])  # the flag does not stick
    assert len(engine.view("by_k")) == 2


# -- views ---------------------------------------------------------------------------------------------


def test_a_view_reads_in_every_form(engine: Engine) -> None:
    engine.insert("r", ROW)
    view = engine.view("BY_K")
    assert view.to_arrow().schema.field("sum_v").type == pa.decimal128(38, 2)
    assert view.to_pandas()["count"].tolist() == [1]
    assert view.get(1) == (1, 1, Decimal("12.50"), 7)
    assert view.get(2) is None
    assert (len(view), list(view)) == (1, [(1, 1, Decimal("12.50"), 7)])
    assert view.to_csv() == "k,count,sum_v,sum_n\n1,1,12.50,7\n"
    assert json.loads(view.to_json()) == [{"k": 1, "count": 1, "sum_v": "12.50", "sum_n": 7}]
    assert "by_k: 1 row>" in repr(view)
    with pytest.raises(DataError, match="key columns: k"):
        view.get()


def test_nulls_in_views(engine: Engine) -> None:
    total = engine.view("total")
    assert total.to_csv() == "count,sum_x,first_s,last_d,trues\n0,,,,0\n"
    assert json.loads(total.to_json())[0]["last_d"] is None


def test_a_view_stays_connected_and_a_table_does_not_change(engine: Engine) -> None:
    view = engine.view("by_k")
    engine.insert("r", ROW)
    table = view.to_arrow()
    assert view.get(1) is not None
    engine.delete("r", ROW)
    assert view.get(1) is None
    assert table.num_rows == 1


def test_views_written_to_files(engine: Engine, tmp_path: Any) -> None:
    engine.view("total").to_csv(tmp_path / "total.csv")
    assert (tmp_path / "total.csv").read_text() == engine.view("total").to_csv()


def test_stats_and_schema(engine: Engine) -> None:
    engine.insert("r", ROW)
    (stats,) = engine.stats()["maps"]
    assert (stats["name"], stats["rows"]) == ("by_k", 1)
    assert [column.type for column in engine.relations[0].columns][:2] == ["int", "decimal(15,2)"]
    assert [view.key for view in engine.views] == [("k",), ()]
    assert "relations r" in repr(engine)


# -- processes, threads, borders -----------------------------------------------------------------------


def test_two_programs_and_two_engines_of_one_live_side_by_side(module: EngineModule) -> None:
    other = load(build_engine(sample_sources("json"), "json", OPTIONS).module)
    assert json.loads("1") == 1, "an engine's name must not replace a module of Python"
    engines = [module.engine(), module.engine(), other.engine()]
    for count, engine in enumerate(engines):
        engine.apply_row("r", ROW, count)
    assert [engine.view("total").get() for engine in engines] == [
        (0, None, None, None, 0), (1, 0.5, "hello", DAY, 1), (2, 1.0, "hello", DAY, 2)
    ]  # fmt: skip
    assert (module.name, other.name) == ("sample", "json")
    assert type(module.engine()._native) is not type(other.engine()._native)


def test_a_module_pickles_as_its_place(module: EngineModule) -> None:
    assert pickle.loads(pickle.dumps(module)) == module


def test_loading_what_is_not_there(tmp_path: Any) -> None:
    with pytest.raises(SourceError, match="no engine module"):
        load(tmp_path / "nothing.so")
    (tmp_path / "broken.so").write_text("not a library")
    with pytest.raises(EngineError, match="cannot be loaded"):
        load(tmp_path / "broken.so")


def test_threads_share_an_engine(engine: Engine) -> None:
    table = arrow_table(1000)

    def rows() -> None:
        for _ in range(2000):
            engine.insert("r", ROW)

    def batches() -> None:
        for _ in range(20):
            engine.apply("r", table)
            total = engine.view("total").get()
            assert total is not None and total[0] >= 1000

    threads = [threading.Thread(target=work) for work in (rows, batches, rows, batches)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert engine.view("total").rows()[0][0] == 2 * 2000 + 2 * 20 * 1000


def test_python_code_in_a_row_may_use_the_engine_meanwhile(engine: Engine) -> None:
    class Nosy(Decimal):
        def __str__(self) -> str:
            engine.insert("r", changed(k=77))
            return super().__str__()

    engine.insert("r", changed(v=Nosy("1.00")))
    assert [row[0] for row in by_k(engine)] == [1, 77]


def c_declarations(header: str) -> str:
    """The header as cffi reads it: without the preprocessor."""
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", header, flags=re.S)
    return "\n".join(line for line in text.splitlines() if not line.startswith("#"))


def test_the_c_border_through_cffi(built: Built) -> None:
    ffi = cffi.FFI()
    ffi.cdef(c_declarations(built.header.read_text()))
    library: Any = ffi.dlopen(str(built.library))
    api = library.sample_engine_api()
    assert (api.abi_version, api.struct_size) == (2, ffi.sizeof("tg_engine_api"))
    assert json.loads(ffi.string(api.schema_json))["name"] == "sample"
    handle = api.create()
    try:
        text = ffi.new("char[]", b"from C")
        row = ffi.new("tg_value[7]")
        for value, kind in zip(row, (1, 3, 4, 5, 6, 2, 1), strict=True):
            value.kind = kind
        row[0].i, row[4].i, row[5].d = 3, 1, 2.5
        row[3].s.data, row[3].s.size = text, 6
        row[1].decimal.low, row[1].decimal.high = 2**64 - 5, -1
        assert api.apply_row(handle, library.SAMPLE_R, row, 7, 2) == library.TG_OK

        for change, status, message in (
            (lambda: api.apply_row(handle, 9, row, 7, 1), library.TG_BAD_ARGUMENT, b"no relation 9"),
            (lambda: api.apply_row(handle, 0, row, 6, 1), library.TG_BAD_ARGUMENT, b"7 columns, the row has 6"),
            (lambda: api.apply_row(handle, 0, ffi.NULL, 7, 1), library.TG_BAD_ARGUMENT, b"7 columns"),
            (lambda: api.export_view(handle, 9, ffi.NULL, ffi.NULL), library.TG_BAD_ARGUMENT, b"no view 9"),
            (lambda: api.apply_batch(handle, 0, ffi.NULL, ffi.NULL, ffi.NULL), library.TG_BAD_ARGUMENT, b"missing"),
        ):
            assert change() == status
            assert message in ffi.string(api.last_error(handle))
        row[0].i = 2**31
        assert api.apply_row(handle, 0, row, 7, 1) == library.TG_BAD_DATA
        assert b'column "k"' in ffi.string(api.last_error(handle))
        row[0].kind = 2
        assert api.apply_row(handle, 0, row, 7, 1) == library.TG_BAD_ARGUMENT

        schema, array = ffi.new("struct ArrowSchema*"), ffi.new("struct ArrowArray*")
        assert api.export_view(handle, library.SAMPLE_VIEW_BY_K, schema, array) == library.TG_OK
        batch = pa.RecordBatch._import_from_c(int(ffi.cast("uintptr_t", array)), int(ffi.cast("uintptr_t", schema)))
        assert batch.to_pylist() == [{"k": 3, "count": 2, "sum_v": Decimal("-0.10"), "sum_n": 0}]
        assert json.loads(ffi.string(api.stats(handle)))["maps"]
    finally:
        api.destroy(handle)


def test_the_library_loads_without_python_symbols(built: Built) -> None:
    assert ctypes.CDLL(str(built.library), mode=ctypes.RTLD_LOCAL).sample_engine_api


# -- whatever callers pass, errors are of one family ---------------------------------------------------


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({name: [value] * 2 for name, value in zip(NAMES, ROW, strict=True)} | columns)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda engine: engine.apply("r", pd.concat([frame(), frame()[["k"]]], axis=1)), "columns given twice: k"),
        (lambda engine: engine.apply("r", frame(k=[1, "x"])), "column 'k' \\(int\\): Could not convert 'x'"),
        (lambda engine: engine.apply("r", frame(k=[1, None])), "row 2: NULL is not allowed"),
        (lambda engine: engine.apply("r", frame()["k"]), "cannot come from a pandas Series"),
        (lambda engine: engine.apply_row("r", ROW, 1.5), "the weight 1.5 is not an integer"),
        (lambda engine: engine.apply_row("r", ROW, 2**70), "the weight 1180591620717411303424 is not"),
        (lambda engine: engine.apply_row("r", ROW, True), "the weight True is not"),
        (lambda engine: engine.view(None), "there is no view None"),
        (lambda engine: engine.view("by_k").get([1]), "holds something that is no value"),
    ],
)
def test_odd_arguments_are_data_errors(engine: Engine, call: Callable[[Engine], object], said: str) -> None:
    with pytest.raises(DataError, match=said) as caught:
        call(engine)
    assert caught.value.hint
    assert by_k(engine) == []


def test_weights_may_be_numpy_integers(engine: Engine) -> None:
    engine.apply_row("r", ROW, np.int32(2))  # type: ignore[arg-type]
    assert by_k(engine) == [(1, 2, Decimal("25.00"), 14)]


def test_engines_and_views_say_why_they_cannot_be_pickled(engine: Engine) -> None:
    for item, instead in ((engine, "pickle the program"), (engine.view("by_k"), "to_arrow")):
        with pytest.raises(EngineError, match="cannot be pickled") as caught:
            pickle.dumps(item)
        assert instead in (caught.value.hint or "")


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["hello", "other"])])
def test_categories_of_polars_are_decoded(engine: Engine, kind: Any) -> None:
    rows = [changed(k=1), changed(k=2, s="other")]
    data = pl.DataFrame({name: [row[place] for row in rows] for place, name in enumerate(NAMES)})
    data = data.with_columns(pl.col("s").cast(kind), pl.col("k").cast(pl.Int32), pl.col("v").cast(pl.Decimal(10, 2)))
    engine.apply("r", data)
    assert [row[0] for row in by_k(engine)] == [1, 2]
    engine.delete("r", rows[1])
    engine.delete("r", rows[0])
    assert by_k(engine) == []
