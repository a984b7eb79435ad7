"""Payloads while they are computed: exact rationals, so that no order of additions leaves a residue."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from toastergen.frontend.scalar import EXACT, PyValue
from toastergen.frontend.types import Type

# A float stands only for what no rational is: infinities and NaN.
Number: TypeAlias = int | Fraction | float


def to_number(value: PyValue) -> Number:
    """A scalar as payload. NULL adds nothing, as in SUM."""
    match value:
        case None:
            return 0
        case bool() | int():
            return int(value)
        case Decimal():
            return Fraction(value)
        case float():
            return Fraction(value) if math.isfinite(value) else value
        case _:
            raise TypeError(f"{value!r} is no payload")


def from_number(number: Number, type_: Type) -> int | float | Decimal:
    """The payload as a value of its type."""
    match type_.kind:
        case "double":
            return _to_float(number)
        case "decimal":
            scaled = round(Fraction(number) * 10**type_.scale)
            return Decimal(scaled).scaleb(-type_.scale, EXACT)
        case _:
            return int(number)


def _to_float(number: Number) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
