"""Streams that are one side of an order book: their options, and which column holds what.

The columns are known by their names, so they may stand in any order and some may be left out.
"""

from __future__ import annotations

from typing import Final

from toastergen.errors import ResolveError, Span, SqlTypeError
from toastergen.frontend.m3 import Column
from toastergen.frontend.sql.names import suggestion

KNOWN_OPTIONS: Final = ("book", "brokers", "deterministic")
COLUMNS: Final = ("t", "id", "broker_id", "volume", "price")
_BOOKS: Final = ("bids", "asks")
_MOST_BROKERS: Final = 2**31 - 1


def check_option(name: str, value: str, name_span: Span, value_span: Span) -> str:
    if name not in KNOWN_OPTIONS:
        raise ResolveError(
            f"no ORDERBOOK option is called {name}", span=name_span, hint=suggestion(name, KNOWN_OPTIONS)
        )
    match name:
        case "book":
            legal, hint = value.lower() in _BOOKS, "write book := 'bids' or book := 'asks'"
        case "brokers":
            digits = value.isascii() and value.isdecimal()
            legal, hint = digits and 0 < int(value) <= _MOST_BROKERS, "write for example brokers := '10'"
        case _:
            legal, hint = value.lower() in ("yes", "no"), "write deterministic := 'yes' or deterministic := 'no'"
    if not legal:
        raise SqlTypeError(f"option {name} is {value!r}", span=value_span, hint=hint)
    return value.lower()


def check_order_book(columns: tuple[Column, ...], options: dict[str, str], span: Span) -> None:
    if "book" not in options:
        raise ResolveError(
            "ORDERBOOK does not say which side of the book to read",
            span=span,
            hint="write ORDERBOOK (book := 'bids') or ORDERBOOK (book := 'asks')",
        )
    for column in columns:
        if column.name.lower() not in COLUMNS:
            raise ResolveError(
                f"an order book has no column {column.name}",
                span=span,
                hint=f"declare some of the columns {', '.join(COLUMNS)}, in any order",
            )
        if not column.type.is_numeric:
            raise SqlTypeError(
                f"column {column.name} of an order book is declared {column.type}",
                span=span,
                hint="declare numbers: t DOUBLE, id INT, broker_id INT, volume DOUBLE, price DOUBLE",
            )
