"""SQL that is maintained, and the resolved form it becomes."""

from __future__ import annotations

from textwrap import dedent

import pytest

from toastergen.frontend.sql import read_script
from toastergen.frontend.sql.show import show_query

SCHEMA = """
CREATE STREAM r (a INT, b BIGINT, p DECIMAL(10,2), d DATE, s VARCHAR, ok BOOLEAN, w DOUBLE);
CREATE TABLE u (a INT, name TEXT);
"""
R = "r(a: int, b: long, p: decimal(10,2), d: date, s: string, ok: bool, w: double)"


def resolved(sql: str) -> str:
    (query,) = read_script(SCHEMA + sql).queries
    return show_query(query)


CONDITIONS = [
    ("a = 1", ["a = 1"]),
    ("a <> 1 AND (b != 2 AND w < 3)", ["a <> 1", "b <> 2L", "w < 3.0e0"]),
    ("a <= 1 OR b > 2 OR a >= 3", ["a <= 1 OR b > 2L OR a >= 3"]),
    ("NOT (a = 1)", ["NOT (a = 1)"]),
    ("NOT NOT ok", ["ok"]),
    ("ok", ["ok"]),
    ("ok IS TRUE", ["ok"]),
    ("ok IS FALSE", ["NOT ok"]),
    ("ok IS NOT TRUE AND a = 1", ["NOT ok", "a = 1"]),
    ("a < 1 IS NOT FALSE", ["a < 1"]),
    ("a < 1 IS FALSE", ["NOT (a < 1)"]),
    ("TRUE", []),
    ("FALSE", ["FALSE"]),
    ("a BETWEEN 1 AND 3", ["a >= 1", "a <= 3"]),
    ("a NOT BETWEEN 1 AND 3", ["NOT (a >= 1 AND a <= 3)"]),
    ("a IN (1, -2, (3))", ["a IN (1, -2, 3)"]),
    ("s NOT IN ('x', 'it''s')", ["NOT (s IN ('x', 'it''s'))"]),
    ("s LIKE 'a%_'", ["s LIKE 'a%_'"]),
    ("s NOT LIKE 'a!%' ESCAPE '!'", ["NOT (s LIKE 'a!%' ESCAPE '!')"]),
    ("d >= '1995-01-01'", ["d >= DATE '1995-01-01'"]),
    ("d IN ('1995-01-01')", ["d IN (DATE '1995-01-01')"]),
    ("d = DATE '1995-01-01'", ["d = DATE '1995-01-01'"]),
    ("d = DATE('1995-01-01')", ["d = DATE '1995-01-01'"]),
    ("d = CAST('1995-01-01' AS DATE)", ["d = DATE '1995-01-01'"]),
    ("d = '1995-01-01'::date", ["d = DATE '1995-01-01'"]),
    ("a = b", ["CAST(a AS long) = b"]),
    ("w > a", ["w > CAST(a AS double)"]),
    ("CASE a WHEN 1 THEN ok ELSE FALSE END", ["CASE WHEN a = 1 THEN ok ELSE FALSE END"]),
    ("(ok)", ["ok"]),
    ('R.A = 1 AND "r"."A" = 2', ["a = 1", "a = 2"]),
]


@pytest.mark.parametrize(("sql", "expected"), CONDITIONS, ids=[sql for sql, _ in CONDITIONS])
def test_conditions(sql: str, expected: list[str]) -> None:
    lines = [f"  where {line}" for line in expected]
    assert resolved(f"SELECT a FROM r WHERE {sql}") == "\n".join(
        ["query q", f"  from {R}", *lines, "  item a = a"]
    )


VALUES = [
    ("1", "1"),
    ("2147483647", "2147483647"),
    ("2147483648", "2147483648L"),
    ("-2147483648", "-2147483648"),
    ("-(-2147483648)", "2147483648L"),
    ("-9223372036854775808", "-9223372036854775808L"),
    ("1.50", "1.50"),
    ("1e3", "1000.0e0"),
    ("a + 1", "CAST(a AS long) + 1L"),
    ("b - b * b", "b - b * b"),
    ("p * 2", "p * DECIMAL(10,0) '2'"),
    ("p + 1.5", "CAST(p AS decimal(11,2)) + DECIMAL(11,2) '1.50'"),
    ("a / 2", "CAST(a AS double) / 2.0e0"),
    ("a % -2", "CAST(a AS long) % -2L"),
    ("-w", "0.0e0 - w"),
    ("+w", "w"),
    ("CAST(w AS INT)", "CAST(w AS int)"),
    ("p::DECIMAL(4)", "CAST(p AS decimal(4,0))"),
    ("a::DECIMAL", "CAST(a AS decimal(18,3))"),
    ("CAST(1.25 AS DECIMAL(3,1))", "DECIMAL(3,1) '1.3'"),
    ("s", "s"),
    ("'x;--'", "'x;--'"),
    (
        "CASE WHEN ok THEN 1 WHEN a = 2 THEN b ELSE 0 END",
        "CASE WHEN ok THEN 1L WHEN a = 2 THEN b ELSE 0L END",
    ),
]


@pytest.mark.parametrize(("sql", "expected"), VALUES, ids=[sql for sql, _ in VALUES])
def test_values(sql: str, expected: str) -> None:
    assert resolved(f"SELECT {sql} AS v FROM r").splitlines()[-1] == f"  item v = {expected}"


QUERIES = {
    "grouped": (
        "SELECT a, SUM(p), COUNT(*), COUNT(s), AVG(w), SUM(p * 2), SUM(w + 1) FROM r GROUP BY a",
        f"""\
        query q
          from {R}
          group by (a)
          let sum_p: decimal(38,2) = sum(p)
          let count: long = count(*)
          let avg_w: double = avg(w)
          let sum_1: decimal(38,2) = sum(p * DECIMAL(10,0) '2')
          let sum_2: double = sum(w + 1.0e0)
          item a = a
          item sum_p = sum_p
          item count = count
          item count_1 = count
          item avg_w = avg_w
          item sum_1 = sum_1
          item sum_2 = sum_2""",
    ),
    "arithmetic over aggregates shares them": (
        "SELECT 100.0 * SUM(w) / SUM(b) AS share, SUM(b) AS total FROM r",
        f"""\
        query q
          from {R}
          group by ()
          let sum_w: double? = sum(w)
          let sum_b: long? = sum(b)
          item share = 100.0e0 * sum_w / CAST(sum_b AS double)
          item total = sum_b""",
    ),
    "division by a group key": (
        "SELECT SUM(w) / a AS x FROM r GROUP BY a",
        f"""\
        query q
          from {R}
          group by (a)
          let sum_w: double = sum(w)
          item x = sum_w / CAST(a AS double)""",
    ),
    "groups without aggregates": (
        "SELECT a FROM r GROUP BY a, a",
        f"""\
        query q
          from {R}
          group by (a)
          item a = a""",
    ),
    "group by position, alias and expression": (
        "SELECT a + 1 AS k, b * 2, p, (a + 1) * COUNT(*) AS n FROM r GROUP BY k, 2, p",
        f"""\
        query q
          from {R}
          group by (CAST(a AS long) + 1L, b * 2L, p)
          let count: long = count(*)
          item k = CAST(a AS long) + 1L
          item col_2 = b * 2L
          item p = p
          item n = (CAST(a AS long) + 1L) * count""",
    ),
    "a column wins over an alias in GROUP BY": (
        "SELECT SUM(w) AS x, b AS k FROM r GROUP BY B",
        f"""\
        query q
          from {R}
          group by (b)
          let sum_w: double = sum(w)
          item x = sum_w
          item k = b""",
    ),
    "join and star": (
        "SELECT x.*, u.name FROM u x JOIN u ON x.a = u.a AND u.name <> 'n' WHERE x.name LIKE 'a%'",
        """\
        query q
          from u(x_a: int, x_name: string) as x
          from u(u_a: int, u_name: string)
          where x_a = u_a
          where u_name <> 'n'
          where x_name LIKE 'a%'
          item a = x_a
          item name = x_name
          item name_1 = u_name""",
    ),
    "comma, cross and inner joins": (
        "SELECT COUNT(*) FROM u x, u AS y CROSS JOIN u z INNER JOIN r ON r.a = x.a",
        """\
        query q
          from u(x_a: int, x_name: string) as x
          from u(y_a: int, y_name: string) as y
          from u(z_a: int, z_name: string) as z
          from r(r_a: int, b: long, p: decimal(10,2), d: date, s: string, ok: bool, w: double)
          where r_a = x_a
          group by ()
          let count: long = count(*)
          item count = count""",
    ),
    "output names keep their spelling and stay unique": (
        "SELECT a AS X, b AS x, a, A, 1, COUNT(*) + 1 FROM r GROUP BY a, b",
        f"""\
        query q
          from {R}
          group by (a, b)
          let count: long = count(*)
          item X = a
          item x_1 = b
          item a = a
          item a_1 = a
          item col_5 = 1
          item col_6 = count + 1L""",
    ),
}


@pytest.mark.parametrize("case", QUERIES)
def test_queries(case: str) -> None:
    sql, expected = QUERIES[case]
    assert resolved(sql) == dedent(expected)


def test_star_lists_every_input_in_order() -> None:
    (query,) = read_script(SCHEMA + "SELECT * FROM u, r").queries
    assert [item.name for item in query.items] == ["a", "name", "a_1", "b", "p", "d", "s", "ok", "w"]


def test_decimal_literals_have_the_digits_they_are_written_with() -> None:
    (query,) = read_script(SCHEMA + "SELECT 0.05 AS x, 1. AS y FROM r").queries
    assert [str(item.value.type) for item in query.items] == ["decimal(3,2)", "decimal(1,0)"]  # type: ignore[union-attr]


def test_long_chains_do_not_need_deep_recursion() -> None:
    conjuncts = " AND ".join(f"a <> {i}" for i in range(2000))
    (query,) = read_script(f"{SCHEMA} SELECT {'+'.join(['b'] * 2000)} AS x FROM r WHERE {conjuncts}").queries
    assert len(query.where) == 2000
