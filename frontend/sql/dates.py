"""Arithmetic with dates and intervals: what + and - mean beside numbers.

A date plus or minus days, or an interval, is a date. (DuckDB makes it a timestamp at midnight of that day where an
interval is involved; compared with dates the two are equal.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from toastergen.errors import UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.functions import call
from toastergen.frontend.scalar import Const, Scalar, ScalarTypeError, type_of
from toastergen.frontend.types import DATE, INT

if TYPE_CHECKING:
    from toastergen.frontend.sql.expressions import Translator

# unit -> function that adds it, and how many of the function's units it is
_UNITS: Final = {
    "DAY": ("ADD_DAYS", 1),
    "WEEK": ("ADD_DAYS", 7),
    "MONTH": ("ADD_MONTHS", 1),
    "QUARTER": ("ADD_MONTHS", 3),
    "YEAR": ("ADD_MONTHS", 12),
}
_MOST: Final = 10_000_000  # days and months beyond this leave every calendar


@dataclass(frozen=True, slots=True)
class Interval:
    """``INTERVAL 'n' unit``; it exists only beside a date."""

    function: str
    amount: int


def operand(at: Translator, node: exp.Expr) -> Scalar | Interval:
    return _interval(at, node) if isinstance(node, exp.Interval) else at.scalar(node)


def _interval(at: Translator, node: exp.Interval) -> Interval:
    amount = node.this
    negative = isinstance(amount, exp.Neg)
    text = str((amount.this if negative else amount).this).strip() if isinstance(amount, exp.Literal | exp.Neg) else ""
    unit = node.args.get("unit")
    known = _UNITS.get(unit.name.upper().removesuffix("S")) if isinstance(unit, exp.Var) else None
    if known is None or not text.removeprefix("-").isdecimal() or int(text) not in range(-_MOST, _MOST):
        raise UnsupportedSql(
            "this INTERVAL is not supported",
            span=at.places.span(node),
            hint="write a whole number of one unit, for example INTERVAL '3' MONTH (DAY, WEEK, MONTH, QUARTER, YEAR)",
        )
    function, factor = known
    return Interval(function, int(text) * factor * (-1 if negative else 1))


def combine(op: str, left: Scalar | Interval, right: Scalar | Interval) -> Scalar:
    """``left op right`` with op + - or *."""
    if isinstance(left, Interval):
        if op != "+" or isinstance(right, Interval):
            raise ScalarTypeError("an INTERVAL can be added to a date or taken from one, nothing else")
        left, right = right, left
    if isinstance(right, Interval):
        if type_of(left) != DATE or op == "*":
            raise ScalarTypeError(f"operator {op} does not apply to {type_of(left)} and an INTERVAL")
        return call(right.function, left, Const(right.amount if op == "+" else -right.amount, INT))
    if op == "+" and type_of(left).is_integer and type_of(right) == DATE:
        left, right = right, left
    if type_of(left) == DATE and op == "-" and type_of(right) == DATE:
        return call("DAYS_BETWEEN", left, right)
    if type_of(left) == DATE and op in ("+", "-") and type_of(right).is_integer:
        return call("ADD_DAYS", left, right if op == "+" else sc.negate(right))
    return sc.arith(op, left, right)
