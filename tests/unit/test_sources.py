"""Sources that say more than rows: deletes, order books, and several relations fed from one file."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from toastergen import driver
from toastergen.cli import main
from toastergen.codegen.build import BuildOptions
from toastergen.errors import DataError, SourceError, ToastergenError
from toastergen.feed import FeedOptions, open_feeds, pump
from toastergen.frontend.sql import read_script
from toastergen.progress import Quiet
from toastergen.runtime import EngineModule, load

EXAMPLES = Path(__file__).parents[2] / "examples"
COLUMNS = "t DOUBLE, id INT, broker_id INT, volume INT, price DECIMAL(10,2)"


def built(sql: str, folder: Path) -> EngineModule:
    path = folder / "q.sql"
    path.write_text(sql)
    return load(driver.build(driver.read_job(str(path), name="sources"), BuildOptions(debug=True)).module)


def rows_of(module: EngineModule, view: str, folder: Path, **options: Any) -> list[tuple[Any, ...]]:
    feeds, _ = open_feeds(module, {}, FeedOptions(folder, **options))
    engine = module.engine()
    pump(engine, feeds, Quiet())
    return sorted(engine.view(view).rows())


# -- deletions ----------------------------------------------------------------------------------------------

DELETIONS = """
CREATE STREAM r (a INT, b VARCHAR) FROM FILE 'r.csv' LINE DELIMITED CSV (delimiter := '|', deletions := 'true');
SELECT b, COUNT(*) AS n, SUM(a) AS total FROM r GROUP BY b;
"""


@pytest.mark.parametrize("batch_rows", [1, 2, 100])
def test_the_first_column_tells_deletes_from_inserts(tmp_path: Path, batch_rows: int) -> None:
    (tmp_path / "r.csv").write_text("1|5|x\n1|7|y\n0|5|x|\n1|8|y\n1|8|y\n0|8|y\n1|9|z\n0|9|z\n")
    assert rows_of(built(DELETIONS, tmp_path), "q", tmp_path, batch_rows=batch_rows) == [("y", 2, 15)]


def test_another_first_column_stops_or_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("1|5|x\n2|7|y\n|7|y\n1|z|y\n0|5|x\n1|6|z\n")
    module = built(DELETIONS, tmp_path)
    with pytest.raises(DataError) as caught:
        rows_of(module, "q", tmp_path, batch_rows=2)
    assert caught.value.message.endswith("r.csv: row 2: '2' is no kind of change")
    assert caught.value.hint == "write 1 for an insert and 0 for a delete"
    feeds, _ = open_feeds(module, {}, FeedOptions(tmp_path, "skip", 2))
    engine = module.engine()
    assert pump(engine, feeds, Quiet()) == 3
    assert engine.view("q").rows() == [("z", 1, 6)]
    source = feeds[0].source
    assert (source.rows_read, source.rows_rejected) == (3, 3)
    assert [message.partition(": ")[2] for message in source.messages] == [
        "row 2: '2' is no kind of change",
        'column "a": "z" is not an int',
        "row 3: '' is no kind of change",
    ]


# -- order books --------------------------------------------------------------------------------------------


def book_script(side: str, columns: str = COLUMNS, options: str = "brokers := '3', deterministic := 'yes'") -> str:
    declared = f"CREATE STREAM {side} ({columns}) FROM FILE 'm.csv'"
    return f"{declared} LINE DELIMITED ORDERBOOK (book := '{side}', {options});"


BOTH = f"""
{book_script("bids")} {book_script("asks")}
CREATE VIEW b AS SELECT * FROM bids; CREATE VIEW a AS SELECT * FROM asks;
"""
MESSAGES = """\
1.5,10,B,100,5.00
1.6,11,S,200,6.00
1.7,12,a,300,6.50
1.8,10,E,40,5.00
1.9,11,C,200,6.00
2.0,13,b,50,4.75
2.1,12,X,1,1
2.2,12,T,1,1
2.3,99,D,0,0
2.4,98,E,5,1
2.5,13,F,50,4.75
2.6,11,B,70,5.25
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> EngineModule:
    return built(BOTH, tmp_path_factory.mktemp("book"))


@pytest.mark.parametrize("batch_rows", [1, 3, 100])
def test_messages_change_both_sides(book: EngineModule, tmp_path: Path, batch_rows: int) -> None:
    (tmp_path / "m.csv").write_text(MESSAGES)
    shown = [tuple(map(float, row)) for row in rows_of(book, "b", tmp_path, batch_rows=batch_rows)]
    assert shown == [(1.5, 10, 10 % 3, 60, 5.0), (2.6, 11, 11 % 3, 70, 5.25)]
    shown = [tuple(map(float, row)) for row in rows_of(book, "a", tmp_path, batch_rows=batch_rows)]
    assert shown == [(1.7, 12, 0, 300, 6.5)]


def test_one_pass_feeds_both_sides_in_file_order(book: EngineModule, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(MESSAGES)
    feeds, silent = open_feeds(book, {}, FeedOptions(tmp_path, batch_rows=1))
    assert [feed.relations for feed in feeds] == [("bids", "asks")]
    assert silent == ()
    events = [(piece.relation, row["id"]) for piece in feeds[0].source for row in piece.rows.to_pylist()]
    bids, asks = "bids", "asks"
    assert events == [
        (bids, 10), (asks, 11), (asks, 12), (bids, 10), (bids, 10), (asks, 11), (bids, 13), (bids, 13), (bids, 11),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("3.0,1,B,5,1", "message 2: order 1 is entered again while it is open"),
        ("3.0,1,E,6,1", "message 2: 6 of order 1 are taken, which has 5"),
        ("3.0,1,Q,6,1", "message 2: 'Q' is no action of an order book"),
        ("3.0,1,E,many,1", 'm.csv:2: column "volume": "many" is not an int'),
    ],
)
def test_impossible_messages_stop_or_are_left_out(
    book: EngineModule, tmp_path: Path, line: str, problem: str
) -> None:
    (tmp_path / "m.csv").write_text(f"1.0,1,B,5,1\n{line}\n4.0,2,B,7,1\n")
    with pytest.raises(DataError) as caught:
        rows_of(book, "b", tmp_path)
    assert problem in caught.value.message and caught.value.hint
    assert [row[1] for row in rows_of(book, "b", tmp_path, on_error="skip")] == [1, 2]


def test_brokers_look_random_and_are_the_same_in_every_run(tmp_path: Path) -> None:
    sql = book_script("bids", "ID BIGINT, broker_id INT", "brokers := '4'") + "SELECT broker_id, ID FROM bids;"
    (tmp_path / "m.csv").write_text("".join(f"1,{number},B,1,1\n" for number in range(200)))
    module = built(sql, tmp_path)
    found = rows_of(module, "q", tmp_path)
    assert found == rows_of(module, "q", tmp_path)
    counts = [sum(broker == wanted for broker, _ in found) for wanted in range(4)]
    assert sum(counts) == 200 and min(counts) > 30
    assert any(broker != number % 4 for broker, number in found)


def test_an_order_book_of_m3_is_checked_when_it_is_opened(book: EngineModule, tmp_path: Path) -> None:
    text = driver.show(driver.read_job(str(write(tmp_path, "q.sql", BOTH))), "m3")
    assert driver.show(driver.read_job(str(write(tmp_path, "q.m3", text))), "m3") == text
    broken = text.replace("book := 'asks'", "book := 'both'")
    job = driver.read_job(str(write(tmp_path, "broken.m3", broken)))
    module = load(driver.build(job, BuildOptions(debug=True)).module)
    write(tmp_path, "m.csv", MESSAGES)
    with pytest.raises(SourceError, match="relation asks does not say which side"):
        open_feeds(module, {}, FeedOptions(tmp_path))


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_the_example_equals_duckdb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Generated messages through the whole command, against a plain replay and DuckDB's own answer."""
    messages: Callable[..., Any] = runpy.run_path(str(EXAMPLES / "generate_orders.py"))["messages"]
    lines = list(messages(7, 3000, 120))
    assert lines == list(messages(7, 3000, 120)) and lines != list(messages(8, 3000, 120))
    (tmp_path / ".demo").mkdir()
    (tmp_path / ".demo" / "orders.csv").write_text("".join(lines))
    (tmp_path / "examples").mkdir()
    sql = (EXAMPLES / "order_book.sql").read_text()
    script = write(tmp_path / "examples", "order_book.sql", sql)
    assert main(["run", str(script), "--json", "--batch-size=97"]) == 0
    shown = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    judge = duckdb.connect()
    for name, rows in replayed(lines).items():
        judge.execute(f"CREATE TABLE {name} (t DOUBLE, id INT, broker_id INT, volume DOUBLE, price DOUBLE)")
        judge.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?)", rows)
    selects = {part.split()[0]: part.partition(" AS\n")[2] for part in sql.split("CREATE VIEW ")[1:]}
    assert len(shown) == len(selects) == 3
    for view in shown:
        select = selects[view["view"]].partition(";")[0].replace("LISTMAX", "GREATEST")
        expected = sorted(judge.execute(select).fetchall())
        found = sorted(tuple(row.values()) for row in view["rows"])
        assert expected and len(found) == len(expected)
        for mine, theirs in zip(found, expected, strict=True):
            assert mine == pytest.approx(theirs, rel=1e-9)


def replayed(lines: list[str]) -> dict[str, list[list[float]]]:
    """The open orders after all messages, kept as plainly as possible."""
    books: dict[str, dict[str, list[float]]] = {"bids": {}, "asks": {}}
    for line in lines:
        time, number, action, volume, price = line.strip().split(",")
        if action in "BS":
            row = [float(time), int(number), int(number) % 10, float(volume), float(price)]
            books["bids" if action == "B" else "asks"][number] = row
        for rows in books.values():
            if number in rows and action in "EC":
                rows[number][3] -= float(volume)
            if number in rows and (action in "FD" or not rows[number][3]):
                del rows[number]
    return {name: list(rows.values()) for name, rows in books.items()}


def test_an_order_book_prints_and_reads_back() -> None:
    (relation, _) = read_script(BOTH).relations
    assert relation.source is not None
    assert relation.source.format == "orderbook"
    with pytest.raises(ToastergenError):
        read_script(BOTH.replace("'bids', ", "'bids', colour := 'x', ", 1))
