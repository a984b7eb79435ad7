"""Are two answers the same? Exactly for integers, decimals, texts and dates, to nine digits for doubles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from toastergen.changes import Row

RELATIVE: Final = 1e-9


def arranged(rows: Sequence[Row]) -> list[Row]:
    """A fixed order that rounding cannot disturb: by exact columns first, floats last."""
    return sorted(rows, key=lambda row: ([_exact(value) for value in row], [_floating(value) for value in row]))


def _exact(value: Any) -> str:
    if isinstance(value, float):
        return ""
    return str(normal(value))


def _floating(value: Any) -> float:
    return value if isinstance(value, float) and not math.isnan(value) else 0.0


def normal(value: Any) -> Any:
    """Numbers that are equal look equal: 1, 1.00 and Decimal('1') are one value, and so are 0 and -0.00."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | Decimal):
        number = Decimal(value) or Decimal(0)
        return number.quantize(Decimal(1)) if number == number.to_integral_value() else number.normalize()
    if isinstance(value, timedelta):  # a difference of timestamps is counted in microseconds here
        return normal(value // timedelta(microseconds=1))
    return value


def differing(expected: Sequence[Row], found: Sequence[Row]) -> str | None:
    """The first difference of two lists of rows, in words."""
    if len(expected) != len(found):
        extra = [row for row in found if row not in expected][:3]
        missing = [row for row in expected if row not in found][:3]
        return f"{len(found)} rows instead of {len(expected)}; missing {missing}, extra {extra}"
    for want, have in zip(expected, found, strict=True):
        if not same_row(want, have):
            return f"{have} instead of {want}"
    return None


def differing_top(whole: Sequence[Row], keys: Sequence[int], cut: slice, found: Sequence[Row]) -> str | None:
    """The same for an ordered answer: ``found`` must be a part of ``whole`` whose sort keys are those of its cut.

    Which of several rows that tie is shown is nobody's fault.
    """
    wanted = whole[cut]
    difference = differing([_at(row, keys) for row in wanted], [_at(row, keys) for row in found])
    if difference is not None:
        return f"in the order: {difference}" if len(wanted) == len(found) else difference
    if differing(arranged(wanted), arranged(found)) is None:
        return None
    left = list(whole)
    for row in found:
        place = next((at for at, other in enumerate(left) if same_row(other, row)), None)
        if place is None:
            return f"{row} is no row of the whole answer"
        del left[place]
    return None


def _at(row: Row, places: Sequence[int]) -> Row:
    return tuple(row[place] for place in places)


def same_row(want: Row, have: Row) -> bool:
    return len(want) == len(have) and all(map(_same, want, have))


def _same(want: Any, have: Any) -> bool:
    if want is None or have is None:
        return want is have
    if isinstance(want, float) or isinstance(have, float):
        if math.isnan(want) or math.isnan(have):
            return math.isnan(want) and math.isnan(have)
        # The absolute bound is for sums that cancel: 1e-17 where nothing should be left.
        return math.isclose(float(want), float(have), rel_tol=RELATIVE, abs_tol=RELATIVE)
    return isinstance(want, bool) == isinstance(have, bool) and bool(normal(want) == normal(have))
