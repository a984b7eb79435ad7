"""A sum that leaves 64 bits is an error; the engine is then exactly as it was, and goes on."""

from __future__ import annotations

from typing import Any

import pytest

from oracle.fourway import FourWay
from toastergen.errors import EngineError

MOST = 2**63 - 1
SQL = """
CREATE STREAM r (a INT, v BIGINT);
CREATE STREAM s (a INT, f BIGINT);
CREATE VIEW total AS SELECT SUM(v) AS v, COUNT(*) AS n FROM r;
CREATE VIEW by_a AS SELECT a, SUM(v) AS v FROM r GROUP BY a;
CREATE VIEW joined AS SELECT r.a, SUM(r.v * s.f) AS vf FROM r, s WHERE r.a = s.a GROUP BY r.a;
CREATE VIEW bag AS SELECT a, v FROM r;
"""
# No sum but those of the windows: what overflows there must be taken back from the kept rows.
WINDOWS = """
CREATE STREAM r (a INT, v BIGINT);
CREATE VIEW running AS SELECT a, v, SUM(v) OVER (ORDER BY a, v) AS t, ROW_NUMBER() OVER (ORDER BY a, v) AS n FROM r;
CREATE VIEW sliding AS
    SELECT a, AVG(v) OVER (ORDER BY a, v ROWS 1 PRECEDING) AS m, LAG(v) OVER (ORDER BY a, v) AS b FROM r;
CREATE VIEW beside AS SELECT a, v, n FROM (SELECT a, v, RANK() OVER (ORDER BY v) AS n FROM r) q WHERE n < 3;
"""


@pytest.fixture(scope="module")
def compiled() -> FourWay:
    return FourWay(SQL, name="overflow")


@pytest.fixture
def engines(compiled: FourWay) -> FourWay:
    compiled.reset()
    return compiled


def state(engines: FourWay) -> dict[str, Any]:
    assert engines.engine is not None
    views = {view: sorted(engines.engine.view(view).rows()) for view in engines.views}
    return {**views, "rows": {item["name"]: item["rows"] for item in engines.engine.stats()["maps"]}}


def refused(engines: FourWay, relation: str, rows: list[tuple[int, int]], weights: list[int] | None) -> None:
    """The native engine refuses a change as a whole; a row event if there are no weights."""
    before = state(engines)
    assert engines.engine is not None
    with pytest.raises(EngineError, match=r"(?i)overflow|range|64|fit"):
        if weights is None:
            engines.engine.insert(relation, rows[0])
        else:
            engines.engine.apply(relation, rows, weights)
    assert state(engines) == before
    engines.check()


def test_a_row_that_overflows_a_sum_changes_nothing(engines: FourWay) -> None:
    engines.change("r", (1, MOST - 5), 1)
    engines.change("r", (2, 3), 1)
    refused(engines, "r", [(1, 6)], None)
    engines.change("r", (1, 2), 1)  # just fits: the total is at the limit
    engines.check()
    refused(engines, "r", [(3, 1)], None)


def test_a_batch_that_overflows_half_way_changes_nothing(engines: FourWay) -> None:
    engines.batch("r", [(1, MOST - 10), (2, 1)], [1, 1])
    refused(engines, "r", [(5, 1), (6, 1), (1, 100), (7, 1)], [1, 1, 1, 1])
    engines.batch("r", [(1, MOST - 10), (5, 1)], [-1, 1])
    engines.check()


def test_a_product_that_overflows_changes_nothing(engines: FourWay) -> None:
    engines.batch("r", [(1, 2**40), (2, 5)], [1, 1])
    engines.change("s", (2, 3), 1)
    refused(engines, "s", [(1, 2**40)], None)
    refused(engines, "s", [(2, 1), (1, 2**40)], [1, 1])
    engines.change("s", (1, 2**20), 1)
    engines.check()


def test_the_negative_end_is_guarded_too(engines: FourWay) -> None:
    engines.change("r", (1, -MOST), 1)
    engines.change("r", (1, -1), 1)  # the lowest value of 64 bits
    engines.check()
    refused(engines, "r", [(1, -1)], None)


def test_everything_can_be_deleted_after_a_refusal(engines: FourWay) -> None:
    engines.batch("r", [(1, MOST), (2, -7)], [1, 1])
    refused(engines, "r", [(1, 8)], [1])
    engines.batch("r", [(1, MOST), (2, -7)], [-1, -1])
    engines.check()
    engines.check_empty()


@pytest.fixture(scope="module")
def compiled_windows() -> FourWay:
    return FourWay(WINDOWS, name="overflow_windows")


def test_windows_that_overflow_change_nothing(compiled_windows: FourWay) -> None:
    engines = compiled_windows
    engines.reset()
    engines.batch("r", [(1, MOST - 5), (3, 3), (5, -7)], [1, 1, 2])
    engines.check()
    refused(engines, "r", [(2, 6)], None)
    refused(engines, "r", [(0, 1), (0, 0), (2, 6), (7, 7)], [1, 1, 1, 2])
    refused(engines, "r", [(5, -7), (3, 9)], [-2, 1])
    engines.change("r", (4, 2), 1)  # just fits
    engines.check()
    refused(engines, "r", [(4, 2)], None)
    engines.batch("r", [(1, MOST - 5), (3, 3), (5, -7), (4, 2)], [-1, -1, -2, -1])
    engines.check()
    engines.check_empty()
