"""The C++ runtime: its own tests under sanitizers, and pyarrow as judge of what crosses the Arrow border."""

from __future__ import annotations

import ctypes
import datetime
import os
import subprocess
from collections.abc import Sequence
from decimal import Context, Decimal
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pytest

from toastergen.codegen.toolchain import find_cmake, find_ninja

TESTS = Path(__file__).parents[2] / "runtime" / "cpp" / "tests"
# pyarrow's structs of the C interface are 72 and 80 bytes; the test only passes their address on.
STRUCT_SIZE = 128
Struct: TypeAlias = ctypes.Array[ctypes.c_char]
EXACT = Context(prec=60)  # the default context would round wide decimals to 28 digits

FIELDS: list[pa.Field[Any]] = [
    pa.field("i", pa.int32()),
    pa.field("l", pa.int64()),
    pa.field("g", pa.float64()),
    pa.field("small", pa.decimal128(9, 2)),
    pa.field("wide", pa.decimal128(38, 4)),
    pa.field("day", pa.date32()),
    pa.field("s", pa.large_string()),
    pa.field("b", pa.bool_()),
]
SCHEMA = pa.schema(FIELDS)


def _run(*command: str | os.PathLike[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-8000:]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runtime_cpp")
    _run(
        *(find_cmake(), "-S", TESTS, "-B", folder, "-G", "Ninja"),
        *(f"-DCMAKE_MAKE_PROGRAM={find_ninja()}", "-DTOASTERGEN_SANITIZE=ON"),
    )
    _run(find_cmake(), "--build", folder)
    return folder


@pytest.fixture(scope="module")
def library(build: Path) -> ctypes.CDLL:
    loaded = ctypes.CDLL(str(next(build.glob("libarrow_roundtrip.*"))))
    loaded.build_table.argtypes = [ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p]
    loaded.build_table.restype = None
    loaded.read_batch.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_char_p, ctypes.c_uint64]
    loaded.read_batch.restype = None
    return loaded


def _import(array: Struct, schema: Struct) -> pa.RecordBatch:
    record_batch: Any = pa.RecordBatch  # its stubs do not know that addresses are taken
    imported: pa.RecordBatch = record_batch._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))
    return imported


def _export(library: ctypes.CDLL, rows: int) -> pa.RecordBatch:
    schema, array = (ctypes.create_string_buffer(STRUCT_SIZE) for _ in range(2))
    library.build_table(rows, ctypes.addressof(schema), ctypes.addressof(array))
    return _import(array, schema)


def _read(library: ctypes.CDLL, batch: pa.RecordBatch, weights: Sequence[int] | None = None) -> str:
    schema, array = (ctypes.create_string_buffer(STRUCT_SIZE) for _ in range(2))
    batch._export_to_c(ctypes.addressof(array), ctypes.addressof(schema))
    try:
        out = ctypes.create_string_buffer(1 << 16)
        column = (ctypes.c_int64 * len(weights))(*weights) if weights is not None else None
        library.read_batch(ctypes.addressof(schema), ctypes.addressof(array), column, out, len(out))
        return out.value.decode()
    finally:
        # Importing takes the structs over again; dropping the result releases them.
        _import(array, schema)


def _row(n: int) -> dict[str, object]:
    return {
        "i": n,
        "l": n << 40,
        "g": n / 4,
        "small": Decimal(n).scaleb(-2, EXACT),
        "wide": Decimal(n << 90).scaleb(-4, EXACT),
        "day": datetime.date(1970, 1, 1) + datetime.timedelta(days=n),
        "s": "x" * (n % 20) + "é",
        "b": n % 2 == 1,
    }


def _rendered(n: int, weight: int = -1) -> str:
    row = _row(n)
    truth = "true" if row["b"] else "false"
    return f"{n} {n << 40} {n / 4:.6f} {n} {(n << 90) >> 64} {n} {row['s']} {truth} {weight}\n"


def test_runtime_tests_pass_under_sanitizers(build: Path) -> None:
    ctest = find_cmake().with_name("ctest")
    _run(ctest, "--test-dir", build, "--output-on-failure", "--no-tests=error")


@pytest.mark.parametrize("rows", [0, 1, 3, 64, 1000])
def test_pyarrow_accepts_exported_tables(library: ctypes.CDLL, rows: int) -> None:
    batch = _export(library, rows)
    batch.validate(full=True)
    assert batch.schema.field("whole").nullable is False
    absent = dict.fromkeys(SCHEMA.names)
    expected = [{**(absent if n % 3 == 2 else _row(n)), "whole": n} for n in range(rows)]
    assert batch.to_pylist() == expected
    assert batch.drop_columns(["whole"]).schema == SCHEMA


def test_batches_of_pyarrow_are_read(library: ctypes.CDLL) -> None:
    batch = pa.RecordBatch.from_pylist([_row(n) for n in range(40)], schema=SCHEMA)
    assert _read(library, batch) == "".join(_rendered(n) for n in range(40))
    weights = [n - 20 for n in range(40)]
    assert _read(library, batch, weights) == "".join(_rendered(n, 20 - n) for n in range(40))


@pytest.mark.parametrize("string", [pa.string(), pa.large_string()])
def test_slices_of_pyarrow_batches_are_read(library: ctypes.CDLL, string: pa.DataType) -> None:
    schema = SCHEMA.set(SCHEMA.get_field_index("s"), pa.field("s", string))
    batch = pa.RecordBatch.from_pylist([_row(n) for n in range(40)], schema=schema)
    assert _read(library, batch.slice(11, 9)) == "".join(_rendered(n) for n in range(11, 20))
    assert _read(library, batch.slice(40)) == ""


def test_nulls_are_refused_only_where_they_are(library: ctypes.CDLL) -> None:
    rows = [_row(n) for n in range(30)]
    rows[19]["small"] = None
    batch = pa.RecordBatch.from_pylist(rows, schema=SCHEMA)
    assert _read(library, batch) == 'column "small", row 20: NULL is not allowed'
    assert _read(library, batch.slice(10)) == 'column "small", row 10: NULL is not allowed'
    assert _read(library, batch.slice(20)) == "".join(_rendered(n) for n in range(20, 30))


def test_other_types_are_refused(library: ctypes.CDLL) -> None:
    batch = pa.RecordBatch.from_pylist([_row(1)], schema=SCHEMA)
    wrong = batch.set_column(0, "i", pa.array([1], pa.int64()))
    assert _read(library, wrong) == 'column "i": Arrow format "l", the relation needs "i"'
    encoded = batch.set_column(6, "s", pa.array(["a"]).dictionary_encode())
    assert _read(library, encoded).startswith('column "s": ')
