"""CAST: which types convert into which, and what comes out, in Python: the meaning that generated code is held to.

Between exact numbers halves go away from zero; a double becomes an integer by rounding halves to even, and a decimal by
rounding its product with the power of ten, as in DuckDB. Texts are read the way DuckDB reads them. What it reads and
we do not (hexadecimal, years before 1, zones behind a timestamp, infinities) is *unclear*: it fails under TRY_CAST
too, for NULL would be another answer than DuckDB's.
"""

from __future__ import annotations

import datetime
import math
import re
from decimal import Decimal
from typing import Final

from toastergen.errors import EngineError
from toastergen.frontend.scalar import EXACT, PyValue, round_half_away
from toastergen.frontend.timestamps import midnight, timestamp_text
from toastergen.frontend.types import BOOL, DATE, STRING, TIMESTAMP, Type

_BITS: Final = {"int": 31, "long": 63}
_SPACES: Final = " \t\n\v\f\r"
_DIGITS: Final = r"\d+(?:_\d+)*"
_NUMBER: Final = re.compile(
    rf"[+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?", re.ASCII
)
_OTHER_INTEGER: Final = re.compile(r"[+-]?0[xXbBoO][0-9a-fA-F_]+", re.ASCII)
_OTHER_DOUBLE: Final = re.compile(r"[+-]?(?:inf|infinity|nan)", re.ASCII | re.IGNORECASE)
_DAY: Final = r"(\d{1,4})([-/ \\])(\d{1,2})\2(\d{1,2})"
_DATE: Final = re.compile(_DAY, re.ASCII)
_TIMESTAMP: Final = re.compile(rf"{_DAY}(?:[ T](\d{{1,2}}):(\d{{1,2}})(?::(\d{{1,2}})(?:\.(\d{{1,9}}))?)?)?", re.ASCII)
_LIKE_A_DATE: Final = re.compile(r"-?\d+([-/ \\])\d{1,2}\1\d{1,2}|epoch|-?infinity", re.ASCII | re.IGNORECASE)
_TRUE: Final = ("true", "t", "1", "yes", "y")
_FALSE: Final = ("false", "f", "0", "no", "n")


class Unconvertible(EngineError):
    """The value has no counterpart in the other type."""


class Unclear(EngineError):
    """The text may mean something to others."""


def is_castable(source: Type, target: Type) -> bool:
    if source == target or target == STRING:
        return True
    if source == STRING:
        return True
    if BOOL in (source, target):
        return source.is_numeric or target.is_numeric
    return (source.is_numeric and target.is_numeric) or {source, target} == {DATE, TIMESTAMP}


def may_fail(source: Type, target: Type) -> bool:
    """Is there a value of the one type that has no counterpart in the other?"""
    if source == target or STRING in (source, target) or BOOL in (source, target):
        return source == STRING and target != STRING
    if not target.is_numeric or target.kind == "double":
        return False
    return source.kind == "double" or _whole_digits(target) < _whole_digits(source)


def _whole_digits(type_: Type) -> int:
    return {"int": 9, "long": 19}.get(type_.kind, type_.precision - type_.scale)


def convert(value: PyValue, source: Type, target: Type) -> PyValue:
    """Raises Unconvertible or Unclear."""
    if value is None or source == target:
        return value
    if target == STRING:
        return text_of(value, source)
    if isinstance(value, str):
        return _read(value, target)
    match value, target.kind:
        case datetime.datetime(), _:
            return value.date()
        case datetime.date(), _:
            return midnight(value)
        case _, "bool":
            return bool(value)
        case int() | float() | Decimal(), _:
            return _number(value, target)
        case _:
            raise EngineError(f"cannot cast {value!r} to {target}", hint="cast between types that convert")


def _number(value: int | float | Decimal, target: Type) -> PyValue:
    if target.kind == "double":
        return float(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _unconvertible(value, target)
        exact = _rounded(value, target)
    else:
        exact = round_half_away(Decimal(int(value) if isinstance(value, bool) else value), target.scale)
    if target.kind == "decimal":
        if abs(exact) >= Decimal(10) ** (target.precision - target.scale):
            raise _unconvertible(value, target)
        return exact
    limit = 1 << _BITS[target.kind]
    if not -limit <= exact < limit:
        raise _unconvertible(value, target)
    return int(exact)


def _rounded(value: float, target: Type) -> Decimal:
    if target.kind != "decimal":
        return Decimal(round(value))
    product = abs(value) * 10.0**target.scale
    if not math.isfinite(product):
        raise _unconvertible(value, target)
    whole = math.floor(product)
    magnitude = Decimal(whole + (product - whole >= 0.5)).scaleb(-target.scale, EXACT)
    return magnitude.copy_negate() if value < 0 else magnitude


def text_of(value: PyValue, source: Type) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case Decimal():
            return format(round_half_away(value, source.scale), "f")
        case datetime.datetime():
            return timestamp_text(value)
        case datetime.date():
            return value.isoformat()
        case float():
            return repr(value)
        case _:
            return str(int(value)) if source.is_integer and isinstance(value, int) else str(value)


def _read(text: str, target: Type) -> PyValue:
    trimmed = text.strip(_SPACES)
    match target.kind:
        case "bool":
            if text.lower() in _TRUE + _FALSE and text.isascii():
                return text.lower() in _TRUE
            raise _unconvertible(text, target)
        case "date":
            return _read_date(trimmed, target)
        case "timestamp":
            return _read_timestamp(trimmed, target)
        case _:
            return _read_number(trimmed, target)


def _read_number(text: str, target: Type) -> PyValue:
    if _NUMBER.fullmatch(text) is None:
        other = {"double": _OTHER_DOUBLE, "int": _OTHER_INTEGER, "long": _OTHER_INTEGER}.get(target.kind)
        raise _unclear(text, target) if other and other.fullmatch(text) else _unconvertible(text, target)
    plain = text.replace("_", "")
    if target.kind == "double":
        number = float(plain)
        if not math.isfinite(number):
            raise _unclear(text, target)
        return number
    exact = Decimal(plain)
    if exact.adjusted() > 40 and exact:
        raise _unconvertible(text, target)
    if not exact or exact.adjusted() < -40:
        exact = Decimal(0)
    return _number(round_half_away(exact, target.scale), target)


def _read_date(text: str, target: Type) -> datetime.date:
    found = _DATE.fullmatch(text)
    if found is None:
        raise _not_in_time(text, target)
    return _day(text, target, found[1], found[3], found[4])


def _day(text: str, target: Type, year: str, month: str, day: str) -> datetime.date:
    if int(year) < 1:
        raise _unclear(text, target)
    try:
        return datetime.date(int(year), int(month), int(day))
    except ValueError:
        raise _unconvertible(text, target) from None


def _read_timestamp(text: str, target: Type) -> datetime.datetime:
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        raise _not_in_time(text, target)
    day = _day(text, target, found[1], found[3], found[4])
    hour, minute, second = (int(part or 0) for part in found.group(5, 6, 7))
    if hour > 23 or minute > 59 or second > 59:
        raise _unclear(text, target)
    fraction = int((found[8] or "")[:6].ljust(6, "0"))
    return datetime.datetime.combine(day, datetime.time(hour, minute, second, fraction))


def _not_in_time(text: str, target: Type) -> EngineError:
    return _unclear(text, target) if _LIKE_A_DATE.match(text) else _unconvertible(text, target)


def _unconvertible(value: object, target: Type) -> Unconvertible:
    hint = "filter such rows before the CAST, or use TRY_CAST, which is NULL for them"
    return Unconvertible(f"{value!r} has no value of type {target}", hint=hint)


def _unclear(value: object, target: Type) -> Unclear:
    return Unclear(f"{value!r} is no value of type {target} here", hint="filter such rows before the CAST")
