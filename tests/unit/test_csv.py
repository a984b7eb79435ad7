"""Files into batches: types, headers, bad rows, and every format a source may have."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import toastergen as tg
from toastergen.errors import DataError, SourceError
from toastergen.runtime import EngineModule
from toastergen.runtime.ingest import Source, open_source


@dataclass(frozen=True)
class Column:
    name: str
    type: str


@dataclass(frozen=True)
class Relation:
    name: str
    columns: tuple[Column, ...]


SALES = Relation(
    "sales",
    (
        Column("id", "int"),
        Column("total", "long"),
        Column("rate", "double"),
        Column("price", "decimal(15,2)"),
        Column("day", "date"),
        Column("note", "string"),
        Column("paid", "bool"),
        Column("at", "timestamp"),
    ),
)
PAIR = Relation("pair", (Column("id", "int"), Column("note", "string")))
ROW = "1,5000000000,0.5,12.50,2024-02-29,hello,true,1969-12-31 23:59:59.5"
VALUES = {
    "id": 1,
    "total": 5_000_000_000,
    "rate": 0.5,
    "price": Decimal("12.50"),
    "day": datetime.date(2024, 2, 29),
    "note": "hello",
    "paid": True,
    "at": datetime.datetime(1969, 12, 31, 23, 59, 59, 500000),
}


@pytest.fixture(scope="session")
def module() -> EngineModule:
    """Any engine will do: each brings the reader."""
    return tg.compile("SELECT COUNT(*) AS n FROM r", {"r": {"a": "INT"}}, name="reader").build(debug=True).module()


@pytest.fixture
def read(module: EngineModule, tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    def reader(text: str, relation: Relation = PAIR, file: str = "t.csv", **options: Any) -> list[dict[str, Any]]:
        path = tmp_path / file
        path.write_bytes(text.encode())
        return rows(open_source(module, relation, path, **options))

    return reader


def rows(source: Source) -> list[dict[str, Any]]:
    found = []
    for piece in source:
        piece.rows.validate(full=True)
        found += piece.rows.to_pylist()
    return found


def test_every_type_arrives_as_itself(read: Callable[..., Any]) -> None:
    assert read(ROW + "\n", SALES) == [VALUES]


def test_a_header_is_recognised_in_any_order_and_case(read: Callable[..., Any]) -> None:
    assert read("NOTE,Id\nx,7\n") == [{"id": 7, "note": "x"}]


def test_a_declared_header_that_does_not_fit_is_refused(read: Callable[..., Any]) -> None:
    with pytest.raises(DataError, match=r't\.csv:1: the header names "remark", which is not a column'):
        read("id,remark\n1,x\n", options={"header": "true"})


def test_without_a_header_the_first_line_is_data(read: Callable[..., Any]) -> None:
    with pytest.raises(DataError, match=r't\.csv:1: column "id": "id" is not an int'):
        read("id,note\n1,x\n", options={"header": "false"})


@pytest.mark.parametrize(("file", "line"), [("t.tbl", "1|x|\n"), ("t.tsv", "1\tx\n"), ("t.csv", "1,x\n")])
def test_the_suffix_chooses_the_delimiter(read: Callable[..., Any], file: str, line: str) -> None:
    assert read(line, file=file) == [{"id": 1, "note": "x"}]


def test_options_beat_the_suffix(read: Callable[..., Any]) -> None:
    options = {"delimiter": ";", "quote": "'", "escape": "\\"}
    assert read("1;'a;\\'b'\n", options=options) == [{"id": 1, "note": "a;'b"}]


@pytest.mark.parametrize(
    ("column", "text", "said"),
    [
        (0, "2147483648", '"2147483648" is out of the range of an int'),
        (3, "abc", '"abc" is not a decimal(15,2)'),
        (3, "1.005", '"1.005" has too many fractional digits for a decimal(15,2)'),
        (4, "2023-02-29", '"2023-02-29" is out of the range of a date'),
        (6, "", "the field is empty, but a bool is needed"),
        (7, "2024-02-30 00:00:00", '"2024-02-30 00:00:00" is out of the range of a timestamp'),
        (7, "2024-02-29 24:00:00", '"2024-02-29 24:00:00" is out of the range of a timestamp'),
        (7, "2024-02-29 10:00:00Z", '"2024-02-29 10:00:00Z" is not a timestamp'),
        (7, "2024-02-29 10:00:00.1234567", '"2024-02-29 10:00:00.1234567" is not a timestamp'),
    ],
)
def test_a_bad_field_is_named_by_line_column_and_text(
    read: Callable[..., Any], column: int, text: str, said: str
) -> None:
    fields = ROW.split(",")
    fields[column] = text
    with pytest.raises(DataError) as caught:
        read(f"{ROW}\n{','.join(fields)}\n", SALES)
    assert f't.csv:2: column "{SALES.columns[column].name}": {said}' in str(caught.value)
    assert "--on-error=skip" in str(caught.value)


def test_skipped_rows_are_counted_and_quoted(module: EngineModule, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("".join(f"{'x' if n % 2 else n},note\n" for n in range(40)))
    source = open_source(module, PAIR, path, on_error="skip", batch_rows=3)
    assert [row["id"] for row in rows(source)] == list(range(0, 40, 2))
    assert (source.rows_read, source.rows_rejected) == (20, 20)
    assert source.messages[0].endswith('t.csv:2: column "id": "x" is not an int')
    assert len(source.messages) == 5


def test_progress_ends_at_the_size_of_the_file(module: EngineModule, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("".join(f"{n},note\n" for n in range(100)))
    source = open_source(module, PAIR, path, batch_rows=30)
    steps = [(piece.rows.num_rows, piece.bytes_done) for piece in source]
    assert [count for count, _ in steps] == [30, 30, 30, 10]
    done = [position for _, position in steps]
    assert done == sorted(set(done))
    assert source.bytes_total == path.stat().st_size


def test_an_empty_file_has_no_rows(read: Callable[..., Any]) -> None:
    assert read("") == []


@pytest.mark.parametrize("content", [b"1,\xff\n", b"1,\xed\xa0\x80\n"])
def test_text_that_is_not_utf8_is_refused(module: EngineModule, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match="is not valid UTF-8"):
        rows(open_source(module, PAIR, path))


def test_a_missing_file_says_what_to_do(module: EngineModule, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no such file(?s:.*)next: .*pair=PATH"):
        open_source(module, PAIR, tmp_path / "none.csv")


def test_a_folder_is_not_a_file(module: EngineModule, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is a folder"):
        open_source(module, PAIR, tmp_path)


@pytest.mark.parametrize("options", [{"delimiter": "ab"}, {"delimiter": ""}, {"header": "maybe"}, {"colour": "x"}])
def test_odd_options_are_refused(read: Callable[..., Any], options: dict[str, str]) -> None:
    with pytest.raises(SourceError, match="relation pair"):
        read("1,x\n", options=options)


# -- Arrow and Parquet -------------------------------------------------------------------------------------------------


def write_arrow(table: pa.Table, path: Path) -> None:
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, path, compression="lz4")
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)


@pytest.mark.parametrize("suffix", ["parquet", "feather", "arrow"])
def test_columns_are_found_by_name_and_cast(module: EngineModule, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.{suffix}"
    table = pa.table({"extra": [0.5, 0.5, 0.5], "NOTE": ["a", "b", "c"], "id": pa.array([1, 2, 3], pa.int64())})
    write_arrow(table, path)
    source = open_source(module, PAIR, path, batch_rows=2)
    assert rows(source) == [{"id": 1, "note": "a"}, {"id": 2, "note": "b"}, {"id": 3, "note": "c"}]
    assert source.rows_read == 3


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize(
    ("values", "said"), [([1, None], "holds NULL"), ([2**40, 1], "does not fit int32"), (["x", "y"], "does not fit")]
)
def test_values_that_do_not_fit_are_refused(
    module: EngineModule, tmp_path: Path, suffix: str, values: list[Any], said: str
) -> None:
    path = tmp_path / f"t.{suffix}"
    write_arrow(pa.table({"id": values, "note": ["a", "b"]}), path)
    with pytest.raises(DataError, match=rf'rows 1 to 2: column "id" .*{said}'):
        rows(open_source(module, PAIR, path))


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_lacking_column_is_named(module: EngineModule, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.{suffix}"
    write_arrow(pa.table({"id": [1]}), path)
    with pytest.raises(SourceError, match='lacks column "note" of relation pair'):
        rows(open_source(module, PAIR, path))


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_file_of_another_format_is_refused(module: EngineModule, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.{suffix}"
    path.write_text("1,x\n" * 100)
    with pytest.raises(SourceError, match=r"cannot read(?s:.*)the suffix fits the format"):
        rows(open_source(module, PAIR, path))


NULLABLE = Relation("maybe", tuple(Column(column.name, f"{column.type}?") for column in SALES.columns))


def test_an_empty_field_is_null_where_a_column_can_be(read: Callable[..., Any]) -> None:
    empty = "," * (len(SALES.columns) - 1) + "\n"
    assert read(empty + ROW + "\n" + empty, NULLABLE) == [dict.fromkeys(VALUES), VALUES, dict.fromkeys(VALUES)]


def test_quotes_make_an_empty_string(read: Callable[..., Any]) -> None:
    maybe = Relation("maybe", (Column("id", "int"), Column("note", "string?")))
    assert read('1,""\n2,\n', maybe) == [{"id": 1, "note": ""}, {"id": 2, "note": None}]
    assert read("1,\n") == [{"id": 1, "note": ""}]


def test_null_may_have_a_text_of_its_own(read: Callable[..., Any]) -> None:
    maybe = Relation("maybe", (Column("id", "int?"), Column("note", "string?")))
    text = 'NA,NA\n1,\n2,"NA"\n'
    wanted = [{"id": None, "note": None}, {"id": 1, "note": ""}, {"id": 2, "note": "NA"}]
    assert read(text, maybe, options={"null": "NA"}) == wanted
    with pytest.raises(DataError, match=r't\.csv:1: column "id": the field is empty, but an int is needed'):
        read(",x\n", maybe, options={"null": "NA"})


def test_a_bad_row_after_nulls_leaves_the_others_whole(read: Callable[..., Any]) -> None:
    maybe = Relation("maybe", (Column("id", "int?"), Column("flag", "bool?"), Column("day", "date")))
    text = ",,2024-01-01\n,true,no date\n3,,2024-01-02\n"
    first, last = read(text, maybe, on_error="skip")
    assert (first["id"], first["flag"], last["id"], last["flag"]) == (None, None, 3, None)
