"""Schemas given beside a query."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from toastergen.errors import ResolveError, SqlSyntaxError, ToastergenError, UnsupportedSql
from toastergen.frontend.sql import read_query, read_script, relations_from_schema
from toastergen.frontend.sql.show import show_relation


def shown(schema: Any) -> list[str]:
    return [show_relation(relation) for relation in relations_from_schema(schema)]


def test_declarations() -> None:
    assert shown("CREATE STREAM r (a INT PRIMARY KEY); CREATE TABLE t (b DATE)") == [
        "stream r(a int) key(a)",
        "table t(b date)",
    ]


def test_dictionaries() -> None:
    schema = {"orders": {"o_custkey": "INT", "price": "decimal(10, 2)", "w": "double precision"}}
    assert shown(schema) == ["stream orders(o_custkey int, price decimal(10,2), w double)"]


def test_arrow_schemas() -> None:
    columns: list[tuple[str, Any]] = [
        ("a", pa.int32()),
        ("b", pa.int64()),
        ("c", pa.uint32()),
        ("d", pa.int8()),
        ("e", pa.float32()),
        ("f", pa.decimal128(12, 2)),
        ("g", pa.date32()),
        ("h", pa.large_string()),
        ("i", pa.bool_()),
        ("j", pa.dictionary(pa.int32(), pa.string())),
    ]
    assert shown({"r": pa.schema(columns)}) == [
        "stream r(a int, b long, c long, d int, e double, f decimal(12,2), g date, h string, i bool, "
        "j string)"
    ]


def test_relations_pass_through() -> None:
    relations = relations_from_schema("CREATE STREAM r (a INT)")
    assert relations_from_schema(relations) == relations


REFUSED: list[tuple[Any, type[ToastergenError], str]] = [
    ({"r": {"a": "TIMESTAMPTZ"}}, UnsupportedSql, "column r.a: type TIMESTAMPTZ"),
    ({"r": {"a": "INT INT"}}, SqlSyntaxError, "'INT INT' is not a type"),
    ({"r": {"a": ""}}, SqlSyntaxError, "'' is not a type"),
    ({"r": {"a": "5"}}, SqlSyntaxError, "expected a type"),
    ({"r": {}}, ResolveError, "relation r has no columns"),
    ({"r": {"a": "INT", "A": "INT"}}, ResolveError, "column of r A is there twice"),
    ({"r": {"a": "INT"}, "R": {"a": "INT"}}, ResolveError, "relation R is there twice"),
    ({"r": {"": "INT"}}, ResolveError, "the name of a column of r is empty"),
    ({"r": ["a"]}, ResolveError, "the schema of r is a list"),
    ({"r": pa.schema([("a", pa.uint64())])}, UnsupportedSql, "Arrow type uint64"),
    ({"r": pa.schema([("a", pa.timestamp("us", "UTC"))])}, UnsupportedSql, "Arrow type timestamp[us, tz=UTC]"),
    ("CREATE STREAM r (a INT); SELECT a FROM r", SqlSyntaxError, "the schema holds a query"),
]


@pytest.mark.parametrize(("schema", "kind", "message"), REFUSED, ids=[case[2] for case in REFUSED])
def test_refused(schema: Any, kind: type[ToastergenError], message: str) -> None:
    with pytest.raises(ToastergenError) as caught:
        relations_from_schema(schema)
    assert type(caught.value) is kind
    assert message in caught.value.message
    assert caught.value.hint


def test_a_query_over_a_schema_equals_the_script() -> None:
    schema, query = "CREATE STREAM r (a INT);", "SELECT a, COUNT(*) FROM r GROUP BY a"
    assert read_query(query, relations_from_schema(schema)) == read_script(schema + query)
