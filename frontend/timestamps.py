"""Points in time as Python values: their texts, their microseconds since 1970, and the parts of a day.

A timestamp has no time zone. Its calendar is that of dates: the years 1 to 9999.
"""

from __future__ import annotations

import datetime
import re
from typing import Final

EPOCH: Final = datetime.datetime(1970, 1, 1)
MICROSECOND: Final = datetime.timedelta(microseconds=1)
MICROSECONDS: Final = {
    "MICROSECOND": 1,
    "MILLISECOND": 1_000,
    "SECOND": 1_000_000,
    "MINUTE": 60_000_000,
    "HOUR": 3_600_000_000,
    "DAY": 86_400_000_000,
    "WEEK": 7 * 86_400_000_000,
}

_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIMESTAMP: Final = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?))?", re.ASCII)


def read_date(text: str) -> datetime.date | None:
    """``YYYY-MM-DD``, or None."""
    if _DATE.fullmatch(text) is None:
        return None
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


def read_timestamp(text: str) -> datetime.datetime | None:
    """``YYYY-MM-DD[ HH:MM[:SS[.ffffff]]]``, or None. A zone is none of it."""
    found = _TIMESTAMP.fullmatch(text)
    day = read_date(found[1]) if found else None
    if found is None or day is None:
        return None
    head, _, fraction = (found[2] or "00:00").partition(".")
    try:
        time = datetime.time.fromisoformat(head)
    except ValueError:
        return None
    return datetime.datetime.combine(day, time.replace(microsecond=int(fraction.ljust(6, "0") or "0")))


def timestamp_text(value: datetime.datetime) -> str:
    """As DuckDB writes it: no more digits of the second than it needs."""
    text = value.replace(microsecond=0).isoformat(" ")
    return f"{text}.{value.microsecond:06}".rstrip("0") if value.microsecond else text


def microseconds(value: datetime.datetime) -> int:
    return (value - EPOCH) // MICROSECOND


def from_microseconds(count: int) -> datetime.datetime:
    """Raises OverflowError outside the calendar."""
    return EPOCH + datetime.timedelta(microseconds=count)


def midnight(day: datetime.date) -> datetime.datetime:
    return datetime.datetime.combine(day, datetime.time())


def is_midnight(value: object) -> bool:
    return isinstance(value, datetime.datetime) and value.time() == datetime.time()
