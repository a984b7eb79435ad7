"""The command line: what goes where, exit codes, and no traceback whatever the input."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import toastergen as tg
from toastergen import driver
from toastergen.codegen.toolchain import find_compiler
from toastergen.errors import ResolveError, ToastergenError

QUERY = """\
CREATE TABLE product (id INT, category VARCHAR(10)) FROM FILE 'product.csv' LINE DELIMITED CSV;
CREATE STREAM item (product_id INT, price DECIMAL(8,2)) FROM FILE 'item.csv' LINE DELIMITED CSV;
CREATE STREAM other (x INT);
CREATE VIEW revenue AS
SELECT category, SUM(price) AS total FROM item, product WHERE product_id = id GROUP BY category;
CREATE VIEW others AS SELECT COUNT(*) AS n FROM other;
"""
TABLE = """\
revenue (2 rows)
  category   total
 ──────────────────
  jam         2.50
  tea        31.00

others (1 row)
  n
 ───
  0
"""


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


def toastergen(folder: Path, *arguments: str, **environment: str) -> Result:
    command = [sys.executable, "-m", "toastergen", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, env=os.environ | environment, timeout=300)
    result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in result.err
    return result


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.sql").write_text(QUERY)
    (tmp_path / "product.csv").write_text("id,category\n1,tea\n2,jam\n")
    (tmp_path / "item.csv").write_text("1,10.00\n1,21.00\n2,2.50\n")
    return tmp_path


# -- run ---------------------------------------------------------------------------------------------------------------


def test_run_shows_the_views_and_keeps_messages_apart(shop: Path) -> None:
    result = toastergen(shop, "run", "shop.sql")
    assert (result.code, result.out) == (0, TABLE)
    assert "note: no source for other: empty; give one with other=PATH" in result.err
    assert "5 rows in" in result.err
    assert "\x1b" not in result.err + result.out


def test_files_are_found_beside_the_program(shop: Path) -> None:
    elsewhere = shop / "elsewhere"
    elsewhere.mkdir()
    assert toastergen(elsewhere, "run", "../shop.sql").out == TABLE


def test_a_source_can_be_replaced_and_added(shop: Path) -> None:
    (shop / "more.csv").write_text("2,7.00\n")
    (shop / "other.csv").write_text("1\n2\n3\n")
    result = toastergen(shop, "run", "shop.sql", "ITEM=more.csv", "other=other.csv", "--format=csv", "--batch-size=1")
    assert result.out == "# revenue\ncategory,total\njam,7.00\n\n# others\nn\n3\n"


def test_files_may_stand_behind_options(shop: Path) -> None:
    (shop / "other.csv").write_text("1\n2\n")
    result = toastergen(shop, "run", "shop.sql", "--view=others", "other=other.csv", "--format=csv", "item=item.csv")
    assert (result.code, result.out) == (0, "n\n2\n")
    assert "unrecognized arguments: --colour" in toastergen(shop, "run", "shop.sql", "--colour").err


@pytest.mark.slow
def test_a_sanitized_engine_runs(shop: Path) -> None:
    assert toastergen(shop, "run", "shop.sql", "--sanitize").out == TABLE


def test_one_view_as_csv_is_plain_csv(shop: Path) -> None:
    assert toastergen(shop, "run", "shop.sql", "--format=csv", "--view=others").out == "n\n0\n"


def test_json_is_one_object_per_view(shop: Path) -> None:
    lines = toastergen(shop, "run", "shop.sql", "--json").out.splitlines()
    revenue, others = map(json.loads, lines)
    assert revenue["view"] == "revenue"
    assert sorted(revenue["rows"], key=lambda row: row["category"]) == [
        {"category": "jam", "total": "2.50"},
        {"category": "tea", "total": "31.00"},
    ]
    assert others == {"view": "others", "rows": [{"n": 0}]}


def test_arrow_goes_to_files_or_a_single_view_to_the_pipe(shop: Path) -> None:
    assert toastergen(shop, "run", "shop.sql", "--format=arrow", "--to=results").out == ""
    table = pa.ipc.open_file(shop / "results" / "revenue.arrow").read_all()
    assert sorted(table.column("category").to_pylist()) == ["jam", "tea"]
    refused = toastergen(shop, "run", "shop.sql", "--format=arrow")
    assert refused.code == 1
    assert "choose one with --view NAME" in refused.err


def test_bad_rows_stop_or_are_counted(shop: Path) -> None:
    (shop / "item.csv").write_text("1,10.00\n1,ten\n")
    stopped = toastergen(shop, "run", "shop.sql")
    assert (stopped.code, stopped.out) == (1, "")
    assert 'item.csv:2: column "price": "ten" is not a decimal(8,2)' in stopped.err
    skipped = toastergen(shop, "run", "shop.sql", "--on-error=skip", "--view=revenue", "--format=csv")
    assert (skipped.code, skipped.out) == (0, "category,total\ntea,10.00\n")
    assert "1 bad row left out:" in skipped.err
    assert 'item.csv:2: column "price"' in skipped.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "shop.sql", "item=none.csv"), "cannot read none.csv for relation item: no such file"),
        (("run", "shop.sql", "stuff=item.csv"), "there is no relation stuff"),
        (("run", "shop.sql", "item.csv"), "write relation=path"),
        (("run", "shop.sql", "--view=nothing"), "there is no view 'nothing'"),
        (("run", "shop.sql", "--batch-size=0"), "'0' is not a positive number"),
        (("run", "none.sql"), "cannot read none.sql: no such file"),
        (("explain", "shop.sql", "--emit=sausage"), "invalid choice"),
        (("dance",), "invalid choice"),
        ((), "required"),
    ],
)
def test_user_errors_are_one_message_and_code_1(shop: Path, arguments: tuple[str, ...], said: str) -> None:
    result = toastergen(shop, *arguments)
    assert (result.code, result.out) == (1, "")
    assert said in result.err
    assert "next: " in result.err


def test_sql_errors_point_at_the_place(shop: Path) -> None:
    (shop / "bad.sql").write_text(QUERY + "SELECT colour FROM item;\n")
    result = toastergen(shop, "build", "bad.sql")
    assert (result.code, result.out) == (1, "")
    assert "bad.sql:7:8: " in result.err
    assert "^^^^^^" in result.err


def test_a_missing_compiler_is_code_2(shop: Path) -> None:
    result = toastergen(shop, "build", "shop.sql", CXX="no-such-compiler")
    assert result.code == 2
    assert "no-such-compiler" in result.err
    assert "next: install" in result.err


def test_a_bug_is_reported_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from toastergen import cli

    def fail(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(driver, "read_job", fail)
    assert cli.main(["explain", "shop.sql"]) == 2
    assert capsys.readouterr().err.startswith("internal error: ZeroDivisionError: oops")


def test_an_interrupt_is_code_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from toastergen import cli

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(driver, "read_job", interrupt)
    assert cli.main(["explain", "shop.sql"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_closed_pipe_is_no_error(shop: Path) -> None:
    command = f"{sys.executable} -m toastergen explain shop.sql --emit=cpp | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=shop, capture_output=True, timeout=300)
    assert done.returncode == 0
    assert done.stderr == b""


def test_rows_of_blanks_are_shown(tmp_path: Path) -> None:
    (tmp_path / "t.sql").write_text("CREATE STREAM r (s VARCHAR); CREATE VIEW v AS SELECT s FROM r;")
    (tmp_path / "r.csv").write_text('x\n""\n""\n" "\ny\n')
    result = toastergen(tmp_path, "run", "t.sql", "r=r.csv", "--debug")
    assert result.out == "v (5 rows)\n  s\n ─────\n  ''\n  ''\n  ' '\n  x\n  y\n"


def test_a_clone_that_is_not_installed_says_so() -> None:
    root = Path(__file__).parents[2]
    for command in ("doctor", "run"):
        done = subprocess.run([sys.executable, "-S", "-m", "toastergen", command], cwd=root, capture_output=True)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"toastergen is not installed in this Python")
        assert done.stderr.count(b"\n") == 2
        assert b"next: .venv/bin/python -m toastergen" in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(shop: Path, closed: str) -> None:
    command = f"{sys.executable} -m toastergen run shop.sql {closed}"
    done = subprocess.run(["bash", "-c", command], cwd=shop, capture_output=True, timeout=300)
    assert done.returncode == 0
    words = closed.split()
    assert done.stdout.decode() == ("" if ">&-" in words else TABLE)
    assert (b"5 rows in" in done.stderr) == ("2>&-" not in words)


@pytest.mark.parametrize("terms", [400, 5000])
def test_expressions_too_deep_for_a_stage_are_refused_at_their_place(tmp_path: Path, terms: int) -> None:
    text = "CREATE STREAM r (a INT);\nSELECT COUNT(*) AS n FROM r;\n"
    text += f"SELECT a AS x,\n{'+'.join('a' * terms)} AS y FROM r;"
    (tmp_path / "deep.sql").write_text(text)
    for stage in driver.STAGE_NAMES:
        result = toastergen(tmp_path, "explain", "deep.sql", f"--emit={stage}")
        if result.code:
            break
    assert result.code == 1
    assert result.err.startswith("deep.sql:4:1: an expression is nested too deeply\n")


def test_what_cannot_be_written_is_found_before_rows_are_read(shop: Path) -> None:
    (shop / "item.csv").write_text("1,ten\n")  # would stop the run, if it came so far
    (shop / "taken").write_text("")
    two = toastergen(shop, "run", "shop.sql", "--format=arrow")
    assert (two.code, "choose one with --view NAME" in two.err) == (1, True)
    for option in ("--to", "-o"):
        file = toastergen(shop, "run", "shop.sql", option, "taken")
        assert (file.code, file.err) == (2, "taken is a file\n  next: choose a folder\n")
        below = toastergen(shop, "run", "shop.sql", option, "taken/below")
        assert (below.code, below.err.startswith("cannot write to taken/below: not a directory")) == (2, True)
    assert toastergen(shop, "build", "shop.sql", "-o", "taken").code == 2


def test_a_program_without_views_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none.sql").write_text("CREATE STREAM r (a INT);\n")
    for command in ("run", "build"):
        result = toastergen(tmp_path, command, "none.sql")
        assert (result.code, result.out) == (1, "")
        assert result.err.startswith("none.sql: no view is declared\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_compiler_too(tmp_path: Path, number: signal.Signals) -> None:
    """The compiler is one that starts a child, tells its number and never ends."""
    (tmp_path / "q.sql").write_text("CREATE STREAM r (a INT); SELECT SUM(a) AS s FROM r;")
    real = find_compiler().path
    fake = tmp_path / "compiler"
    fake.write_text(
        f'#!/bin/bash\nfor word; do [ "$word" = -c ] && {{ sleep 1000 & echo $! > child.tmp; '
        f'mv child.tmp {tmp_path}/child; wait; }}; done\nexec {real} "$@"\n'
    )
    fake.chmod(0o755)
    environment = os.environ | {"CXX": str(fake), "TOASTERGEN_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "toastergen", "build", "q.sql"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE) as process:
        while not (tmp_path / "child").exists():
            assert process.poll() is None
            time.sleep(0.05)
        child = int((tmp_path / "child").read_text())
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert b"Traceback" not in said
    for _ in range(1000):  # a killed process may need a moment to go
        if not is_running(child):
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the compiler's child runs on")


def is_running(number: int) -> bool:
    """A process that nobody has waited for yet is not running."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


# -- terminal ----------------------------------------------------------------------------------------------------------


def on_terminal(folder: Path, *arguments: str) -> str:
    """What a terminal sees of standard error and output."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "toastergen", *arguments]
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100"}
    with subprocess.Popen(command, cwd=folder, stdout=follower, stderr=follower, env=environment) as process:
        os.close(follower)
        seen = b""
        while chunk := _read(leader):
            seen += chunk
        process.wait(timeout=300)
    os.close(leader)
    return seen.decode()


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_a_terminal_sees_a_progress_bar_and_limited_rows(shop: Path) -> None:
    (shop / "product.csv").write_text("".join(f"{n},c{n:03}\n" for n in range(100)))
    (shop / "item.csv").write_text("".join(f"{n},1.00\n" for n in range(100)))
    seen = on_terminal(shop, "run", "shop.sql", "--view=revenue")
    assert "reading" in seen
    assert "rows/s" in seen.partition("rows in")[0]
    assert "c039" in seen
    assert "c040" not in seen
    assert "60 rows more; all of them with --format=csv" in seen
    piped = toastergen(shop, "run", "shop.sql", "--view=revenue")
    assert "c099" in piped.out
    assert "reading" not in piped.err


# -- build, explain, doctor --------------------------------------------------------------------------------------------


def test_build_leaves_everything_in_its_folder(shop: Path) -> None:
    result = toastergen(shop, "build", "shop.sql", "-v")
    assert result.code == 0
    output = shop / "build" / "shop"
    report = json.loads((output / "report.json").read_text())
    assert {"shop.m3", "engine.cpp", "engine.hpp", "libshop.so", "shop.h"} <= report["files"].keys()
    assert all((output / file).stat().st_size == size for file, size in report["files"].items())
    assert str(Path("build/shop/shop.m3")) in result.out
    words = [line.split()[0] for line in result.err.splitlines() if not line.startswith("compiling ")]
    assert words[:5] == list(driver.STAGE_NAMES)
    again = toastergen(shop, "build", "shop.sql", "--json", "-o", "second")
    assert json.loads(again.out) == json.loads((shop / "second" / "report.json").read_text()) == report
    assert tg.load(next(output.glob("shop.*.so"))).engine().view("others").rows() == [(0,)]


def test_a_built_m3_file_is_a_program_too(shop: Path) -> None:
    text = toastergen(shop, "explain", "shop.sql", "--emit=m3").out
    (shop / "again.m3").write_text(text)
    assert toastergen(shop, "explain", "again.m3", "--emit=m3").out == text
    assert toastergen(shop, "explain", "again.m3", "--emit=plan").code == 0
    refused = toastergen(shop, "explain", "again.m3", "--emit=agca")
    assert refused.code == 1
    assert "an M3 program has no stage agca" in refused.err


def test_every_stage_can_be_printed(shop: Path) -> None:
    beginnings = {"resolved": "table product", "agca": "view revenue", "plan": "LEDGER COUNTS", "cpp": "// ==== engine"}
    for stage, beginning in beginnings.items():
        assert toastergen(shop, "explain", "shop.sql", f"--emit={stage}").out.startswith(beginning)


def test_explain_says_why_and_how_much(shop: Path) -> None:
    text = toastergen(shop, "explain", "shop.sql").out
    assert "why: it answers revenue" in text
    assert "why: read to maintain revenue on + item" in text
    data = json.loads(toastergen(shop, "explain", "shop.sql", "--json").out)
    costs = {(event["event"], event["relation"]): event["cost"] for event in data["events"]}
    assert costs["insert", "other"] == "O(1)"
    assert costs["insert", "item"] == "O(slice)"


def test_doctor_tells_what_is_there_and_what_is_not(shop: Path) -> None:
    fine = toastergen(shop, "doctor")
    assert fine.code == 0
    assert "ok      C++ compiler" in fine.out
    ill = toastergen(shop, "doctor", "--json", CXX="no-such-compiler")
    assert ill.code == 2
    compiler = next(item for item in json.loads(ill.out) if item["what"] == "C++ compiler")
    assert (compiler["ok"], compiler["needed"]) == (False, "build")
    assert compiler["next_step"]


# -- Python ------------------------------------------------------------------------------------------------------------


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, toastergen; print([m for m in ('pyarrow', 'sqlglot', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_python_api_goes_from_sql_to_rows() -> None:
    program = tg.compile("SELECT a, SUM(b) AS s FROM r GROUP BY a", {"r": {"a": "INT", "b": "INT"}}, name="sums")
    assert "ON + r" in program.m3
    assert "EVENTS" in program.explain()
    built = program.build(debug=True)
    assert built.paths.module.is_file()
    engine = built.engine()
    engine.insert("r", (1, 5))
    engine.insert("r", (1, 6))
    view = engine.views[0].name
    assert engine.view(view).rows() == [(1, 11)]
    again = program.build(debug=True)
    assert again.cached
    assert repr(again) == "<Built sums: taken from the cache>"


@pytest.mark.parametrize("arguments", [(None,), (5,), ("SELECT a FROM r", 5), ("SELECT a FROM r", [5])])
def test_what_is_not_sql_belongs_to_the_family_too(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ResolveError) as caught:
        tg.compile(*arguments)
    assert caught.value.hint


def test_python_errors_belong_to_the_family() -> None:
    with pytest.raises(ToastergenError, match="<query>:1:8"):
        tg.compile("SELECT nothing FROM r", {"r": {"a": "INT"}})
