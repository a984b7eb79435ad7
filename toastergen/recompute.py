"""DuckDB as the judge: base tables as bags of rows, views recomputed from scratch by an engine nobody here wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import pyarrow as pa

from toastergen.changes import Row
from toastergen.errors import DataError, EngineError, EnvironmentProblem, UnsupportedSql
from toastergen.frontend.m3 import DERIVED, Relation
from toastergen.frontend.sql.view_texts import view_texts
from toastergen.frontend.types import Type
from toastergen.runtime.ingest import arrow_schema

_NAN: Final = float("nan")  # the one that stands for all: NaN equals nothing, not even in a bag

# DBToaster's words for what DuckDB calls otherwise.
_DBTOASTER: Final = """
CREATE MACRO listmax(a, b) AS greatest(a, b), (a, b, c) AS greatest(a, b, c), (a, b, c, d) AS greatest(a, b, c, d);
CREATE MACRO listmin(a, b) AS least(a, b), (a, b, c) AS least(a, b, c), (a, b, c, d) AS least(a, b, c, d);
"""


class Recomputation:
    """The same script in DuckDB: streams are tables, views are views."""

    def __init__(self, sql: str, relations: Iterable[Relation], views: Sequence[str]) -> None:
        self._duckdb = _duckdb()
        self._db = self._duckdb.connect(config={"threads": 1})
        # Here x / 0 is NULL; DuckDB has to be told so twice.
        self._db.execute("SET error_on_division_by_zero = false; SET ieee_floating_point_ops = false")
        # This optimizer merges joins of a table with itself that differ in their columns: tests/oracle/DUCKDB.md.
        self._db.execute("SET disabled_optimizers = 'common_subplan'")
        self._db.execute(_DBTOASTER)
        self._relations = {item.name: item for item in relations if item.kind != DERIVED}
        self._texts = dict(zip(views, view_texts(sql), strict=True))
        for relation in self._relations.values():
            columns = ", ".join(f"{quoted(column.name)} {sql_type(column.type)}" for column in relation.columns)
            self._db.execute(f"CREATE TABLE {quoted(relation.name)} ({columns})")
        for name, text in self._texts.items():
            try:
                self._db.execute(f"CREATE VIEW {quoted(name)} {text.columns} AS {text.select}")
            except self._duckdb.Error as error:
                raise UnsupportedSql(
                    f"DuckDB cannot compute the view {name}: {_first_line(error)}",
                    span=text.span,
                    hint="verify needs a query that both understand",
                ) from None
        self.clear()

    def apply(self, relation: str, row: Sequence[Any], weight: int = 1) -> None:
        key = tuple(_NAN if value != value else value for value in row)
        bag = self._bags[relation]
        bag[key] += weight
        if bag[key] < 0:
            raise DataError(
                f"the stream deletes a row of {relation} that is not there: {tuple(row)}",
                hint="a recomputation starts from rows that exist: delete only what was inserted",
            )
        if weight > 0:
            self._new[relation] += [key] * weight
        else:
            self._stale.add(relation)

    def clear(self) -> None:
        """Empty all tables. Making a new database would take longer than most tests."""
        self._bags: dict[str, Counter[Row]] = {name: Counter() for name in self._relations}
        self._new: dict[str, list[Row]] = {name: [] for name in self._relations}
        self._stale = set(self._relations)

    def rows(self, relation: str) -> list[Row]:
        """The current rows of a base table, duplicates included."""
        return list(self._bags[relation].elements())

    def view(self, name: str) -> list[Row]:
        return self._answer(name, f"SELECT * FROM {quoted(name)}")

    def whole(self, name: str) -> list[Row]:
        """A view in its order, without its LIMIT and OFFSET."""
        return self._answer(name, self._texts[name].uncut)

    def _answer(self, name: str, query: str) -> list[Row]:
        for relation in self._relations.values():
            self._refresh(relation)
        try:
            rows: list[Row] = self._db.execute(query).fetchall()
        except self._duckdb.Error as error:
            raise EngineError(
                f"DuckDB cannot recompute the view {name}: {_first_line(error)}",
                hint="the rows so far take it out of its range; verify a part of them",
            ) from None
        return rows

    def _refresh(self, relation: Relation) -> None:
        """Rows that only came are added; after a delete the table is filled anew."""
        name = relation.name
        rows = self._new[name]
        self._new[name] = []
        if name in self._stale:
            self._stale.discard(name)
            self._db.execute(f"DELETE FROM {quoted(name)}")
            rows = self.rows(name)
        if not rows:
            return
        types = arrow_schema(relation).types
        columns = [pa.array(values, type_) for values, type_ in zip(zip(*rows, strict=True), types, strict=True)]
        names = [f"c{place}" for place in range(len(columns))]
        self._db.register("incoming", pa.Table.from_arrays(columns, names=names))
        self._db.execute(f"INSERT INTO {quoted(name)} SELECT * FROM incoming")
        self._db.unregister("incoming")


def _duckdb() -> Any:
    try:
        import duckdb
    except ModuleNotFoundError:
        raise EnvironmentProblem(
            "verify compares with DuckDB, which is not installed", hint="pip install 'toastergen[verify]'"
        ) from None
    return duckdb


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


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
        "timestamp": "TIMESTAMP",
        "string": "VARCHAR",
        "bool": "BOOLEAN",
    }[type_.kind]
