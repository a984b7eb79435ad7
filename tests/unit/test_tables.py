"""Tables are loaded before the streams: no maps for changes that never come, and late changes are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import toastergen as tg
from toastergen.errors import DataError
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.interpret.m3 import Interpreter
from toastergen.frontend.m3 import Program
from toastergen.frontend.m3_text import read_program
from toastergen.frontend.maintain.loading import loading
from toastergen.frontend.sql import read_script

STAR = """
CREATE STREAM orders (id INT, customer INT, price BIGINT);
CREATE STREAM customer (id INT, nation INT);
CREATE {nation} nation (id INT, region INT, name VARCHAR);
CREATE {nation} region (id INT, name VARCHAR);
CREATE VIEW per_nation AS SELECT n.name, SUM(o.price) AS total FROM orders o, customer c, nation n, region r
    WHERE o.customer = c.id AND c.nation = n.id AND n.region = r.id AND r.name = 'EUROPE' GROUP BY n.name;
CREATE VIEW mean AS SELECT AVG(price) AS price FROM orders;
CREATE VIEW names AS SELECT name, COUNT(*) AS n FROM nation GROUP BY name;
"""


def program(sql: str) -> Program:
    return read_program(tg.compile(sql).m3)


def test_what_is_never_asked_is_not_kept() -> None:
    fixed, changing = (program(STAR.format(nation=kind)) for kind in ("TABLE", "STREAM"))
    assert len(fixed.maps) < len(changing.maps)
    streams = {"orders", "customer"}
    for trigger in fixed.triggers:
        if trigger.relation not in streams:
            written = {statement.target for statement in trigger.statements}
            assert not any("orders" in name or "customer" in name for name in written)


def test_a_single_row_is_there_before_the_tables() -> None:
    """The mean of no orders is a row: a table joined with it changes the answer while it is loaded."""
    sql = STAR.format(nation="TABLE") + (
        "CREATE VIEW beside AS SELECT n.name, m.price FROM nation n, mean m;"
        "CREATE VIEW dear AS SELECT n.name, o.id FROM nation n, orders o, mean m WHERE o.price > m.price;"
    )
    found = loading(translate(read_script(sql)))
    assert {"orders", "customer"} <= found.empty and "mean" not in found.empty
    assert {"nation", "region"} <= found.changing and "mean" not in found.changing
    state = Interpreter(program(sql))
    state.insert("nation", (1, 1, "FRANCE"))
    assert state.view("beside") == [("FRANCE", None)]
    state.insert("orders", (1, 1, 10))
    assert state.view("beside") == [("FRANCE", 10.0)]


@pytest.mark.parametrize(
    "late",
    [
        lambda engine: engine.insert("nation", (2, 1, "SPAIN")),
        lambda engine: engine.delete("nation", (1, 1, "FRANCE")),
        lambda engine: engine.apply("region", [(2, "ASIA")]),
    ],
    ids=["insert", "delete", "batch"],
)
def test_a_table_is_fixed_once_a_stream_has_changed(late: Callable[[tg.Engine | Interpreter], None]) -> None:
    compiled = tg.compile(STAR.format(nation="TABLE"), name="star")
    for engine in (compiled.build(debug=True).engine(), Interpreter(read_program(compiled.m3))):
        engine.apply("region", [(1, "EUROPE")])
        engine.insert("nation", (1, 1, "FRENCH"))
        engine.delete("nation", (1, 1, "FRENCH"))
        engine.insert("nation", (1, 1, "FRANCE"))
        engine.insert("customer", (7, 1))
        with pytest.raises(DataError, match=r"a table cannot change after stream.*customer.*has"):
            late(engine)
        engine.insert("orders", (1, 7, 30))
        rows = engine.view("per_nation") if isinstance(engine, Interpreter) else engine.view("per_nation").rows()
        assert rows == [("FRANCE", 30)]


def test_a_change_that_fails_does_not_fix_the_tables() -> None:
    engine = tg.compile(STAR.format(nation="TABLE"), name="star").build(debug=True).engine()
    with pytest.raises(DataError):
        engine.insert("orders", (1, "seven", 30))
    engine.insert("nation", (1, 1, "FRANCE"))
    assert engine.view("names").rows() == [("FRANCE", 1)]
