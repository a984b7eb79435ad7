"""Doubles of very different magnitude: what a large value brought in, its delete takes out to the last digit.

The judge is the interpreter of AGCA, which computes in exact rationals. DuckDB adds doubles as they come, so where
large values cancel it is the one that is wrong.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import cache

import pytest

from oracle.fourway import FourWay, arranged
from toastergen.compare import RELATIVE

# Beside 1e6, 0.1 loses a third of its digits in one word, and in products of two sums nearly all.
VALUES = (1e6, -1e6, 0.1, 0.3, 12345.678, -7.25, 1e-3)

SQL = """
CREATE STREAM r (k INT, a INT);
CREATE STREAM z (k INT, g DOUBLE);
CREATE STREAM y (k INT, h DOUBLE);
CREATE VIEW counted AS SELECT r.a, SUM(z.g) AS g FROM r, z WHERE r.k = z.k GROUP BY r.a;
CREATE VIEW alone AS SELECT z.k, SUM(z.g) AS g FROM z GROUP BY z.k;
CREATE VIEW multiplied AS SELECT r.a, SUM(y.h * z.g) AS p FROM r, y, z WHERE r.k = y.k AND y.k = z.k GROUP BY r.a;
CREATE VIEW squared AS SELECT x.k, SUM(x.g * z.g) AS p FROM z x, z WHERE x.k = z.k GROUP BY x.k;
CREATE VIEW below AS SELECT SUM(y.h * z.g) AS p, COUNT(*) AS n FROM y, z WHERE y.k < z.k;
"""


@cache
def compiled() -> FourWay:
    return FourWay(SQL, name="doubles")


@pytest.fixture
def engines() -> FourWay:
    found = compiled()
    found.reset()
    return found


def rows(engines: FourWay, view: str) -> list[tuple[object, ...]]:
    assert engines.engine is not None
    return list(engines.engine.view(view).rows())


def times(count: int, value: float) -> float:
    """The product of exactly these numbers, rounded once."""
    return float(count * Fraction(value))


@pytest.mark.parametrize("large", [1e6, 1e9])
@pytest.mark.parametrize("in_batches", [False, True])
def test_a_large_value_leaves_no_trace_in_a_join(engines: FourWay, large: float, in_batches: bool) -> None:
    """The reduced case of view six of joins.sql, which once answered 8.399999990221094."""
    matches = [(1, 5)] * 84
    if in_batches:
        engines.batch("z", [(1, large), (1, 0.1)], [1, 1])
        engines.batch("r", matches, [1] * 84)
        engines.batch("z", [(1, large)], [-1])
    else:
        for row in ((1, large), (1, 0.1)):
            engines.change("z", row, 1)
        for row in matches:
            engines.change("r", row, 1)
        engines.change("z", (1, large), -1)
    assert rows(engines, "counted") == [(5, times(84, 0.1))]
    engines.check()


@pytest.mark.parametrize("view", ["alone", "counted"])
def test_rows_that_come_by_weight_leave_one_by_one(engines: FourWay, view: str) -> None:
    engines.change("r", (1, 1), 1)
    engines.batch("z", [(1, 1e15 / 3), (1, 0.1)], [7, 7])
    for _ in range(7):
        engines.change("z", (1, 1e15 / 3), -1)
    assert rows(engines, view) == [(1, times(7, 0.1))]


def test_a_group_whose_values_cancel_shows_zero(engines: FourWay) -> None:
    engines.batch("r", [(1, 1), (1, 2)], [3, 1])
    engines.batch("z", [(1, 0.1), (1, 1e6), (1, 0.3)], [1, 1, 1])
    engines.batch("z", [(1, -0.1), (1, -1e6), (1, -0.3)], [1, 1, 1])
    assert rows(engines, "counted") == [(1, 0.0), (2, 0.0)]


def near(want: object, have: object) -> bool:
    if isinstance(want, float) and isinstance(have, float):
        return math.isclose(want, have, rel_tol=RELATIVE, abs_tol=0 if want else 1e-12)
    return want == have


@pytest.mark.parametrize("size", [0, 4, 20])
@pytest.mark.parametrize("seed", range(6))
def test_streams_of_all_magnitudes_stay_near_the_exact_answer(engines: FourWay, seed: int, size: int) -> None:
    draw = random.Random(f"{seed} {size}")
    live: dict[str, list[tuple[int, float]]] = {"r": [], "z": [], "y": []}
    for step in range(60 if size == 0 else 18):
        relation = draw.choice("rzzyy")
        there = live[relation]
        changes = []
        for _ in range(max(1, size)):
            if there and draw.random() < (0.3 if step < 30 else 0.6):
                changes.append((there.pop(draw.randrange(len(there))), -1))
            else:
                value = draw.randrange(3) if relation == "r" else draw.choice(VALUES)
                there.append((draw.randrange(3), value))
                changes.append((there[-1], 1))
        if size:
            engines.batch(relation, [row for row, _ in changes], [weight for _, weight in changes])
        else:
            engines.change(relation, *changes[0])
        must_agree(engines)
    for relation, there in live.items():
        engines.batch(relation, there, [-1] * len(there))
    engines.check_empty()


def must_agree(engines: FourWay) -> None:
    for view in engines.views:
        want, have = arranged(engines.agca.view(view)), arranged(rows(engines, view))
        same = len(want) == len(have) and all(
            near(a, b) for left, right in zip(want, have, strict=True) for a, b in zip(left, right, strict=True)
        )
        assert same, f"{view}: {have} instead of {want}"
