"""FROM FILE …: where the rows of a relation come from.

source ::= FILE 'path' ( LINE DELIMITED (CSV | ORDERBOOK) ) [ ( option, … ) ]
option ::= key := 'value'
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from sqlglot.tokenizer_core import TokenType

from toastergen.errors import ResolveError, Span, SqlSyntaxError
from toastergen.frontend.m3 import Column, Source
from toastergen.frontend.sql import csv_options, order_book
from toastergen.frontend.sql.cursor import Cursor

_STANDARD_INPUT: Final = "-"
_CHECKS: Final[dict[str, Callable[[str, str, Span, Span], str]]] = {
    "csv": csv_options.check_option,
    "orderbook": order_book.check_option,
}


def read_source(cursor: Cursor, columns: tuple[Column, ...], base: Path | None) -> Source:
    """What follows FROM. Relative paths are meant from the folder of the file they stand in."""
    path = _path(cursor)
    if cursor.word == "FIXEDWIDTH" or cursor.word == "FIXED":
        cursor.unsupported("a file of fixed-width rows", "use LINE DELIMITED CSV")
    cursor.expect("LINE", "DELIMITED")
    if cursor.token is None:
        cursor.fail("CSV")
    kind = cursor.word.lower()
    if kind not in _CHECKS:
        cursor.unsupported(f"format {cursor.token.text}", "use LINE DELIMITED CSV (delimiter := '|')")
    span = cursor.statement.span(cursor.advance())
    options = _options(cursor, kind) if cursor.accept("(") else {}
    if kind == "orderbook":
        order_book.check_order_book(columns, options, span)
    elif options.get("deletions") == "true" and options.get("header") == "true":
        raise ResolveError(
            "a file with deletions has no header",
            span=span,
            hint="leave out header: the first column, 1 or 0, has no name",
        )
    return Source(_located(path, cursor.statement.folder, base), kind, tuple(options.items()))


def _path(cursor: Cursor) -> str:
    if cursor.word != "FILE":
        if cursor.token is None or cursor.token.token_type is TokenType.STRING:
            cursor.fail("FILE")
        cursor.unsupported(
            f"FROM {cursor.word or cursor.token.text}",
            "use FROM FILE 'path' LINE DELIMITED CSV, or no FROM and push the events yourself",
        )
    cursor.advance()
    path = cursor.string("the path in single quotes")
    if not path.text:
        raise SqlSyntaxError(
            "the path of the file is empty",
            span=cursor.statement.span(path),
            hint="write FROM FILE 'data.csv'",
        )
    return path.text


def _located(path: str, folder: str, base: Path | None) -> str:
    if path == _STANDARD_INPUT or Path(path).is_absolute():
        return path
    place = Path(folder) / path
    return str(place if base is None else base / place)


def _options(cursor: Cursor, kind: str) -> dict[str, str]:
    options: dict[str, str] = {}
    while not cursor.accept(")"):
        if options and not cursor.accept(","):
            cursor.fail(", or )")
        key = cursor.name("the name of an option")
        name = key.text.lower()
        if name in options:
            raise ResolveError(
                f"option {name} is given twice", span=cursor.statement.span(key), hint="keep one of the two"
            )
        cursor.expect(":=")
        value = cursor.string("the option's value in single quotes")
        span = cursor.statement.span
        options[name] = _CHECKS[kind](name, value.text, span(key), span(value))
    return options
