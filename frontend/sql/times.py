"""Functions of dates and timestamps: parts, truncation, differences, buckets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlglot import exp

from toastergen.errors import UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.functions import call
from toastergen.frontend.scalar import Const, Scalar, type_of
from toastergen.frontend.sql.dates import operand, read_interval, shifted
from toastergen.frontend.timestamps import MICROSECONDS
from toastergen.frontend.types import DATE, INT, LONG, TIMESTAMP

if TYPE_CHECKING:
    from toastergen.frontend.sql.expressions import Translator

Handler: TypeAlias = Callable[["Translator", exp.Expr], Scalar]

# The names of parts, and the function that gives it.
_PARTS: Final = {
    "YEAR": "YEAR", "QUARTER": "QUARTER", "MONTH": "MONTH", "WEEK": "WEEK", "WEEKOFYEAR": "WEEK", "DAY": "DAY",
    "DAYOFMONTH": "DAY", "DOW": "DAY_OF_WEEK", "DAYOFWEEK": "DAY_OF_WEEK", "WEEKDAY": "DAY_OF_WEEK",
    "DOY": "DAY_OF_YEAR", "DAYOFYEAR": "DAY_OF_YEAR", "HOUR": "HOUR", "MINUTE": "MINUTE", "SECOND": "SECOND",
    "MILLISECOND": "MILLISECOND", "MILLISECONDS": "MILLISECOND", "MICROSECOND": "MICROSECOND",
    "MICROSECONDS": "MICROSECOND", "EPOCH": "EPOCH",
}  # fmt: skip
NAMED_PARTS: Final = (
    "MILLISECOND", "MICROSECOND", "ISOYEAR", "DECADE", "CENTURY", "MILLENNIUM", "WEEKDAY", "DAYOFMONTH", "EPOCH",
)  # fmt: skip
_LARGE: Final = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY")
_SMALL: Final = ("HOUR", "MINUTE", "SECOND", "MILLISECOND")
_COUNTED: Final = ("YEAR", "QUARTER", "MONTH", "DAY", *_SMALL, "MICROSECOND")


def _extract(at: Translator, node: exp.Expr) -> Scalar:
    return date_part(at, node, node.this.name, node.expression)


def date_part(at: Translator, node: exp.Expr, part: str, source: exp.Expr) -> Scalar:
    part = part.upper()
    value = at.scalar(source)
    if part in _PARTS:
        return call(_PARTS[part], value)
    match part:
        case "ISODOW":
            sunday_first = call("DAY_OF_WEEK", value)
            return sc.arith("+", sc.arith("%", sc.arith("+", sunday_first, Const(6, INT)), Const(7, INT)), sc.ONE)
        case "ISOYEAR":  # the year of the week's Thursday
            return call("YEAR", call("ADD_DAYS", call("TRUNC_WEEK", value), Const(3, LONG)))
        case "DECADE":
            return call("DIV", call("YEAR", value), Const(10, LONG))
        case "CENTURY" | "MILLENNIUM":
            years = Const(100 if part == "CENTURY" else 1000, LONG)
            return sc.arith("+", call("DIV", sc.arith("-", call("YEAR", value), sc.ONE), years), sc.ONE)
        case _:
            known = ", ".join((*_LARGE, "DOW", "DOY", "ISODOW", "ISOYEAR", *_SMALL, "MICROSECOND", "EPOCH"))
            raise _refused(at, node, f"the part {part} of a date is not supported", f"known parts: {known}")


def _weekday_iso(at: Translator, node: exp.Expr) -> Scalar:
    return date_part(at, node, "ISODOW", node.this)


def _date_trunc(at: Translator, node: exp.Expr) -> Scalar:
    """Always a timestamp, as in DuckDB."""
    unit = node.args["unit"].name.upper()
    value = _point(at.scalar(node.this))
    if unit in _LARGE:
        day = sc.cast(value, DATE)
        return sc.cast(day if unit == "DAY" else call(f"TRUNC_{unit}", day), TIMESTAMP)
    value = sc.cast(value, TIMESTAMP)
    if unit in _SMALL:
        return call(f"TRUNC_{unit}", value)
    if unit == "MICROSECOND":
        return value
    hint = f"truncate to {', '.join((*_LARGE, *_SMALL)).lower()}"
    raise _refused(at, node, f"DATE_TRUNC to {unit} is not supported", hint)


def _point(value: Scalar) -> Scalar:
    """A date or timestamp; a string literal is read as a timestamp."""
    return value if type_of(value) in (DATE, TIMESTAMP) else sc.cast(value, TIMESTAMP)


def _date_diff(at: Translator, node: exp.Expr) -> Scalar:
    """How many beginnings of a unit lie between the two."""
    unit = node.args["unit"].name.upper() if node.args.get("unit") else "DAY"
    later, earlier = _point(at.scalar(node.this)), _point(at.scalar(node.expression))
    match unit:
        case "DAY":
            return call("DAYS_BETWEEN", later, earlier)
        case "YEAR" | "QUARTER" | "MONTH":
            return sc.arith("-", _counted(unit, later), _counted(unit, earlier))
        case "MICROSECOND":
            return call("MICROSECONDS_BETWEEN", later, earlier)
        case unit if unit in _SMALL:
            passed = call("MICROSECONDS_BETWEEN", *(call(f"TRUNC_{unit}", side) for side in (later, earlier)))
            return call("DIV", passed, Const(MICROSECONDS[unit], LONG))
        case _:
            hint = f"count one of {', '.join(_COUNTED).lower()}"
            raise _refused(at, node, f"DATE_DIFF in {unit} is not supported", hint)


def _counted(unit: str, value: Scalar) -> Scalar:
    """Which one of its kind since the year 0."""
    year = call("YEAR", value)
    if unit == "YEAR":
        return year
    return sc.arith("+", sc.arith("*", year, Const(4 if unit == "QUARTER" else 12, LONG)), call(unit, value))


def _time_bucket(at: Translator, node: exp.Expr) -> Scalar:
    width = node.this.unnest()
    length = read_interval(at.places, width).length if isinstance(width, exp.Interval) else None
    if length is None or length <= 0:
        hint = "write a literal width without months: TIME_BUCKET(INTERVAL '5' MINUTE, t)"
        raise _refused(at, node, "TIME_BUCKET of this width is not supported", hint)
    value = _point(at.scalar(node.expression))
    bucket = call("TIME_BUCKET", Const(length, LONG), value)
    return sc.cast(bucket, DATE) if type_of(value) == DATE else bucket


def _epoch(at: Translator, node: exp.Expr) -> Scalar:
    return call("EPOCH", at.scalar(node.this))


def _epoch_ms(at: Translator, node: exp.Expr) -> Scalar:
    """Of a timestamp. Of a number it would be a timestamp, which nobody asked for yet."""
    value = at.scalar(node.this)
    scale = node.args.get("scale")
    if scale is None or scale.name != "3" or type_of(value) not in (DATE, TIMESTAMP):
        raise _refused(at, node, "a timestamp from a number is not supported", "convert it before the rows arrive")
    return call("EPOCH_MS", value)


def _added(at: Translator, node: exp.Expr) -> Scalar:
    by = operand(at, node.expression)
    if isinstance(by, Scalar):
        raise _refused(at, node, "DATE_ADD of anything but an INTERVAL is not supported", "write d + 3 for days")
    return shifted(_point(at.scalar(node.this)), by)


def _refused(at: Translator, node: exp.Expr, message: str, hint: str) -> UnsupportedSql:
    return UnsupportedSql(message, span=at.places.span(node), hint=hint)


_BINARY: Final = ("this", "expression")
TIME_HANDLERS: Final[dict[type[exp.Expr], tuple[tuple[str, ...], Handler]]] = {
    exp.Extract: (_BINARY, _extract),
    exp.DayOfWeekIso: (("this",), _weekday_iso),
    exp.TimestampTrunc: (("this", "unit"), _date_trunc),
    exp.DateTrunc: (("this", "unit"), _date_trunc),
    exp.DateDiff: ((*_BINARY, "unit", "date_part_boundary"), _date_diff),
    exp.DateBin: (_BINARY, _time_bucket),
    exp.TimeToUnix: (("this",), _epoch),
    exp.UnixToTime: (("this", "scale"), _epoch_ms),
    exp.DateAdd: (_BINARY, _added),
}
