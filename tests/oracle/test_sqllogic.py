"""Files of sqllogictest, replayed; and what is said about files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracle.sqllogic import completed, difference, hashed, replay
from oracle.sqllogic_file import Query, Statement, read_records
from toastergen.errors import DataError, SourceError

FILES = sorted((Path(__file__).parent.parent / "sqllogic").glob("*.test"))
SMALL = """
statement ok
CREATE TABLE t (a INTEGER, b VARCHAR)

statement ok
INSERT INTO t VALUES (2, 'x'), (1, NULL)

query {head}
{sql}
----
{rows}
"""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_compiler_replays(path: Path) -> None:
    assert replay(path, native=False) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_engines_replay(path: Path) -> None:
    replay(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_rows_are_those_of_duckdb(path: Path) -> None:
    assert completed(path) == path.read_text()


def written(folder: Path, head: str, sql: str, *rows: str) -> Path:
    path = folder / "small.test"
    path.write_text(SMALL.format(head=head, sql=sql, rows="\n".join(rows)))
    return path


@pytest.mark.parametrize(
    ("head", "sql", "rows"),
    [
        ("IT rowsort", "SELECT a, b FROM t", ("2", "x", "1", "NULL")),
        ("I nosort", "SELECT a FROM t ORDER BY a DESC", ("2", "1")),
        ("IT valuesort", "SELECT a, b FROM t", ("x", "NULL", "2", "1")),
        ("IT rowsort", "SELECT a, b FROM t", (f"4 values hashing to {hashed(['1', 'NULL', '2', 'x'])}",)),
        ("R rowsort", "SELECT SUM(a) / 2 FROM t", ("1.500",)),
    ],
)
def test_rows_sorting_and_hashes(tmp_path: Path, head: str, sql: str, rows: tuple[str, ...]) -> None:
    assert replay(written(tmp_path, head, sql, *rows), native=False) == 1


@pytest.mark.parametrize(
    ("head", "sql", "rows", "message"),
    [
        ("I rowsort", "SELECT a FROM t", ("1", "3"), r"small.test:8: \['1', '2'\] instead of \['1', '3'\]"),
        ("I nosort", "SELECT a FROM t ORDER BY a DESC", ("1", "2"), r"\['2', '1'\] instead"),
        ("II rowsort", "SELECT a FROM t", ("1", "2"), "1 columns, the file says 2"),
        ("I rowsort", "SELECT a FROM t", ("3 values hashing to " + "0" * 32,), "2 values instead of 3"),
        ("I rowsort", "SELECT a FROM t", ("2 values hashing to " + "0" * 32,), "hash to"),
    ],
)
def test_wrong_rows_are_told_with_file_and_line(
    tmp_path: Path, head: str, sql: str, rows: tuple[str, ...], message: str
) -> None:
    with pytest.raises(AssertionError, match=message):
        replay(written(tmp_path, head, sql, *rows), native=False)


def test_a_statement_that_must_fail_must_fail(tmp_path: Path) -> None:
    path = tmp_path / "fails.test"
    path.write_text("statement ok\nCREATE TABLE t (a INTEGER)\n\nstatement error\nSELECT a FROM t\n")
    with pytest.raises(AssertionError, match=r"fails.test:4: accepted, though it must be refused"):
        replay(path, native=False)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("statement maybe\nSELECT 1", "a statement is ok or error", 1),
        ("\n\nselect 1", "select begins no record", 3),
        ("query\nSELECT 1\n----\n1", "needs the types of its columns", 1),
        ("query IX\nSELECT 1\n----\n1", "X is no type of a column", 1),
        ("query I sideways\nSELECT 1\n----\n1", "sideways is no way to sort", 1),
        ("query I\nSELECT 1", "no ---- below it", 1),
        ("query I\n----\n1", "no SQL below this line", 1),
        ("query II\nSELECT 1, 2\n----\n1\n2\n3", "3 values are no rows of 2 columns", 4),
        ("statement ok\nCREATE TABLE t (a INT)\n----\n1", "statement ok expects no rows", 3),
        (f"query I\nSELECT 1\n----\n2 values hashing to {'0' * 32}\n7", "there are values below a hash", 5),
        ("statement ok\nSELECT 1\n\nskipif duckdb\n", "has no record below it", 5),
    ],
)
def test_malformed_files_are_refused_with_their_line(tmp_path: Path, text: str, message: str, line: int) -> None:
    path = tmp_path / "odd.test"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read_records(path)
    assert caught.value.span is not None and caught.value.span.line == line and caught.value.hint
    assert str(caught.value).startswith(f"odd.test:{line}:1: ")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"cannot read nowhere\.test"):
        read_records(tmp_path / "nowhere.test")


def test_records_know_their_engines(tmp_path: Path) -> None:
    path = tmp_path / "conditions.test"
    path.write_text(
        "skipif toastergen\nstatement ok\nA\n\nonlyif toastergen\nquery I nosort name\nB\n----\n\n"
        "statement error\nC\n----\nno\n\nhalt\nnonsense"
    )
    first, second, third = read_records(path)
    assert first == Statement(2, "A", False, frozenset({"toastergen"}))
    assert second == Query(6, "B", "I", "nosort", label="name", without=frozenset({"duckdb"}))
    assert third == Statement(10, "C", True, message="no")


def test_a_difference_is_none_for_equal_rows() -> None:
    query = Query(1, "", "T", "rowsort", ("(empty)", "true"))
    assert difference(query, [(True,), ("",)]) is None
