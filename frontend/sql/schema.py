"""Relations from a schema that is given beside a query: SQL declarations, dictionaries or Arrow schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import pyarrow as pa

from toastergen.errors import ResolveError, SqlSyntaxError, ToastergenError, UnsupportedSql
from toastergen.frontend import types
from toastergen.frontend.m3 import Column, Relation
from toastergen.frontend.sql.column_types import KNOWN_TYPES
from toastergen.frontend.sql.cursor import Cursor
from toastergen.frontend.sql.ddl import read_type
from toastergen.frontend.sql.parse import read_script
from toastergen.frontend.sql.source import statements
from toastergen.frontend.types import BOOL, DATE, DOUBLE, INT, LONG, STRING, TIMESTAMP, Type

Schema: TypeAlias = str | Mapping[str, Mapping[str, str] | Any] | Iterable[Relation]


def relations_from_schema(schema: Schema) -> tuple[Relation, ...]:
    """``CREATE STREAM …`` text, ``{"orders": {"o_custkey": "INT", …}}`` or ``{"orders": arrow_schema}``."""
    if isinstance(schema, str):
        script = read_script(schema)
        if script.queries:
            raise SqlSyntaxError(
                "the schema holds a query", hint="pass declarations as the schema and the query on its own"
            )
        return script.relations
    if not isinstance(schema, Mapping):
        given = tuple(schema) if isinstance(schema, Iterable) else ()
        if not given or not all(isinstance(item, Relation) for item in given):
            raise ResolveError(
                f"a schema cannot be of type {type(schema).__name__}",
                hint='give CREATE STREAM … text, {"relation": {"column": "TYPE"}} or {"relation": arrow_schema}',
            )
        return given
    relations = tuple(_relation(str(name), columns) for name, columns in schema.items())
    _refuse_doubles([relation.name for relation in relations], "relation")
    return relations


def _relation(name: str, columns: Mapping[str, str] | Any) -> Relation:
    if isinstance(columns, pa.Schema):
        found = tuple(Column(item.name, _arrow_type(item, name)) for item in columns)
    elif isinstance(columns, Mapping):
        found = tuple(
            Column(str(column), _type(str(word), name, str(column))) for column, word in columns.items()
        )
    else:
        raise ResolveError(
            f"the schema of {name} is a {type(columns).__name__}",
            hint='give {"column": "TYPE", …} or a pyarrow.Schema',
        )
    if not found:
        raise ResolveError(f"relation {name} has no columns", hint="list at least one column")
    _refuse_doubles([column.name for column in found], f"column of {name}")
    return Relation(name, found)


def _type(word: str, relation: str, column: str) -> Type:
    """The same words as in CREATE STREAM."""
    try:
        parsed = statements(word)
        cursor = Cursor(parsed[0]) if len(parsed) == 1 else None
        found = read_type(cursor) if cursor else None
    except ToastergenError as error:
        message = f"column {relation}.{column}: {error.message}"
        raise type(error)(message, hint=f"use one of {KNOWN_TYPES}") from None
    if found is None or (cursor is not None and cursor.token is not None):
        raise SqlSyntaxError(
            f"column {relation}.{column}: {word!r} is not a type", hint=f"use one of {KNOWN_TYPES}"
        )
    return found


def _arrow_type(item: Any, relation: str) -> Type:
    kind = item.type.value_type if pa.types.is_dictionary(item.type) else item.type
    if pa.types.is_decimal(kind) and 0 <= kind.scale <= kind.precision <= types.MAX_PRECISION:
        return types.decimal(kind.precision, kind.scale)
    tests = (
        (pa.types.is_boolean, BOOL),
        (pa.types.is_floating, DOUBLE),
        (pa.types.is_date, DATE),
        (lambda kind: pa.types.is_timestamp(kind) and kind.tz is None, TIMESTAMP),
        (pa.types.is_string, STRING),
        (pa.types.is_large_string, STRING),
        (pa.types.is_string_view, STRING),
    )
    for test, found in tests:
        if test(kind):
            return found
    if pa.types.is_integer(kind) and not pa.types.is_uint64(kind):
        return LONG if kind.bit_width == 64 or pa.types.is_uint32(kind) else INT
    raise UnsupportedSql(
        f"column {relation}.{item.name} has the Arrow type {item.type}, which is not supported",
        hint="cast it to an integer, float, decimal, date, timestamp without a zone, string or bool",
    )


def _refuse_doubles(names: list[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if not name:
            raise ResolveError(f"the name of a {what} is empty", hint="give it at least one character")
        if name.lower() in seen:
            raise ResolveError(
                f"{what} {name} is there twice", hint="case does not tell names apart: rename one"
            )
        seen.add(name.lower())
