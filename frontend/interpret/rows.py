"""Rows at the border: what goes into a relation, and what a view shows."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from toastergen.errors import DataError
from toastergen.frontend.interpret.crossing import intervals
from toastergen.frontend.interpret.numbers import Number, from_number
from toastergen.frontend.interpret.scalars import evaluate, key_value
from toastergen.frontend.interpret.windows import Row as Row
from toastergen.frontend.interpret.windows import extended
from toastergen.frontend.m3 import COUNT, FIRST, Map, Program, Relation, View
from toastergen.frontend.scalar import EXACT, PyValue
from toastergen.frontend.types import Type

Record = Mapping[str, Number]

_INTEGER_BITS = {"int": 31, "long": 63}


def find_relation(program: Program, name: str) -> Relation:
    found = next((relation for relation in program.relations if relation.name == name), None)
    if found is None:
        known = ", ".join(relation.name for relation in program.relations) or "none"
        raise DataError(f"there is no relation {name}", hint=f"known relations: {known}")
    return found


def find_view(program: Program, name: str) -> View:
    found = next((view for view in program.views if view.name == name), None)
    if found is None:
        known = ", ".join(view.name for view in program.views) or "none"
        raise DataError(f"there is no view {name}", hint=f"known views: {known}")
    return found


def checked_row(relation: Relation, row: Sequence[PyValue]) -> Row:
    """The row in canonical values, or a DataError that names the column."""
    if len(row) != len(relation.columns):
        message = f"{relation.name} has {len(relation.columns)} columns, the row has {len(row)}"
        raise DataError(message, hint="give one value per column, in the order of the declaration")
    values: list[PyValue] = []
    for column, value in zip(relation.columns, row, strict=True):
        if value is None and column.type.nullable:
            values.append(None)
            continue
        if not _fits(value, column.type):
            message = (
                f"{value!r} does not fit column {column.name} of {relation.name}, which is {column.type}"
            )
            raise DataError(
                message, hint="convert the value; NaN never fits, NULL fits columns that are declared to hold it"
            )
        values.append(_canonical(value, column.type))
    return tuple(values)


def _fits(value: PyValue, type_: Type) -> bool:
    if isinstance(value, bool) or type_.kind == "bool":
        return isinstance(value, bool) and type_.kind == "bool"
    match type_.kind:
        case "int" | "long":
            limit = 1 << _INTEGER_BITS[type_.kind]
            return isinstance(value, int) and -limit <= value < limit
        case "double":
            return isinstance(value, int | float) and not math.isnan(value)
        case "decimal":
            return isinstance(value, int | Decimal) and _fits_decimal(Decimal(value), type_)
        case "date":
            return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
        case "timestamp":
            return isinstance(value, datetime.datetime) and value.tzinfo is None
        case _:
            return isinstance(value, str)


def _fits_decimal(value: Decimal, type_: Type) -> bool:
    if not value.is_finite():
        return False
    scaled = value.scaleb(type_.scale, EXACT)
    return scaled == scaled.to_integral_value() and abs(scaled) < 10**type_.precision


def _canonical(value: Any, type_: Type) -> PyValue:
    if type_.kind == "double":
        return key_value(float(value))
    return Decimal(value) if type_.kind == "decimal" else key_value(value)


def view_rows(view: View, source: Map, records: Mapping[Row, Record]) -> list[Row]:
    """The view's rows, sorted, so that two answers can be compared with ``==``; then as the view orders them."""
    match view.shape:
        case "single":
            rows = [_row(view, source, (), records.get((), {}))]
        case "bag":
            rows = [
                row
                for key, record in records.items()
                for row in [_row(view, source, key, record)] * max(0, int(record.get(COUNT, 0)))
            ]
        case _:
            deciding = (COUNT,) if source.has_count else tuple(slot.name for slot in source.slots)
            rows = [
                _row(view, source, key, record)
                for key, record in records.items()
                if any(record.get(name, 0) for name in deciding)
            ]
    return _ordered(view, sorted_rows(rows))


def derived_rows(relation: Relation, feeds: Sequence[Iterable[Row]]) -> Counter[Row]:
    """The rows of a derived relation: all that its views give, extended by a window, the ends of each group, or the
    intervals of a crossing."""
    if relation.crossing is not None:
        return intervals(relation.crossing, *feeds)
    rows = Counter(row for feed in feeds for row in feed)
    if relation.window is not None:
        return extended(relation, relation.window, rows)
    return ends_of(relation, rows) if relation.end else rows


def ends_of(relation: Relation, rows: Counter[Row]) -> Counter[Row]:
    """The least or greatest row of each group."""
    ends: dict[Row, Row] = {}
    for row in rows:
        known = ends.setdefault(row[:-1], row)
        if (_order_value(row[-1]) < _order_value(known[-1])) == (relation.end == FIRST):
            ends[row[:-1]] = row
    return Counter(ends.values())


def _ordered(view: View, rows: list[Row]) -> list[Row]:
    if view.order is None:
        return rows
    names = [output.name for output in view.outputs]
    # Stable sorts from the last key to the first; NULLs apart, as their place does not depend on the direction.
    for key in reversed(view.order.keys):
        place = names.index(key.column)
        nulls = [row for row in rows if row[place] is None]
        values = [row for row in rows if row[place] is not None]
        values.sort(key=lambda row: _order_value(row[place]), reverse=key.descending)
        rows = nulls + values if key.nulls_first else values + nulls
    end = None if view.order.limit is None else view.order.offset + view.order.limit
    return rows[view.order.offset : end]


def _order_value(value: Any) -> tuple[int, Any]:
    return (1, 0) if isinstance(value, float) and math.isnan(value) else (0, value)


def _row(view: View, source: Map, key: Row, record: Record) -> Row:
    env: dict[str, PyValue] = {
        slot.name: from_number(record.get(slot.name, 0), slot.type) for slot in source.slots
    }
    env |= {var.name: value for var, value in zip(source.keys, key, strict=True)}
    return tuple(evaluate(output.value, env) for output in view.outputs)


def sorted_rows(rows: Iterable[Row]) -> list[Row]:
    """NULLs first, NaN last."""

    def order(value: Any) -> tuple[int, Any]:
        if value is None:
            return 0, 0
        return (2, 0) if isinstance(value, float) and math.isnan(value) else (1, value)

    return sorted(rows, key=lambda row: tuple(map(order, row)))
