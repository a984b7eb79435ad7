"""The workloads of tests/queries/workloads as engines: some views of a file in one script, judged by DuckDB."""

from __future__ import annotations

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


def _records(engine: Any) -> dict[str, int]:
    return {entry["name"]: entry["rows"] for entry in engine.stats()["maps"]}
