"""Arithmetic with dates, timestamps and intervals: what + and - mean beside numbers, as in DuckDB.

    date ± days            a date
    date ± interval        a timestamp, midnight of that day if the interval is of whole days
    timestamp ± interval   a timestamp
    date - date            days, BIGINT
    timestamp - timestamp  microseconds, BIGINT (DuckDB has a type of its own for that)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from toastergen.errors import UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.functions import call
from toastergen.frontend.scalar import Const, Func, Scalar, ScalarTypeError, type_of
from toastergen.frontend.sql.places import Places
from toastergen.frontend.timestamps import MICROSECONDS
from toastergen.frontend.types import DATE, LONG, TIMESTAMP

if TYPE_CHECKING:
    from toastergen.frontend.sql.expressions import Translator

_MONTHS: Final = {"MONTH": 1, "QUARTER": 3, "YEAR": 12, "DECADE": 120, "CENTURY": 1200}
_MOST: Final = 10_000_000  # days and months beyond this leave every calendar
_PIECE: Final = re.compile(r"\s*([+-]?\d+)\s*([a-z]+)", re.ASCII | re.IGNORECASE)
_CLOCK: Final = re.compile(r"\s*([+-]?)(\d+):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?\s*", re.ASCII)
_DAY: Final = MICROSECONDS["DAY"]


@dataclass(frozen=True, slots=True)
class Interval:
    """Months, days and microseconds, added in this order; it exists only beside a date or timestamp."""

    months: int = 0
    days: int = 0
    microseconds: int = 0

    def __neg__(self) -> Interval:
        return Interval(-self.months, -self.days, -self.microseconds)

    @property
    def length(self) -> int | None:
        """In microseconds; None where that depends on the month."""
        return None if self.months else self.days * _DAY + self.microseconds


def operand(at: Translator, node: exp.Expr) -> Scalar | Interval:
    inner = node.unnest()
    return read_interval(at.places, inner) if isinstance(inner, exp.Interval) else at.scalar(node)


def read_interval(places: Places, node: exp.Interval) -> Interval:
    amount = node.this
    negative = isinstance(amount, exp.Neg)
    literal = amount.this if isinstance(amount, exp.Neg) else amount
    text = str(literal.this) if isinstance(literal, exp.Literal) else ""
    unit = node.args.get("unit")
    found = _interval(f"{text} {unit.name}" if isinstance(unit, exp.Var) else text)
    if found is None or max(map(abs, (found.months, found.days, found.microseconds // _DAY))) >= _MOST:
        raise UnsupportedSql(
            "this INTERVAL is not supported",
            span=places.span(node),
            hint="write whole numbers of units, for example INTERVAL '3' MONTH or INTERVAL '1 day 12 hours'",
        )
    return -found if negative else found


def _interval(text: str) -> Interval | None:
    months, days, small = 0, 0, 0
    place = 0
    while piece := _PIECE.match(text, place):
        place = piece.end()
        amount, unit = int(piece[1]), piece[2].upper().removesuffix("S")
        unit = "CENTURY" if unit == "CENTURIE" else unit
        if unit in _MONTHS:
            months += amount * _MONTHS[unit]
        elif unit in ("DAY", "WEEK"):
            days += amount * (7 if unit == "WEEK" else 1)
        elif unit in MICROSECONDS:
            small += amount * MICROSECONDS[unit]
        else:
            return None
    clock = _CLOCK.fullmatch(text, place)
    if clock:
        sign, hours, minutes, seconds, fraction = clock.groups("0")
        whole = (int(hours) * 60 + int(minutes)) * 60 + int(seconds)
        passed = whole * 1_000_000 + int(fraction.ljust(6, "0"))
        return Interval(months, days, small + (-passed if sign == "-" else passed))
    return Interval(months, days, small) if place and not text[place:].strip() else None


def combine(op: str, left: Scalar | Interval, right: Scalar | Interval) -> Scalar:
    """``left op right`` with op + - or *."""
    if isinstance(left, Interval):
        if op != "+" or isinstance(right, Interval):
            raise ScalarTypeError("an INTERVAL can be added to a date or timestamp or taken from one, nothing else")
        left, right = right, left
    if isinstance(right, Interval):
        if type_of(left) not in (DATE, TIMESTAMP) or op == "*":
            raise ScalarTypeError(f"operator {op} does not apply to {type_of(left)} and an INTERVAL")
        return shifted(left, right if op == "+" else -right)
    if op == "+" and type_of(left).is_integer and type_of(right) == DATE:
        left, right = right, left
    types = {type_of(left), type_of(right)}
    if op == "-" and types == {DATE}:
        return call("DAYS_BETWEEN", left, right)
    if op == "-" and TIMESTAMP in types and types <= {DATE, TIMESTAMP}:
        return call("MICROSECONDS_BETWEEN", left, right)
    if type_of(left) == DATE and op in ("+", "-") and type_of(right).is_integer:
        return call("ADD_DAYS", left, right if op == "+" else sc.negate(right))
    return sc.arith(op, left, right)


def shifted(value: Scalar, by: Interval) -> Scalar:
    """A date or timestamp some time later."""
    if by.months:
        value = call("ADD_MONTHS", value, Const(by.months, LONG))
    if type_of(value) == DATE:
        value = call("ADD_DAYS", value, Const(by.days, LONG)) if by.days else value
        value, by = sc.cast(value, TIMESTAMP), Interval(microseconds=by.microseconds)
    distance = by.days * _DAY + by.microseconds
    return call("ADD_MICROSECONDS", value, Const(distance, LONG)) if distance else value


def beside_difference(at: Translator, node: exp.Expr, other: Scalar) -> Scalar:
    """An INTERVAL that a difference of timestamps is compared with: its microseconds."""
    inner = node.unnest()
    if isinstance(inner, exp.Interval) and isinstance(other, Func) and other.name == "MICROSECONDS_BETWEEN":
        length = read_interval(at.places, inner).length
        if length is None:
            raise UnsupportedSql(
                "comparing with an INTERVAL of months is not supported",
                span=at.places.span(inner),
                hint="months differ in length: compare with days, or add the interval to a timestamp",
            )
        return Const(length, LONG)
    return at.scalar(node)
