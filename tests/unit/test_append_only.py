"""APPEND ONLY streams: no delete triggers, deletes refused by name, and overflow still taken back."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

import toastergen as tg
from toastergen.errors import DataError, EngineError, M3Error
from toastergen.frontend.check import check_program
from toastergen.frontend.interpret.m3 import Interpreter
from toastergen.frontend.m3 import BATCH, DELETE, INSERT, Program
from toastergen.frontend.m3_text import print_program, read_program
from toastergen.runtime import Engine

SQL = """
CREATE STREAM r (a INT, b BIGINT, c VARCHAR) APPEND ONLY;
CREATE STREAM s (a INT);
CREATE VIEW per_a AS SELECT r.a, SUM(b) AS total, COUNT(*) AS n FROM r, s WHERE r.a = s.a GROUP BY r.a;
CREATE VIEW pairs AS SELECT COUNT(*) AS n FROM r x, r y WHERE x.c = y.c;
CREATE VIEW kinds AS SELECT DISTINCT c FROM r;
"""


def program(sql: str = SQL) -> Program:
    return read_program(tg.compile(sql).m3)


@pytest.fixture
def engine() -> Engine:
    return tg.compile(SQL, name="append_only").build(debug=True).engine()


def state(engine: Engine) -> tuple[object, ...]:
    views = tuple(sorted(engine.view(name).rows()) for name in ("per_a", "pairs", "kinds"))
    return (*views, [(item["name"], item["rows"]) for item in engine.stats()["maps"]])


def test_only_the_other_stream_has_a_delete_trigger() -> None:
    events = {(item.event, item.relation) for item in program().triggers if item.relation in ("r", "s")}
    assert events == {(INSERT, "r"), (BATCH, "r"), (INSERT, "s"), (DELETE, "s"), (BATCH, "s")}
    plain = program(SQL.replace("APPEND ONLY", ""))
    assert len(plain.triggers) == len(program().triggers) + 1
    assert plain.maps == program().maps


def test_m3_carries_it() -> None:
    text = tg.compile(SQL).m3
    assert "CREATE STREAM r (a int, b long, c string) APPEND ONLY;\n" in text
    assert print_program(read_program(text)) == text
    with pytest.raises(M3Error, match="trigger delete of r: the stream is APPEND ONLY"):
        check_program(read_program(text + "ON - r (a, b, c) {\n}\n"))


@pytest.mark.parametrize(
    "delete",
    [
        lambda engine: engine.delete("r", (1, 5, "x")),
        lambda engine: engine.apply_row("R", (1, 5, "x"), -1),
        lambda engine: engine.apply_row("r", (1, 5, "x"), -1000),
        lambda engine: engine.apply("r", [(1, 5, "x"), (1, 5, "x")], weights=[2, -1]),
        lambda engine: engine.apply("r", [(1, 5, "x")], weights=-1),
    ],
    ids=["delete", "weight", "large weight", "batch", "batch of one weight"],
)
def test_deletes_are_refused_and_change_nothing(engine: Engine, delete: Callable[[Engine], None]) -> None:
    engine.insert("r", (1, 5, "x"))
    engine.insert("s", (1,))
    before = state(engine)
    with pytest.raises(DataError, match='relation "r": rows of an APPEND ONLY stream cannot be deleted'):
        delete(engine)
    assert state(engine) == before
    assert engine.relations[0].append_only and not engine.relations[1].append_only
    engine.delete("s", (1,))
    assert engine.view("per_a").rows() == []


def test_zero_weights_are_no_deletes(engine: Engine) -> None:
    engine.apply("r", [(1, 5, "x"), (2, 6, "y")], weights=[0, 1])
    assert engine.view("kinds").rows() == [("y",)]


@pytest.mark.parametrize(
    "change",
    [
        lambda engine: engine.insert("r", (1, 2**63 - 1, "new")),
        lambda engine: engine.apply_row("r", (1, 2**62, "new"), 3),
        lambda engine: engine.apply_row("r", (1, 2**62, "new"), 100),
        lambda engine: engine.apply("r", [(1, 2**62, "new"), (3, 2**62, "x"), (1, 2**62, "y")]),
    ],
    ids=["row", "row three times", "row many times", "batch"],
)
def test_an_overflow_is_taken_back(engine: Engine, change: Callable[[Engine], None]) -> None:
    for row in ((1, 5, "x"), (2, 7, "x"), (1, 6, "y")):
        engine.insert("r", row)
    engine.apply("s", [(1,), (1,), (2,)])
    before = state(engine)
    with pytest.raises(EngineError):
        change(engine)
    assert state(engine) == before
    engine.insert("r", (1, 1, "z"))
    assert sorted(engine.view("per_a").rows()) == [(1, 24, 6), (2, 7, 1)]


def test_the_interpreter_refuses_deletes_too() -> None:
    reference = Interpreter(program())
    reference.insert("r", (1, 5, "x"))
    for change in (
        lambda: reference.delete("r", (1, 5, "x")),
        lambda: reference.apply("r", [(1, 5, "x")], [-1]),
    ):
        with pytest.raises(DataError, match="relation r: rows of an APPEND ONLY stream"):
            change()
    assert reference.view("kinds") == [("x",)]


def test_a_stream_read_by_nobody_is_append_only_as_well() -> None:
    sql = "CREATE STREAM r (a DECIMAL(5,2)) APPEND ONLY; CREATE STREAM s (a INT); SELECT COUNT(*) AS n FROM s;"
    engine = tg.compile(sql, name="append_only_unread").build(debug=True).engine()
    engine.insert("r", (Decimal("1.50"),))
    with pytest.raises(DataError, match='relation "r": rows of an APPEND ONLY'):
        engine.delete("r", (Decimal("1.50"),))
