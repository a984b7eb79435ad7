"""Literals: the type and exact value of a number, string, date or truth value written in SQL."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Final

from sqlglot import exp

from toastergen.errors import Span, SqlTypeError
from toastergen.frontend import types
from toastergen.frontend.scalar import Const
from toastergen.frontend.types import DOUBLE, INT, LONG, STRING

_INT_RANGE: Final = range(-(2**31), 2**31)
_LONG_RANGE: Final = range(-(2**63), 2**63)


def literal(node: exp.Literal, span: Span, *, negative: bool = False) -> Const:
    """A number's sign comes along because the smallest BIGINT has no positive counterpart."""
    text = str(node.this)
    if node.is_string:
        return Const(text, STRING)
    try:
        if "e" in text.lower():
            return _floating(text, span, negative)
        value = Decimal(text.rstrip("."))
    except (ArithmeticError, ValueError):
        raise SqlTypeError(
            f"{text!r} is not a number", span=span, hint="write it like 12, 1.5 or 1e3"
        ) from None
    value = value.copy_negate() if negative else value
    if "." not in text:
        return integer(int(value), span)
    # As in DuckDB, 0.05 has three digits; the reader writes .5 as 0.5, which costs one digit of nothing.
    digits = max(1, sum(character.isdigit() for character in text))
    scale = len(text) - text.index(".") - 1
    if digits > types.MAX_PRECISION:
        return _floating(text, span, negative)
    return Const(value, types.decimal(digits, scale))


def integer(value: int, span: Span) -> Const:
    if value in _INT_RANGE:
        return Const(value, INT)
    if value not in _LONG_RANGE:
        raise SqlTypeError(
            f"the number {value} does not fit 64 bits",
            span=span,
            hint="write it as a DOUBLE (1e20) or a DECIMAL (with a decimal point)",
        )
    return Const(value, LONG)


def _floating(text: str, span: Span, negative: bool) -> Const:
    value = float(text)
    if not math.isfinite(value):
        raise SqlTypeError(f"the number {text} does not fit a DOUBLE", span=span, hint="use a smaller number")
    return Const(-value if negative else value, DOUBLE)
