"""What the functions of ``functions.py`` compute, in Python: the meaning that generated code is held to.

Strings are sequences of code points. Nothing here depends on a locale, and upper and lower case come from
``case_tables.py``, because Python's own mappings change the length of some words.
"""

from __future__ import annotations

import calendar
import datetime
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any, Final

from toastergen.errors import EngineError
from toastergen.frontend.case_tables import LOWER, UPPER, Runs
from toastergen.frontend.scalar import EXACT, round_half_away
from toastergen.frontend.timestamps import from_microseconds, microseconds

Evaluate = Callable[..., Any]

# What TRIM takes away when it is told nothing: the space separators of Unicode, not tabs or line ends.
SPACES: Final = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_FIRST_BUCKET: Final = datetime.datetime(2000, 1, 3)


# --- dates and timestamps --------------------------------------------------------------------------------


def quarter(day: datetime.date) -> int:
    return (day.month + 2) // 3


def day_of_week(day: datetime.date) -> int:
    """Sunday is 0."""
    return day.isoweekday() % 7


def day_of_year(day: datetime.date) -> int:
    return day.timetuple().tm_yday


def week(day: datetime.date) -> int:
    """The ISO week: the first one of a year holds its first Thursday."""
    return day.isocalendar().week


def trunc_week(day: datetime.date) -> datetime.date:
    return datetime.date.fromordinal(day.toordinal() - day.weekday())


def add_days(day: datetime.date, days: int) -> datetime.date:
    try:
        return datetime.date.fromordinal(day.toordinal() + days)
    except (ValueError, OverflowError):
        raise _outside_calendar() from None


def add_months(day: datetime.date, months: int) -> datetime.date:
    """The same day of another month, or that month's last where it is shorter. A timestamp keeps its time of day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not datetime.MINYEAR <= year <= datetime.MAXYEAR:
        raise _outside_calendar()
    last = calendar.monthrange(year, month + 1)[1]
    return day.replace(year, month + 1, min(day.day, last))


def days_between(later: datetime.date, earlier: datetime.date) -> int:
    return later.toordinal() - earlier.toordinal()


def add_microseconds(at: datetime.datetime, count: int) -> datetime.datetime:
    try:
        return from_microseconds(microseconds(at) + count)
    except OverflowError:
        raise _outside_calendar() from None


def microseconds_between(later: datetime.datetime, earlier: datetime.datetime) -> int:
    return microseconds(later) - microseconds(earlier)


def time_bucket(width: int, at: datetime.datetime) -> datetime.datetime:
    """The start of the bucket, counted from a Monday, as DuckDB does."""
    since = microseconds_between(at, _FIRST_BUCKET)
    return add_microseconds(_FIRST_BUCKET, since // width * width)


def millisecond(at: datetime.datetime) -> int:
    """With the seconds, as DuckDB has it."""
    return microsecond(at) // 1000


def microsecond(at: datetime.datetime) -> int:
    return at.second * 1_000_000 + at.microsecond


def epoch_ms(at: datetime.datetime) -> int:
    """Rounded, halves away from 1970."""
    return int(round_half_away(Decimal(microseconds(at)).scaleb(-3), 0))


def _outside_calendar() -> EngineError:
    return EngineError("a date leaves 0001-01-01 … 9999-12-31", hint="filter such rows before the date arithmetic")


# --- numbers ----------------------------------------------------------------------------------------------


def absolute(value: Any) -> Any:
    return value.copy_abs() if isinstance(value, Decimal) else abs(value)


def sign(value: Any) -> int:
    return int(value > 0) - int(value < 0)


def floor(value: Any) -> Any:
    if isinstance(value, Decimal):
        return value.to_integral_value("ROUND_FLOOR", EXACT).quantize(Decimal(1), context=EXACT)
    return float(math.floor(value)) if math.isfinite(value) else value


def ceil(value: Any) -> Any:
    if isinstance(value, Decimal):
        return value.to_integral_value("ROUND_CEILING", EXACT).quantize(Decimal(1), context=EXACT)
    return float(math.ceil(value)) if math.isfinite(value) else value


def trunc(value: Any) -> Any:
    return ceil(value) if value < 0 else floor(value)


def round_to(value: Any, places: int) -> Any:
    """Halves go away from zero. A double is scaled, rounded and scaled back, as DuckDB does it."""
    if isinstance(value, float):
        return _round_double(value, places)
    rounded = round_half_away(Decimal(value), places)
    if isinstance(value, int):
        return int(rounded)
    return rounded.quantize(Decimal(1).scaleb(-max(places, 0)), context=EXACT)


def _round_double(value: float, places: int) -> float:
    unit = 10.0 ** abs(places)
    scaled = value / unit if places < 0 else value * unit
    whole = _half_away(scaled)
    result = whole * unit if places < 0 else whole / unit
    if math.isfinite(result):
        return result
    return 0.0 if places < 0 else value


def _half_away(value: float) -> float:
    if not math.isfinite(value):
        return value
    whole = math.floor(abs(value))
    return math.copysign(float(whole + (abs(value) - whole >= 0.5)), value)


def divide_whole(dividend: int, divisor: int) -> int:
    """Towards zero. The one quotient that is too large for 64 bits is caught where the value is kept."""
    quotient = abs(dividend) // abs(divisor) if divisor else 0
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf
    except ValueError:
        return math.inf if base == 0 else math.nan


def square_root(value: float) -> float:
    return math.nan if value < 0 else math.sqrt(value)


def logarithm(function: Callable[[float], float]) -> Evaluate:
    def value(number: float) -> float:
        if number > 0:
            return function(number)
        return -math.inf if number == 0 else math.nan

    return value


def exponential(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def greatest(*values: Any) -> Any:
    return max(values, key=_nan_last)


def least(*values: Any) -> Any:
    return min(values, key=_nan_last)


def _nan_last(value: Any) -> tuple[bool, Any]:
    is_nan = isinstance(value, float) and math.isnan(value)
    return is_nan, 0 if is_nan else value


# --- strings ----------------------------------------------------------------------------------------------


def upper(text: str) -> str:
    return text.translate(_mapping(UPPER))


def lower(text: str) -> str:
    return text.translate(_mapping(LOWER))


@cache
def _mapping(runs: Runs) -> Mapping[int, int]:
    return {
        code: code + distance for first, last, step, distance in runs for code in range(first, last + 1, step)
    }


def substring(text: str, start: int, length: int | None = None) -> str:
    """Positions count from 1, negative ones from the end; a negative length lies to the left of the start."""
    first = start - 1 if start >= 0 else len(text) + start
    if length is None:
        return text[max(first, 0) :]
    low, high = sorted((first, first + length))
    return text[max(low, 0) : max(high, 0)]


def left(text: str, length: int) -> str:
    """A negative length leaves out that many at the other end."""
    return text[: length if length >= 0 else max(len(text) + length, 0)]


def right(text: str, length: int) -> str:
    return text[max(len(text) - length, 0) :] if length >= 0 else text[min(-length, len(text)) :]


def trim(text: str, characters: str = SPACES) -> str:
    return text.strip(characters) if characters else text


def trim_left(text: str, characters: str = SPACES) -> str:
    return text.lstrip(characters) if characters else text


def trim_right(text: str, characters: str = SPACES) -> str:
    return text.rstrip(characters) if characters else text


def position(text: str, part: str) -> int:
    return text.find(part) + 1


def replace(text: str, part: str, other: str) -> str:
    return text.replace(part, other) if part else text


def pad_left(text: str, length: int, filling: str) -> str:
    return _padding(text, length, filling) + text[: max(length, 0)]


def pad_right(text: str, length: int, filling: str) -> str:
    return text[: max(length, 0)] + _padding(text, length, filling)


def _padding(text: str, length: int, filling: str) -> str:
    missing = max(length - len(text), 0)
    return (filling * (missing // len(filling) + 1))[:missing]
