"""Windows in M3: their text, what is legal, and hand-written programs that use them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from toastergen.errors import M3Error
from toastergen.frontend.check import check_program
from toastergen.frontend.interpret.m3 import Interpreter
from toastergen.frontend.m3_text import print_program, read_program

HEAD = "CREATE STREAM r (g int, k int?, v decimal(8,2), s string);\n"
TAIL = """
DECLARE MAP rows_of_r(count: long)[][g: int, k: int?, v: decimal(8,2), s: string] := count: r(g, k, v, s);
DECLARE HIDDEN QUERY q BAG OF rows_of_r (g := g, k := k, v := v, s := s);
DECLARE MAP answer(count: long)[][g: int, x: TYPE] := count: AggSum([g, x], w(g, k, v, s, x));
DECLARE QUERY shown BAG OF answer (g := g, x := x);
ON + r (g, k, v, s) { rows_of_r.count[][g, k, v, s] += [1L]; }
ON - r (g, k, v, s) { rows_of_r.count[][g, k, v, s] += [-1L]; }
ON + w (g, k, v, s, x) { answer.count[][g, x] += [1L]; }
ON - w (g, k, v, s, x) { answer.count[][g, x] += [-1L]; }
"""
RUNNING = "SUM(v) RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


def text(call: str, type_: str, order: str = "k DESC NULLS FIRST", partition: str = "g") -> str:
    columns = f"g int, k int?, v decimal(8,2), s string, x {type_}"
    window = f"WINDOW PARTITION BY ({partition}) ORDER BY ({order}) (x := {call})"
    return f"{HEAD}CREATE DERIVED w ({columns}) FROM QUERY (q) {window};{TAIL.replace('TYPE', type_)}"


def test_a_hand_written_window_runs() -> None:
    program = read_program(text(RUNNING, "decimal(38,2)"))
    check_program(program)
    assert read_program(print_program(program)) == program
    engine = Interpreter(program)
    for row in ((1, 2, "0.50", "a"), (1, None, "1.00", "b"), (1, 1, "2.00", "c"), (2, 2, "4.00", "d")):
        engine.insert("r", (*row[:2], Decimal(row[2]), row[3]))
    assert [tuple(map(str, row)) for row in engine.view("shown")] == [
        ("1", "1.00"),
        ("1", "1.50"),
        ("1", "3.50"),
        ("2", "4.00"),
    ]


def test_the_text_of_a_window() -> None:
    program = read_program(text("LAG(s, s, 2)", "string"))
    assert (
        "FROM QUERY (q)\n    WINDOW PARTITION BY (g) ORDER BY (k DESC NULLS FIRST) (x := LAG(s, s, 2));"
        in print_program(program)
    )


@pytest.mark.parametrize(
    ("call", "type_", "order", "message"),
    [
        ("MEDIAN(v)", "double", "k", "there is no window function median"),
        ("ROW_NUMBER()", "int", "k", "x is int, the call gives long"),
        ("LAG(s, 1)", "string", "k", "x is string, the call gives string?"),
        ("LAG(s)", "string?", "k", "lag takes a number"),
        ("RANK(3)", "long", "k", "rank takes no number"),
        ("NTILE(0)", "long", "k", "ntile cannot take 0"),
        ("RANK(v)", "long", "k", "rank of 1 columns"),
        ("LAG(s, v, 1)", "string?", "k", "string with a default of decimal(8,2)"),
        ("SUM(v)", "decimal(38,2)", "k", "sum needs a frame"),
        (f"RANK() {RUNNING[7:]}", "long", "k", "rank has no frame"),
        (f"SUM(s) {RUNNING[7:]}", "string", "k", "a sum of string"),
        ("SUM(z) ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", "long", "k", "z is no column of its query"),
        ("RANK()", "long", "z", "z is no column of its query"),
        ("SUM(v) ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING", "decimal(38,2)", "k", "cannot end with UNBOUNDED"),
        ("SUM(v) ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW", "decimal(38,2)", "k", "cannot start with"),
        ("SUM(v) ROWS BETWEEN 1L FOLLOWING AND CURRENT ROW", "decimal(38,2)", "k", "cannot start with FOLLOWING"),
        ("SUM(v) ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", "decimal(38,2)", "k", "cannot be 1 of type int"),
        ("SUM(v) ROWS BETWEEN -1L PRECEDING AND CURRENT ROW", "decimal(38,2)", "k", "cannot be -1 of type long"),
        ("SUM(v) RANGE BETWEEN 1L PRECEDING AND CURRENT ROW", "decimal(38,2)", "v", "cannot be 1 of type long"),
        ("SUM(v) RANGE BETWEEN 1L PRECEDING AND CURRENT ROW", "decimal(38,2)", "s", "cannot be 1 of type long"),
        ("SUM(v) RANGE BETWEEN 1L PRECEDING AND CURRENT ROW", "decimal(38,2)", "k, v", "needs one order key"),
    ],
)
def test_windows_that_are_not_legal(call: str, type_: str, order: str, message: str) -> None:
    with pytest.raises(M3Error) as caught:
        check_program(read_program(text(call, type_, order)))
    assert message in caught.value.message and caught.value.hint


def test_offsets_have_the_type_of_the_key() -> None:
    for order, offset in (("k", "1L"), ("v", "0.50")):
        call = f"SUM(v) RANGE BETWEEN {offset} PRECEDING AND {offset} FOLLOWING"
        check_program(read_program(text(call, "decimal(38,2)", order)))


def test_a_window_reads_one_query_whole() -> None:
    legal = text("RANK()", "long")
    for broken in (legal.replace("QUERY (q)", "QUERY (q, q)"), legal.replace("FROM QUERY", "FROM FIRST OF QUERY")):
        with pytest.raises(M3Error, match="a window reads the rows of one query"):
            check_program(read_program(broken))
    with pytest.raises(M3Error, match="its last columns are not those of its calls"):
        check_program(read_program(legal.replace("(x := RANK", "(y := RANK")))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("LAG(1, s)", "a call takes columns first, then one number"),
        ("SUM(v) ROWS BETWEEN v PRECEDING AND CURRENT ROW", "variable v is not bound here"),
        ("SUM(v) ROWS BETWEEN 1L + 1L PRECEDING AND CURRENT ROW", "the offset of a frame is no constant"),
        ("SUM(v) ROWS BETWEEN 1L BEFORE AND CURRENT ROW", "expected PRECEDING or FOLLOWING"),
        ("SUM(v) ROWS 1L PRECEDING", "expected BETWEEN"),
    ],
)
def test_windows_that_cannot_be_read(call: str, message: str) -> None:
    with pytest.raises(M3Error) as caught:
        read_program(text(call, "long"))
    assert message in caught.value.message and caught.value.hint and caught.value.span is not None
