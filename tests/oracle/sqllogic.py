"""Replay a file of sqllogictest on the four engines.

    python tests/oracle/sqllogic.py FILE…               replay; --complete writes DuckDB's rows below queries

Every table is a stream: what INSERT, DELETE and UPDATE do to its rows arrives as changes. Every query is a view, which
is maintained from the first change on. Where the file asks for its rows they must be those of the file; half way
through the changes and at the end all views must be DuckDB's.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import duckdb
import sqlglot
from sqlglot import exp

from oracle.fourway import FourWay
from oracle.sqllogic_file import ROWSORT, VALUESORT, Query, Record, Statement, read_records
from toastergen.changes import Row, Step
from toastergen.errors import ToastergenError
from toastergen.frontend.sql import read_script

ENGINES = ("duckdb", "toastergen")


@dataclass(frozen=True, slots=True)
class Replay:
    """What a file comes to: the script, the changes, and after how many of them each query is asked."""

    sql: str
    steps: tuple[Step, ...]
    asked: tuple[tuple[str, Query, int], ...]
    refused: tuple[tuple[Statement, str], ...]  # scripts that must be refused


def prepare(records: Sequence[Record], name: str) -> Replay:
    scratch = duckdb.connect()
    declared: list[str] = []
    tables: list[str] = []
    steps: list[Step] = []
    asked: list[tuple[str, Query, int]] = []
    refused: list[tuple[Statement, str]] = []
    for record in records:
        if "toastergen" in record.without:
            continue
        if isinstance(record, Query):
            view = f"line_{record.line}"
            declared.append(f"CREATE VIEW {view} AS {record.sql};")
            asked.append((view, record, len(steps)))
            continue
        kind = record.sql.split()[0].upper()
        if record.fails:
            refused.append((record, "\n".join([*declared, f"{record.sql};"])))
        elif kind == "CREATE":
            scratch.execute(record.sql)
            declared += _declaration(record.sql, tables)
        else:
            steps += _changes(scratch, record, tables, name)
    return Replay("\n".join(declared), tuple(steps), tuple(asked), tuple(refused))


def _declaration(sql: str, tables: list[str]) -> list[str]:
    """CREATE TABLE as a stream whose columns may be NULL unless they say otherwise; indexes are not needed."""
    node = sqlglot.parse_one(sql, dialect="duckdb")
    if not isinstance(node, exp.Create) or node.kind == "INDEX":
        return []
    if node.kind == "VIEW":
        return [f"{sql};"]
    columns = []
    for column in node.this.find_all(exp.ColumnDef):
        kinds = {type(item.kind) for item in column.find_all(exp.ColumnConstraint)}
        never = bool(kinds & {exp.NotNullColumnConstraint, exp.PrimaryKeyColumnConstraint})
        columns.append(f"{column.name} {column.kind.sql(dialect='duckdb')}{'' if never else ' NULL'}")
    tables.append(node.this.this.name)
    return [f"CREATE STREAM {tables[-1]} ({', '.join(columns)});"]


def _changes(scratch: Any, record: Statement, tables: Sequence[str], name: str) -> list[Step]:
    """What a statement does to the rows of each table, one change at a time: deletes first."""
    before = {table: _bag(scratch, table) for table in tables}
    try:
        scratch.execute(record.sql)
    except duckdb.Error as error:
        raise AssertionError(f"{name}:{record.line}: {error}") from None
    steps = []
    for table in tables:
        after = _bag(scratch, table)
        gone, come = before[table] - after, after - before[table]
        steps += [Step(table, (row,), (-1,), False) for row in gone.elements()]
        steps += [Step(table, (row,), (1,), False) for row in come.elements()]
    return steps


def _bag(scratch: Any, table: str) -> Counter[Row]:
    return Counter(scratch.execute(f"SELECT * FROM {table}").fetchall())


# --- replaying ----------------------------------------------------------------------------------------------


def replay(path: Path, *, native: bool = True) -> int:
    """The number of queries that were asked. What differs is an AssertionError with file and line."""
    records = read_records(path)
    plan = prepare(records, path.name)
    for statement, sql in plan.refused:
        _must_be_refused(statement, sql, path.name)
    engines = FourWay(plan.sql, name=f"sqllogic_{path.stem}", native=native)
    half = len(plan.steps) // 2
    for place in range(len(plan.steps) + 1):
        for view, query, when in plan.asked:
            if when == place:
                _ask(engines, view, query, path.name)
        if place in (half, len(plan.steps)):
            engines.check()
        if place < len(plan.steps):
            step = plan.steps[place]
            engines.change(step.relation, step.rows[0], step.weights[0])
    return len(plan.asked)


def _must_be_refused(statement: Statement, sql: str, name: str) -> None:
    try:
        read_script(sql)
    except ToastergenError as error:
        assert statement.message in str(error), f"{name}:{statement.line}: refused, but with\n{error}"
    else:
        raise AssertionError(f"{name}:{statement.line}: accepted, though it must be refused\n{statement.sql}")


def _ask(engines: FourWay, view: str, query: Query, name: str) -> None:
    found = engines.mismatch(view)
    assert found is None, f"{name}:{query.line}: {found}\n{query.sql}"
    rows = engines.engine.view(view).rows() if engines.engine is not None else engines.m3.view(view)
    wrong = difference(query, rows)
    assert wrong is None, f"{name}:{query.line}: {wrong}\n{query.sql}"


def difference(query: Query, rows: Sequence[Row]) -> str | None:
    """How rows differ from what the file says; None if they do not."""
    width = len(rows[0]) if rows else len(query.types)
    if width != len(query.types):
        return f"the query has {width} columns, the file says {len(query.types)}"
    values = written(query, rows)
    if query.hashed is not None:
        count, digest = query.hashed
        if len(values) != count:
            return f"{len(values)} values instead of {count}"
        found = hashed(values)
        return None if found == digest else f"the values hash to {found}: {' '.join(values[:20])}"
    expected = list(query.values)
    if query.sorting == VALUESORT:
        expected.sort()
    elif query.sorting == ROWSORT:
        expected = _by_rows(expected, len(query.types))
    return None if values == expected else f"{values} instead of {expected}"


def written(query: Query, rows: Sequence[Row]) -> list[str]:
    """The values of rows as the file writes them, in its order."""
    texts = [_text(value, type_) for row in rows for value, type_ in zip(row, query.types, strict=True)]
    if query.sorting == VALUESORT:
        return sorted(texts)
    return _by_rows(texts, len(query.types)) if query.sorting == ROWSORT else texts


def _by_rows(values: Sequence[str], width: int) -> list[str]:
    rows = sorted(tuple(values[place : place + width]) for place in range(0, len(values), width))
    return [value for row in rows for value in row]


def hashed(values: Sequence[str]) -> str:
    return hashlib.md5("".join(f"{value}\n" for value in values).encode(), usedforsecurity=False).hexdigest()


def _text(value: Any, type_: str) -> str:
    if value is None:
        return "NULL"
    match type_:
        case "I":
            return str(int(value))
        case "R":
            return f"{float(value):.3f}"
        case _:
            shown = str(value).lower() if isinstance(value, bool) else str(value)
            return shown or "(empty)"


# --- completing ---------------------------------------------------------------------------------------------


def completed(path: Path) -> str:
    """The file with DuckDB's rows below every query, as they are where the query stands."""
    lines = path.read_text(encoding="utf-8").split("\n")
    scratch = duckdb.connect()
    found: list[str] = []
    last = 0
    for record in read_records(path):
        if isinstance(record, Statement):
            if not record.fails and "duckdb" not in record.without:
                scratch.execute(record.sql)
            continue
        mark = next(place for place in range(record.line, len(lines)) if lines[place].strip() == "----")
        end = next((place for place in range(mark + 1, len(lines)) if not lines[place].strip()), len(lines))
        found += lines[last : mark + 1] + written(record, scratch.execute(record.sql).fetchall())
        last = end
    return "\n".join(found + lines[last:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--complete", action="store_true")
    given = parser.parse_args()
    for path in given.files:
        if given.complete:
            path.write_text(completed(path), encoding="utf-8")
        else:
            print(f"{path.name}: {replay(path)} queries")


if __name__ == "__main__":
    main()
