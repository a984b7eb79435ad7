"""Text to declared relations: ``CREATE STREAM r (a int, …) FROM FILE …;``."""

from __future__ import annotations

from typing import Final

from toastergen.frontend.m3 import DERIVED, FIRST, LAST, Column, Crossing, Relation, Source, Window
from toastergen.frontend.m3_text.crossing import read_crossing
from toastergen.frontend.m3_text.cursor import Cursor
from toastergen.frontend.m3_text.tokens import Token
from toastergen.frontend.m3_text.windows import read_window

# What DBToaster's files say beside the delimiter: values that mean what is done anyway are left out.
_IMPLIED: Final = {"eventtype": ("insert",)}


def read_relation(cursor: Cursor) -> Relation:
    """What follows CREATE."""
    if not cursor.is_word("STREAM", "TABLE", "DERIVED"):
        raise cursor.expected("STREAM, TABLE or DERIVED")
    kind = cursor.take().text.lower()
    name = cursor.name("a relation name").text
    parts = cursor.list_of(lambda: _column_or_key(cursor), "(", ")")
    columns = tuple(part for part in parts if isinstance(part, Column))
    key = tuple(column for part in parts if isinstance(part, tuple) for column in part)
    append_only = kind == "stream" and cursor.accept_word("APPEND")
    if append_only:
        cursor.expect_words("ONLY")
    source: Source | None = None
    queries: tuple[str, ...] = ()
    end = ""
    window: Window | None = None
    crossing: Crossing | None = None
    if kind == DERIVED:
        cursor.expect_words("FROM")
        end = _end(cursor)
        cursor.expect_words("QUERY")
        queries = cursor.list_of(lambda: cursor.name("a query").text, "(", ")")
        window = read_window(cursor) if cursor.accept_word("WINDOW") else None
        crossing = read_crossing(cursor) if cursor.accept_word("RUNNING") else None
    elif cursor.accept_word("FROM"):
        source = _source(cursor, columns)
    cursor.expect_op(";")
    return Relation(name, columns, kind, key, source, queries, end, append_only, window, crossing)


def _end(cursor: Cursor) -> str:
    for end in (FIRST, LAST):
        if cursor.accept_word(end.upper()):
            cursor.expect_words("OF")
            return end
    return ""


def _column_or_key(cursor: Cursor) -> Column | tuple[str, ...]:
    if cursor.accept_word("PRIMARY"):
        cursor.expect_words("KEY")
        return cursor.list_of(lambda: cursor.name("a column").text, "(", ")")
    name = cursor.name("a column").text
    return Column(name, cursor.type())


def _source(cursor: Cursor, columns: tuple[Column, ...]) -> Source:
    if cursor.is_word("SOCKET"):
        raise cursor.error("a socket is not read", "leave out FROM and push the events yourself")
    cursor.expect_words("FILE")
    path = cursor.string("a path")
    if cursor.is_word("FIXEDWIDTH") or cursor.peek().kind == "string":
        raise cursor.error("records are lines", "write LINE DELIMITED")
    if cursor.accept_word("LINE"):
        cursor.expect_words("DELIMITED")
    token = cursor.name("a format")
    format_ = token.text if token.kind == "quoted" else token.text.lower()
    options = cursor.list_of(lambda: _option(cursor), "(", ")") if cursor.is_op("(") else ()
    if format_ == "csv":
        kept = tuple(_csv_option(cursor, columns, *option) for option in options)
        return Source(path, format_, tuple(option for option in kept if option is not None))
    return Source(path, format_, tuple((name.text, value) for name, value in options))


def _option(cursor: Cursor) -> tuple[Token, str]:
    name = cursor.name("an option")
    cursor.expect_op(":=")
    return name, cursor.string("the option's value")


def _csv_option(cursor: Cursor, columns: tuple[Column, ...], name: Token, value: str) -> tuple[str, str] | None:
    """``fields`` is an older word for the delimiter; ``schema`` repeats the columns."""
    match name.text.lower():
        case "fields":
            return "delimiter", value
        case "schema":
            if len(value.split(",")) != len(columns):
                hint = "leave out schema: rows have the columns of the relation"
                raise cursor.error(f"schema has other columns than the relation: {value}", hint, name)
            return None
        case word if word in _IMPLIED:
            if value.lower() not in _IMPLIED[word]:
                hint = "a file that deletes rows is read with deletions := 'true'"
                raise cursor.error(f"{word} := {value!r} is not supported", hint, name)
            return None
        case _:
            return name.text, value
