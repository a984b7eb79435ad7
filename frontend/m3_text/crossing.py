"""Crossings as text, and back: ``RUNNING > WHERE {running::long < threshold::double} [FROM NOTHING]``."""

from __future__ import annotations

from toastergen.frontend.m3 import Crossing
from toastergen.frontend.m3_text.cursor import Cursor
from toastergen.frontend.m3_text.print_scalar import print_scalar
from toastergen.frontend.m3_text.read_scalar import ScalarReader


def print_crossing(crossing: Crossing) -> str:
    nothing = " FROM NOTHING" if crossing.counts_nothing else ""
    return f"RUNNING {crossing.side} WHERE {{{print_scalar(crossing.test, {})}}}{nothing}"


def read_crossing(cursor: Cursor) -> Crossing:
    """What follows the word RUNNING."""
    if not cursor.is_op("<", "<=", ">", ">="):
        raise cursor.expected("<, <=, > or >=")
    side = cursor.take().text
    cursor.expect_words("WHERE")
    cursor.expect_op("{")
    test = ScalarReader(cursor, {}).read()
    cursor.expect_op("}")
    from_nothing = cursor.accept_word("FROM")
    if from_nothing:
        cursor.expect_words("NOTHING")
    return Crossing(side, test, from_nothing)
