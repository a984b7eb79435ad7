"""DuckDB as the judge: base tables as bags of rows, views recomputed from scratch by an engine nobody here wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from toastergen.frontend.m3 import DERIVED, Relation
from toastergen.frontend.sql.source import keyword, statements
from toastergen.frontend.types import Type

Row = tuple[Any, ...]


class DuckOracle:
    """The same script in DuckDB: streams are tables, views are views."""

    def __init__(self, sql: str, relations: Iterable[Relation], views: Sequence[str]) -> None:
        self._db = duckdb.connect(config={"threads": 1})
        # Here x / 0 is NULL; DuckDB has to be told so twice.
        self._db.execute("SET error_on_division_by_zero = false; SET ieee_floating_point_ops = false")
        self._relations = {item.name: item for item in relations if item.kind != DERIVED}
        self._bags: dict[str, Counter[Row]] = {name: Counter() for name in self._relations}
        self._stale: set[str] = set()
        for relation in self._relations.values():
            columns = ", ".join(f"{quoted(column.name)} {sql_type(column.type)}" for column in relation.columns)
            self._db.execute(f"CREATE TABLE {quoted(relation.name)} ({columns})")
        for name, select in zip(views, selects(sql), strict=True):
            self._db.execute(f"CREATE VIEW {quoted(name)} AS {select}")

    def apply(self, relation: str, row: Sequence[Any], weight: int = 1) -> None:
        bag = self._bags[relation]
        bag[tuple(row)] += weight
        assert bag[tuple(row)] >= 0, f"the test deletes a row that is not there: {relation} {row}"
        self._stale.add(relation)

    def clear(self) -> None:
        """Empty all tables. Making a new database would take longer than most tests."""
        self._bags = {name: Counter() for name in self._relations}
        self._stale = set(self._relations)

    def rows(self, relation: str) -> list[Row]:
        """The current rows of a base table, duplicates included."""
        return list(self._bags[relation].elements())

    def view(self, name: str) -> list[Row]:
        for relation in self._stale:
            self._reload(self._relations[relation])
        self._stale.clear()
        return self._db.execute(f"SELECT * FROM {quoted(name)}").fetchall()

    def _reload(self, relation: Relation) -> None:
        self._db.execute(f"DELETE FROM {quoted(relation.name)}")
        rows = self.rows(relation.name)
        if not rows:
            return
        fields = [pa.field(f"c{i}", arrow_type(column.type)) for i, column in enumerate(relation.columns)]
        columns = [pa.array(values, field.type) for values, field in zip(zip(*rows, strict=True), fields, strict=True)]
        incoming = pa.Table.from_arrays(columns, schema=pa.schema(fields))
        self._db.register("incoming", incoming)
        self._db.execute(f"INSERT INTO {quoted(relation.name)} SELECT * FROM incoming")
        self._db.unregister("incoming")


def selects(sql: str) -> list[str]:
    """The SELECT of every view of a script, in order."""
    found = []
    for statement in statements(sql):
        words = [keyword(token) for token in statement.tokens]
        if words[0] == "CREATE" and words[1] != "VIEW":
            continue
        first = statement.tokens[next(i for i, word in enumerate(words) if word in ("SELECT", "WITH"))]
        found.append(sql[first.start : statement.tokens[-1].end + 1])
    return found


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def sql_type(type_: Type) -> str:
    if type_.kind == "decimal":
        return f"DECIMAL({type_.precision},{type_.scale})"
    return {
        "int": "INTEGER",
        "long": "BIGINT",
        "double": "DOUBLE",
        "date": "DATE",
        "string": "VARCHAR",
        "bool": "BOOLEAN",
    }[type_.kind]


def arrow_type(type_: Type) -> pa.DataType:
    if type_.kind == "decimal":
        return pa.decimal128(type_.precision, type_.scale)
    return {
        "int": pa.int32(),
        "long": pa.int64(),
        "double": pa.float64(),
        "date": pa.date32(),
        "string": pa.string(),
        "bool": pa.bool_(),
    }[type_.kind]
