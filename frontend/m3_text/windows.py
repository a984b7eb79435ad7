"""Windows as text, and back: ``WINDOW PARTITION BY (a) ORDER BY (b DESC) (n := ROW_NUMBER(), …)``."""

from __future__ import annotations

from toastergen.frontend.m3 import CURRENT, FOLLOWING, PRECEDING, Bound, Call, Frame, OrderKey, Window
from toastergen.frontend.m3_text.cursor import Cursor
from toastergen.frontend.m3_text.print_scalar import print_scalar
from toastergen.frontend.m3_text.read_scalar import ScalarReader
from toastergen.frontend.m3_text.tokens import name_text
from toastergen.frontend.scalar import Const


def print_window(window: Window) -> str:
    partition = ", ".join(map(name_text, window.partition))
    calls = ", ".join(map(print_call, window.calls))
    return f"WINDOW PARTITION BY ({partition}) ORDER BY ({print_order_keys(window.order)}) ({calls})"


def print_order_keys(keys: tuple[OrderKey, ...]) -> str:
    return ", ".join(
        name_text(key.column) + (" DESC" if key.descending else "") + (" NULLS FIRST" if key.nulls_first else "")
        for key in keys
    )


def print_call(call: Call) -> str:
    arguments = [*map(name_text, call.arguments), *([str(call.number)] if call.number is not None else [])]
    rest = " IGNORE NULLS" if call.ignore_nulls else ""
    rest += f" {print_frame(call.frame)}" if call.frame is not None else ""
    return f"{name_text(call.column)} := {call.function.upper()}({', '.join(arguments)}){rest}"


def print_frame(frame: Frame) -> str:
    return f"{frame.unit.upper()} BETWEEN {_bound(frame.start)} AND {_bound(frame.end)}"


def _bound(bound: Bound) -> str:
    if bound.side == CURRENT:
        return bound.side.upper()
    offset = "UNBOUNDED" if bound.offset is None else print_scalar(bound.offset)
    return f"{offset} {bound.side.upper()}"


def read_window(cursor: Cursor) -> Window:
    """What follows the word WINDOW."""
    cursor.expect_words("PARTITION BY")
    partition = cursor.list_of(lambda: cursor.name("a column").text, "(", ")")
    cursor.expect_words("ORDER BY")
    order = cursor.list_of(lambda: read_order_key(cursor), "(", ")")
    return Window(partition, order, cursor.list_of(lambda: _call(cursor), "(", ")"))


def read_order_key(cursor: Cursor) -> OrderKey:
    column = cursor.name("a column").text
    descending = cursor.accept_word("DESC")
    nulls_first = cursor.accept_word("NULLS")
    if nulls_first:
        cursor.expect_words("FIRST")
    return OrderKey(column, descending, nulls_first)


def _call(cursor: Cursor) -> Call:
    column = cursor.name("a column").text
    cursor.expect_op(":=")
    function = cursor.name("a window function").text.lower()
    values = cursor.list_of(
        lambda: cursor.name("a column or a number").text if cursor.is_name() else cursor.number(), "(", ")"
    )
    arguments = tuple(value for value in values if isinstance(value, str))
    numbers = [value for value in values if isinstance(value, int)]
    if numbers and (len(numbers) > 1 or values[-1] != numbers[0]):
        raise cursor.error("a call takes columns first, then one number", "write for example LAG(price, 1)")
    ignore_nulls = cursor.accept_word("IGNORE")
    if ignore_nulls:
        cursor.expect_words("NULLS")
    frame = _frame(cursor) if cursor.is_word("ROWS", "RANGE", "GROUPS") else None
    return Call(column, function, arguments, numbers[0] if numbers else None, frame, ignore_nulls)


def _frame(cursor: Cursor) -> Frame:
    unit = cursor.take().text.lower()
    cursor.expect_words("BETWEEN")
    start = _read_bound(cursor)
    cursor.expect_words("AND")
    return Frame(unit, start, _read_bound(cursor))


def _read_bound(cursor: Cursor) -> Bound:
    if cursor.accept_word("CURRENT"):
        cursor.expect_words("ROW")
        return Bound(CURRENT)
    offset: Const | None = None
    if not cursor.accept_word("UNBOUNDED"):
        token = cursor.peek()
        value = ScalarReader(cursor, {}).read()
        if not isinstance(value, Const):
            raise cursor.error("the offset of a frame is no constant", "write a number", token)
        offset = value
    for side in (PRECEDING, FOLLOWING):
        if cursor.accept_word(side.upper()):
            return Bound(side, offset)
    raise cursor.expected("PRECEDING or FOLLOWING")
