"""Window functions: what each takes, and the type of what it gives.

    function                                 takes                          frame
    row_number rank dense_rank               nothing                        no
    percent_rank cume_dist                   nothing                        no
    ntile                                    the number of parts            no
    lag lead                                 a value [, a default], steps   no
    first_value last_value                   a value                        yes
    nth_value                                a value, its place             yes
    sum min max                              a value                        yes
    count                                    a value, or nothing: rows      yes

LAG to NTH_VALUE can pass over rows whose value is NULL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from toastergen.frontend.m3 import CURRENT, FOLLOWING, PRECEDING, ROWS, Bound, Call, Frame
from toastergen.frontend.scalar import Const
from toastergen.frontend.types import DOUBLE, LONG, Type, sum_type


@dataclass(frozen=True, slots=True)
class Signature:
    """How many columns a function takes, whether it takes a number, and whether it looks at a frame."""

    least: int = 0
    most: int = 0
    number: bool = False
    frame: bool = False
    passes: bool = False  # over NULL, if it is told to


SIGNATURES: Final[Mapping[str, Signature]] = {
    "row_number": Signature(),
    "rank": Signature(),
    "dense_rank": Signature(),
    "percent_rank": Signature(),
    "cume_dist": Signature(),
    "ntile": Signature(number=True),
    "lag": Signature(1, 2, number=True, passes=True),
    "lead": Signature(1, 2, number=True, passes=True),
    "first_value": Signature(1, 1, frame=True, passes=True),
    "last_value": Signature(1, 1, frame=True, passes=True),
    "nth_value": Signature(1, 1, number=True, frame=True, passes=True),
    "sum": Signature(1, 1, frame=True),
    "count": Signature(0, 1, frame=True),
    "min": Signature(1, 1, frame=True),
    "max": Signature(1, 1, frame=True),
}
LEAST_NUMBERS: Final = {"ntile": 1, "nth_value": 1, "lag": 0, "lead": 0}
LARGEST: Final = 2**63  # numbers and offsets, in the units of their type, stay below it

WHOLE: Final = Frame(ROWS, Bound(PRECEDING), Bound(FOLLOWING))


def result_type(call: Call, columns: Mapping[str, Type]) -> Type:
    """The type of the column that a call gives."""
    types = [columns[name] for name in call.arguments]
    empty = call.frame is not None and may_be_empty(call.frame)
    match call.function:
        case "row_number" | "rank" | "dense_rank" | "ntile" | "count":
            return LONG
        case "percent_rank" | "cume_dist":
            return DOUBLE
        case "lag" | "lead":
            return types[0].or_null(types[0].nullable or len(types) == 1 or types[1].nullable)
        case "nth_value":
            return types[0].or_null()
        case "sum":
            return sum_type(types[0].plain).or_null(types[0].nullable or empty)
        case _:
            return types[0].or_null(types[0].nullable or empty)


def may_be_empty(frame: Frame) -> bool:
    """Is it not sure that a frame holds its own row?"""
    return not (_reaches(frame.start, PRECEDING) and _reaches(frame.end, FOLLOWING))


def _reaches(bound: Bound, side: str) -> bool:
    return bound.side in (side, CURRENT)


def fault_of(frame: Frame) -> str:
    """What is wrong with the two ends of a frame; empty if nothing is."""
    order = (PRECEDING, CURRENT, FOLLOWING)
    if frame.start == Bound(FOLLOWING):
        return "a frame cannot start with UNBOUNDED FOLLOWING"
    if frame.end == Bound(PRECEDING):
        return "a frame cannot end with UNBOUNDED PRECEDING"
    if order.index(frame.start.side) > order.index(frame.end.side):
        return f"a frame cannot start with {frame.start.side.upper()} and end with {frame.end.side.upper()}"
    return ""


def offset_type(key: Type) -> Type | None:
    """The type of the offsets of a RANGE frame over an order key; None if it has none.

    Over dates they are days, over timestamps microseconds.
    """
    match key.kind:
        case "int" | "long" | "date" | "timestamp":
            return LONG
        case "double":
            return DOUBLE
        case "decimal":
            return key.plain
        case _:
            return None


def offset_units(offset: Const) -> int | float | None:
    """The offset as a number of units of its type: a decimal as the integer that stands for it."""
    match offset.value:
        case bool() | str() | None:
            return None
        case Decimal() as value:
            return int(value.scaleb(offset.type.scale))
        case int() | float() as value:
            return value
        case _:
            return None
