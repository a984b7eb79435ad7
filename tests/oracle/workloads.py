"""The workloads of tests/queries/workloads as engines: some views of a file in one script, judged by DuckDB."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from oracle.workload_data import DATA
from oracle.workload_streams import Feed
from toastergen.codegen.build import BuildOptions, build_engine
from toastergen.codegen.emit import emit
from toastergen.codegen.lower import lower
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.check import check_program
from toastergen.frontend.interpret.m3 import Interpreter
from toastergen.frontend.m3 import Program
from toastergen.frontend.maintain import STRATEGIES
from toastergen.frontend.sql import read_script
from toastergen.frontend.sql.source import keyword, statements
from toastergen.recompute import Recomputation
from toastergen.runtime.load import load
from toastergen.verify import Trial

WORKLOADS = Path(__file__).parent.parent / "queries" / "workloads"


@cache
def parts(workload: str) -> tuple[str, dict[str, str]]:
    """The declarations of a workload, and its views by name."""
    text = (WORKLOADS / f"{workload}.sql").read_text()
    declarations: list[str] = []
    views: dict[str, str] = {}
    for statement in statements(text):
        written = text[statement.tokens[0].start : statement.tokens[-1].end + 1] + ";"
        if keyword(statement.tokens[1]) == "VIEW":
            views[statement.tokens[2].text] = written
        else:
            declarations.append(written)
    return "\n".join(declarations), views


def script(workload: str, views: Sequence[str]) -> str:
    declarations, known = parts(workload)
    return "\n".join([declarations, *(known[name] for name in views)])


def alone(workload: str, view: str) -> str:
    """A view in a script of its own, behind the views it reads."""
    text = parts(workload)[1][view]
    read = [name for name in parts(workload)[1] if name != view and re.search(rf"FROM.*\b{name}\b", text, re.DOTALL)]
    return script(workload, [*read, view])


def compiled(sql: str, mode: str = "hoivm") -> Program:
    program = STRATEGIES[mode](translate(read_script(sql)))
    check_program(program)
    return program


@dataclass(frozen=True, slots=True)
class Cut:
    """Events of ``size`` changes, 0 for single rows, over data of a scale; views are compared every so many changes."""

    size: int
    scale: int
    every: int


CUTS = {
    "rows": Cut(0, 1, 2),
    "batches of 1": Cut(1, 1, 2),
    "batches of 10": Cut(10, 4, 10),
    "batches of 1000": Cut(1000, 40, 1000),
}


class Contest:
    """A native engine beside DuckDB."""

    def __init__(self, workload: str, views: Sequence[str], mode: str, name: str) -> None:
        self._workload = workload
        self.sql = script(workload, views)
        self.program = compiled(self.sql, mode)
        self.judge = Recomputation(self.sql, self.program.relations, list(views))
        sources = emit(self.program, lower(self.program), name)
        built = build_engine(sources, name, BuildOptions(debug=True, werror=True))
        self._module = load(built.module)

    def run(self, cut: Cut, kind: str, seed: int) -> None:
        """Compare on the way, delete everything, and see every map as it was when only the tables were loaded."""
        feed = Feed(self.program.relations, DATA[self._workload](cut.scale), kind, seed)
        start = self._module.engine()
        loading = list(feed.tables())
        for step in loading:
            start.apply(step.relation, list(step.rows), list(step.weights))
        engines: list[Any] = []

        def engine() -> Any:
            engines.append(self._module.engine())
            return engines[-1]

        steps = [*loading, *feed.steps(cut.size), *feed.drain(cut.size)]
        verdict = Trial(self.program, self.judge, engine, cut.every).stream(steps)
        assert verdict.difference is None, f"{verdict.difference}\n{self.sql}"
        assert _records(engines[0]) == _records(start)


class Interpreted:
    """The interpreter of M3 in the place of an engine: no compiler has to run."""

    def __init__(self, program: Program) -> None:
        self._interpreter = Interpreter(program)

    def apply_row(self, relation: str, row: Any, weight: int) -> None:
        for _ in range(abs(weight)):
            (self._interpreter.insert if weight > 0 else self._interpreter.delete)(relation, row)

    def apply(self, relation: str, data: Any, weights: Any = None) -> None:
        self._interpreter.apply(relation, data, weights)

    def view(self, name: str) -> InterpretedView:
        return InterpretedView(self._interpreter.view(name))

    def keys(self, program: Program) -> dict[str, int]:
        return {item.name: len(self._interpreter.map(item.name)) for item in program.maps}


@dataclass(frozen=True, slots=True)
class InterpretedView:
    found: list[tuple[Any, ...]]

    def rows(self) -> list[tuple[Any, ...]]:
        return self.found


def interpret(workload: str, views: Sequence[str], mode: str, kind: str, size: int) -> None:
    """The same contest with the interpreter, on the smallest data."""
    sql = script(workload, views)
    program = compiled(sql, mode)
    feed = Feed(program.relations, DATA[workload](1), kind, 1)
    loading = list(feed.tables())
    start = Interpreted(program)
    for step in loading:
        start.apply(step.relation, step.rows, step.weights)
    engines: list[Interpreted] = []

    def engine() -> Interpreted:
        engines.append(Interpreted(program))
        return engines[-1]

    judge = Recomputation(sql, program.relations, list(views))
    verdict = Trial(program, judge, engine, 25).stream([*loading, *feed.steps(size), *feed.drain(size)])
    assert verdict.difference is None, f"{mode}: {verdict.difference}\n{sql}"
    assert engines[0].keys(program) == start.keys(program)


def _records(engine: Any) -> dict[str, int]:
    return {entry["name"]: entry["rows"] for entry in engine.stats()["maps"]}
