"""Compiling SQL to M3 grows gently with a query: by structure, and by ratios of times rather than by times."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest

from oracle.workloads import WORKLOADS, alone, compiled, parts
from toastergen.frontend.m3 import Program

MOST_STATEMENTS = 3000  # of any query of the workloads, in all triggers


def chain(count: int) -> str:
    names = [f"r{i}" for i in range(count)]
    declared = " ".join(f"CREATE STREAM {name} (a INT, b INT, v INT);" for name in names)
    links = " AND ".join(f"{left}.b = {right}.a" for left, right in pairwise(names))
    return f"{declared} SELECT r0.a, SUM({names[-1]}.v) AS v FROM {', '.join(names)} WHERE {links} GROUP BY r0.a;"


def star(count: int) -> str:
    """A fact table whose keys lead to dimensions."""
    names = [f"d{i}" for i in range(count)]
    keys = ", ".join(f"k_{name} INT" for name in names)
    declared = " ".join(f"CREATE STREAM {name} (k INT, c INT);" for name in names)
    links = " AND ".join(f"fact.k_{name} = {name}.k" for name in names)
    return f"""CREATE STREAM fact ({keys}, v INT); {declared}
        SELECT d0.c, SUM(fact.v) AS v FROM fact, {", ".join(names)} WHERE {links} GROUP BY d0.c;"""


def hub(count: int) -> str:
    """One key that all relations share."""
    names = [f"f{i}" for i in range(count)]
    declared = " ".join(f"CREATE STREAM {name} (k INT, v INT);" for name in names)
    links = " AND ".join(f"hub.k = {name}.k" for name in names)
    return f"""CREATE STREAM hub (k INT, c INT); {declared}
        SELECT hub.c, COUNT(*) AS n FROM hub, {", ".join(names)} WHERE {links} GROUP BY hub.c;"""


def snowflake(count: int) -> str:
    """A star whose dimensions have dimensions."""
    names = [str(i) for i in range(count)]
    keys = ", ".join(f"k{i} INT" for i in names)
    declared = " ".join(f"CREATE STREAM d{i} (k INT, c INT); CREATE STREAM e{i} (c INT, w INT);" for i in names)
    links = " AND ".join(f"fact.k{i} = d{i}.k AND d{i}.c = e{i}.c" for i in names)
    read = ", ".join(f"d{i}, e{i}" for i in names)
    return f"""CREATE STREAM fact ({keys}, v INT); {declared}
        SELECT e0.w, SUM(fact.v) AS v FROM fact, {read} WHERE {links} GROUP BY e0.w;"""


SHAPES = {"chain": (chain, 0), "star": (star, 1), "hub": (hub, 1)}


def statements(program: Program) -> int:
    return sum(len(trigger.statements) for trigger in program.triggers)


@pytest.mark.parametrize("shape", SHAPES)
def test_maps_and_statements_grow_as_polynomials(shape: str) -> None:
    """Twice the relations: at most the square of the maps, the cube of the statements."""
    make, more = SHAPES[shape]
    for count in (4, 8, 12):
        atoms = count + more
        program = compiled(make(count))
        assert len(program.maps) <= atoms * (atoms + 1) // 2 + 2
        assert statements(program) <= 2 * atoms**3


def test_snowflakes_fall_back_to_fewer_maps() -> None:
    for count in (2, 3, 4, 5):
        atoms = 2 * count + 1
        assert len(compiled(snowflake(count)).maps) <= atoms * (atoms + 1) // 2 + 2


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_relations_take_far_less_than_the_square_of_the_time(shape: str) -> None:
    """Measured: 4 to 7 times as long. Were every subset of relations looked at, it would be 64 times."""
    make, _ = SHAPES[shape]
    seconds_of(make, 6)  # the first call pays for imports and caches
    small, large = seconds_of(make, 6), seconds_of(make, 12)
    assert large < 30 * max(small, 0.01)


def seconds_of(make: Callable[[int], str], count: int) -> float:
    """The best of three, in the processor's time: what else runs on the machine does not count."""
    found: list[float] = []
    for _ in range(3):
        start = time.process_time()
        compiled(make(count))
        found.append(time.process_time() - start)
    return min(found)


@pytest.mark.parametrize("workload", sorted(path.stem for path in WORKLOADS.glob("*.sql")))
def test_no_query_of_the_workloads_explodes(workload: str) -> None:
    """``bench/compile_times.py`` prints the times; here it is counted what they are spent on."""
    for name in parts(workload)[1]:
        program = compiled(alone(workload, name))
        assert statements(program) < MOST_STATEMENTS, name
        assert len(program.maps) <= 80, name
