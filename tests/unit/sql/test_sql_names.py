"""Variables: readable where possible, harmless always, the same on every run."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toastergen.frontend.m3 import Column, Relation
from toastergen.frontend.sql import read_query, read_script
from toastergen.frontend.types import INT

SAFE = re.compile(r"[a-z_][a-z0-9_]*\Z")
HOSTILE = [
    "a b",
    'a"b',
    "*/ system(1)",
    "new\nline",
    "größe",
    " ",
    "1st",
    "a\\",
    "'",
    "${x}",
    "//",
    "%s",
    "a;b",
]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def variables(sql: str) -> list[list[str]]:
    (query,) = read_script(sql).queries
    return [[var.name for var in item.vars] for item in query.inputs]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_work_and_never_become_variables(name: str) -> None:
    sql = f"CREATE STREAM {quoted(name)} (x INT, {quoted(name)} INT); "
    sql += f"SELECT {quoted(name)}, SUM({quoted(name)}) AS {quoted(name)} FROM {quoted(name)} GROUP BY 1"
    (query,) = read_script(sql).queries
    assert [var.name for var in query.inputs[0].vars] == ["x", "column_2"]
    assert query.aggregates[0].var.name == "sum_column_2"
    assert query.inputs[0].relation == name
    assert [item.name for item in query.items] == [name, f"{name}_1"]


def test_hostile_aliases_do_not_reach_variables() -> None:
    sql = 'CREATE STREAM r (a INT); SELECT COUNT(*) FROM r "x y", r "*/"'
    assert variables(sql) == [["input_1_a"], ["input_2_a"]]


def test_shared_names_get_the_alias() -> None:
    sql = "CREATE STREAM r (A INT, b INT); SELECT COUNT(*) FROM r, r S"
    assert variables(sql) == [["r_a", "r_b"], ["s_a", "s_b"]]


def test_a_prefixed_name_does_not_take_another_columns_name() -> None:
    sql = "CREATE STREAM r (a INT, s_a INT); CREATE STREAM s (a INT); SELECT COUNT(*) FROM r, s"
    assert variables(sql) == [["r_a", "s_a"], ["s_a_2"]]


def test_reserved_and_keyword_names() -> None:
    sql = "CREATE STREAM r (count INT, delta INT, int INT); SELECT SUM(count), COUNT(*), SUM(delta) FROM r"
    (query,) = read_script(sql).queries
    assert [var.name for var in query.inputs[0].vars] == ["r_count", "r_delta", "int"]
    assert [item.var.name for item in query.aggregates] == ["sum_r_count", "count", "sum_r_delta"]
    assert [item.name for item in query.items] == ["sum_count", "count", "sum_delta"]


def test_aggregates_avoid_columns() -> None:
    sql = "CREATE STREAM r (a INT, sum_a INT, sum_1 INT); SELECT SUM(a), SUM(a + 1), SUM(a * 2) FROM r"
    (query,) = read_script(sql).queries
    assert [item.var.name for item in query.aggregates] == ["sum_a_2", "sum_1_2", "sum_2"]


column_names = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6),
    min_size=1,
    max_size=4,
    unique_by=str.lower,
)


@given(column_names)
def test_any_names_give_safe_unique_variables(columns: list[str]) -> None:
    relation = Relation("r", tuple(Column(name, INT) for name in columns))
    select = ", ".join(f"SUM(x.{quoted(name)})" for name in columns)
    (query,) = read_query(f"SELECT {select} FROM r x, r y", (relation,)).queries
    found = [var.name for item in query.inputs for var in item.vars]
    found += [item.var.name for item in query.aggregates]
    assert len(set(found)) == len(found) == 3 * len(columns)
    assert all(SAFE.match(name) for name in found)
    assert [item.argument for item in query.aggregates] == list(query.inputs[0].vars)
