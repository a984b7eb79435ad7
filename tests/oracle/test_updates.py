"""Random inserts, deletes, updates and upserts, legal or not, against a bag of rows and DuckDB."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

import toastergen as tg
from oracle.duck import DuckOracle
from toastergen.compare import arranged, differing
from toastergen.errors import DataError, EngineError
from toastergen.frontend.sql import read_script
from toastergen.runtime import Engine

SQL = """
CREATE STREAM r (note VARCHAR NULL, k INT, name VARCHAR, v BIGINT, PRIMARY KEY (name, k));
CREATE STREAM s (name VARCHAR, price DECIMAL(20,2) NULL, x DOUBLE);
CREATE VIEW per_name AS SELECT name, SUM(v) AS total, COUNT(*) AS n, MAX(note) AS last FROM r GROUP BY name;
CREATE VIEW joined AS SELECT r.k, SUM(s.price) AS paid, COUNT(*) AS n FROM r, s WHERE r.name = s.name GROUP BY r.k;
CREATE VIEW kinds AS SELECT DISTINCT name, price FROM s;
CREATE VIEW above AS SELECT COUNT(*) AS n FROM s WHERE x > (SELECT AVG(v) FROM r);
"""
VIEWS = ("per_name", "joined", "kinds", "above")
KEY = (2, 1)  # the positions of name and k
NAMES = ("", "a", "ab", "a name of more than twelve bytes")
HUGE = 2**62

Row = tuple[Any, ...]


class Refused(Exception):
    """The model does not allow the event."""


class Model:
    """The rows of both relations; ``r`` has a key."""

    def __init__(self) -> None:
        self.bags: dict[str, Counter[Row]] = {"r": Counter(), "s": Counter()}

    def after(self, relation: str, changes: list[tuple[Row, int]]) -> Counter[Row]:
        """The bag after a change whose order does not count."""
        bag = self.bags[relation].copy()
        for row, weight in changes:
            bag[row] += weight
        return self.legal(relation, bag)

    def legal(self, relation: str, bag: Counter[Row]) -> Counter[Row]:
        bag = Counter({row: count for row, count in bag.items() if count})
        keys = Counter(key_of(row) for row in bag) if relation == "r" else Counter()
        if min(bag.values(), default=0) < 0 or max(keys.values(), default=0) > 1:
            raise Refused
        if relation == "r" and max(bag.values(), default=0) > 1:
            raise Refused
        return bag

    def operate(self, changes: list[tuple[Row, str]]) -> Counter[Row]:
        """``r`` after operations one after the other."""
        if all(word in ("insert", "delete") for _, word in changes):
            return self.after("r", [(row, 1 if word == "insert" else -1) for row, word in changes])
        there = {key_of(row): row for row in self.bags["r"]}
        for row, word in changes:
            old = there.get(key_of(row))
            known = {"insert": old is None, "delete": old == row, "upsert": True}.get(word, old is not None)
            if not known:
                raise Refused
            if word in ("delete", "delete_key"):
                del there[key_of(row)]
            else:
                there[key_of(row)] = row
        return Counter(there.values())


def key_of(row: Row) -> Row:
    return tuple(row[place] for place in KEY)


class Trial:
    def __init__(self, engine: Engine, seed: int) -> None:
        self.engine = engine
        self.rng = random.Random(seed)
        self.model = Model()
        self.duck = DuckOracle(SQL, read_script(SQL).relations, VIEWS)
        self.duck.clear()
        self.seen: Counter[str] = Counter()

    def run(self, events: int) -> None:
        kinds = [self.single, self.batch, self.update, self.update_many, self.upsert, self.delete_key, self.operations]
        for number in range(events):
            self.rng.choice(kinds)()
            if number % 10 == 0:
                self.check_views()
        self.check_views()

    def row(self, relation: str) -> Row:
        rng = self.rng
        live = list(self.model.bags[relation])
        if live and rng.random() < 0.5:
            row = rng.choice(live)
            return (None, *row[1:]) if relation == "r" and rng.random() < 0.2 else row
        if relation == "r":
            value = HUGE if rng.random() < 0.25 else rng.randrange(-5, 6)
            return (rng.choice([None, "x", "y"]), rng.randrange(3), rng.choice(NAMES), value)
        return (rng.choice(NAMES), rng.choice([None, Decimal("1.50"), Decimal(0)]), rng.choice([0.0, 0.1, -2.5]))

    def event(self, relation: str, expect: Callable[[], Counter[Row]], act: Callable[[], object]) -> None:
        """Both accept the event, or both refuse it and nothing has changed."""
        before = self.state()
        try:
            after = expect()
        except Refused:
            with pytest.raises(DataError, match=f'relation "{relation}"'):
                act()
            assert self.state() == before
            self.seen["refused"] += 1
            return
        try:
            act()
        except EngineError as error:
            assert "left the range" in str(error)
            assert self.state() == before
            self.seen["overflow"] += 1
            return
        self.seen["accepted"] += 1
        bag = self.model.bags[relation]
        for row in {**bag, **after}:
            if after[row] != bag[row]:
                self.duck.apply(relation, row, after[row] - bag[row])
        self.model.bags[relation] = after

    def state(self) -> object:
        stats = self.engine.stats()
        sizes = [(item["name"], item["rows"]) for item in stats["maps"]]
        return [sizes, [(item["relation"], item["rows"]) for item in stats["ledgers"]], self.views()]

    def views(self) -> list[Any]:
        # Sums of doubles that came and went may differ in the last digits; there is none here.
        return [arranged(self.engine.view(name).rows()) for name in VIEWS]

    def check_views(self) -> None:
        for name in VIEWS:
            difference = differing(arranged(self.duck.view(name)), arranged(self.engine.view(name).rows()))
            assert difference is None, f"view {name}: {difference}"

    # -- events --------------------------------------------------------------------------------------------------------

    def single(self) -> None:
        relation = self.rng.choice("rs")
        row, weight = self.row(relation), self.rng.choice([1, 1, 1, -1, -1, 2, -3, 40, 0])
        self.event(
            relation,
            lambda: self.model.after(relation, [(row, weight)]),
            lambda: self.engine.apply_row(relation, row, weight),
        )

    def batch(self) -> None:
        relation = self.rng.choice("rs")
        changes = [(self.row(relation), self.rng.choice([1, 1, 1, -1, -1, 2])) for _ in range(self.rng.randrange(8))]
        if changes and self.rng.random() < 0.5:
            row, weight = self.rng.choice(changes)
            changes.append((row, -weight))
        self.rng.shuffle(changes)
        self.event(
            relation,
            lambda: self.model.after(relation, changes),
            lambda: self.engine.apply(relation, [row for row, _ in changes], [weight for _, weight in changes]),
        )

    def update(self) -> None:
        relation = self.rng.choice("rs")
        old, new = self.row(relation), self.row(relation)

        def expect() -> Counter[Row]:
            if not self.model.bags[relation][old]:
                raise Refused
            return self.model.after(relation, [(old, -1), (new, 1)])

        self.event(relation, expect, lambda: self.engine.update(relation, old, new))

    def update_many(self) -> None:
        relation = self.rng.choice("rs")
        old = [self.row(relation) for _ in range(self.rng.randrange(4))]
        new = [self.row(relation) for _ in range(self.rng.randrange(4))]
        changes = [(row, -1) for row in old] + [(row, 1) for row in new]
        self.event(
            relation,
            lambda: self.model.after(relation, changes),
            lambda: self.engine.update_many(relation, old, new),
        )

    def upsert(self) -> None:
        row = self.row("r")
        self.event("r", lambda: self.model.operate([(row, "upsert")]), lambda: self.engine.upsert("r", row))

    def delete_key(self) -> None:
        row = self.row("r")
        key = self.rng.choice([key_of(row), {"k": row[1], "name": row[2]}])
        self.event("r", lambda: self.model.operate([(row, "delete_key")]), lambda: self.engine.delete_key("r", key))

    def operations(self) -> None:
        words = ["upsert"] * 4 + ["insert", "delete", "update", "delete_key"]
        changes = [(self.row("r"), self.rng.choice(words)) for _ in range(self.rng.randrange(8))]
        self.event(
            "r",
            lambda: self.model.operate(changes),
            lambda: self.engine.apply("r", [row for row, _ in changes], operations=[word for _, word in changes]),
        )


def test_engine_follows_the_model() -> None:
    built = tg.compile(SQL, name="updates").build(debug=True)
    seen: Counter[str] = Counter()
    for seed in range(12):
        trial = Trial(built.engine(), seed)
        trial.run(150)
        seen += trial.seen
        rows = [(row, weight) for row, weight in trial.model.bags["s"].items()]
        trial.engine.apply("s", [row for row, _ in rows], [-weight for _, weight in rows])
        trial.engine.apply("r", list(trial.model.bags["r"]), -1)
        assert [item["rows"] for item in trial.engine.stats()["ledgers"]] == [0, 0]
    assert min(seen["accepted"], seen["refused"]) > 300 and seen["overflow"] > 20, seen
