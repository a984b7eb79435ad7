"""Is the window of a derived relation legal?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toastergen.errors import M3Error
from toastergen.frontend.m3 import CURRENT, RANGE, Bound, Call, Frame, OrderKey, Relation, Window
from toastergen.frontend.types import LONG, Type
from toastergen.frontend.windows import (
    LARGEST,
    LEAST_NUMBERS,
    SIGNATURES,
    fault_of,
    offset_type,
    offset_units,
    result_type,
)


def check_window(relation: Relation) -> None:
    """The columns of the view come first, then one per call, each of the type that the call gives."""
    window = relation.window
    if window is None:
        return
    where = f"derived relation {relation.name}"
    if len(relation.queries) != 1 or relation.end:
        raise M3Error(f"{where}: a window reads the rows of one query", hint="name one query, without FIRST or LAST")
    split = len(relation.columns) - len(window.calls)
    known = {column.name: column.type for column in relation.columns[: max(0, split)]}
    if split < 0 or [column.name for column in relation.columns[split:]] != [call.column for call in window.calls]:
        message = f"{where}: its last columns are not those of its calls"
        raise M3Error(message, hint="list one column per call, in order")
    _check_known(where, (*window.partition, *(key.column for key in window.order)), known)
    for call, column in zip(window.calls, relation.columns[split:], strict=True):
        _check_call(f"{where}, column {call.column}", call, window, known)
        found = result_type(call, known)
        if column.type.plain != found.plain or (found.nullable and not column.type.nullable):
            message = f"{where}: {call.column} is {column.type}, the call gives {found}"
            raise M3Error(message, hint=f"declare it {found}")


def _check_known(where: str, names: Iterable[str], known: Mapping[str, Type]) -> None:
    for name in names:
        if name not in known:
            hint = f"its query has the columns {', '.join(known)}" if known else "its query has no columns"
            raise M3Error(f"{where}: {name} is no column of its query", hint=hint)


def _check_call(where: str, call: Call, window: Window, known: Mapping[str, Type]) -> None:
    signature = SIGNATURES.get(call.function)
    if signature is None:
        message = f"{where}: there is no window function {call.function}"
        raise M3Error(message, hint=f"there are {', '.join(SIGNATURES)}")
    _check_known(where, call.arguments, known)
    if not signature.least <= len(call.arguments) <= signature.most:
        message = f"{where}: {call.function} of {len(call.arguments)} columns"
        raise M3Error(message, hint=f"it takes {signature.least} to {signature.most}")
    _check_number(where, call, signature.number)
    if signature.frame != (call.frame is not None):
        hint = "add ROWS BETWEEN … AND …" if signature.frame else "leave the frame out"
        raise M3Error(f"{where}: {call.function} {'needs a' if signature.frame else 'has no'} frame", hint=hint)
    if call.ignore_nulls and (not signature.passes or call.number == 0):
        raise M3Error(f"{where}: {call.function} cannot IGNORE NULLS here", hint="leave IGNORE NULLS out")
    types = [known[name] for name in call.arguments]
    if call.function == "sum" and not types[0].is_numeric:
        raise M3Error(f"{where}: a sum of {types[0]}", hint="sum numbers")
    if len(types) == 2 and types[0].plain != types[1].plain:
        raise M3Error(f"{where}: {types[0]} with a default of {types[1]}", hint="give both one type")
    if call.frame is not None:
        _check_frame(where, call.frame, window.order, known)


def _check_number(where: str, call: Call, wanted: bool) -> None:
    if wanted != (call.number is not None):
        hint = "write it behind the columns" if wanted else "leave it out"
        raise M3Error(f"{where}: {call.function} takes {'a' if wanted else 'no'} number", hint=hint)
    if call.number is not None and not LEAST_NUMBERS[call.function] <= call.number < LARGEST:
        hint = f"it must be {LEAST_NUMBERS[call.function]} or more"
        raise M3Error(f"{where}: {call.function} cannot take {call.number}", hint=hint)


def _check_frame(where: str, frame: Frame, order: tuple[OrderKey, ...], known: Mapping[str, Type]) -> None:
    fault = fault_of(frame)
    if fault:
        raise M3Error(f"{where}: {fault}", hint="the start comes before the end")
    for bound in (frame.start, frame.end):
        if bound.offset is None:
            continue
        if bound.side == CURRENT:
            raise M3Error(f"{where}: CURRENT ROW has no offset", hint="leave it out")
        if frame.unit == RANGE and len(order) != 1:
            raise M3Error(f"{where}: an offset in a RANGE frame needs one order key", hint="use ROWS")
        wanted = offset_type(known[order[0].column]) if frame.unit == RANGE else LONG
        _check_offset(where, bound, wanted)


def _check_offset(where: str, bound: Bound, wanted: Type | None) -> None:
    offset = bound.offset
    assert offset is not None
    units = offset_units(offset)
    same = wanted is not None and (offset.type.kind, offset.type.scale) == (wanted.kind, wanted.scale)
    if not same or units is None or not 0 <= units < LARGEST:
        message = f"{where}: the offset of a frame cannot be {offset.value} of type {offset.type}"
        raise M3Error(message, hint=f"write a {wanted} that is not negative" if wanted else "use ROWS")
