"""verify: engines that are right pass, engines that are wrong on purpose are caught with the smallest stream."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from toastergen import cli, driver
from toastergen.changes import Step, flattened, legal, parse_stream, stream_text
from toastergen.compare import differing, differing_top
from toastergen.errors import DataError, UnsupportedSql
from toastergen.frontend.interpret.m3 import Interpreter
from toastergen.frontend.m3 import DELETE, Program
from toastergen.recompute import Recomputation
from toastergen.shrink import smallest_stream
from toastergen.verify import Trial

SQL = """\
CREATE STREAM r (a INT, b INT) FROM FILE 'r.csv' LINE DELIMITED CSV;
CREATE STREAM s (b INT, c DECIMAL(8,2)) FROM FILE 's.csv' LINE DELIMITED CSV;
CREATE VIEW v AS SELECT a, SUM(c) AS total FROM r, s WHERE r.b = s.b GROUP BY a;
CREATE VIEW top AS SELECT b, c FROM s ORDER BY c DESC LIMIT 2;
"""


class Answer:
    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self._rows = rows

    def rows(self) -> list[tuple[Any, ...]]:
        return self._rows


class Interpreted:
    """The interpreter of M3 as an engine: a program that is wrong on purpose needs no compiler."""

    def __init__(self, program: Program) -> None:
        self._interpreter = Interpreter(program)

    def apply_row(self, relation: str, row: Any, weight: int) -> None:
        for _ in range(abs(weight)):
            (self._interpreter.insert if weight > 0 else self._interpreter.delete)(relation, row)

    def apply(self, relation: str, data: Any, weights: Any = None) -> None:
        self._interpreter.apply(relation, data, weights)

    def view(self, name: str) -> Answer:
        return Answer(self._interpreter.view(name))


def trial(
    program: Program, judged: Program | None = None, sql: str = SQL, make: Callable[[], Any] | None = None
) -> Trial:
    views = [view.name for view in program.views if not view.hidden]
    judge = Recomputation(sql, program.relations, views)
    return Trial(program, judge, make or (lambda: Interpreted(judged or program)), every=4)


def program_of(sql: str = SQL) -> Program:
    return driver.Job(sql, "q", "q.sql").program


def without_statements(program: Program, event: str, relation: str, target: str) -> Program:
    """A trigger that forgets to maintain a map."""
    triggers = tuple(
        replace(item, statements=tuple(s for s in item.statements if s.target != target))
        if (item.event, item.relation) == (event, relation)
        else item
        for item in program.triggers
    )
    assert triggers != program.triggers
    return replace(program, triggers=triggers)


def rows(relation: str, *values: tuple[Any, ...], weight: int = 1, batch: bool = False) -> Step:
    return Step(relation, values, (weight,) * len(values), batch)


STREAM = (
    rows("r", *((a, a % 5) for a in range(40))),
    rows("s", *((b % 7, Decimal(b)) for b in range(30)), batch=True),
    rows("r", *((a, a % 5) for a in range(20)), weight=-1),
    rows("s", (3, Decimal(3)), (1, Decimal(1)), weight=-1, batch=True),
)


def test_a_right_engine_passes() -> None:
    verdict = trial(program_of()).stream(STREAM)
    assert verdict.difference is None
    assert (verdict.rows, verdict.views) == (92, ("v", "top"))
    assert verdict.comparisons > 4


def test_a_forgotten_delete_is_reduced_to_the_three_changes_it_needs() -> None:
    """A row of r and one of s that meet, and the delete that does not take the sum back."""
    wrong = without_statements(program_of(), DELETE, "r", "v")
    found = trial(program_of(), wrong).stream(STREAM).difference
    assert found is not None
    assert found.view == "v"
    signs = sorted((step.relation, weight) for step in found.stream for weight in step.weights)
    assert signs == [("r", -1), ("r", 1), ("s", 1)]
    assert not any(step.batch for step in found.stream)  # it shows without batches as well


def test_a_fault_that_only_batches_show_stays_in_a_batch() -> None:
    wrong = without_statements(program_of(), "batch", "s", "v")
    found = trial(program_of(), wrong).stream(STREAM).difference
    assert found is not None
    assert sorted((step.relation, len(step.rows), step.batch) for step in found.stream) == [
        ("r", 1, False),
        ("s", 1, True),
    ]


def test_a_view_that_is_wrong_from_the_start_needs_no_row() -> None:
    sql = "CREATE STREAM r (a INT); CREATE VIEW n AS SELECT COUNT(*) AS n FROM r;"

    class Empty(Interpreted):
        def view(self, name: str) -> Answer:
            return Answer([])

    program = program_of(sql)
    found = trial(program, sql=sql, make=lambda: Empty(program)).stream(()).difference
    assert found is not None and found.stream == ()


@pytest.mark.parametrize("needed", [{3}, {3, 17}, {0, 49}, {2, 3, 5, 7, 11, 13}])
def test_the_smallest_stream_is_exactly_what_is_needed(needed: set[int]) -> None:
    steps = tuple(rows("r", *((n, 0) for n in range(start, start + 10)), batch=True) for start in range(0, 50, 10))
    found = smallest_stream(steps, lambda part: needed <= {change.row[0] for change in flattened(part)})
    assert [change.row[0] for change in flattened(found)] == sorted(needed)


def test_a_smaller_part_is_found_where_no_single_change_can_go() -> None:
    """Two changes stand in each other's way, and a third one alone is enough."""
    steps = tuple(rows("r", (n, 0)) for n in range(4))
    shows = {(0, 1, 2, 3), (0, 1, 2), (1,)}
    found = smallest_stream(steps, lambda part: tuple(change.row[0] for change in flattened(part)) in shows)
    assert [change.row[0] for change in flattened(found)] == [1]


def test_where_an_insert_goes_its_delete_goes_too() -> None:
    stream = flattened((rows("r", (1, 1), weight=-1), rows("r", (1, 1)), rows("r", (1, 1), weight=-1)))
    assert [change.weight for change in legal(stream)] == [1, -1]
    together = flattened((Step("r", ((1, 1), (1, 1)), (-1, 1), True),))
    assert legal(together) == together


# -- comparing ---------------------------------------------------------------------------------------------------------


def test_numbers_are_compared_exactly_and_doubles_nearly() -> None:
    assert differing([(1, Decimal("1.50"))], [(1, Decimal("1.5"))]) is None
    assert differing([(Decimal("1.50"),)], [(Decimal("1.51"),)]) is not None
    assert differing([(2**60,)], [(2**60 + 1,)]) is not None
    assert differing([(1.0,)], [(1.0 + 1e-12,)]) is None
    assert differing([(1.0,)], [(1.0 + 1e-6,)]) is not None
    assert differing([(float("nan"),)], [(float("nan"),)]) is None
    assert differing([(None,)], [(0,)]) is not None
    assert differing([(True,)], [(1,)]) is not None


def test_rows_that_tie_may_be_any_of_them() -> None:
    whole = [(1, "a"), (2, "b"), (2, "c"), (3, "d")]
    assert differing_top(whole, [0], slice(0, 2), [(1, "a"), (2, "c")]) is None
    assert differing_top(whole, [0], slice(0, 2), [(1, "a"), (2, "x")]) == "(2, 'x') is no row of the whole answer"
    assert differing_top(whole, [0], slice(0, 2), [(2, "b"), (1, "a")]) is not None
    assert differing_top(whole, [0], slice(0, 2), [(1, "a")]) is not None


# -- streams as text ---------------------------------------------------------------------------------------------------


HOSTILE = 'CREATE STREAM "a ""b\n[" (d DATE, x DOUBLE, t VARCHAR, o BOOLEAN, m DECIMAL(6,2)); SELECT t FROM "a ""b\n[";'


def test_a_stream_reads_back_as_it_was_written() -> None:
    relation = program_of(HOSTILE).relations[0]
    row = (date(2000, 2, 29), 0.1, 'it\'s "#\n', True, Decimal("10.00"))
    steps = (
        Step(relation.name, (row,), (1,), False),
        Step(relation.name, (row, row), (-1, 3), True),
        Step(relation.name, ((date(1, 1, 1), float("inf"), "", False, Decimal("-0.01")),), (2,), True),
    )
    text = stream_text(steps)
    assert parse_stream(f"# a comment\n\n{text}", "f", {relation.name: relation}) == steps


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("* r [1, 2]", "an event begins with +, - or batch"),
        ("+ nothing [1, 2]", "there is no relation nothing; the relations are r, s"),
        ("+ r [1]", "r has 2 columns"),
        ("+ r [1, 2", "is not a row in JSON"),
        ('+ r [1, "2"]', 'column b is int, which "2" is not'),
        ("+ s [1, 0.001]", "column c is decimal(8,2), which"),
        ("  + [1, 2]", "an indented line is a row of a batch"),
        ("batch r [1, 2]", "the rows of a batch stand on the lines below it"),
    ],
)
def test_a_bad_line_is_named(line: str, message: str) -> None:
    relations = {item.name: item for item in program_of().relations}
    with pytest.raises(DataError) as caught:
        parse_stream(f"+ r [1, 2]\n{line}\n", "f.stream", relations)
    assert message in str(caught.value)
    assert str(caught.value).startswith("f.stream:2:1: ")


def test_a_delete_of_nothing_is_an_error_of_the_stream() -> None:
    with pytest.raises(DataError, match="deletes a row of r that is not there"):
        trial(program_of()).stream((rows("r", (1, 1), weight=-1),))


def test_what_duckdb_does_not_understand_is_named_with_its_place() -> None:
    with pytest.raises(UnsupportedSql, match="DuckDB cannot compute the view v"):
        Recomputation("CREATE VIEW v AS SELECT nothing_like_it(1)", (), ["v"])


# -- the command -------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "q.sql").write_text(SQL)
    (tmp_path / "r.csv").write_text("".join(f"{n},{n % 3}\n" for n in range(50)))
    (tmp_path / "s.csv").write_text("".join(f"{n % 4},{n}.25\n" for n in range(30)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_sources_are_replayed_in_growing_steps(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", "q.sql", "--every=8"]) == 0
    assert capsys.readouterr().out == "2 views equal to DuckDB: 80 rows, 14 comparisons\n"
    assert cli.main(["verify", "q.sql", "--every=1", "s=r.csv", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data == {"equal": True, "rows": 100, "comparisons": 101, "views": ["v", "top"]}
    assert not list(folder.glob("*.stream"))


def test_a_wrong_engine_leaves_a_file_that_replays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The real thing: a native engine, built from a program whose trigger forgets a statement."""
    right = driver._maintain
    monkeypatch.setattr(driver, "SQL_STAGES", tuple(map(_forgetful(right), driver.SQL_STAGES)))
    assert cli.main(["verify", "q.sql"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("view v differs from DuckDB after ")
    assert "the smallest stream that shows it has 2 changes:\n" in out
    assert "  next: replay it with: toastergen verify q.sql --stream q.stream\n" in out
    events = [line for line in (folder / "q.stream").read_text().splitlines() if not line.startswith("#")]
    assert sorted(event.split()[1] for event in events) == ["r", "s"]
    assert cli.main(["verify", "q.sql", "--stream", "q.stream", "-o", "again.stream"]) == 1
    assert (folder / "again.stream").read_text() == (folder / "q.stream").read_text()
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert cli.main(["verify", "q.sql", "--stream", "q.stream"]) == 0


def _forgetful(right: Callable[[driver.Job], Program]) -> Callable[[driver.Stage], driver.Stage]:
    def changed(stage: driver.Stage) -> driver.Stage:
        if stage.name != "m3":
            return stage
        return replace(stage, make=lambda job: without_statements(right(job), "insert", "s", "v"))

    return changed


def test_without_duckdb_one_line_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert cli.main(["verify", "q.sql"]) == 2
    assert capsys.readouterr().err == (
        "verify compares with DuckDB, which is not installed\n  next: pip install 'toastergen[verify]'\n"
    )


def test_wrong_arguments_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "q.m3").write_text(driver.show(driver.Job(SQL, "q", "q.sql"), "m3"))
    assert cli.main(["verify", "q.m3"]) == 1
    assert "an M3 program has no SQL" in capsys.readouterr().err
    assert cli.main(["verify", "q.sql", "r=r.csv", "--stream", "x"]) == 1
    assert "both --stream and files are given" in capsys.readouterr().err
    assert cli.main(["verify", "q.sql", "--stream", "nowhere"]) == 1
    assert "cannot read nowhere" in capsys.readouterr().err
