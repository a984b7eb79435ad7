"""The table of functions: text, folding, domains and overflow; what they compute is judged by DuckDB elsewhere."""

from __future__ import annotations

import datetime

import pytest

from toastergen.codegen.build import BuildOptions, build_engine
from toastergen.codegen.cpp_scalar import needs_scratch
from toastergen.codegen.emit import emit
from toastergen.codegen.lower import lower
from toastergen.errors import EngineError, M3Error
from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.check import check_program
from toastergen.frontend.domains import is_nonnegative, is_positive
from toastergen.frontend.fold import fold
from toastergen.frontend.functions import FUNCTIONS, call, node
from toastergen.frontend.interpret.m3 import Interpreter
from toastergen.frontend.m3 import Program
from toastergen.frontend.m3_text import print_program, read_program
from toastergen.frontend.maintain.hoivm import maintain
from toastergen.frontend.scalar import Const, Func, Var
from toastergen.frontend.sql import read_script
from toastergen.frontend.types import DATE, DOUBLE, INT, LONG, STRING, decimal
from toastergen.runtime.load import load

DAY = Const(datetime.date(1998, 12, 1), DATE)


def compiled(sql: str) -> Program:
    program = maintain(translate(read_script(sql)))
    check_program(program)
    return program


def test_every_function_is_judged_by_duckdb() -> None:
    """The property test reads each of them from SQL."""
    from property.test_functions import script

    found = {
        part.name
        for query in read_script(script()).queries
        for item in (*query.where, *(query.group_by or ()), *(item.value for item in query.items))
        for part in sc.walk(item)
        if isinstance(part, Func)
    }
    assert found == set(FUNCTIONS)


def test_a_function_of_literals_is_a_literal() -> None:
    assert call("ADD_DAYS", DAY, Const(-90, INT)) == Const(datetime.date(1998, 9, 2), DATE)
    assert fold(Func("UPPER", (Const("ß", STRING),), STRING)) == Const("ẞ", STRING)
    limit = "DATE '1998-12-01' - INTERVAL '90' DAY"
    program = compiled(f"CREATE STREAM r (d DATE); SELECT COUNT(*) AS n FROM r WHERE d <= {limit};")
    assert "{d <= DATE '1998-09-02'}" in print_program(program)


@pytest.mark.parametrize("name", ["ADD_DAYS", "ADD_MONTHS"])
def test_a_literal_outside_the_calendar_is_refused(name: str) -> None:
    with pytest.raises(sc.ScalarTypeError, match="no value of type date"):
        call(name, Const(datetime.date.max, DATE), Const(1, INT))


def test_the_smallest_long_has_no_absolute_literal() -> None:
    with pytest.raises(sc.ScalarTypeError):
        call("ABS", Const(-(2**63), LONG))


def test_arguments_are_converted_once() -> None:
    made = node("LEFT", (Var("s", STRING), Var("i", INT)))
    assert made.args == (Var("s", STRING), sc.Cast(Var("i", INT), LONG))
    assert node("ROUND", (Var("x", decimal(10, 3)), Const(1, INT))).type == decimal(10, 1)


def test_only_new_strings_need_memory() -> None:
    text = Var("s", STRING)
    assert needs_scratch(call("LENGTH", call("UPPER", text)))
    assert not needs_scratch(call("TRIM", call("LEFT", text, Const(2, INT))))


def test_signs_are_proved_by_shape_alone() -> None:
    x = Var("x", DOUBLE)
    assert not is_nonnegative(x) and is_nonnegative(sc.arith("*", x, x)) and is_nonnegative(call("ABS", x))
    assert not is_positive(call("ABS", x)) and not is_positive(call("EXP", x))  # EXP(-1000) is 0
    assert is_positive(call("GREATEST", x, Const(1.0, DOUBLE)))
    assert not is_nonnegative(call("LEAST", x, Const(1.0, DOUBLE)))


PROGRAM = """CREATE STREAM r (s string, f double, n long);
DECLARE MAP m(count: long)[][k: {type}] := count: AggSum([k], r(s, f, n) * (k := [{value}]));
DECLARE QUERY q GROUPS OF m (k := k);
ON + r (s, f, n) {{ m.count[][k] += (k := [{value}]); }}
"""


def test_text_reads_back_and_words_of_functions_stay_names() -> None:
    text = PROGRAM.format(type="string", value="left(REPLACE(s, 'a', upper(s)), n)")
    program = read_program(text)
    check_program(program)
    assert "LEFT(REPLACE(s, 'a', UPPER(s)), n)" in print_program(program)
    assert read_program(print_program(program)) == program
    assert read_program(PROGRAM.format(type="long", value="LENGTH(s) + n")).maps[0].keys[0].type == LONG


@pytest.mark.parametrize(
    ("type_", "value", "message"),
    [
        ("string", "NOTHING(s)", "no function NOTHING"),
        ("string", "UPPER(n)", "UPPER does not apply to long"),
        ("string", "UPPER(s, s)", "UPPER does not apply to string and string"),
        ("string", "LPAD(s, n, 'x')", "no literals that fit"),
        ("timestamp", "TIME_BUCKET(n, TIMESTAMP '2000-01-01')", "width is no literal above 0"),
        ("double", "ROUND(f, 400)", "ROUND does not apply"),
    ],
)
def test_hand_written_text_is_held_to_the_same_rules(type_: str, value: str, message: str) -> None:
    with pytest.raises(M3Error, match=message) as caught:
        check_program(read_program(PROGRAM.format(type=type_, value=value)))
    assert caught.value.hint


def test_a_date_that_leaves_the_calendar_changes_nothing() -> None:
    program = compiled(
        "CREATE STREAM r (d DATE, s VARCHAR);"
        "CREATE VIEW q AS SELECT d + INTERVAL '1' MONTH AS next, UPPER(s) || '!' AS loud, COUNT(*) AS n"
        " FROM r GROUP BY d + INTERVAL '1' MONTH, UPPER(s) || '!';"
    )
    built = build_engine(emit(program, lower(program), "calendar"), "calendar", BuildOptions(debug=True, werror=True))
    expected = [(datetime.datetime(2024, 2, 29), "AÜ!", 1)]
    for engine in (Interpreter(program), load(built.module).engine()):
        engine.insert("r", (datetime.date(2024, 1, 31), "aü"))
        with pytest.raises(EngineError):
            engine.insert("r", (datetime.date(9999, 12, 1), "a"))
        rows = engine.view("q")
        assert [tuple(row) for row in (rows if isinstance(rows, list) else rows.rows())] == expected
