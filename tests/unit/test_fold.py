"""Conditions that decide themselves: what is folded, and that folding never changes an answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from property.m3_strategies import scalars

from toastergen.errors import EngineError
from toastergen.frontend.fold import fold
from toastergen.frontend.interpret.scalars import evaluate
from toastergen.frontend.m3_text import Scope, print_scalar, read_scalar
from toastergen.frontend.scalar import Var
from toastergen.frontend.types import BOOL, DOUBLE, INT, LONG, STRING

TYPES = {"i": INT, "g": LONG, "w": DOUBLE, "s": STRING, "ok": BOOL}

CASES = [
    ("i < i", "FALSE"),
    ("i <> i", "FALSE"),
    ("w = w", "TRUE"),
    ("s >= s", "TRUE"),
    ("i < i OR ok", "ok"),
    ("i = i AND ok", "ok"),
    ("NOT (g > g)", "TRUE"),
    ("CASE WHEN i > i THEN 1 WHEN ok THEN 2 ELSE 3 END", "CASE WHEN ok THEN 2 ELSE 3 END"),
    ("CASE WHEN ok THEN 1 WHEN i = i THEN 2 ELSE 3 END", "CASE WHEN ok THEN 1 ELSE 2 END"),
    ("CAST(i AS long) < 3000000000L", "TRUE"),
    ("CAST(i AS long) >= 3000000000L", "FALSE"),
    ("3000000000L < CAST(i AS long)", "FALSE"),
    ("CAST(i AS long) = -3000000000L", "FALSE"),
    ("CAST(i AS long) <> -3000000000L", "TRUE"),
    ("CAST(i AS long) IN (1L, 3000000000L)", "CAST(i AS long) IN (1L)"),
    ("CAST(i AS long) IN (3000000000L)", "FALSE"),
    ("i <= 2147483647", "TRUE"),
    ("i > 2147483647", "FALSE"),
    ("i < 2147483647", "i < 2147483647"),
    ("i >= -2147483648", "TRUE"),
    ("g <= 9223372036854775807L", "TRUE"),
    ("i / 0 = i / 0", "i / 0 = i / 0"),  # NULL is not equal to itself
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_folded(text: str, expected: str) -> None:
    text = text.replace("i / 0", "CAST(i AS double) / 0.0e0")
    expected = expected.replace("i / 0", "CAST(i AS double) / 0.0e0")
    scope = Scope(vars=TYPES)
    assert print_scalar(fold(read_scalar(text, scope))) == print_scalar(read_scalar(expected, scope))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.data())
def test_folding_keeps_every_answer(data: st.DataObject) -> None:
    condition = data.draw(scalars(BOOL, TYPES))
    numbers = st.sampled_from([0, 1, -1, 2**31 - 1, -(2**31)])
    env = {
        "i": data.draw(numbers),
        "g": data.draw(numbers),
        "w": data.draw(st.sampled_from([0.0, 1.5])),
        "s": data.draw(st.sampled_from(["", "a"])),
        "ok": data.draw(st.booleans()),
    }
    try:
        expected = evaluate(condition, env)
    except (EngineError, OverflowError):
        return  # folding may remove what would have failed
    assert evaluate(fold(condition), env) == expected


def test_columns_stay_columns() -> None:
    assert fold(Var("ok", BOOL)) == Var("ok", BOOL)
