"""Scalar subqueries that a primary key keeps to one row: fed with rows that respect the key, judged by DuckDB."""

from __future__ import annotations

import random

import pytest

from oracle.fourway import FourWay
from toastergen.errors import UnsupportedSql
from toastergen.frontend.sql import read_script

SCHEMA = """
CREATE STREAM k (id INT, name VARCHAR, v BIGINT NULL, PRIMARY KEY (id));
CREATE STREAM r (a INT, b BIGINT);
"""
VIEWS = """
CREATE VIEW named AS SELECT a, (SELECT name FROM k WHERE k.id = r.a) AS name FROM r;
CREATE VIEW valued AS SELECT a, b, (SELECT v + 1 FROM k WHERE id = r.a) AS v FROM r;
CREATE VIEW above AS SELECT a, b FROM r WHERE b > (SELECT v FROM k WHERE k.id = r.a);
CREATE VIEW fixed AS SELECT a, (SELECT name FROM k WHERE id = 2) AS two FROM r;
CREATE VIEW filtered AS SELECT a, (SELECT name FROM k WHERE k.id = r.a AND v > 0) AS name FROM r;
"""


def test_four_answers_agree() -> None:
    four = FourWay(SCHEMA + VIEWS, name="one_row")
    rng = random.Random(1)
    known: dict[int, tuple[object, ...]] = {}
    rows: list[tuple[int, int]] = []
    four.check()
    for _ in range(60):
        key = rng.choice([1, 2, 3, 4])
        if rng.random() < 0.4:
            if key in known:
                four.change("k", known.pop(key), -1)
            else:
                known[key] = (key, rng.choice(["x", "y"]), rng.choice([None, 0, 1, 2]))
                four.change("k", known[key], 1)
        elif rows and rng.random() < 0.4:
            four.change("r", rows.pop(rng.randrange(len(rows))), -1)
        else:
            rows.append((key + rng.choice([0, 1]), rng.choice([0, 1, 2, 3])))
            four.change("r", rows[-1], 1)
        four.check()


@pytest.mark.parametrize("where", ["", "WHERE v = 1", "WHERE id > r.a", "WHERE id = r.a OR v = 1"])
def test_without_the_key_it_may_be_more(where: str) -> None:
    with pytest.raises(UnsupportedSql, match="may give more than one row"):
        read_script(f"{SCHEMA} SELECT (SELECT name FROM k {where}) AS n FROM r;")
