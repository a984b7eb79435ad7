"""The rows of a window, by the textbook: every call looks at the whole frame of every row."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cmp_to_key
from typing import Any

from toastergen.frontend.interpret.numbers import from_number, to_number
from toastergen.frontend.interpret.scalars import compare, key_value
from toastergen.frontend.m3 import (
    CURRENT,
    FOLLOWING,
    GROUPS,
    PRECEDING,
    ROWS,
    Bound,
    Call,
    Frame,
    OrderKey,
    Relation,
    Window,
)
from toastergen.frontend.scalar import EXACT, PyValue
from toastergen.frontend.timestamps import microseconds
from toastergen.frontend.types import Type
from toastergen.frontend.windows import offset_units

Row = tuple[PyValue, ...]
Order = Callable[[Row, Row], int]


def extended(relation: Relation, window: Window, rows: Counter[Row]) -> Counter[Row]:
    """Each row as often as it was there, with the results of the calls behind its columns."""
    places = {column.name: place for place, column in enumerate(relation.columns)}
    types = {column.name: column.type for column in relation.columns}
    partitions: dict[Row, list[Row]] = defaultdict(list)
    for row in rows.elements():
        partitions[tuple(key_value(row[places[name]]) for name in window.partition)].append(row)
    found: Counter[Row] = Counter()
    for members in partitions.values():
        partition = _Partition(members, window.order, places, types)
        results = [partition.results(call) for call in window.calls]
        for place, row in enumerate(partition.rows):
            found[row + tuple(result[place] for result in results)] += 1
    return found


def three_way(left: Any, right: Any, descending: bool, nulls_first: bool) -> int:
    if left is None or right is None:
        if left is right:
            return 0
        return -1 if (left is None) == nulls_first else 1
    if compare("=", left, right):
        return 0
    return -1 if bool(compare("<", left, right)) != descending else 1


class _Partition:
    """Rows in order: by the window's keys, then by all columns."""

    def __init__(
        self, rows: Sequence[Row], order: tuple[OrderKey, ...], places: dict[str, int], types: dict[str, Type]
    ) -> None:
        self._keys = order
        self._places = places
        self._types = types
        self.rows = sorted(rows, key=cmp_to_key(self._by_everything))

    def _by_keys(self, left: Row, right: Row) -> int:
        for key in self._keys:
            place = self._places[key.column]
            found = three_way(left[place], right[place], key.descending, key.nulls_first)
            if found:
                return found
        return 0

    def _by_everything(self, left: Row, right: Row) -> int:
        found = self._by_keys(left, right)
        for a, b in zip(left, right, strict=True):
            found = found or three_way(a, b, False, False)
        return found

    def _column(self, name: str) -> list[PyValue]:
        return [row[self._places[name]] for row in self.rows]

    # --- calls --------------------------------------------------------------------------------------------

    def results(self, call: Call) -> list[PyValue]:
        if call.frame is not None:
            return [self._framed(call, *self._frame(call.frame, place)) for place in range(len(self.rows))]
        return [self._ranked(call, place) for place in range(len(self.rows))]

    def _ranked(self, call: Call, place: int) -> PyValue:
        first, last = self._peers(place)
        size = len(self.rows)
        match call.function:
            case "row_number":
                return place + 1
            case "rank":
                return first + 1
            case "dense_rank":
                return 1 + sum(self._peers(other)[0] == other for other in range(1, first + 1))
            case "percent_rank":
                return first / (size - 1) if size > 1 else 0.0
            case "cume_dist":
                return last / size
            case "ntile":
                return _tile(place, size, call.number or 1)
            case _:
                return self._neighbour(call, place)

    def _neighbour(self, call: Call, place: int) -> PyValue:
        values, steps = self._column(call.arguments[0]), call.number or 0
        if steps == 0:
            return values[place]
        others = values[:place][::-1] if call.function == "lag" else values[place + 1 :]
        if call.ignore_nulls:
            others = [value for value in others if value is not None]
        if steps <= len(others):
            return others[steps - 1]
        return self._column(call.arguments[1])[place] if len(call.arguments) > 1 else None

    def _framed(self, call: Call, start: int, end: int) -> PyValue:
        if not call.arguments:
            return max(0, end - start)
        values = self._column(call.arguments[0])[start : max(start, end)]
        if call.ignore_nulls:
            values = [value for value in values if value is not None]
        match call.function:
            case "first_value":
                return values[0] if values else None
            case "last_value":
                return values[-1] if values else None
            case "nth_value":
                place = call.number or 1
                return values[place - 1] if place <= len(values) else None
            case _:
                return _aggregate(call, [value for value in values if value is not None], self._types[call.column])

    # --- frames -------------------------------------------------------------------------------------------

    def _peers(self, place: int) -> tuple[int, int]:
        same = [other for other, row in enumerate(self.rows) if self._by_keys(row, self.rows[place]) == 0]
        return same[0], same[-1] + 1

    def _frame(self, frame: Frame, place: int) -> tuple[int, int]:
        size = len(self.rows)
        start = 0 if frame.start == Bound(PRECEDING) else self._bound(frame, frame.start, place, at_end=False)
        end = size if frame.end == Bound(FOLLOWING) else self._bound(frame, frame.end, place, at_end=True)
        return min(max(start, 0), size), min(max(end, 0), size)

    def _bound(self, frame: Frame, bound: Bound, place: int, at_end: bool) -> int:
        if frame.unit == ROWS:
            offset = 0 if bound.offset is None else int(offset_units(bound.offset) or 0)
            return place + (-offset if bound.side == PRECEDING else offset) + at_end
        if frame.unit == GROUPS:
            return self._group_bound(bound, place, at_end)
        if bound.side == CURRENT or self.rows[place][self._places[self._keys[0].column]] is None:
            return self._peers(place)[at_end]
        return self._range_bound(bound, place, at_end)

    def _group_bound(self, bound: Bound, place: int, at_end: bool) -> int:
        starts = [other for other in range(len(self.rows)) if self._peers(other)[0] == other]
        offset = 0 if bound.offset is None else int(offset_units(bound.offset) or 0)
        group = starts.index(self._peers(place)[0]) + (-offset if bound.side == PRECEDING else offset) + at_end
        return starts[max(0, group)] if group < len(starts) else len(self.rows)

    def _range_bound(self, bound: Bound, place: int, at_end: bool) -> int:
        key = self._keys[0]
        values = self._column(key.column)
        assert bound.offset is not None
        target = _moved(values[place], bound.offset.value, (bound.side == PRECEDING) != key.descending)
        for other, value in enumerate(values):
            order = _place_of(value, target, key)
            if order > 0 or (order == 0 and not at_end):
                return other
        return len(values)


def _place_of(value: Any, target: Any, key: OrderKey) -> int:
    """Does a row stand before, at or behind a value of its order key?"""
    if value is None:
        return -1 if key.nulls_first else 1
    return three_way(_number(value), target, key.descending, False)


def _number(value: Any) -> Any:
    """Days for dates, microseconds for timestamps: an offset may lead out of the calendar."""
    match value:
        case datetime.datetime():
            return microseconds(value)
        case datetime.date():
            return value.toordinal()
        case _:
            return value


def _moved(value: Any, offset: Any, down: bool) -> Any:
    number = _number(value)
    if isinstance(number, Decimal):
        return EXACT.subtract(number, offset) if down else EXACT.add(number, offset)
    return number - offset if down else number + offset


def _tile(place: int, size: int, parts: int) -> int:
    """The first parts get one row more where the rows do not divide evenly."""
    small, larger = divmod(size, parts)
    edge = larger * (small + 1)
    return place // (small + 1) + 1 if place < edge else larger + (place - edge) // small + 1


def _aggregate(call: Call, values: list[PyValue], type_: Type) -> PyValue:
    if call.function == "count":
        return len(values)
    if not values:
        return None
    if call.function == "sum":
        total: int | float | Decimal = from_number(sum(map(to_number, values)), type_)
        return key_value(total)
    best = values[0]
    for value in values[1:]:
        if bool(compare("<" if call.function == "min" else ">", value, best)):
            best = value
    return best
