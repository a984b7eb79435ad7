"""The text form of small programs, word for word, and what the reader says about wrong ones."""

from __future__ import annotations

from decimal import Decimal

import pytest

from toastergen.errors import M3Error
from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus.agca import Lift, MapRef, Rel, Value
from toastergen.frontend.check import check_program
from toastergen.frontend.m3 import Column, Relation, Statement
from toastergen.frontend.m3_text import (
    Scope,
    print_expr,
    print_program,
    print_scalar,
    print_statement,
    read_expr,
    read_program,
    read_scalar,
)
from toastergen.frontend.scalar import Const, Var
from toastergen.frontend.types import BOOL, DOUBLE, INT, LONG, STRING, Type, decimal

GOLDEN = r'''CREATE STREAM orders (o_orderkey int, o_custkey int, o_price decimal(15,2), PRIMARY KEY (o_orderkey)) FROM FILE 'orders.csv' LINE DELIMITED CSV (delimiter := '|');
CREATE TABLE "order ""items""" ("and" date, "\u00e9\n" string);

DECLARE MAP by_customer(count: long, total: decimal(38,2))[][o_custkey: int] :=
    count: AggSum([o_custkey], orders(o_orderkey, o_custkey, o_price)),
    total: AggSum([o_custkey], orders(o_orderkey, o_custkey, o_price) * [o_price]);

DECLARE QUERY q GROUPS OF by_customer (customer := o_custkey, mean := CAST(total AS double) / CAST(count AS double));

ON + orders (o_orderkey, o_custkey, o_price) {
    by_customer.count[][o_custkey] += [1L];
    by_customer.total[][o_custkey] += [o_price];
}

ON BATCH UPDATE OF orders {
    DECLARE LOCAL MAP changed(count: long)[][o_custkey: int] :=
        count: AggSum([o_custkey], (DELTA orders)(o_orderkey, o_custkey, o_price));
    changed.count[][o_custkey] := AggSum([o_custkey], (DELTA orders)(o_orderkey, o_custkey, o_price));
    by_customer.count[][o_custkey] += changed.count[][o_custkey];
    by_customer.total[][o_custkey] += AggSum([o_custkey], (DELTA orders)(o_orderkey, o_custkey, o_price) * [o_price]);
}
'''  # noqa: E501

VARIABLES: dict[str, Type] = {"i": INT, "l": LONG, "d": DOUBLE, "p": decimal(5, 2), "s": STRING, "t": BOOL}


def test_a_program_prints_as_it_was_written() -> None:
    program = read_program(GOLDEN)
    check_program(program)
    assert print_program(program) == GOLDEN


@pytest.mark.parametrize(
    "text",
    [
        "5",
        "-5L",
        "1.5e0",
        "1e+22",
        "1.50",
        "-0.05",
        "DECIMAL(15,2) '1.50'",
        "DECIMAL(3,0) '150'",
        "DOUBLE 'inf'",
        "DATE '1998-01-01'",
        "'it''s \\n \\u00e9 \\U0001f600 \\\\'",
        "NULL::decimal(5,2)",
        "l + l * l - (l - l)",
        "(l + l) * -1L",
        "l % (l * l)",
        "t AND (t OR t) AND NOT (l = l)",
        "(t AND t) OR t",
        "t OR (t OR t)",
        "(t = t) = t",
        "AND()",
        "OR(t)",
        "i IN (1, 2)",
        "s LIKE 'a%' ESCAPE '!'",
        "CASE WHEN t THEN 1 ELSE 0 END",
        "CAST(i AS long) + l",
        "(i + i)::long",
        "unknown::date",
    ],
)
def test_scalars_print_as_they_were_written(text: str) -> None:
    plain = text.replace("(t AND t) OR t", "t AND t OR t")
    assert print_scalar(read_scalar(text, Scope(vars=VARIABLES)), VARIABLES) == plain


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("5", Const(5, INT)),
        ("5000000000", Const(5000000000, LONG)),
        ("1.50", Const(Decimal("1.50"), decimal(3, 2))),
        ("15e-1", Const(1.5, DOUBLE)),
        ("i < 5L", sc.Compare("<", sc.Cast(Var("i", INT), LONG), Const(5, LONG))),
        ("l + 1", sc.Arith("+", Var("l", LONG), Const(1, LONG), LONG)),
        ("(i + i)::long", sc.Arith("+", Var("i", INT), Var("i", INT), LONG)),
        ("p * p", sc.Arith("*", Var("p", decimal(5, 2)), Var("p", decimal(5, 2)), decimal(10, 4))),
    ],
)
def test_literals_and_operators_get_their_types(text: str, node: sc.Scalar) -> None:
    found = read_scalar(text, Scope(vars=VARIABLES))
    assert found == node and sc.type_of(found) == sc.type_of(node)


SCHEMA = "CREATE STREAM R (A int, B int); DECLARE MAP M(long)[][A: int] := AggSum([A], R(A, B));"


@pytest.mark.parametrize("reference", ["M.value[][A]", "M[][A]", "M(long)[][A]"])
def test_maps_of_one_slot_need_not_name_it(reference: str) -> None:
    program = read_program(f"{SCHEMA} ON + R(A, B) {{ {reference} += {reference}; }} ON SYSTEM READY {{ }}")
    keys = (Var("A", INT),)
    expected = Statement("M", "value", keys, "+=", MapRef("M", "value", keys))
    assert program.triggers[0].statements == (expected,)


def test_variables_take_the_type_of_their_place() -> None:
    scope = Scope.of(read_program(SCHEMA))
    lift = read_expr("(n := M[][A])", scope)
    assert lift == Lift(Var("n", LONG), MapRef("M", "value", (Var("A", INT),)))
    odd = Rel("R", (Var("A", LONG), Var("A", INT)))
    assert print_expr(odd, scope) == "R(A::long, A::int)"
    assert read_expr("R(A::long, A::int)", scope) == odd
    assert print_expr(odd) == "R(A, A)"


def test_hostile_names_stay_on_one_line() -> None:
    statement = Statement('m\n"', "*/", (Var("a\\", INT),), "+=", Value(Const("//\r\n\u2028\\", STRING)))
    name = r'"m\n"""'
    expected = name + r"""."*/"[]["a\\"] += ['//\r\n\u2028\\'];"""
    assert print_statement(statement) == expected


def test_comments_and_case_do_not_matter() -> None:
    program = read_program("-- first\ncreate stream r (a INT) from file 'x' line delimited csv; -- last")
    assert program.relations[0].columns == (Column("a", INT),)
    assert isinstance(program.relations[0], Relation) and program.relations[0].source is not None


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("CREATE VIEW x;", "expected STREAM, TABLE or DERIVED", 8),
        ("CREATE STREAM r (a integer);", "integer is not a type", 20),
        ("CREATE STREAM r (a decimal(39,2));", "is not a type", 20),
        ("CREATE STREAM and (a int);", "expected a relation name", 15),
        ("CREATE STREAM r (a int", "found the end of the text", 23),
        ("CREATE STREAM r (a int) FROM FILE 'x", "a quoted text does not end", 35),
        ('CREATE STREAM "\\q" (a int);', "unknown escape", 15),
        ("CREATE STREAM r (a int)!", "unexpected character", 24),
        ("DECLARE MAP m(long)[][] := r(a);", "relation r is not declared", 28),
        ("DECLARE MAP m(a: long, b: long)[][] := a: [1L];", "does not define slot b", 13),
        ("DECLARE MAP m(a: long, b: long)[][] := a: [1L], a: [1L];", "not an undefined slot", 49),
        ("DECLARE MAP m(long)[][] := [x];", "variable x is not bound here", 29),
        ("DECLARE MAP m(long)[][] := ['a' + 1];", "operator + does not apply", 33),
        ("DECLARE MAP m(long)[][] := {1 AND TRUE};", "AND needs a condition", 29),
        ("DECLARE MAP m(long)[][] := {'a' = 1};", "does not apply", 33),
        ("DECLARE MAP m(long)[][] := [DATE '1998-02-30'];", "is not a literal of type date", 29),
        ("DECLARE MAP m(long)[][] := AggSum([x], [1L]);", "nothing gives variable x a type", 36),
        ("DECLARE MAP m(long)[][] := [(TRUE)::bool];", "'::' names the type", 35),
        ("DECLARE MAP m(long)[][] := [1L]; DECLARE QUERY q ALL OF m ();", "expected GROUPS", 50),
        ("DECLARE QUERY q BAG OF m ();", "map m is not declared", 24),
        ("ON + r () { }", "relation r is not declared", 6),
        (SCHEMA + "ON + R(A) { }", "has 2 columns, 1 are written", len(SCHEMA) + 6),
        (SCHEMA + "ON + R(A, B) { M[A][] += [1L]; }", "input variables", len(SCHEMA) + 18),
        (SCHEMA + "ON + R(A, B) { M[][] += [1L]; }", "map M has 1 keys", len(SCHEMA) + 16),
        (SCHEMA + "ON + R(A, B) { M[][A] -= [1L]; }", "expected '+=' or ':='", len(SCHEMA) + 23),
        (SCHEMA + "ON + R(A, B) { M[][A] += R(A); }", "has 2 columns, 1 are", len(SCHEMA) + 26),
        (SCHEMA + "ON SYSTEM READY { M[][A] += [1L]; }", "ON SYSTEM READY", len(SCHEMA) + 19),
    ],
)
def test_errors_say_where_and_what_next(text: str, message: str, column: int) -> None:
    with pytest.raises(M3Error) as caught:
        read_program(text, "q.m3")
    error = caught.value
    assert message in error.message and error.hint
    assert error.span is not None and (error.span.line, error.span.column) == (1, column)
    assert str(error).startswith(f"q.m3:1:{column}: ")
