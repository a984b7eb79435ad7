"""Which loops become range sums, and which have to stay loops."""

from __future__ import annotations

import pytest

from toastergen.codegen.cost import O_LOG, O_MAP, O_SLICE, event_costs
from toastergen.codegen.lower import lower
from toastergen.codegen.passes.walk import nodes
from toastergen.codegen.plan import Block, ForEach, Plan, RangeSum, Slice
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.maintain import STRATEGIES
from toastergen.frontend.sql import read_script

SCHEMA = """
CREATE STREAM r (k INT, a INT, big BIGINT, d DECIMAL(8,2), wide DECIMAL(38,2), x DOUBLE, s VARCHAR);
CREATE STREAM u (k INT, b INT, big BIGINT, d DECIMAL(8,2), wide DECIMAL(38,2), y DOUBLE, s VARCHAR);
"""


def plan(select: str, mode: str = "hoivm") -> Plan:
    return lower(STRATEGIES[mode](translate(read_script(f"{SCHEMA}CREATE VIEW v AS {select};"))))


def steps(found: Plan, event: str = "insert", relation: str = "r") -> list[object]:
    function = next(item for item in found.functions if (item.event, item.relation) == (event, relation))
    return [node.step for node in nodes(function.body) if isinstance(node, Block)]


def cost(found: Plan, relation: str = "r") -> str:
    return next(item.cost for item in event_costs(found) if (item.event, item.relation) == ("insert", relation))


@pytest.mark.parametrize(
    "test",
    [
        "r.a > u.b", "r.a >= u.b", "r.a < u.b", "NOT (r.a > u.b)", "r.a + 5 < u.b - 7", "r.x - u.y > 1000",
        "r.a BETWEEN u.b AND u.b + 3", "r.x * 2 > u.y", "r.x > -0.5 * u.y", "r.d > u.b", "r.d + 1.5 > u.d", "r.s < u.s",
        "r.big > u.big", "r.wide > u.wide", "r.a > u.b OR u.b - r.a > 10", "r.x > u.y AND r.k > 3",
        "r.a > 2 * u.b + 0.5",
    ],
)  # fmt: skip
def test_a_threshold_is_a_range(test: str) -> None:
    found = plan(f"SELECT COUNT(*) AS n, SUM(r.x) AS t FROM r, u WHERE {test}")
    assert cost(found) == cost(found, "u") == O_LOG
    assert any(isinstance(step, RangeSum) for step in steps(found))
    grouped = plan(f"SELECT r.k, COUNT(*) AS n FROM r, u WHERE r.k = u.k AND ({test}) GROUP BY r.k")
    assert cost(grouped) == cost(grouped, "u") == O_LOG


@pytest.mark.parametrize(
    "test",
    [
        "r.a <> u.b",  # two ranges and neither
        "r.big + 1 > u.big + u.b",  # may overflow on the way, and then the order is lost
        "r.wide + u.wide > 1",
        "r.a * u.b > 10",  # rises or falls with the sign
        "r.a > u.b + u.k",  # two columns of one record
        "r.a % 3 > u.b % 2",
        "ABS(r.a - u.b) > 2",
        "r.a > u.b OR r.k = 3",
    ],
)
def test_what_is_no_threshold_is_scanned(test: str) -> None:
    found = plan(f"SELECT COUNT(*) AS n FROM r, u WHERE {test}")
    assert O_MAP in (cost(found), cost(found, "u"))


def test_records_that_are_listed_are_visited() -> None:
    found = plan("SELECT r.a, u.b FROM r, u WHERE r.k = u.k AND r.a > u.b")
    assert cost(found) == O_SLICE
    assert any(isinstance(step, Slice) for step in steps(found))


def test_groups_of_a_moving_threshold_are_summed_one_by_one() -> None:
    """Each group has an order of its own; what is grouped by more than the order has few records would gain nothing."""
    found = plan("SELECT k, SUM(d) AS t FROM r WHERE d > 0.1 * (SELECT SUM(d) FROM u) GROUP BY k")
    assert cost(found, "u") == "O(groups)"
    (each,) = {step for step in steps(found, "insert", "v_value") if isinstance(step, RangeSum)}
    assert each.each and [found.map(each.map).keys[place].name for place in each.positions] == ["k"]
    text = plan("SELECT s, SUM(d) AS t FROM r WHERE d > 0.1 * (SELECT SUM(d) FROM u) GROUP BY s")
    assert cost(text, "u") == O_MAP


def test_slots_of_one_range_are_added_up_on_one_path() -> None:
    found = plan("SELECT COUNT(*) AS n, SUM(u.y) AS t, SUM(u.d) AS d FROM r, u WHERE r.a > u.b")
    (only,) = [step for step in steps(found) if isinstance(step, RangeSum)]
    (index,) = found.map(only.map).ranges
    assert len(index.slots) == 3


def test_a_map_of_one_row_keeps_no_order() -> None:
    found = plan("SELECT SUM(d) AS t FROM r WHERE d > 0.1 * (SELECT SUM(d) FROM u)")
    ordered = [item for item in found.maps if item.ranges]
    assert [[key.name for key in item.keys] for item in ordered] == [["d"]]
    assert any(isinstance(step, ForEach) for step in steps(found))


def test_all_modes_use_them() -> None:
    for mode in ("hoivm", "ivm", "reeval"):
        found = plan("SELECT COUNT(*) AS n FROM r, u WHERE r.a > u.b", mode)
        assert any(item.ranges for item in found.maps)
