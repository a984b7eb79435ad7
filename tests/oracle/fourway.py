"""Four answers that must agree after every step; where they first part names the guilty stage.

    duckdb   the SQL, recomputed by an outside engine
    agca     the calculus form, recomputed by the interpreter      differs from duckdb: frontend/sql or translate
    m3       the trigger program, run by the interpreter           differs from agca: frontend/maintain
    engine   the generated native code                             differs from m3: codegen, runtime, bindings
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from oracle.duck import DuckOracle, Row
from toastergen.codegen.build import BuildOptions, build_engine
from toastergen.codegen.emit import emit
from toastergen.codegen.lower import lower
from toastergen.compare import arranged, differing, normal
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.check import check_program
from toastergen.frontend.interpret.agca import AgcaOracle
from toastergen.frontend.interpret.m3 import Interpreter
from toastergen.frontend.m3 import TABLE, Program
from toastergen.frontend.m3_text import print_program, read_program
from toastergen.frontend.maintain import STRATEGIES
from toastergen.frontend.sql import read_script
from toastergen.runtime.load import load

__all__ = ["FourWay", "Mismatch", "arranged", "differing", "normal"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    view: str
    stage: str
    difference: str

    def __str__(self) -> str:
        return f"view {self.view}: {self.stage} differs from duckdb: {self.difference}"


class FourWay:
    """One script in four engines. ``native`` can be left out where only the compiler is under test."""

    def __init__(
        self,
        sql: str,
        *,
        name: str = "fourway",
        options: BuildOptions | None = None,
        native: bool = True,
        mode: str = "hoivm",
        program: Program | None = None,
    ) -> None:
        """``program`` is one written by hand that claims to answer the SQL; else the SQL is compiled."""
        self.sql = sql
        self.script = read_script(sql)
        self.program = program or STRATEGIES[mode](translate(self.script))
        check_program(self.program)
        text = print_program(self.program)
        assert read_program(text) == self.program, "the M3 text does not read back as the same program"
        self.views = tuple(view.name for view in self.program.views if not view.hidden)
        self.duckdb = DuckOracle(sql, self.script.relations, self.views)
        self._module = None
        if native:
            sources = emit(self.program, lower(self.program), name)
            built = build_engine(sources, name, options or BuildOptions(debug=True, werror=True))
            self._module = load(built.module)
        self.reset()

    def reset(self) -> None:
        """Four empty engines again. Nothing is compiled."""
        self.duckdb.clear()
        self.agca = AgcaOracle(self.program)
        self.m3 = Interpreter(self.program)
        self.engine = None if self._module is None else self._module.engine()
        self._loaded: list[tuple[str, Sequence[Any], int]] = []

    def change(self, relation: str, row: Sequence[Any], weight: int) -> None:
        """One single-row event."""
        self._apply(relation, row, weight)
        (self.m3.insert if weight > 0 else self.m3.delete)(relation, row)
        if self.engine is not None:
            (self.engine.insert if weight > 0 else self.engine.delete)(relation, tuple(row))

    def batch(self, relation: str, rows: Sequence[Sequence[Any]], weights: Sequence[int]) -> None:
        """One batch event. The order of rows inside it does not count."""
        for row, weight in sorted(zip(rows, weights, strict=True), key=lambda pair: -pair[1]):
            self._apply(relation, row, weight)
        self.m3.apply(relation, rows, weights)
        if self.engine is not None:
            self.engine.apply(relation, [tuple(row) for row in rows], list(weights))

    def _apply(self, relation: str, row: Sequence[Any], weight: int) -> None:
        self.duckdb.apply(relation, row, weight)
        self.agca.apply(relation, row, weight)
        if self.program.relation(relation).kind == TABLE:
            self._loaded.append((relation, row, weight))

    def check(self) -> None:
        """Compare all views of all engines."""
        found = self.mismatch()
        assert found is None, f"{found}\n{self.sql}"

    def mismatch(self, view: str | None = None) -> Mismatch | None:
        """The first view (or this one) on which an answer differs from DuckDB's, and the first stage that does."""
        for name in self.views if view is None else (view,):
            expected = arranged(self.duckdb.view(name))
            for stage, rows in self._answers(name):
                difference = differing(expected, arranged(rows))
                if difference is not None:
                    return Mismatch(name, stage, difference)
        return None

    def _answers(self, view: str) -> Iterator[tuple[str, list[Row]]]:
        yield "agca", self.agca.view(view)
        yield "m3", self.m3.view(view)
        if self.engine is not None:
            yield "engine", self.engine.view(view).rows()

    def check_empty(self) -> None:
        """After everything is deleted maps hold what they held at the start: tables, and rows that are always there."""
        start = Interpreter(self.program)
        for relation, row, weight in self._loaded:
            start.apply(relation, [row], [weight])
        for item in self.program.maps:
            left, first = self.m3.map(item.name), start.map(item.name)
            assert left.keys() == first.keys(), f"the interpreter's map {item.name} keeps {left}"
        if self.engine is not None:
            assert self._module is not None
            fresh = self._module.engine()
            for relation, row, weight in self._loaded:
                fresh.apply(relation, [tuple(row)], [weight])
            first_rows, rows = (
                {entry["name"]: entry["rows"] for entry in engine.stats()["maps"]} for engine in (fresh, self.engine)
            )
            grown = {name: count for name, count in rows.items() if count != first_rows[name]}
            assert not grown, f"maps of the engine that are not as empty as at the start: {grown}"
