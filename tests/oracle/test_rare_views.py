"""Views of the corpus that random rows hardly ever reach, fed with rows written for them."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

from oracle.test_queries import four_way

DAY = datetime.date(1994, 5, 1)
LATER = datetime.date(1994, 6, 1)

STEPS: list[tuple[str, tuple[Any, ...]]] = [
    ("nation", (3, "CANADA")),
    ("supplier", (1, "able", 3, "")),
    ("supplier", (2, "baker", 3, "")),
    ("part", (7, "forest green", "B", "T", 1, "C")),
    ("partsupp", (7, 1, 10, Decimal("1.00"))),
    ("partsupp", (7, 2, 3, Decimal("1.00"))),
    ("lineitem", (1, 7, 1, Decimal("4.00"), Decimal("1.00"), DAY, DAY, LATER)),
    ("lineitem", (1, 7, 2, Decimal("4.00"), Decimal("1.00"), DAY, DAY, LATER)),
    ("lineitem", (2, 7, 2, Decimal("9.00"), Decimal("1.00"), DAY, DAY, LATER)),  # baker has too little now
    ("customer", (1, "c1", "13-555", Decimal("100.00"))),
    ("customer", (2, "c2", "13-556", Decimal("900.00"))),
    ("customer", (3, "c3", "31-557", Decimal("800.00"))),
    ("orders", (1, 3, Decimal("5.00"), DAY, "1-URGENT")),  # c3 has ordered, so it leaves the answer
]


def test_q20_and_q22_follow_rows_written_for_them() -> None:
    engines = four_way("nested_tpch")
    engines.reset()
    seen: dict[str, set[tuple[Any, ...]]] = {"q20": set(), "q22": set()}
    for direction, steps in ((1, STEPS), (-1, STEPS)):
        for relation, row in steps:
            engines.change(relation, row, direction)
            engines.check()
            for view, rows in seen.items():
                rows.add(tuple(engines.duckdb.view(view)))
    assert len(seen["q20"]) >= 3, "q20 was to gain and to lose suppliers"
    assert len(seen["q22"]) >= 3, "q22 was to gain and to lose customers"
    engines.check_empty()
