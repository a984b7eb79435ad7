"""The interpreters agree with each other on hand-written programs, and with SQL's rules on scalars."""

from __future__ import annotations

import datetime
import random
from decimal import Decimal

import pytest

from toastergen.errors import DataError, EngineError
from toastergen.frontend import scalar as sc
from toastergen.frontend.check import check_program
from toastergen.frontend.interpret import AgcaOracle, Interpreter
from toastergen.frontend.interpret import agca as agca_interpreter
from toastergen.frontend.interpret.scalars import evaluate
from toastergen.frontend.m3 import Program
from toastergen.frontend.m3_text import Scope, read_expr, read_program, read_scalar
from toastergen.frontend.types import BOOL, DOUBLE, LONG, STRING, Type, decimal

THREE_WAY = """
CREATE STREAM r (a int, b int);
CREATE STREAM s (b int, c int);
CREATE STREAM t (c int, d decimal(8,2));

DECLARE MAP q(count: long, total: decimal(38,2))[][a: int] :=
    count: AggSum([a], r(a, b) * s(b, c) * t(c, d)),
    total: AggSum([a], r(a, b) * s(b, c) * t(c, d) * [d]);
DECLARE MAP m_st(count: long, total: decimal(38,2))[][b: int] :=
    count: AggSum([b], s(b, c) * t(c, d)),
    total: AggSum([b], s(b, c) * t(c, d) * [d]);
DECLARE MAP m_rs(count: long)[][a: int, c: int] := count: AggSum([a, c], r(a, b) * s(b, c));
DECLARE MAP m_r(count: long)[][a: int, b: int] := count: r(a, b);
DECLARE MAP m_s(count: long)[][b: int, c: int] := count: s(b, c);
DECLARE MAP m_t(count: long, total: decimal(38,2))[][c: int] :=
    count: AggSum([c], t(c, d)),
    total: AggSum([c], t(c, d) * [d]);

DECLARE QUERY answer GROUPS OF q (a := a, n := count, total := total, mean := total / count);
DECLARE QUERY pairs BAG OF m_r (a := a, b := b);

ON + r (x, y) {
    q.count[][x] += m_st.count[][y];
    q.total[][x] += m_st.total[][y];
    m_rs.count[][x, c] += m_s.count[][y, c];
    m_r.count[][x, y] += [1L];
}
ON - r (x, y) {
    q.count[][x] += [-1L] * m_st.count[][y];
    q.total[][x] += [-1L] * m_st.total[][y];
    m_rs.count[][x, c] += [-1L] * m_s.count[][y, c];
    m_r.count[][x, y] += [-1L];
}
ON + s (y, z) {
    q.count[][a] += m_r.count[][a, y] * m_t.count[][z];
    q.total[][a] += m_r.count[][a, y] * m_t.total[][z];
    m_st.count[][y] += m_t.count[][z];
    m_st.total[][y] += m_t.total[][z];
    m_rs.count[][a, z] += m_r.count[][a, y];
    m_s.count[][y, z] += [1L];
}
ON - s (y, z) {
    q.count[][a] += [-1L] * m_r.count[][a, y] * m_t.count[][z];
    q.total[][a] += [-1L] * m_r.count[][a, y] * m_t.total[][z];
    m_st.count[][y] += [-1L] * m_t.count[][z];
    m_st.total[][y] += [-1L] * m_t.total[][z];
    m_rs.count[][a, z] += [-1L] * m_r.count[][a, y];
    m_s.count[][y, z] += [-1L];
}
ON + t (z, w) {
    q.count[][a] += m_rs.count[][a, z];
    q.total[][a] += m_rs.count[][a, z] * [w];
    m_st.count[][b] += m_s.count[][b, z];
    m_st.total[][b] += m_s.count[][b, z] * [w];
    m_t.count[][z] += [1L];
    m_t.total[][z] += [w];
}
ON - t (z, w) {
    q.count[][a] += [-1L] * m_rs.count[][a, z];
    q.total[][a] += [-1L] * m_rs.count[][a, z] * [w];
    m_st.count[][b] += [-1L] * m_s.count[][b, z];
    m_st.total[][b] += [-1L] * m_s.count[][b, z] * [w];
    m_t.count[][z] += [-1L];
    m_t.total[][z] += [-1L] * [w];
}
"""

SELF_JOIN = """
CREATE STREAM e (a int, b int, v double);
DECLARE MAP paths(count: long, weight: double)[][] :=
    count: AggSum([], e(a, b, v) * e(b, c, w)),
    weight: AggSum([], e(a, b, v) * e(b, c, w) * [v] * [w]);
DECLARE MAP out_of(count: long, weight: double)[][b: int] :=
    count: AggSum([b], e(b, c, w)),
    weight: AggSum([b], e(b, c, w) * [w]);
DECLARE MAP into(count: long, weight: double)[][b: int] :=
    count: AggSum([b], e(a, b, v)),
    weight: AggSum([b], e(a, b, v) * [v]);
DECLARE QUERY answer SINGLE OF paths
    (n := count, weight := CASE WHEN count = 0 THEN NULL::double ELSE weight END);
ON + e (x, y, u) {
    paths.count[][] += out_of.count[][y] + into.count[][x] + {x = y};
    paths.weight[][] += out_of.weight[][y] * [u] + into.weight[][x] * [u] + {x = y} * [u] * [u];
    out_of.count[][x] += [1L];
    out_of.weight[][x] += [u];
    into.count[][y] += [1L];
    into.weight[][y] += [u];
}
ON - e (x, y, u) {
    paths.count[][] += [-1L] * (out_of.count[][y] + into.count[][x]) + {x = y};
    paths.weight[][] += [-1L] * (out_of.weight[][y] * [u] + into.weight[][x] * [u]) + {x = y} * [u] * [u];
    out_of.count[][x] += [-1L];
    out_of.weight[][x] += [-1L] * [u];
    into.count[][y] += [-1L];
    into.weight[][y] += [-1L] * [u];
}
ON BATCH UPDATE OF e {
    DECLARE LOCAL MAP d_out(count: long, weight: double)[][b: int] :=
        count: AggSum([b], (DELTA e)(b, c, w)),
        weight: AggSum([b], (DELTA e)(b, c, w) * [w]);
    DECLARE LOCAL MAP d_in(count: long, weight: double)[][b: int] :=
        count: AggSum([b], (DELTA e)(a, b, v)),
        weight: AggSum([b], (DELTA e)(a, b, v) * [v]);
    d_out.count[][b] := AggSum([b], (DELTA e)(b, c, w));
    d_out.weight[][b] := AggSum([b], (DELTA e)(b, c, w) * [w]);
    d_in.count[][b] := AggSum([b], (DELTA e)(a, b, v));
    d_in.weight[][b] := AggSum([b], (DELTA e)(a, b, v) * [v]);
    paths.count[][] += AggSum([], d_in.count[][b] * out_of.count[][b])
        + AggSum([], into.count[][b] * d_out.count[][b]) + AggSum([], d_in.count[][b] * d_out.count[][b]);
    paths.weight[][] += AggSum([], d_in.weight[][b] * out_of.weight[][b])
        + AggSum([], into.weight[][b] * d_out.weight[][b]) + AggSum([], d_in.weight[][b] * d_out.weight[][b]);
    out_of.count[][b] += d_out.count[][b];
    out_of.weight[][b] += d_out.weight[][b];
    into.count[][b] += d_in.count[][b];
    into.weight[][b] += d_in.weight[][b];
}
"""


def load(text: str) -> Program:
    program = read_program(text)
    check_program(program)
    return program


def random_three_way_row(rng: random.Random, relation: str) -> tuple[int | Decimal, ...]:
    if relation == "t":
        return rng.randrange(3), Decimal(rng.randrange(-300, 300)).scaleb(-2)
    return rng.randrange(3), rng.randrange(3)


@pytest.mark.parametrize("seed", range(3))
def test_three_way_join_equals_recomputation_after_every_event(seed: int) -> None:
    program = load(THREE_WAY)
    rng = random.Random(seed)
    oracle, engine = AgcaOracle(program), Interpreter(program)
    live: list[tuple[str, tuple[int | Decimal, ...]]] = []
    for _ in range(40):
        if live and rng.random() < 0.4:
            relation, row = live.pop(rng.randrange(len(live)))
            oracle.apply(relation, row, -1)
            engine.delete(relation, row)
        else:
            relation = rng.choice("rst")
            row = random_three_way_row(rng, relation)
            live.append((relation, row))
            oracle.apply(relation, row, 1)
            engine.insert(relation, row)
        for view in ("answer", "pairs"):
            assert engine.view(view) == oracle.view(view)
    for relation, row in live:
        engine.delete(relation, row)
    assert all(engine.map(item.name) == {} for item in program.maps)


def test_a_group_whose_sum_is_zero_stays() -> None:
    program = load(THREE_WAY)
    engine = Interpreter(program)
    engine.insert("r", (1, 1))
    engine.insert("s", (1, 1))
    engine.insert("t", (1, Decimal("2.50")))
    engine.insert("t", (1, Decimal("-2.50")))
    assert engine.view("answer") == [(1, 2, Decimal("0.00"), 0.0)]


def test_single_row_is_there_from_the_start() -> None:
    program = load(SELF_JOIN)
    assert Interpreter(program).view("answer") == AgcaOracle(program).view("answer") == [(0, None)]


@pytest.mark.parametrize("seed", range(3))
def test_self_join_equals_recomputation_by_rows_and_by_batches(seed: int) -> None:
    program = load(SELF_JOIN)
    rng = random.Random(seed)
    oracle, single, batch = AgcaOracle(program), Interpreter(program), Interpreter(program)
    live: list[tuple[int, int, float]] = []
    for _ in range(8):
        fresh = [(rng.randrange(3), rng.randrange(3), rng.choice([0.1, 0.2, 1e17])) for _ in range(4)]
        gone = [live.pop(rng.randrange(len(live))) for _ in range(min(2, len(live)))]
        # A weight of two, a duplicate, and a row that comes and goes within the batch.
        rows = [*gone, *fresh, fresh[0], fresh[1]]
        weights = [-1] * len(gone) + [2, 1, 1, 1, 1, -1]
        live += [fresh[0], fresh[0], fresh[0], fresh[2], fresh[3]]
        batch.apply("e", rows, weights)
        for row, weight in zip(rows, weights, strict=True):
            oracle.apply("e", row, weight)
            for _ in range(abs(weight)):
                (single.insert if weight > 0 else single.delete)("e", row)
        assert batch.view("answer") == oracle.view("answer") == single.view("answer")
        assert batch.map("into") == single.map("into")


def test_a_count_that_passes_through_zero_keeps_the_other_slots() -> None:
    program = load(
        """CREATE STREAM r (a int);
        DECLARE MAP m(total: long, count: long)[][] :=
            total: AggSum([], r(a) * [a]), count: AggSum([], r(a));
        ON + r (a) { m.total[][] += [a]; m.count[][] += [-1L]; m.count[][] += [2L]; }"""
    )
    engine = Interpreter(program)
    for value in (5, 6):
        engine.insert("r", (value,))
    assert engine.map("m") == {(): {"total": 11, "count": 2}}


def test_a_batch_without_trigger_runs_row_by_row() -> None:
    program = load(THREE_WAY)
    engine = Interpreter(program)
    engine.apply("r", [(1, 1), (2, 1), (1, 1)], [2, 1, -1])
    assert engine.view("pairs") == [(1, 1), (2, 1)]


def test_floating_sums_leave_no_residue() -> None:
    engine = Interpreter(load(SELF_JOIN))
    rows = [(1, 2, 0.1), (1, 2, 1e20), (1, 2, 0.3)]
    engine.apply("e", rows)
    engine.apply("e", rows[:1] + rows[2:], [-1, -1])
    assert engine.map("into") == {(2,): {"count": 1, "weight": 1e20}}
    engine.delete("e", rows[1])
    assert engine.map("into") == {}


@pytest.mark.parametrize("row", [(1,), (1, None), (1, "x"), (1, True), (1, 2**31), (1, Decimal(2)), (1, 2.0)], ids=repr)
def test_a_bad_row_in_a_batch_changes_nothing(row: tuple[sc.PyValue, ...]) -> None:
    engine = Interpreter(load(THREE_WAY))
    with pytest.raises(DataError) as caught:
        engine.apply("r", [(1, 1), row])
    assert caught.value.hint
    assert engine.view("pairs") == []


def test_decimals_must_fit_their_column() -> None:
    engine = Interpreter(load(THREE_WAY))
    for value in (Decimal("0.001"), Decimal("1000000.00"), Decimal("NaN")):
        with pytest.raises(DataError):
            engine.insert("t", (1, value))
    engine.insert("t", (1, Decimal("999999.99")))


# --- expressions ------------------------------------------------------------------------------------------

SCHEMA = read_program("CREATE STREAM r (a int, b int); CREATE STREAM n (s string);")
R: dict[str, dict[tuple[sc.PyValue, ...], int]] = {"r": {(1, 1): 1, (1, 2): 2, (2, 2): -1}}


def rows(text: str, env: dict[str, sc.PyValue] | None = None) -> dict[tuple[sc.PyValue, ...], object]:
    scope = Scope.of(SCHEMA)
    bound = {name: LONG if isinstance(value, int) else STRING for name, value in (env or {}).items()}
    expr = read_expr(text, Scope(scope.relations, {}, bound))
    return dict(agca_interpreter.evaluate(expr, R, env))


def test_products_bind_left_to_right() -> None:
    assert rows("r(a, b) * r(b, c)") == {(1, 1, 1): 1, (1, 1, 2): 2, (1, 2, 2): -2, (2, 2, 2): 1}


def test_a_variable_that_stands_twice_is_an_equality() -> None:
    assert rows("r(a, a)") == {(1,): 1, (2,): -1}


def test_sums_cancel() -> None:
    assert rows("r(a, b) + [-1L] * r(a, b)") == {}


def test_exists_turns_multiplicities_into_one() -> None:
    assert rows("Exists(AggSum([a], r(a, b)))") == {(1,): 1, (2,): 1}


def test_a_lift_of_nothing_binds_zero() -> None:
    assert rows("(x := AggSum([], r(a, b) * {a = 9}))") == {(0,): 1}


def test_a_lift_binds_one_value_per_group() -> None:
    assert rows("(n := AggSum([a], r(a, b)))") == {(1, 3): 1, (2, -1): 1}


def test_a_lift_of_a_bound_variable_is_an_equality() -> None:
    assert rows("r(a, b) * (b := [a])") == {(1, 1): 1, (2, 2): -1}


def test_a_lift_renames_values_of_any_type() -> None:
    assert rows("(x := [p])", {"p": "abc"}) == {("abc",): 1}


def test_outer_bindings_restrict() -> None:
    scope = Scope.of(SCHEMA)
    expr = read_expr("AggSum([], r(a, b) * [b])", Scope(scope.relations, {}, {"a": Type("int")}))
    assert agca_interpreter.evaluate(expr, R, {"a": 1}) == {(): 5}


# --- scalars ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7L % 3L", 1),
        ("-7L % 3L", -1),
        ("7L % -3L", 1),
        ("7L % 0L", None),
        ("1.0e0 / 0.0e0", None),
        ("1 / 4", 0.25),
        ("0.1 + 0.20", Decimal("0.30")),
        ("1.25 * -0.5", Decimal("-0.625")),
        ("CAST(2.5 AS long)", 3),
        ("CAST(-2.5 AS long)", -3),
        ("CAST(1.005e0 AS decimal(5,2))", Decimal("1.00")),
        ("CAST(0.125 AS decimal(5,2))", Decimal("0.13")),
        ("NULL::bool AND FALSE", False),
        ("NULL::bool AND TRUE", None),
        ("NULL::bool OR TRUE", True),
        ("NOT NULL::bool", None),
        ("1 IN (2, 3)", False),
        ("1 IN (2, NULL::int)", None),
        ("1 IN (1, NULL::int)", True),
        ("NULL::int = NULL::int", None),
        ("DOUBLE 'nan' = DOUBLE 'nan'", True),
        ("DOUBLE 'nan' > 1e300", True),
        ("-0.0e0 = 0.0e0", True),
        ("CASE WHEN NULL::bool THEN 1 WHEN TRUE THEN 2 ELSE 3 END", 2),
        ("DATE '1998-01-01' < DATE '1998-01-02'", True),
        ("'a\\nb' LIKE 'a_b'", True),
        ("'\\U0001f600x' LIKE '_x'", True),
        ("'a.b' LIKE 'axb'", False),
        ("'50%' LIKE '%!%' ESCAPE '!'", True),
        ("'505' LIKE '%!%' ESCAPE '!'", False),
        ("'' LIKE '%'", True),
        ("NULL::string LIKE '%'", None),
    ],
)
def test_scalar_rules(text: str, value: sc.PyValue) -> None:
    found = evaluate(read_scalar(text), {})
    assert found == value and type(found) is type(value)


def test_scalars_read_their_variables() -> None:
    scope = Scope(vars={"d": Type("date"), "p": decimal(5, 2)})
    env: dict[str, sc.PyValue] = {"d": datetime.date(1998, 9, 2), "p": Decimal("2.00")}
    assert evaluate(read_scalar("d <= DATE '1998-09-02' AND p * p = 4", scope), env) is True


def test_infinity_has_no_exact_value() -> None:
    with pytest.raises(EngineError):
        evaluate(sc.Cast(sc.Const(float("inf"), DOUBLE), LONG), {})


def test_comparisons_are_bool() -> None:
    assert sc.type_of(read_scalar("1 < 2")) == BOOL
