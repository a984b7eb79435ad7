"""Generated C++: without a warning, the same bytes every time, and clean under sanitizers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from oracle.streams import Stream
from toastergen import driver
from toastergen.codegen.build import BuildOptions, runtime_include
from toastergen.codegen.toolchain import find_compiler, sanitizer_environment
from toastergen.runtime import load

TESTS = Path(__file__).parents[1]
STRICT = ("-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Werror")

EVERY_TYPE = """
CREATE STREAM r (i INT, l BIGINT, d DOUBLE, small DECIMAL(9,2), wide DECIMAL(38,6), day DATE, t VARCHAR, b BOOLEAN);
CREATE STREAM s (i INT, t VARCHAR, price DECIMAL(12,2), rate DOUBLE, day DATE);
CREATE TABLE p (t VARCHAR, factor DECIMAL(5,3));
CREATE VIEW joined AS
SELECT r.t, r.day, COUNT(*) AS n, SUM(r.small * s.price) AS exact, SUM(r.d * s.rate) AS floating, AVG(s.price) AS mean
FROM r, s WHERE r.i = s.i AND r.day <= s.day AND r.b GROUP BY r.t, r.day;
CREATE VIEW three AS
SELECT SUM(s.price * p.factor) AS weighted, COUNT(*) AS n FROM r, s, p WHERE r.t = s.t AND s.t = p.t AND r.l % 3 <> 1;
CREATE VIEW chosen AS
SELECT b, SUM(CASE WHEN t LIKE 'a%' THEN wide WHEN i IN (1, 2, 7) THEN small ELSE 0 END) AS total, AVG(d) AS mean
FROM r GROUP BY b;
CREATE VIEW plain AS SELECT t, i + 1 AS next, day FROM r WHERE NOT (b OR l > 3) AND t <> '';
CREATE VIEW hop AS SELECT COUNT(*) AS n, SUM(x.i * y.l) AS v FROM r AS x, r AS y WHERE x.l = y.i;
"""
TRIANGLE = """
CREATE STREAM e (a INT, b INT);
CREATE VIEW triangles AS SELECT COUNT(*) AS n FROM e AS x, e AS y, e AS z WHERE x.b = y.a AND y.b = z.a AND z.b = x.a;
"""
PROGRAMS = {"every_type": EVERY_TYPE, "triangle": TRIANGLE} | {
    path.stem: path.read_text() for path in sorted((TESTS / "golden").glob("*.sql"))
}
# Optimised and sanitized builds of the large programs take the longest of all tests.
SMALL_THEN_LARGE = pytest.mark.parametrize(
    "name", ["join", *(pytest.param(name, marks=pytest.mark.slow) for name in ("triangle", "average", "every_type"))]
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_warning(name: str, tmp_path: Path) -> None:
    job = driver.Job(PROGRAMS[name], name)
    for file, text in job.sources.items():
        (tmp_path / file).write_text(text)
    command = [str(find_compiler().path), *STRICT, f"-I{runtime_include()}", str(tmp_path / "engine.cpp")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@SMALL_THEN_LARGE
def test_no_warning_with_optimisation(name: str) -> None:
    """Some warnings need the optimiser to see them."""
    driver.build(driver.Job(PROGRAMS[name], name), BuildOptions(werror=True))


def test_two_processes_give_the_same_bytes() -> None:
    """Sets and dictionaries in another order must not show in the output."""
    code = (
        "import sys; from toastergen import driver\n"
        "for number, text in enumerate(sys.stdin.read().split('\\0')):\n"
        "    job = driver.Job(text, f'q{number}')\n"
        "    for stage in driver.STAGE_NAMES: print(driver.show(job, stage))\n"
    )
    outputs = []
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", code],
            input="\0".join(PROGRAMS.values()).encode(),
            env=environment,
            capture_output=True,
            check=True,
        )
        outputs.append(run.stdout)
    assert len(outputs[0]) > 10_000
    assert outputs[0] == outputs[1] == outputs[2]


@SMALL_THEN_LARGE
def test_sanitizers_find_nothing(name: str, tmp_path: Path) -> None:
    job = driver.Job(PROGRAMS[name], name)
    built = driver.build(job, BuildOptions(sanitize=True, werror=True))
    program = tmp_path / f"{name}.m3"
    program.write_text(driver.show(job, "m3"))
    environment = {**os.environ, **sanitizer_environment(find_compiler()), "PYTHONPATH": str(TESTS)}
    command = [sys.executable, str(TESTS / "oracle" / "replay.py"), str(built.module), str(program), "11"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout == "ok\n"


def test_the_sanitizers_are_there() -> None:
    """The test above means nothing if the engine was compiled without them."""
    built = driver.build(driver.Job(PROGRAMS["join"], "join"), BuildOptions(sanitize=True, werror=True))
    symbols = subprocess.run(["nm", "-D", "-u", str(built.library)], capture_output=True, text=True, check=True).stdout
    assert "__asan_" in symbols
    assert "__ubsan_" in symbols


def test_a_second_engine_of_one_module_shares_nothing() -> None:
    job = driver.Job(TRIANGLE, "triangle")
    module = load(driver.build(job, BuildOptions(debug=True, werror=True)).module)
    one, two = module.engine(), module.engine()
    stream = Stream(job.program.relations, seed=3)
    for _ in range(50):
        relation, row, weight = stream.event()
        one.apply_row(relation, row, weight)
    assert one.view("triangles").get() != (0,)
    assert two.view("triangles").get() == (0,)
