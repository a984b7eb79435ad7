"""SQL's names of types, and the types of toastergen they stand for."""

from __future__ import annotations

from typing import Final

from toastergen.errors import Span, SqlTypeError, UnsupportedSql
from toastergen.frontend import types
from toastergen.frontend.types import BOOL, DATE, DOUBLE, INT, LONG, STRING, TIMESTAMP, Type

_PLAIN: Final = {
    "INT": INT, "INTEGER": INT, "INT4": INT, "SIGNED": INT,
    "SMALLINT": INT, "INT2": INT, "SHORT": INT, "TINYINT": INT, "INT1": INT,
    "BIGINT": LONG, "INT8": LONG, "LONG": LONG,
    "DOUBLE": DOUBLE, "DOUBLE PRECISION": DOUBLE, "FLOAT": DOUBLE, "FLOAT4": DOUBLE, "FLOAT8": DOUBLE,
    "REAL": DOUBLE,
    "DATE": DATE, "TIMESTAMP": TIMESTAMP, "DATETIME": TIMESTAMP, "TIMESTAMP WITHOUT TIME ZONE": TIMESTAMP,
    "BOOLEAN": BOOL, "BOOL": BOOL, "LOGICAL": BOOL,
}  # fmt: skip
_STRINGS: Final = frozenset(
    (
        "VARCHAR",
        "CHAR",
        "CHARACTER",
        "CHARACTER VARYING",
        "CHAR VARYING",
        "BPCHAR",
        "NCHAR",
        "NVARCHAR",
        "TEXT",
        "STRING",
    )
)
_ZONED: Final = frozenset(("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPLTZ", "TIMETZ"))
_DECIMALS: Final = frozenset(("DECIMAL", "NUMERIC", "DEC"))

KNOWN_TYPES: Final = "INT, BIGINT, DOUBLE, DECIMAL(p,s), DATE, TIMESTAMP, VARCHAR, BOOLEAN"
_DEFAULT_DECIMAL: Final = types.decimal(18, 3)  # as in DuckDB


def type_from_sql(word: str, arguments: tuple[int, ...], span: Span | None) -> Type:
    """The type of ``word(arguments…)``, the word in capitals."""
    if word in _DECIMALS:
        return _decimal(arguments, span)
    if word in _STRINGS and len(arguments) <= 1:
        return STRING  # like DuckDB, a declared length is a comment: longer strings are kept whole
    if word in _ZONED:
        raise UnsupportedSql(
            f"type {word}, a timestamp with a time zone, is not supported",
            span=span,
            hint="convert to one zone, UTC for example, before the rows arrive, and declare TIMESTAMP",
        )
    if word not in _PLAIN and word not in _STRINGS:
        raise UnsupportedSql(
            f"type {word or 'without a name'} is not supported",
            span=span,
            hint=f"use one of {KNOWN_TYPES}",
        )
    if arguments:
        raise SqlTypeError(
            f"type {word} takes no numbers in parentheses", span=span, hint=f"write {word} alone"
        )
    return _PLAIN[word]


def _decimal(arguments: tuple[int, ...], span: Span | None) -> Type:
    if not arguments:
        return _DEFAULT_DECIMAL
    precision, scale = arguments if len(arguments) == 2 else (arguments[0], 0)
    if len(arguments) > 2 or not 1 <= precision <= types.MAX_PRECISION or not 0 <= scale <= precision:
        shown = ",".join(map(str, arguments))
        raise SqlTypeError(
            f"DECIMAL({shown}) does not exist",
            span=span,
            hint=f"write DECIMAL(p,s) with p from 1 to {types.MAX_PRECISION} and s from 0 to p",
        )
    return types.decimal(precision, scale)
