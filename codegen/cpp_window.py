"""The types of a window: its rows, its results, and one type per call. Nothing is decided here."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from toastergen.codegen.cpp_names import safe
from toastergen.codegen.cpp_types import WIDE, WORD, value_type
from toastergen.codegen.plan import Field, WindowPlan
from toastergen.frontend.m3 import CURRENT, GROUPS, PRECEDING, ROWS, Bound, Call, Frame
from toastergen.frontend.names import Names, identifier
from toastergen.frontend.types import Type
from toastergen.frontend.windows import offset_units


def window_context(plan: WindowPlan, word: str, values: list[str], before: list[str]) -> dict[str, Any]:
    """What the templates need; ``values`` spell the columns of a record's row, ``before`` as it was."""
    printer = _Printer(plan, word)
    row = printer.row_type
    return {
        "row_type": row,
        "results_type": printer.results_type,
        "fields": [(own_type(item.type), printer.row[item.name]) for item in plan.columns],
        "results": [(own_type(item.type), printer.results[item.name]) for item in plan.results],
        "type": f"{word}_window",
        "parts": printer.parts(),
        "member": f"m_window_of_{word}",
        "after": f"{row}{{{', '.join(f'tg::owned({value})' for value in values)}}}",
        "before": f"{row}{{{', '.join(f'tg::owned({value})' for value in before)}}}",
        "arguments": ", ".join(
            [
                *(f"tg::lent(row.{name})" for name in printer.row.values()),
                *(f"tg::lent(results.{name})" for name in printer.results.values()),
            ]
        ),
    }


def own_type(type_: Type) -> str:
    """Rows of windows own their strings."""
    if type_.kind == "string":
        return "tg::nullable<std::string>" if type_.nullable else "std::string"
    return value_type(type_)


class _Printer:
    def __init__(self, plan: WindowPlan, word: str) -> None:
        self.plan = plan
        self.row_type = f"{word}_row"
        self.results_type = f"{word}_results"
        self.row = _field_names(plan.columns)
        self.results = _field_names(plan.results)
        self.types = {item.name: item.type for item in (*plan.columns, *plan.results)}

    def parts(self) -> list[str]:
        """The arguments of ``tg::window``."""
        window = self.plan.window
        everything = ", ".join(f"tg::order_key<{self._member(item.name)}>" for item in self.plan.columns)
        fields = ", ".join(f"&{self.results_type}::{name}" for name in self.results.values())
        return [
            self.row_type,
            self.results_type,
            f"tg::fields<{', '.join(map(self._member, window.partition))}>",
            self._order(),
            f"tg::window_order<{everything}>",
            f"tg::fields<{fields}>",
            *map(self._call, window.calls),
        ]

    def _member(self, column: str) -> str:
        return f"&{self.row_type}::{self.row[column]}"

    def _order(self) -> str:
        return f"tg::window_order<{', '.join(self._key(place) for place in range(len(self.plan.window.order)))}>"

    def _key(self, place: int) -> str:
        key = self.plan.window.order[place]
        flags = ", true" if key.descending else ", false"
        return f"tg::order_key<{self._member(key.column)}{flags}{', true' if key.nulls_first else ', false'}>"

    def _call(self, call: Call) -> str:
        result = f"&{self.results_type}::{self.results[call.column]}"
        members = [self._member(name) for name in call.arguments]
        known = "known_" if call.ignore_nulls else ""
        match call.function:
            case "row_number":
                return f"tg::row_number<{result}>"
            case "rank" | "dense_rank" | "percent_rank" | "cume_dist":
                return f"tg::{call.function}<{result}, {self._order()}>"
            case "ntile":
                return f"tg::ntile<{result}, {call.number}>"
            case "lag" | "lead":
                steps = call.number if call.function == "lead" else -(call.number or 0)
                default = members[1] if len(members) > 1 else "nullptr"
                return f"tg::{known}neighbour<{result}, {members[0]}, {steps}, {default}>"
            case "first_value" | "last_value" | "nth_value":
                place = f"tg::{call.function.removesuffix('_value')}_place"
                place += f"<{call.number}>" if call.number is not None else ""
                return f"tg::{known}placed<{result}, {members[0]}, {self._frame(call.frame)}, {place}>"
            case _:
                return f"tg::framed<{result}, {self._aggregate(call, members)}, {self._frame(call.frame)}>"

    def _aggregate(self, call: Call, members: list[str]) -> str:
        match call.function:
            case "count":
                return f"tg::count_of<{members[0]}>" if members else "tg::count_rows"
            case "min" | "max":
                return f"tg::end_value<{members[0]}, {1 if call.function == 'min' else -1}>"
            case _:
                type_ = self.types[call.column].plain
                if type_.kind == "double":
                    return f"tg::double_sum<{members[0]}>"
                return f"tg::exact_sum<{members[0]}, {WIDE if type_.kind == 'decimal' else WORD}>"

    # --- frames -------------------------------------------------------------------------------------------

    def _frame(self, frame: Frame | None) -> str:
        assert frame is not None
        if frame.unit == ROWS:
            return f"tg::rows_frame<{_row_bound(frame.start)}, {_row_bound(frame.end)}>"
        if frame.unit == GROUPS:
            return f"tg::groups_frame<{self._order()}, {_row_bound(frame.start)}, {_row_bound(frame.end)}>"
        has_offset = frame.start.offset is not None or frame.end.offset is not None
        key = self._key(0) if has_offset else "void"
        return f"tg::range_frame<{self._order()}, {key}, {_range_bound(frame.start)}, {_range_bound(frame.end)}>"


def _field_names(items: tuple[Field, ...]) -> Mapping[str, str]:
    taken = Names()
    return {item.name: safe(taken.fresh(identifier(item.name, "column"))) for item in items}


def _row_bound(bound: Bound) -> str:
    if bound.side == CURRENT:
        return "tg::row_offset<0>"
    if bound.offset is None:
        return "tg::partition_edge"
    steps = offset_units(bound.offset)
    return f"tg::row_offset<{'-' if bound.side == PRECEDING else ''}{steps}>"


def _range_bound(bound: Bound) -> str:
    if bound.side == CURRENT:
        return "tg::current_peers"
    if bound.offset is None:
        return "tg::partition_edge"
    units = offset_units(bound.offset)
    if isinstance(units, float):
        (bits,) = struct.unpack("<Q", struct.pack("<d", units))
        offset = f"tg::double_offset<{bits:#x}u>"
    else:
        offset = f"tg::exact_offset<{units}>"
    return f"tg::{'range_before' if bound.side == PRECEDING else 'range_behind'}<{offset}>"
