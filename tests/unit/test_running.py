"""Thresholds on running sums: which conditions become intervals, what that costs, and what M3 makes of wrong ones."""

from __future__ import annotations

import pytest

from toastergen.codegen.cost import O_LOG, event_costs
from toastergen.codegen.lower import lower
from toastergen.errors import M3Error
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.check import check_program
from toastergen.frontend.interpret.crossing import intervals
from toastergen.frontend.m3 import Crossing, Program
from toastergen.frontend.m3_text import print_program, read_program
from toastergen.frontend.maintain import STRATEGIES
from toastergen.frontend.scalar import Compare, Var
from toastergen.frontend.sql import read_script
from toastergen.frontend.types import LONG

SCHEMA = "CREATE STREAM bids (id INT, broker INT, volume INT, price INT, name VARCHAR, maybe INT NULL);"
TOTAL = "(SELECT SUM(volume) FROM bids)"


def program(where: str, select: str = "SUM(b.price) AS v") -> Program:
    sql = f"{SCHEMA} CREATE VIEW v AS SELECT {select} FROM bids b WHERE {where};"
    return STRATEGIES["hoivm"](translate(read_script(sql)))


def crossings(found: Program) -> list[Crossing]:
    return [relation.crossing for relation in found.relations if relation.crossing is not None]


@pytest.mark.parametrize(
    ("where", "side", "counts"),
    [
        (f"0.25 * {TOTAL} > (SELECT SUM(c.volume) FROM bids c WHERE c.price > b.price)", ">", False),
        (f"(SELECT SUM(c.volume) FROM bids c WHERE b.price < c.price) < {TOTAL} / 4", ">", False),
        (f"{TOTAL} <= (SELECT COUNT(*) FROM bids c WHERE c.price <= b.price)", "<=", True),
        (f"{TOTAL} > (SELECT COUNT(c.maybe) FROM bids c WHERE c.price >= b.price + 1)", ">=", True),
        (f"{TOTAL} > (SELECT SUM(c.maybe) FROM bids c WHERE c.maybe < b.maybe AND c.broker = 3)", "<", False),
    ],
)
def test_a_threshold_on_a_running_sum_is_an_interval(where: str, side: str, counts: bool) -> None:
    found = program(where)
    assert [(item.side, item.counts_nothing) for item in crossings(found)] == [(side, counts)]
    assert {cost.cost for cost in event_costs(lower(found)) if cost.relation == "bids"} == {O_LOG}
    assert read_program(print_program(found)) == found


@pytest.mark.parametrize(
    "where",
    [
        f"{TOTAL} > (SELECT SUM(c.volume) FROM bids c WHERE c.price > b.price AND c.broker = b.broker)",  # per broker
        f"{TOTAL} > (SELECT SUM(c.volume) FROM bids c WHERE c.price > b.price AND c.id > b.id)",  # in two orders
        f"{TOTAL} = (SELECT SUM(c.volume) FROM bids c WHERE c.price > b.price)",
        f"{TOTAL} > (SELECT SUM(c.volume * b.id) FROM bids c WHERE c.price > b.price)",
        f"{TOTAL} > (SELECT SUM(c.volume) FROM bids c WHERE c.name > b.name)",  # strings are not kept in this order
        "b.volume > (SELECT SUM(c.volume) FROM bids c WHERE c.price > b.price)",  # another threshold for every row
        "100 > (SELECT AVG(c.volume) FROM bids c WHERE c.price > b.price)",
        f"{TOTAL} > (SELECT COUNT(*) FROM bids c WHERE c.price > b.maybe)",  # beside NULL nothing is counted
    ],
)
def test_what_is_none_is_read_as_any_subquery(where: str) -> None:
    assert crossings(program(where)) == []


def test_intervals_are_as_few_as_possible() -> None:
    test = Compare("<", Var("running", LONG), Var("threshold", LONG))
    above = Crossing(">", test)
    weights = [(1, 5), (2, 1), (4, 3), (9, 2)]  # above 9 nothing, then 2, 5, 6 and 11
    assert intervals(above, weights, [(6,)]) == {(2, 9): 1}
    assert intervals(above, weights, [(100,)]) == {(None, 9): 1}
    assert intervals(Crossing(">", test, counts_nothing=True), weights, [(6,)]) == {(2, None): 1}
    assert intervals(above, [(1, -7), (2, 9), (4, 1)], [(5,)]) == {(2, 4): 1, (None, 1): 1}
    assert intervals(above, weights, []) == {}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("RUNNING > WHERE {", "RUNNING > WHERE {NOT ", "RUNNING needs comparisons"),
        ("running::long", "other::long", "does not compare running with threshold"),
        ("FROM QUERY (v_weights, v_threshold)", "FROM QUERY (v_threshold, v_weights)", "keys and weights"),
    ],
)
def test_wrong_crossings_are_refused(old: str, new: str, message: str) -> None:
    text = print_program(program(f"{TOTAL} > (SELECT SUM(c.volume) FROM bids c WHERE c.price > b.price)"))
    assert old in text
    with pytest.raises(M3Error, match=message):
        check_program(read_program(text.replace(old, new)))
