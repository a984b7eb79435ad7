"""When a record that becomes vacant may be dropped at once, and when it must wait for the end of the event."""

from __future__ import annotations

import pytest

from oracle.fourway import FourWay
from toastergen.codegen.lower import lower
from toastergen.codegen.passes.walk import nodes
from toastergen.codegen.plan import Plan, Sweep, Update
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.m3 import BATCH, DELETE, INSERT
from toastergen.frontend.maintain.hoivm import maintain
from toastergen.frontend.sql import read_script


def planned(sql: str) -> Plan:
    return lower(maintain(translate(read_script(sql))))


def deferred(plan: Plan, event: str, relation: str = "r") -> set[str]:
    function = next(item for item in plan.functions if (item.event, item.relation) == (event, relation))
    marked = {node.map for node in nodes(function.body) if isinstance(node, Update) and node.deferred}
    swept = [node.map for node in function.body if isinstance(node, Sweep)]
    assert sorted(swept) == sorted(marked), "every deferred record is swept once, at the end"
    return marked


def test_a_floating_sum_waits_in_batches_only() -> None:
    plan = planned("CREATE STREAM r (a INT, w DOUBLE); CREATE VIEW q AS SELECT a, SUM(w) FROM r GROUP BY a;")
    assert [deferred(plan, event) for event in (INSERT, DELETE, BATCH)] == [set(), set(), {"q"}]


def test_exact_sums_never_wait() -> None:
    plan = planned(
        "CREATE STREAM r (a INT, p DECIMAL(10,2));"
        "CREATE VIEW q AS SELECT x.a, SUM(y.p) FROM r x, r y WHERE x.a = y.a GROUP BY x.a;"
    )
    assert [deferred(plan, event) for event in (INSERT, DELETE, BATCH)] == [set(), set(), set()]


def test_a_self_join_of_doubles_waits_in_every_event() -> None:
    """Its terms change one record several times; the count may be 0 in between while the sum is not."""
    plan = planned(
        "CREATE STREAM r (a INT, w DOUBLE);"
        "CREATE VIEW q AS SELECT x.a, SUM(x.w * y.w) FROM r x, r y WHERE x.a = y.a GROUP BY x.a;"
    )
    assert all("q" in deferred(plan, event) for event in (INSERT, DELETE, BATCH))


def test_other_relations_do_not_wait() -> None:
    plan = planned(
        "CREATE STREAM r (a INT, w DOUBLE); CREATE STREAM s (a INT);"
        "CREATE VIEW q AS SELECT SUM(w) FROM r; CREATE VIEW n AS SELECT a, COUNT(*) FROM s GROUP BY a;"
    )
    assert deferred(plan, BATCH, "s") == set()


@pytest.fixture(scope="module")
def engines() -> FourWay:
    return FourWay(
        "CREATE STREAM r (a INT, w DOUBLE);"
        "CREATE VIEW q AS SELECT x.a, SUM(x.w * y.w) AS w FROM r x, r y WHERE x.a = y.a GROUP BY x.a;"
        "CREATE VIEW s AS SELECT a, SUM(w) AS w FROM r GROUP BY a;",
        name="defer",
    )


def test_a_count_that_passes_through_zero_loses_nothing(engines: FourWay) -> None:
    """One batch deletes the only row of a group and inserts another one: the group stays, with the new sum."""
    engines.reset()
    engines.batch("r", [(1, 0.5)], [1])
    for rows, weights in (
        ([(1, 0.5), (1, 2.5)], [-1, 1]),
        ([(1, 0.25), (1, 2.5)], [1, -1]),
        ([(1, 0.25), (1, 1.0), (1, 3.0)], [-1, 1, 1]),
        ([(1, 1.0), (1, 3.0), (1, 0.5)], [-1, -1, 2]),
    ):
        engines.batch("r", rows, weights)
        engines.check()
    engines.batch("r", [(1, 0.5)], [-2])
    engines.check()
    engines.check_empty()
