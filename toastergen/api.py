"""The Python API: ``compile(sql, schema).build().engine()``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toastergen import driver
from toastergen.errors import ResolveError

if TYPE_CHECKING:
    from toastergen.codegen.build import Built as Files
    from toastergen.runtime import Engine, EngineModule


@dataclass(frozen=True, slots=True)
class Built:
    """A native engine on disk. ``paths`` names its module, library, header and CMake package."""

    paths: Files

    @property
    def cached(self) -> bool:
        """Nothing had to be compiled."""
        return self.paths.cached

    def module(self) -> EngineModule:
        """The loaded engine program."""
        from toastergen.runtime import load

        return load(self.paths.module)

    def engine(self) -> Engine:
        """A new engine with empty relations."""
        return self.module().engine()

    def __repr__(self) -> str:
        return f"<Built {self.paths.name}: {'taken from the cache' if self.cached else 'compiled'}>"


class Program:
    """A compiled query: its trigger program, and the way to a native engine."""

    def __init__(self, job: driver.Job) -> None:
        self._job = job

    @property
    def name(self) -> str:
        return self._job.name

    @property
    def m3(self) -> str:
        """The trigger program as text."""
        return driver.show(self._job, "m3")

    def emit(self, stage: str) -> str:
        """The text of any stage: resolved, agca, m3, plan or cpp."""
        return driver.show(self._job, stage)

    def explain(self) -> str:
        """Maps, why each of them exists, and what every event costs."""
        from toastergen.explain_text import explain_text

        program, plan = self._job.program, self._job.plan
        with driver.depth_guarded(self._job):
            return explain_text(program, plan)

    def explain_html(self) -> str:
        """A page that draws how relations, maps and views depend on each other, with the M3 program beside it."""
        from toastergen.drawing import html_page

        with driver.depth_guarded(self._job):
            return html_page(self._job.program, self._job.plan, self.name)

    def _repr_html_(self) -> str:
        """Notebooks show the graph and what events cost."""
        from toastergen.drawing import html_picture

        with driver.depth_guarded(self._job):
            return html_picture(self._job.program, self._job.plan, self.name)

    def build(
        self,
        output: str | os.PathLike[str] | None = None,
        *,
        debug: bool = False,
        sanitize: bool = False,
        portable: bool = False,
        strict: bool = False,
        unmatched: str = "error",
    ) -> Built:
        """Compile to native code, or take it from the cache; with ``output``, also copy everything there.

        ``strict`` raises a ``StrictError`` for a view whose events would cost more the more is stored. With
        ``unmatched="allow"`` the engine keeps no ledgers: deletes of rows that are not there leave negative counts.
        """
        from toastergen.codegen.build import BuildOptions

        if strict:
            from toastergen.strict import check_strict

            check_strict(self._job)

        options = BuildOptions(debug=debug, sanitize=sanitize, portable=portable)
        job = driver.with_unmatched(self._job, unmatched)
        return Built(driver.build(job, options, None if output is None else Path(output)))

    def __repr__(self) -> str:
        views = ", ".join(view.name for view in self._job.program.views)
        return f"<Program {self.name}: views {views}>"

    def __reduce__(self) -> tuple[Any, ...]:
        job = self._job
        return _again, (job.text, job.name, job.file, job.mode, job.relations)


def compile(sql: str, schema: Any = None, *, name: str | None = None) -> Program:
    """Compile SQL. Without ``schema`` the text declares its relations itself.

    ``schema`` is ``CREATE STREAM …`` text, ``{"orders": {"o_custkey": "INT", …}}`` or ``{"orders": arrow_schema}``.
    """
    if not isinstance(sql, str):
        raise ResolveError(f"the query is {_a(sql)}, not text", hint='give SQL: tg.compile("SELECT …", schema)')
    relations = None
    if schema is not None:
        from toastergen.frontend.sql import relations_from_schema

        relations = relations_from_schema(schema)
    if name is not None and not isinstance(name, str):
        raise ResolveError(f"the name is {_a(name)}, not text", hint="give a string, or leave it out")
    return _again(sql, name or "query", None, driver.MODES[0], relations)


def _a(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"


def _again(text: str, name: str, file: str | None, mode: str, relations: Any) -> Program:
    job = driver.Job(text, name, file, mode, relations)
    driver.run(job, "m3")
    return Program(job)
