"""Rows that are deleted must be there, keys are unique, update and upsert happen as a whole: what is said otherwise."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import cffi
import pandas as pd
import pyarrow as pa
import pytest

import toastergen as tg
from toastergen.api import Built
from toastergen.errors import DataError, EngineError, M3Error, ResolveError, SourceError
from toastergen.explain import explanation
from toastergen.frontend.check import check_program
from toastergen.frontend.m3_text import read_program
from toastergen.runtime import Engine

SQL = """
CREATE TABLE region (id INT, name VARCHAR, PRIMARY KEY (id));
CREATE STREAM orders (id INT, region INT, total BIGINT, PRIMARY KEY (id));
CREATE STREAM items (order_id INT, price DECIMAL(8,2), day DATE);
CREATE STREAM seen (id INT, PRIMARY KEY (id)) APPEND ONLY;
CREATE STREAM clicks (id INT) APPEND ONLY;
CREATE STREAM idle (id INT, PRIMARY KEY (id));
CREATE VIEW per_region AS
    SELECT name, SUM(total) AS total FROM region, orders WHERE region.id = region GROUP BY name;
CREATE VIEW paid AS SELECT order_id, SUM(price) AS price, COUNT(*) AS n FROM items GROUP BY order_id;
CREATE VIEW visits AS SELECT COUNT(*) AS n FROM seen, clicks WHERE seen.id = clicks.id;
"""
PROGRAM = tg.compile(SQL, name="ledgers")
VIEWS = ("per_region", "paid", "visits")
BIG = 2**63 - 1
ITEM = (1, Decimal("2.00"), datetime.date(1970, 1, 1))


@pytest.fixture(scope="module")
def built() -> Built:
    return PROGRAM.build(debug=True)


@pytest.fixture
def engine(built: Built) -> Engine:
    engine = built.engine()
    engine.apply("region", [(1, "north"), (2, "south")])
    engine.apply("orders", [(1, 1, 10), (2, 2, 20)])
    engine.apply_row("items", ITEM, 2)
    return engine


def state(engine: Engine) -> object:
    stats = engine.stats()
    kept = [(item["relation"], item["rows"]) for item in stats["ledgers"]]
    return [sorted(engine.view(name).rows()) for name in VIEWS], kept


def refused(engine: Engine, change: Callable[[], object], message: str, kind: type[Exception] = DataError) -> str:
    before = state(engine)
    with pytest.raises(kind, match=re.escape(message)) as caught:
        change()
    assert state(engine) == before
    assert "\n  next: " in str(caught.value)
    return str(caught.value)


def test_a_delete_names_a_row_that_is_there(engine: Engine) -> None:
    absent = (1, Decimal("2.50"), ITEM[2])
    text = refused(
        engine,
        lambda: engine.delete("items", absent),
        'relation "items": (1, 2.50, 1970-01-01) is deleted but is not there',
    )
    assert text.endswith(
        "next: delete rows as they were inserted, or build with unmatched=allow; the engine is unchanged"
    )
    refused(engine, lambda: engine.apply_row("items", ITEM, -3), "is deleted 3 times but is there only 2 times")
    refused(engine, lambda: engine.apply("items", [ITEM, absent], [1, -1]), 'relation "items", row 2: (1, 2.50,')
    refused(
        engine, lambda: engine.delete("orders", (7, 1, 1)), 'relation "orders": (7, 1, 1) is deleted but is not there'
    )
    refused(engine, lambda: engine.delete("orders", (1, 1, 11)), "; that key has the row (1, 1, 10)")
    engine.apply_row("items", ITEM, -2)
    refused(engine, lambda: engine.delete("items", ITEM), "is deleted but is not there")
    engine.delete("orders", (1, 1, 10))
    assert engine.view("per_region").rows() == [("south", 20)]


def test_the_order_inside_a_batch_does_not_count(engine: Engine) -> None:
    engine.apply("items", [ITEM, ITEM, ITEM], [-3, -1, 4])
    engine.apply("orders", [(1, 2, 5), (1, 1, 10), (9, 1, 1), (9, 1, 1)], [1, -1, -1, 1])
    assert engine.view("per_region").rows() == [("south", 25)]
    refused(
        engine, lambda: engine.apply("orders", [(3, 1, 1), (3, 1, 2)]), 'relation "orders", row 2: the key id = 3 is'
    )


def test_keys_are_unique(engine: Engine) -> None:
    text = refused(
        engine, lambda: engine.insert("orders", (1, 2, 3)), "the key id = 1 is there already, in the row (1, 1, 10)"
    )
    assert "next: replace the row with upsert or update" in text
    refused(engine, lambda: engine.apply_row("orders", (5, 2, 3), 2), "can be there only once")
    engine.insert("seen", (1,))
    refused(engine, lambda: engine.insert("seen", (1,)), 'relation "seen": the key id = 1 is there already')
    refused(engine, lambda: engine.apply("seen", [(2,), (3,), (2,)]), 'relation "seen", row 3: the key id = 2 is there')
    engine.apply("clicks", [(1,), (1,)])
    assert engine.view("visits").rows() == [(2,)]


def test_update_happens_as_a_whole(engine: Engine) -> None:
    engine.update("orders", (1, 1, 10), (1, 1, 30))
    engine.update("orders", (1, 1, 30), (4, 2, 30))  # another key
    assert engine.view("per_region").rows() == [("south", 50)]
    refused(engine, lambda: engine.update("orders", (4, 2, 30), (4, 2, BIG)), "left the range", EngineError)
    refused(engine, lambda: engine.update("orders", (4, 2, 30), (4, 2, "much")), "cannot take 'much'")
    refused(engine, lambda: engine.update("orders", (4, 2, 31), (4, 2, 30)), "(4, 2, 31) is deleted but is not there")
    refused(engine, lambda: engine.update("orders", (4, 2, 30), (2, 2, 30)), "the key id = 2 is there already")
    refused(engine, lambda: engine.update("items", (9, *ITEM[1:]), (9, *ITEM[1:])), "is updated but is not there")
    engine.update_many("items", [ITEM, ITEM], pd.DataFrame({"order_id": [3], "price": [1.25], "day": [ITEM[2]]}))
    assert engine.view("paid").rows() == [(3, Decimal("1.25"), 1)]


def test_upsert_replaces_the_row_of_a_key(engine: Engine) -> None:
    engine.upsert("orders", {"id": 1, "region": 2, "total": 1})
    engine.upsert("orders", (3, 1, 5))
    assert sorted(engine.view("per_region").rows()) == [("north", 5), ("south", 21)]
    refused(engine, lambda: engine.upsert("orders", (1, 2, BIG)), "left the range", EngineError)
    engine.delete_key("orders", 3)
    engine.delete_key("orders", {"id": 2})
    refused(engine, lambda: engine.delete_key("orders", (3,)), 'relation "orders": no row has id = 3')
    assert engine.view("per_region").rows() == [("south", 1)]


@pytest.mark.parametrize(
    "make",
    [
        lambda columns: pa.table(columns),
        lambda columns: pd.DataFrame(columns),
        lambda columns: columns,
        lambda columns: list(zip(*columns.values(), strict=True)),
    ],
    ids=["arrow", "pandas", "columns", "rows"],
)
def test_batches_of_upserts(engine: Engine, make: Callable[[dict[str, list[int]]], Any]) -> None:
    engine.upsert_many("orders", make({"id": [1, 5, 1, 5], "region": [1, 1, 2, 2], "total": [7, 8, 9, 10]}))
    assert engine.view("per_region").rows() == [("south", 39)]
    rows = {"id": [1, 6, 6], "region": [1, 1, 1], "total": [1, 2, 3], "op": ["update", "+", "delete_key"]}
    engine.apply("orders", rows, operations="op")
    assert sorted(engine.view("per_region").rows()) == [("north", 1), ("south", 30)]
    rows = {"id": [1, 2], "region": [1, 2], "total": [1, BIG]}
    refused(engine, lambda: engine.upsert_many("orders", make(rows)), "left the range", EngineError)


def test_what_cannot_be_upserted(engine: Engine) -> None:
    refused(engine, lambda: engine.upsert("items", ITEM), 'relation "items": upsert goes by PRIMARY KEY')
    refused(engine, lambda: engine.upsert_many("items", [ITEM]), "an update or upsert goes by PRIMARY KEY")
    refused(engine, lambda: engine.upsert("seen", (1,)), "those of an APPEND ONLY stream stay")
    refused(engine, lambda: engine.delete_key("items", 1), 'relation "items" declares no PRIMARY KEY')
    refused(engine, lambda: engine.apply("orders", [(1, 1, 1)], operations="replace"), "column 'replace' is missing")
    refused(engine, lambda: engine.apply("orders", [(1, 1, 1)], operations=["replace"]), "no operation 'replace'")
    refused(engine, lambda: engine.apply("orders", [(1, 1, 1)], operations=["+", "-"]), "2 operations for 1 rows")
    refused(engine, lambda: engine.apply("orders", [(1, 1, 1)], 1, operations="+"), "exclude each other")
    refused(engine, lambda: engine.upsert("region", (1, "x")), "a table cannot change")
    engine.upsert("idle", (1,))  # nobody reads it
    engine.delete("idle", (2,))


def test_a_policy_of_pure_algebra() -> None:
    engine = PROGRAM.build(debug=True, unmatched="allow").engine()
    engine.delete("items", ITEM)
    engine.apply("orders", [(1, 1, 1), (1, 1, 1)])
    engine.update("items", ITEM, (2, *ITEM[1:]))
    assert engine.view("paid").rows() == [(1, Decimal("-4.00"), -2), (2, Decimal("2.00"), 1)]
    assert engine.stats()["ledgers"] == [] and {item.ledger for item in engine.relations} == {"allow"}
    with pytest.raises(DataError, match="an engine built with unmatched=allow does not keep"):
        engine.upsert("orders", (1, 1, 1))
    with pytest.raises(SourceError, match="unmatched is 'maybe'"):
        PROGRAM.build(unmatched="maybe")


def test_what_is_kept_is_told(engine: Engine) -> None:
    kinds = {"region": "rows", "orders": "rows", "items": "counts", "seen": "keys", "clicks": "grows", "idle": "unread"}
    assert {item.name: item.ledger for item in engine.relations} == kinds
    ledgers = {item["relation"]: (item["kind"], item["rows"]) for item in engine.stats()["ledgers"]}
    # The table is fixed since a stream has changed: its ledger is gone.
    assert ledgers == {"region": ("rows", 0), "orders": ("rows", 2), "items": ("counts", 1), "seen": ("keys", 0)}
    assert all(item["bytes"] > 0 for item in engine.stats()["ledgers"] if item["rows"])
    text = PROGRAM.explain()
    assert re.search(r"\n  orders +the row of each key", text) and re.search(r"\n  clicks +nothing: APPEND ONLY", text)
    program, plan = PROGRAM._job.program, PROGRAM._job.plan
    assert explanation(program, plan)["ledgers"][2]["kind"] == "counts"


def test_a_key_has_a_value() -> None:
    with pytest.raises(ResolveError, match="the key column a is declared NULL"):
        tg.compile("CREATE STREAM r (a INT NULL, PRIMARY KEY (a)); SELECT COUNT(*) AS n FROM r;")
    text = tg.compile("CREATE STREAM r (a INT, PRIMARY KEY (a)); SELECT COUNT(*) AS n FROM r;").m3
    with pytest.raises(M3Error, match="the primary key of r names a, which can be NULL"):
        check_program(read_program(text.replace("r (a int", "r (a int?")))


def test_files_with_operations(built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from toastergen.cli import main

    (tmp_path / "q.sql").write_text(
        "CREATE STREAM orders (id INT, region INT, PRIMARY KEY (id)) FROM FILE 'o.csv' LINE DELIMITED"
        " CSV (operation := 'op'); SELECT region, COUNT(*) AS n FROM orders GROUP BY region;"
    )
    good = "op,id,region\ninsert,1,1\n+,2,1\nupsert,1,2\nUPDATE,2,3\nupsert,3,3\n-,3,3\n"
    (tmp_path / "o.csv").write_text(good)
    query = str(tmp_path / "q.sql")
    assert main(["run", query, "--debug", "--format=csv"]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == ["2,1", "3,1", "region,n"]
    assert main(["verify", query, "--debug"]) == 0
    assert "equal to DuckDB" in capsys.readouterr().out
    (tmp_path / "o.csv").write_text(good + "update,7,1\n")
    assert main(["run", query, "--debug"]) == 1
    assert 'o.csv, batch of rows 1 to 7: relation "orders", row 7: no row has id = 7' in capsys.readouterr().err
    (tmp_path / "o.csv").write_text(good + "replace,7,1\n")
    assert main(["run", query, "--debug"]) == 1
    assert "row 7: 'replace' is no kind of change" in capsys.readouterr().err
    assert main(["run", query, "--debug", "--on-error=skip", "--format=csv"]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == ["2,1", "3,1", "region,n"]


def test_the_c_border(built: Built) -> None:
    ffi = cffi.FFI()
    header = re.sub(r"#ifdef __cplusplus.*?#endif", "", built.paths.header.read_text(), flags=re.S)
    ffi.cdef("\n".join(line for line in header.splitlines() if not line.startswith("#")))
    library: Any = ffi.dlopen(str(built.paths.library))
    api = library.ledgers_engine_api()
    handle = api.create()

    def row(*numbers: int) -> Any:
        values = ffi.new(f"tg_value[{len(numbers)}]")
        for value, number in zip(values, numbers, strict=True):
            value.kind, value.i = library.TG_INT, number
        return values

    try:
        orders = library.LEDGERS_ORDERS
        assert api.apply_row(handle, orders, row(1, 1, 5), 3, -1) == library.TG_UNMATCHED
        assert api.upsert_row(handle, orders, row(1, 1, 5), 3) == library.TG_OK
        assert api.apply_row(handle, orders, row(1, 2, 5), 3, 1) == library.TG_KEY
        assert ffi.string(api.last_error(handle)).startswith(b'relation "orders": the key id = 1 is there already')
        assert api.update_row(handle, orders, row(1, 1, 5), 3, row(2, 1, 5), 3) == library.TG_OK
        assert api.delete_key(handle, orders, row(1), 1) == library.TG_UNMATCHED
        assert api.delete_key(handle, orders, row(2, 1), 2) == library.TG_BAD_ARGUMENT
        assert api.delete_key(handle, orders, row(2), 1) == library.TG_OK
        assert api.upsert_row(handle, library.LEDGERS_CLICKS, row(2), 1) == library.TG_BAD_ARGUMENT
    finally:
        api.destroy(handle)
