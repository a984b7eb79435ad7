"""Nested SQL as flat queries: which are merged, which are hidden, and what joins them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from toastergen.frontend.m3 import DERIVED
from toastergen.frontend.sql import read_script
from toastergen.frontend.sql.show import show_script

SCHEMA = "CREATE STREAM r (a INT, b BIGINT); CREATE STREAM u (a INT, c INT);"

QUERIES = {
    "a plain subquery is merged": (
        "SELECT x, c FROM (SELECT a + 1 AS x FROM r WHERE b > 2) t, u WHERE u.a = x",
        """\
        query q
          from r(r_a: int, b: long)
          from u(u_a: int, c: int)
          where b > 2L
          where CAST(u_a AS long) = CAST(r_a AS long) + 1L
          item x = CAST(r_a AS long) + 1L
          item c = c""",
    ),
    "a grouped view is read through its derived relation, once": (
        """CREATE VIEW v AS SELECT a, SUM(b) AS t FROM r GROUP BY a;
        SELECT t FROM v; SELECT COUNT(*) AS n FROM v v1, v v2""",
        """\
        derived v(a int, t long) from v
        query v
          from r(a: int, b: long)
          group by (a)
          let sum_b: long = sum(b)
          item a = a
          item t = sum_b
        query q1
          from v(a: int, t: long)
          item t = t
        query q2
          from v(v1_a: int, v1_t: long) as v1
          from v(v2_a: int, v2_t: long) as v2
          group by ()
          let count: long = count(*)
          item n = count""",
    ),
    "groups first, then HAVING": (
        "SELECT a, SUM(b) AS t FROM r GROUP BY a HAVING COUNT(*) > 2",
        """\
        derived q_groups(a int, t long, count long) from q_groups
        hidden query q_groups
          from r(a: int, b: long)
          group by (a)
          let sum_b: long = sum(b)
          let count: long = count(*)
          item a = a
          item t = sum_b
          item count = count
        query q
          from q_groups(a: int, t: long, count_2: long)
          where count_2 > 2L
          item a = a
          item t = t""",
    ),
    "keys are compared in the type of the comparison": (
        "SELECT a FROM r WHERE a IN (SELECT c FROM u) AND b IN (SELECT c FROM u)",
        """\
        derived q_keys(c int) from q_keys
        derived q_keys_1(key long) from q_keys_1
        hidden query q_keys
          from u(a: int, c: int)
          group by (c)
          item c = c
        hidden query q_keys_1
          from u(a: int, c: int)
          group by (CAST(c AS long))
          item key = CAST(c AS long)
        query q
          from r(a: int, b: long)
          from q_keys(c: int)
          from q_keys_1(key: long)
          where c = a
          where key = b
          item a = a""",
    ),
    "NOT EXISTS asks for the keys of the outer rows": (
        "SELECT b FROM r WHERE b > 0 AND NOT EXISTS (SELECT 1 FROM u WHERE u.a = r.a)",
        """\
        derived q_flags_2(a int, found long) from q_flags, q_flags_1
        derived q_flags_by_key(a int, total long) from q_flags_by_key
        hidden query q_flags
          from u(a: int, c: int)
          group by (a)
          item a = a
          item found = 1L
        hidden query q_flags_1
          from r(a: int, b: long)
          where b > 0L
          group by (a)
          item a = a
          item found = 0L
        hidden query q_flags_by_key
          from q_flags_2(a: int, found: long)
          group by (a)
          let total: long = sum(found)
          item a = a
          item total = total
        query q
          from r(a: int, b: long)
          from q_flags_by_key(a_2: int, total: long)
          where b > 0L
          where a_2 = a
          where NOT (total = 1L)
          item b = b""",
    ),
}


@pytest.mark.parametrize(("sql", "expected"), QUERIES.values(), ids=QUERIES)
def test_flat_form(sql: str, expected: str) -> None:
    text = show_script(read_script(SCHEMA + sql))
    shown = [line for line in text.splitlines() if not line.startswith("stream ")]
    assert shown == dedent(expected).splitlines()


def test_hidden_names_make_way_for_written_ones() -> None:
    script = read_script(
        f"{SCHEMA} CREATE STREAM v_keys (a INT); CREATE VIEW v AS SELECT a FROM r WHERE a IN (SELECT c FROM u);"
        "CREATE VIEW v_keys_1 AS SELECT a FROM v_keys;"
    )
    names = [query.name for query in script.queries]
    assert names == ["v_keys_2", "v", "v_keys_1"]
    assert [relation.name for relation in script.relations if relation.kind == DERIVED] == ["v_keys_2"]


def test_equal_subqueries_are_maintained_once() -> None:
    same = "a IN (SELECT c FROM u)"
    script = read_script(f"{SCHEMA} SELECT a FROM r WHERE {same}; SELECT b FROM r WHERE {same}")
    assert [query.name for query in script.queries] == ["q1_keys", "q1", "q2"]


def test_an_unused_with_query_is_checked_but_not_maintained() -> None:
    script = read_script(f"{SCHEMA} WITH x AS (SELECT a, SUM(b) AS t FROM r GROUP BY a) SELECT a FROM r")
    assert [query.name for query in script.queries] == ["q"]


@pytest.mark.parametrize("order", ["x", "2 DESC", "SUM(b) NULLS FIRST", "a, x DESC"])
def test_orders_name_columns(order: str) -> None:
    (query,) = read_script(f"{SCHEMA} SELECT a, SUM(b) AS x FROM r GROUP BY a ORDER BY {order} LIMIT 3").queries
    assert query.order is not None
    assert query.order.keys[-1].column == "x"
    assert query.order.keys[-1].descending == ("DESC" in order)
    assert query.order.keys[-1].nulls_first == ("FIRST" in order)
    assert query.order.limit == 3


@pytest.mark.parametrize(
    "query",
    [
        "(SELECT a, COUNT(*) AS n FROM u GROUP BY a)",
        "(SELECT COUNT(*) AS n FROM u)",
        "(SELECT DISTINCT (c + 1) AS n FROM u)",
        "(WITH y AS (SELECT a FROM u GROUP BY a) SELECT a AS n FROM y)",
        "((SELECT a AS n FROM u) UNION (SELECT c FROM u))",
    ],
)
def test_a_subquery_may_follow_a_comma(query: str) -> None:
    (*_, shown) = read_script(f"{SCHEMA} SELECT r.b, x.n FROM r, {query} x").queries
    assert [item.name for item in shown.items] == ["b", "n"]


def test_a_view_may_name_its_columns() -> None:
    script = read_script(f"{SCHEMA} CREATE VIEW v (x, y) AS SELECT a, b FROM r ORDER BY b; SELECT x FROM v")
    first, second = script.queries
    assert [item.name for item in first.items] == ["x", "y"]
    assert first.order is not None
    assert [key.column for key in first.order.keys] == ["y"]
    assert [item.name for item in second.items] == ["x"]
