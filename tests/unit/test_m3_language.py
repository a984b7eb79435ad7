"""M3 as a language: programs written by hand build, run and are right; wrong ones are refused where they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracle.fourway import FourWay
from oracle.streams import Stream
from toastergen import cli, driver
from toastergen.errors import M3Error
from toastergen.frontend.check import check_program
from toastergen.frontend.m3 import Program
from toastergen.frontend.m3_text import print_program, read_program

EXAMPLES = Path(__file__).parents[2] / "examples"

STOCK_SQL = """\
CREATE STREAM MOVES (ITEM INT NOT NULL, SITE VARCHAR NOT NULL, PIECES INT NOT NULL);
CREATE STREAM PRICES (ITEM INT NOT NULL, PRICE INT NOT NULL);
CREATE VIEW WORTH AS SELECT SITE, SUM(PIECES * PRICE) AS WORTH FROM MOVES, PRICES WHERE MOVES.ITEM = PRICES.ITEM
    GROUP BY SITE HAVING SUM(PIECES * PRICE) <> 0;
CREATE VIEW LARGE_MOVES AS SELECT COUNT(*) AS LARGE_MOVES FROM MOVES WHERE PIECES >= 100;
"""
RATINGS_SQL = """\
CREATE STREAM ratings (guest INT NOT NULL, dish VARCHAR NOT NULL, stars INT);
CREATE VIEW best AS SELECT dish, COUNT(*) AS guests, AVG(stars) AS mean FROM ratings GROUP BY dish
    ORDER BY mean DESC NULLS LAST, dish LIMIT 3;
CREATE VIEW loved_dishes AS SELECT COUNT(*) AS dishes FROM
    (SELECT dish FROM ratings GROUP BY dish HAVING SUM(stars) >= 4 * COUNT(stars) AND COUNT(stars) > 0) AS t;
"""


def exercise(four: FourWay, seed: int, steps: int = 40) -> None:
    """Rows, batches, and deleting everything: the four agree all the way, and nothing is left."""
    stream = Stream(four.program.relations, seed, 0.3, limit=12)
    for _ in range(steps):
        four.change(*stream.event())
        four.check()
    for _ in range(6):
        four.batch(*stream.batch(7))
        four.check()
    for relation, row in stream.drain():
        four.change(relation, row, -1)
    four.check()
    four.check_empty()


@pytest.mark.parametrize(("name", "sql"), [("stock", STOCK_SQL), ("ratings", RATINGS_SQL)])
def test_the_examples_answer_what_their_sql_would(name: str, sql: str) -> None:
    """The calculus oracle runs over the definitions of the maps: they must say what the triggers do."""
    program = read_program((EXAMPLES / f"{name}.m3").read_text())
    four = FourWay(sql, name=f"example_{name}", program=program)
    exercise(four, seed=5)


NESTED_SQL = """\
CREATE STREAM BIDS (PRICE INT NOT NULL, VOLUME INT NOT NULL);
CREATE VIEW ABOVE AS SELECT COALESCE(SUM(PRICE), 0) AS ABOVE FROM BIDS
    WHERE VOLUME * 4 > (SELECT SUM(VOLUME) FROM BIDS);
CREATE VIEW PRICES AS SELECT COUNT(DISTINCT PRICE) AS PRICES FROM BIDS;
CREATE VIEW SAME AS SELECT COUNT(DISTINCT PRICE) AS SAME FROM BIDS;
CREATE VIEW HOW_OFTEN AS SELECT N, COUNT(*) AS HOW_OFTEN
    FROM (SELECT COUNT(*) AS N FROM BIDS GROUP BY PRICE) AS T GROUP BY N;
"""
NESTED = """\
CREATE STREAM BIDS(PRICE int, VOLUME int);
DECLARE MAP ROWS(int)[][P, V] := AggSum([P, V], BIDS(P, V));
DECLARE MAP TOTAL(int)[][] := AggSum([], BIDS(P, V) * V);
DECLARE MAP TIMES(int)[][P] := AggSum([P], BIDS(P, V));
DECLARE MAP ABOVE(int)[][] := AggSum([],
   BIDS(P, V) * (ALL_OF_IT ^= AggSum([], BIDS(P2, V2) * V2)) * {V * 4 > ALL_OF_IT} * P);
DECLARE MAP PRICES(int)[][] := AggSum([], Exists(AggSum([P], BIDS(P, V))));
DECLARE MAP SAME(int)[][] := AggSum([], DOMAIN(AggSum([P], BIDS(P, V))));
DECLARE MAP HOW_OFTEN(int)[][N] := AggSum([N], (N ^= AggSum([P], BIDS(P, V))));
DECLARE QUERY ABOVE := ABOVE(int)[][];
DECLARE QUERY PRICES := PRICES(int)[][];
DECLARE QUERY SAME := SAME(int)[][];
DECLARE QUERY HOW_OFTEN := HOW_OFTEN(int)[][N];
ON + BIDS(B_P, B_V) {
   PRICES(int)[][] += (N ^= TIMES(int)[][B_P]) * {N = 0};
   TIMES(int)[][B_P] += 1;
   TOTAL(int)[][] += B_V;
   ROWS(int)[][B_P, B_V] += 1;
   ABOVE(int)[][] := AggSum([], (ALL_OF_IT ^= TOTAL(int)[][]) * ROWS(int)[][P, V] * {V * 4 > ALL_OF_IT} * P);
   SAME(int)[][] := AggSum([], DOMAIN(TIMES(int)[][P]));
   HOW_OFTEN(int)[][N] := AggSum([N], (N ^= TIMES(int)[][P]));
}
ON - BIDS(B_P, B_V) {
   PRICES(int)[][] += (N ^= (TIMES(int)[][B_P] - 1)) * {N = 0} * -1;
   TIMES(int)[][B_P] += -1;
   TOTAL(int)[][] += -B_V;
   ROWS(int)[][B_P, B_V] += -1;
   ABOVE(int)[][] := AggSum([], (ALL_OF_IT ^= TOTAL(int)[][]) * ROWS(int)[][P, V] * {V * 4 > ALL_OF_IT} * P);
   SAME(int)[][] := AggSum([], DOMAIN(TIMES(int)[][P]));
   HOW_OFTEN(int)[][N] := AggSum([N], (N ^= TIMES(int)[][P]));
}
"""


def test_payloads_are_lifted_and_asked_for() -> None:
    """A record that is not there has the payload 0: the first bid of a price counts, and so does the last."""
    four = FourWay(NESTED_SQL, name="nested_m3", program=read_program(NESTED))
    exercise(four, seed=3)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("stock", "WORTH (2 rows)\n  SITE   WORTH\n ──────────────\n  AMS       50\n  BER      320\n"),
        ("ratings", "best (3 rows)\n  dish    guests   mean\n ───────────────────────\n  cake         1    5.0\n"),
    ],
)
def test_the_examples_run_on_the_files_beside_them(name: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", str(EXAMPLES / f"{name}.m3"), "--debug"]) == 0
    assert capsys.readouterr().out.startswith(answer)


# -- DBToaster's spelling ----------------------------------------------------------------------------------------------

TABLES = "CREATE STREAM R (A int, B int, T string, D date, X double);\n"
ALL = "R(A, B, T, D, X)"


def read(text: str) -> Program:
    program = read_program(text)
    check_program(program)
    assert read_program(print_program(program)) == program
    return program


def expression(text: str) -> Program:
    """A program with a map defined by the expression, which is summed up onto A."""
    return read(f"{TABLES}DECLARE MAP M(total: long)[][A: int] := total: AggSum([A], {ALL} * {text});")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("B", "[B]"),
        ("3", "[3L]"),
        ("-3", "[-3L]"),
        ("-B", "([-1L] * [B])"),
        ("(B + 1)", "([B] + [1L])"),
        ("(B - A)", "([B] + [-1L] * [A])"),
        ("B * A", "[B] * [A]"),
        ("{B}", "[B]"),
        ("{B * 2L}", "[B * 2L]"),
        ("{B < A}", "{B < A}"),
        ("{T = 'x'}", "{T = 'x'}"),
        ("{D >= DATE('1997-09-01')}", "{D >= DATE '1997-09-01'}"),
        ("(C ^= B) * C", "(C := [B]) * [C]"),
        ("(C ^= 0) * C", "(C := [0L]) * [C]"),
        ("(B ^= 0)", "{B = 0L}"),
        ("(B ^= A)", "{B = A}"),
        ("(B:int ^= A:int)", "{B = A}"),
        ("[listmax:int](A, B)", "[GREATEST(A, B)]"),
        ("Exists(R(A, B, T, D, X))", "Exists(R(A, B, T, D, X))"),
        ("DOMAIN(R(A, B, T, D, X))", "Exists(R(A, B, T, D, X))"),
        ("AggSum([A:int], R(A:int, B2:int, T2:string, D2:date, X2:float))", "AggSum([A], R(A, B2, T2, D2, X2))"),
    ],
)
def test_their_expressions_are_ours(theirs: str, ours: str) -> None:
    assert expression(theirs) == expression(ours)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("CREATE STREAM S(A int, B float, C char(10), D varchar(5), E varchar);",
         "CREATE STREAM S (A int, B double, C string, D string, E string);"),
        ("CREATE STREAM S(A int, B int) FROM FILE 's' LINE DELIMITED CSV(fields := '|', schema := 'int,int');",
         "CREATE STREAM S (A int, B int) FROM FILE 's' LINE DELIMITED CSV (delimiter := '|');"),
        (f"DECLARE MAP M(int)[][A] := AggSum([A], {ALL});",
         f"DECLARE MAP M(value: long)[][A: int] := value: AggSum([A], {ALL});"),
        (f"DECLARE MAP M[][] := AggSum([], {ALL} * X);",
         f"DECLARE MAP M(value: double)[][] := value: AggSum([], {ALL} * [X]);"),
        (f"DECLARE MAP M(int)[][A, B] := AggSum([A, B], {ALL}); DECLARE QUERY Q := M(int)[][G, H];",
         f"DECLARE MAP M(value: long)[][A: int, B: int] := value: AggSum([A, B], {ALL});"
         "DECLARE QUERY Q GROUPS OF M (G := A, H := B, Q := value);"),
        (f"DECLARE MAP M(int)[][] := AggSum([], {ALL}); DECLARE QUERY M := M[][];",
         f"DECLARE MAP M(value: long)[][] := value: AggSum([], {ALL}); DECLARE QUERY M SINGLE OF M (M := value);"),
        (f"DECLARE MAP M(int)[][A] := AggSum([A], {ALL});"
         f"DECLARE MAP N(int)[][A] := AggSum([A], DELTA {ALL}); ON BATCH UPDATE OF R {{"
         f" N(int)[][A] := AggSum([A], (DELTA R)(A, B, T, D, X)); M(int)[][A] += N(int)[][A]; }} ON SYSTEM READY {{ }}",
         f"DECLARE MAP M(value: long)[][A: int] := value: AggSum([A], {ALL}); ON BATCH UPDATE OF R {{"
         "DECLARE LOCAL MAP N(value: long)[][A: int] := value: AggSum([A], (DELTA R)(A, B, T, D, X));"
         " N.value[][A] := AggSum([A], (DELTA R)(A, B, T, D, X)); M.value[][A] += N.value[][A]; }"),
    ],
)  # fmt: skip
def test_their_declarations_are_ours(theirs: str, ours: str) -> None:
    assert read(TABLES + theirs) == read(TABLES + ours)


MAP = f"DECLARE MAP M(int)[][A] := AggSum([A], {ALL});\n"
ON = "ON + R(A, B, T, D, X) { "


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        (f"DECLARE MAP N(int)[X:float][A] := AggSum([A], {ALL});", "input variables", 20),
        (f"DECLARE MAP N(float)[][A] := AggSum([A], {ALL} * X);", "double slot but no count", 13),
        ("DECLARE MAP N(int)[][C] := 1;", "nothing gives key C a type", 22),
        ("DECLARE QUERY Q := (M(int)[][A] * 2);", "a query is one map here", 20),
        ("DECLARE QUERY Q := M(int)[][A] * 2;", "a query is one map here", 32),
        ("DECLARE QUERY Q := M(string)[][A];", "map M holds long, not string", 22),
        ("CREATE STREAM S(A int) FROM SOCKET 5000 LINE DELIMITED CSV;", "a socket is not read", 29),
        ("CREATE STREAM S(A int) FROM FILE 's' FIXEDWIDTH 8 CSV;", "records are lines", 38),
        ("CREATE STREAM S(A int) FROM FILE 's' LINE DELIMITED CSV(eventtype := 'delete');", "is not supported", 57),
        ("CREATE STREAM S(A int) FROM FILE 's' LINE DELIMITED CSV(schema := 'int,int');", "other columns", 57),
        ("ON SYSTEM READY { M(int)[][A] := 1; }", "no statements here", 19),
        (ON + "M(int)[][A] += [/:float](B); }", "not known to mean the same", 41),
        (ON + "M(int)[][A] += (T ^= 5) * 1; }", "does not apply", 41),
        (ON + "M(int)[][A] += {T:int = 5}; }", "T is of type string here, not int", 41),
        (ON + "M(int)[][A] += M(int)[][A:date]; }", "A is of type int here, not date", 49),
        (ON + "M(int)[][C] += 1; }", "key C is not bound", 25),
        (ON + "M(int)[][A] += 1; M(int)[][A] += M(int)[][A]; }", "needs the old state", 43),
        (ON + f"M(int)[][A] += {ALL}; }}", "which no engine stores", 25),
        (ON + "M(int)[][A] += (C ^= AggSum([], M(int)[][Z])) * C; }", "adds up inside a lift", 25),
        (ON + "M(int)[][A] += Exists(AggSum([A], M(int)[][A] * B)); }", "asks whether a sum is there", 25),
    ],
)
def test_what_would_mean_something_else_is_refused_where_it_stands(text: str, message: str, column: int) -> None:
    job = driver.Job(f"{TABLES}{MAP}{text}", "q", "q.m3")
    with pytest.raises(M3Error) as caught:
        driver.run(job, "plan")
    error = caught.value
    assert message in error.message and error.hint
    assert error.span is not None and (error.span.line, error.span.column) == (3, column), str(error)
    assert str(error).startswith(f"q.m3:3:{column}: ")
