"""Every rule of a legal program, broken once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from toastergen.errors import M3Error
from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus.agca import Add, Cond, Lift, MapRef, Product, Rel, Value
from toastergen.frontend.check import check_program, payload_type
from toastergen.frontend.m3 import Column, Map, Program, Relation, Slot, Statement, View
from toastergen.frontend.m3_text import Scope, read_expr, read_program
from toastergen.frontend.scalar import Const, Var
from toastergen.frontend.types import DATE, DOUBLE, INT, LONG, STRING, Type, decimal

BASE = """
CREATE STREAM r (a int, p decimal(8,2));
CREATE STREAM s (a int, x double, t string);
DECLARE MAP m(count: long, total: decimal(38,2))[][a: int] :=
    count: AggSum([a], r(a, p)), total: AggSum([a], r(a, p) * [p]);
DECLARE MAP n(count: long, level: double)[][a: int] :=
    count: AggSum([a], s(a, x, t)), level: AggSum([a], s(a, x, t) * [x]);
DECLARE MAP all_rows(count: long)[][] := count: AggSum([], r(a, p));
DECLARE QUERY q GROUPS OF m (a := a, mean := total / count);
DECLARE QUERY everything SINGLE OF all_rows (n := count);
"""

INSERT_OK = "ON + r (a, p) { m.count[][a] += [1L]; m.total[][a] += [p]; all_rows.count[][] += [1L]; }"
BATCH_OK = """ON BATCH UPDATE OF r {
    DECLARE LOCAL MAP d(count: long)[][a: int] := count: AggSum([a], (DELTA r)(a, p));
    d.count[][a] := AggSum([a], (DELTA r)(a, p));
    m.count[][a] += d.count[][a];
    all_rows.count[][] := AggSum([], m.count[][a]);
}"""


def refused(program: Program | str) -> str:
    """The message of the check, which must also say what to do."""
    with pytest.raises(M3Error) as caught:
        check_program(read_program(program) if isinstance(program, str) else program)
    assert caught.value.hint
    return caught.value.message


def base() -> Program:
    return read_program(BASE + INSERT_OK)


def with_map(item: Map) -> Program:
    return replace(base(), maps=(*base().maps, item))


@pytest.mark.parametrize("trigger", ["", INSERT_OK, BATCH_OK])
def test_legal_programs_pass(trigger: str) -> None:
    check_program(read_program(BASE + trigger))


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("ON + r (a, p) { m.count[][b] += [1L]; }", "key b is not bound"),
        ("ON + r (a, a) { }", "variable a is"),
        ("ON + s (a, x, t) { m.nothing[][a] += [1L]; }", "no slot nothing"),
        ("ON + s (a, x, t) { m.count[][a] += m.other[][a]; }", "no slot other"),
        ("ON + s (a, x, t) { m.count[][a] += s(a, x, t); }", "no engine stores"),
        ("ON + r (a, p) { m.count[][a] += (DELTA r)(a, p); }", "changes of r are not known"),
        ("ON BATCH UPDATE OF s { m.count[][a] += AggSum([a], (DELTA r)(a, p)); }", "changes of r are not"),
        ("ON BATCH UPDATE OF r (a, p) { m.count[][a] += [1L]; }", "a batch has no parameters"),
        ("ON + r (a, p) { m.total[][a] += [1L]; }", "the slot is decimal(38,2), the expression long"),
        ("ON + s (a, x, t) { m.total[][a] += [CAST(x AS decimal(9,3))]; }", "the expression decimal(9,3)"),
        ("ON + s (a, x, t) { m.count[][a] += [x]; }", "the expression double"),
        ("ON + s (a, x, t) { m.count[][a] += [t]; }", "the expression string"),
        ("ON + s (a, x, t) { m.count[][a] += {y::int = a}; }", "y is used before it is bound"),
        ("ON + s (a, x, t) { m.count[][a] += {a::long = 1L}; }", "variable a is int, not long"),
        ("ON + s (a, x, t) { m.count[][a] += {t LIKE 'x!' ESCAPE '!'}; }", "ends in its escape"),
        ("ON + s (a, x, t) { m.count[][a] += [a]; } ON + s (a, x, t) { }", "declared twice"),
        ("ON + s (a, x, t) { m.count[][a] += [NULL::long]; }", "a payload can be NULL"),
        ("ON + s (a, x, t) { m.count[][a] += AggSum([a, z::int], [1L]); }", "keeps variable z"),
        ("ON + s (a, x, t) { m.count[][a] += AggSum([a, a], [1L]); }", "names a key twice"),
        ("ON + s (b, x, t) { m.count[][a] += m.count[][a] + n.count[][b]; }", "only some terms of a sum"),
        ("ON + s (a, x, t) { m.count[][a] += (y::string := [a]) * [1L]; }", "y is string, its value is int"),
        ("ON + s (a, x, t) { m.count[][a] += [1L]; n.count[][a] += m.count[][a]; }", "needs the old state"),
        (
            "ON + s (a, x, t) { all_rows.count[][] := AggSum([], m.count[][b]); m.count[][a] += [1L]; }",
            "needs the new state",
        ),
        (BATCH_OK.replace("d.count[][a] := AggSum([a], (DELTA r)(a, p));", ""), "read before it is filled"),
        (
            "ON BATCH UPDATE OF r { DECLARE LOCAL MAP m(count: long)[][] := count: [1L]; }",
            "map m is declared twice",
        ),
        (
            """ON BATCH UPDATE OF r { DECLARE LOCAL MAP d(count: long)[][a: int] := count: (DELTA r)(a, p);
            m.count[][a] += AggSum([a], (DELTA r)(a, p)); d.count[][a] := m.count[][a]; }""",
            "after the map's update",
        ),
    ],
)
def test_illegal_triggers(trigger: str, message: str) -> None:
    assert message in refused(BASE + trigger)


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("CREATE STREAM r (a int);", "relation r is declared twice"),
        ("CREATE STREAM u (a int, a int);", "declared twice"),
        ("CREATE STREAM u (a int, PRIMARY KEY (b));", "names b, which is no column"),
        ("DECLARE MAP m(long)[][] := [1L];", "map m is declared twice"),
        ("DECLARE MAP u(a: long)[][a: int] := a: r(a, p);", "a is declared twice"),
        ("DECLARE MAP u()[][a: int];", "has no slot"),
        ("DECLARE MAP u(count: double)[][] := count: AggSum([], s(a, x, t) * [x]);", "cannot be double"),
        ("DECLARE MAP u(name: string)[][] := name: ['x'];", "cannot be string"),
        ("DECLARE MAP u(v: double)[][a: int] := v: AggSum([a], s(a, x, t) * [x]);", "double slot but no count"),
        ("DECLARE MAP u(count: long)[][b: int] := count: AggSum([a], r(a, p));", "key b: int is not bound"),
        ("DECLARE MAP u(count: long)[][a: long] := count: AggSum([a], r(a, p));", "key a: long is not bound"),
        ("DECLARE MAP u(count: long)[][a: int] := count: m.count[][a];", "a definition reads map m"),
        ("DECLARE MAP u(count: long)[][a: int] := count: (DELTA r)(a, p);", "changes of r are not known"),
        (
            "DECLARE MAP u(count: long)[][a: int] := count: r(a, p) * s(a, p, t);",
            "variable p is decimal(8,2)",
        ),
        ("DECLARE QUERY q SINGLE OF all_rows (n := count);", "view q is declared twice"),
        ("DECLARE QUERY v SINGLE OF m (n := count);", "which has keys"),
        ("DECLARE QUERY v GROUPS OF all_rows (n := zz::int);", "zz is used before it is bound"),
        (
            "DECLARE MAP u(v: long)[][a: int] := v: r(a, p); DECLARE QUERY w BAG OF u (a := a);",
            "has no count",
        ),
    ],
)
def test_illegal_declarations(declaration: str, message: str) -> None:
    assert message in refused(BASE + declaration)


def slot_with(expr: Value | Rel | Product | Lift | Add | MapRef) -> Map:
    return Map("u", (), (Slot("count", LONG, expr),))


A, P = Var("a", INT), Var("p", decimal(8, 2))


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (slot_with(Rel("nowhere", (A,))), "relation nowhere is not declared"),
        (slot_with(Rel("r", (A,))), "relation r has 2 columns, 1 variables"),
        (slot_with(Rel("r", (Var("a", LONG), P))), "variable a is long where relation r has int"),
        (slot_with(Value(sc.Arith("+", sc.Const(1, INT), sc.ONE, LONG))), "int + long does not give long"),
        (slot_with(Value(sc.Cast(sc.TRUE, DATE))), "bool cannot be cast"),
        (slot_with(Value(sc.Compare("=", sc.ONE, sc.Const(1.0, DOUBLE)))), "types double and long meet"),
        (slot_with(Value(sc.InList(sc.ONE, (sc.Const("x", STRING),)))), "types long and string meet"),
        (slot_with(Value(sc.Not(sc.ONE))), "AND, OR and NOT take conditions"),
        (slot_with(Value(sc.Case(((sc.ONE, sc.ONE),), sc.ONE))), "WHEN takes a condition"),
        (slot_with(Value(sc.Like(sc.ONE, "x"))), "LIKE takes a string"),
        (slot_with(Value(sc.Like(sc.Const("x", STRING), "x", "ab"))), "ESCAPE takes one character"),
    ],
)
def test_nodes_no_text_can_write(item: Map, message: str) -> None:
    assert message in refused(with_map(item))


def test_conditions_are_bool() -> None:
    program = base()
    statement = Statement("m", "count", (A,), "+=", Cond(Const(1, LONG)))
    trigger = replace(program.triggers[0], statements=(statement,))
    assert "a condition must be a bool" in refused(replace(program, triggers=(trigger,)))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("relation", "nowhere", "the relation is not declared"),
        ("event", "update", "unknown event"),
        ("params", (A,), "2 columns, 1 variables"),
        ("statements", (Statement("zz", "count", (), "+=", Value(sc.ONE)),), "map zz is not declared"),
        ("statements", (Statement("m", "count", (A,), "-=", Value(sc.ONE)),), "unknown operator"),
        (
            "statements",
            (Statement("m", "count", (A,), "+=", MapRef("zz", "count", ())),),
            "zz is not declared",
        ),
        ("statements", (Statement("m", "count", (), "+=", Value(sc.ONE)),), "map m has 1 columns"),
    ],
)
def test_broken_trigger_nodes(field: str, value: Any, message: str) -> None:
    program = base()
    broken = replace(program.triggers[0], **{field: value})
    assert message in refused(replace(program, triggers=(broken,)))


def test_unknown_kinds_and_shapes() -> None:
    program = base()
    assert "unknown kind" in refused(replace(program, relations=(Relation("r", (Column("a", INT),), "pipe"),)))
    assert "unknown shape" in refused(replace(program, views=(View("v", "m", "pile", ()),)))
    assert "map zz is not declared" in refused(replace(program, views=(View("v", "zz", "bag", ()),)))


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("r(a, p)", LONG),
        ("r(a, p) * [p]", decimal(8, 2)),
        ("r(a, p) * [p] * [p]", decimal(16, 4)),
        ("AggSum([a], r(a, p) * [p])", decimal(38, 2)),
        ("r(a, p) * [p] * [1.5e0]", DOUBLE),
        ("Exists(r(a, p) * [p])", LONG),
        ("m.total[][a] + m.total[][a] * [2L]", decimal(38, 2)),
        ("(y := m.total[][a])", LONG),
        ("[5]", INT),
        ("AggSum([], [5])", LONG),
    ],
)
def test_payload_types(text: str, type_: Type) -> None:
    program = base()
    scope = Scope.of(program)
    assert payload_type(read_expr(text, scope), program) == type_


def test_payloads_that_do_not_mix() -> None:
    with pytest.raises(M3Error):
        payload_type(Add((Value(sc.ONE), Value(sc.Const("x", STRING)))), base())
    with pytest.raises(M3Error):
        payload_type(MapRef("nowhere", "count", ()), base())
