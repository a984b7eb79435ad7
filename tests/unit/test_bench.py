"""``toastergen bench``: what it pushes, what it says, and that it would notice a wrong answer. Never how fast."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from toastergen import cli, driver
from toastergen.bench import Limits, first, measure
from toastergen.bench_rows import Piece, draw_pieces
from toastergen.codegen.build import BuildOptions
from toastergen.errors import EngineError
from toastergen.runtime import EngineModule, load

SQL = """\
CREATE STREAM orders (id INT NOT NULL, region VARCHAR NOT NULL, day DATE NULL, PRIMARY KEY (id)) FROM FILE 'orders.csv' LINE DELIMITED CSV;
CREATE STREAM items (id INT NOT NULL, price DECIMAL(8,2) NOT NULL) APPEND ONLY;
CREATE TABLE regions (name VARCHAR NOT NULL, big BOOLEAN NOT NULL);
CREATE VIEW revenue AS SELECT region, SUM(price) AS revenue FROM orders, items, regions
    WHERE orders.id = items.id AND region = name AND region IN ('north', 'south') GROUP BY region;
"""  # noqa: E501


@pytest.fixture(scope="module")
def module() -> EngineModule:
    return load(driver.build(driver.Job(SQL, "bench_test"), BuildOptions(debug=True)).module)


def drawn(module: EngineModule, limit: int = 300) -> list[Piece]:
    names = ("orders", "items", "regions")
    return draw_pieces(driver.Job(SQL, "bench_test").program, module.schema.relations, names, 20, limit, 1)


def test_drawn_rows_are_legal_changes(module: EngineModule) -> None:
    pieces = drawn(module)
    assert pieces[0].relation == "regions"
    assert sum(len(piece.rows) for piece in pieces) == 300
    live: Counter[tuple[Any, ...]] = Counter()
    for piece in pieces:
        assert len(piece.rows) == len(piece.signs) == piece.batch.num_rows
        for row, sign in zip(piece.rows, piece.signs, strict=True):
            live[piece.relation, *row] += sign
            assert live[piece.relation, *row] >= 0
    signs = {piece.relation: {sign for other in pieces if other.relation == piece.relation for sign in other.signs}
             for piece in pieces}  # fmt: skip
    assert signs == {"orders": {1, -1}, "items": {1}, "regions": {1}}
    orders = [row for piece in pieces if piece.relation == "orders" for row in piece.rows]
    assert {"north", "south"} <= {row[1] for row in orders}
    assert any(row[2] is None for row in orders)
    assert drawn(module) == pieces


def test_a_prefix_is_cut_in_the_middle_of_a_piece(module: EngineModule) -> None:
    pieces = drawn(module)
    some = first(pieces, 130)
    assert sum(len(piece.rows) for piece in some) == sum(piece.batch.num_rows for piece in some) == 130
    assert [row for piece in some for row in piece.rows] == [row for piece in pieces for row in piece.rows][:130]


def test_engines_that_disagree_are_noticed(module: EngineModule) -> None:
    pieces = drawn(module)
    bench = measure(module.engine, module.engine, pieces, Limits(1, 1), lambda _: None)
    assert [lane.name for lane in bench.lanes] == ["rows", "batches"]
    assert all(lane.ratio is not None and lane.runs[0].changes == 300 for lane in bench.lanes)

    def wrong() -> Any:
        engine = module.engine()
        engine.insert("regions", ("north", True))
        return engine

    with pytest.raises(EngineError, match="revenue differs from its re-evaluation"):
        measure(wrong, module.engine, pieces, Limits(1, 1), lambda _: None)


def test_the_command_reads_sources_and_draws_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "q.sql"
    script.write_text(SQL)
    (tmp_path / "orders.csv").write_text("1,north,1995-01-01\n2,south,1995-01-02\n")
    words = ["bench", str(script), "--rows", "60", "--batch-size", "10", "--seconds", "1", "--debug"]
    assert cli.main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["drawn"] == ["items", "regions"]
    assert data["changes"] == 62
    assert [lane["lane"] for lane in data["lanes"]] == ["rows", "batches"]
    for lane in data["lanes"]:
        assert lane["changes"] == 62
        assert lane["changes_per_second"] > 0
        assert lane["re_evaluated"]["times_faster"] > 0
    assert set(data["memory"]) == {"incremental", "re-evaluated"}
    assert data["memory"]["incremental"]["bytes"] == sum(data["memory"]["incremental"]["maps"].values())
    assert cli.main([*words, "--generate"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("q (hoivm): 60 changes, drawn for orders, items, regions\n  single rows ")
    assert "\n  batches of 10 " in out


def test_where_there_is_no_re_evaluation_the_reason_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "q.sql"
    script.write_text(
        "CREATE STREAM r (a INT, b INT); SELECT a FROM r GROUP BY a HAVING SUM(b) > (SELECT AVG(b) FROM r);"
    )
    words = ["bench", str(script), "--rows", "30", "--seconds", "1", "--debug"]
    assert cli.main(words) == 0
    assert "not compared with re-evaluation: queries over the results of queries" in capsys.readouterr().out
    assert cli.main(["bench", str(script), "--generate", "r=x.csv"]) == 1
    assert "both --generate and files are given" in capsys.readouterr().err
