"""What is printed reads back as the very same nodes, and is fit for a comment in generated code."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toastergen.errors import M3Error
from toastergen.frontend.m3 import Program, Statement
from toastergen.frontend.m3_text import (
    Scope,
    print_program,
    print_scalar,
    print_statement,
    read_program,
    read_scalar,
)
from toastergen.frontend.scalar import Scalar
from toastergen.frontend.types import BOOL, DATE, DOUBLE, INT, LONG, STRING, TIMESTAMP, Type, decimal

sys.path.insert(0, str(Path(__file__).parent))

import m3_strategies as m3s

SETTINGS = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
VARIABLES = {
    "i": INT,
    "l": LONG,
    "d": DOUBLE,
    "day": DATE,
    "moment": TIMESTAMP,
    "s": STRING,
    "Date": BOOL,
    "m n": decimal(15, 2),
    "decimal": decimal(3, 2),
}


@SETTINGS
@given(m3s.TYPES.flatmap(lambda type_: m3s.scalars(type_, VARIABLES, 4)))
def test_scalars_read_back(scalar: Scalar) -> None:
    text = print_scalar(scalar, VARIABLES)
    assert read_scalar(text, Scope(vars=VARIABLES)) == scalar


@SETTINGS
@given(m3s.TYPES.flatmap(lambda type_: m3s.scalars(type_, VARIABLES, 2)))
def test_unknown_variables_carry_their_type(scalar: Scalar) -> None:
    wrong: dict[str, Type] = {"i": LONG}
    assert read_scalar(print_scalar(scalar, wrong), Scope(vars=wrong)) == scalar


@SETTINGS
@given(m3s.programs())
def test_programs_read_back(program: Program) -> None:
    assert read_program(print_program(program)) == program


@SETTINGS
@given(m3s.programs())
def test_statements_are_fit_for_comments(program: Program) -> None:
    statements: list[Statement] = [item for trigger in program.triggers for item in trigger.statements]
    for statement in statements:
        text = print_statement(statement)
        assert text.isascii() and text.isprintable() and text.endswith(";")


@SETTINGS
@given(m3s.programs(), st.data())
def test_damaged_text_is_refused_with_a_place_or_read(program: Program, data: st.DataObject) -> None:
    text = print_program(program)
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:at] + data.draw(st.sampled_from(["", "(", "'", '"', "5", " x ", ";", "\\", "::", "é"]))
    try:
        read_program(damaged)
    except M3Error as error:
        assert error.span is not None and error.hint and error.source == damaged
