"""The compiler as a list of stages and one loop. Stages are imported when they run: starting stays quick."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toastergen.errors import M3Error, ResolveError, SourceError, ToastergenError

if TYPE_CHECKING:
    from toastergen.codegen.build import BuildOptions, Built
    from toastergen.codegen.plan import Plan
    from toastergen.frontend.calculus.program import CalculusProgram
    from toastergen.frontend.m3 import Program, Relation
    from toastergen.frontend.m3_text import Places
    from toastergen.frontend.sql.resolved import Script

MODES: Final = ("hoivm", "ivm", "reeval", "viewlet")


@dataclass(slots=True)
class Job:
    """One compilation: its input, what the stages made of it so far, and how long each took."""

    text: str
    name: str
    file: str | None = None
    mode: str = MODES[0]
    relations: tuple[Relation, ...] | None = None  # given beside the query instead of declared in it
    unmatched: str = "error"  # what a delete of a row that is not there is; or "allow"
    results: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    places: Places = field(default_factory=dict)  # of an M3 text: where its parts are written

    @property
    def is_m3(self) -> bool:
        return self.file is not None and self.file.endswith(".m3")

    @property
    def program(self) -> Program:
        run(self, "m3")
        program: Program = self.results["m3"]
        return program

    @property
    def plan(self) -> Plan:
        run(self, "plan")
        plan: Plan = self.results["plan"]
        return plan

    @property
    def sources(self) -> Mapping[str, str]:
        run(self, "cpp")
        sources: Mapping[str, str] = self.results["cpp"]
        return sources


@dataclass(frozen=True, slots=True)
class Stage:
    """``make`` computes the stage's result from the earlier ones, ``show`` prints it."""

    name: str
    make: Callable[[Job], object]
    show: Callable[[Job], str]


def _resolve(job: Job) -> Script:
    from toastergen.frontend.sql import read_query, read_script

    # Paths stay as written: a program must not change with the folder it is compiled in.
    if job.relations is None:
        return read_script(job.text, job.file)
    return read_query(job.text, job.relations, job.file)


def _show_resolved(job: Job) -> str:
    from toastergen.frontend.sql.show import show_script

    return show_script(job.results["resolved"])


def _translate(job: Job) -> CalculusProgram:
    from toastergen.frontend.calculus.translate import translate

    return translate(job.results["resolved"])


def _show_agca(job: Job) -> str:
    from toastergen.stage_text import calculus_text

    return calculus_text(job.results["agca"])


def _maintain(job: Job) -> Program:
    from toastergen.frontend.maintain import STRATEGIES

    return _checked(STRATEGIES[job.mode](job.results["agca"]))


def _read_m3(job: Job) -> Program:
    from toastergen.frontend.m3_text import read_places

    program, job.places = read_places(job.text, job.file)
    return _checked(program)


def _checked(program: Program) -> Program:
    from toastergen.frontend.check import check_program

    check_program(program)
    return program


def _show_m3(job: Job) -> str:
    from toastergen.frontend.m3_text import print_program

    return print_program(job.results["m3"])


def _lower(job: Job) -> Plan:
    from toastergen.codegen.lower import lower

    return lower(job.results["m3"], job.unmatched)


def _show_plan(job: Job) -> str:
    from toastergen.codegen.plan_text import print_plan

    return print_plan(job.results["plan"])


def _emit(job: Job) -> dict[str, str]:
    from toastergen.codegen.emit import emit
    from toastergen.codegen.names import module_name

    return emit(job.results["m3"], job.results["plan"], module_name(job.name))


def _show_cpp(job: Job) -> str:
    return "\n".join(f"// ==== {file} ====\n{text}" for file, text in job.results["cpp"].items())


SQL_STAGES: Final = (
    Stage("resolved", _resolve, _show_resolved),
    Stage("agca", _translate, _show_agca),
    Stage("m3", _maintain, _show_m3),
    Stage("plan", _lower, _show_plan),
    Stage("cpp", _emit, _show_cpp),
)
M3_STAGES: Final = (Stage("m3", _read_m3, _show_m3), *SQL_STAGES[3:])
STAGE_NAMES: Final = tuple(stage.name for stage in SQL_STAGES)


def read_job(path: str, name: str | None = None, mode: str = MODES[0]) -> Job:
    """A job for a ``.sql`` or ``.m3`` file."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
        hint = "give the path of a .sql or .m3 file"
        raise SourceError(f"cannot read {path}: {problem}", hint=hint) from None
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{path} is not UTF-8 text: byte {error.start}", hint="save the file in UTF-8"
        ) from None
    return Job(text, name or Path(path).stem, path, mode)


def with_unmatched(job: Job, unmatched: str) -> Job:
    """The same job with another policy. The frontend does not know it: its results stay."""
    if unmatched == job.unmatched:
        return job
    kept = {stage: result for stage, result in job.results.items() if stage not in ("plan", "cpp")}
    return replace(job, unmatched=unmatched, results=kept, seconds=dict(job.seconds))


def run(job: Job, until: str) -> None:
    """Run the stages up to and including ``until`` that have not run yet."""
    for stage in _stages(job, until):
        if stage.name not in job.results:
            start = time.perf_counter()
            try:
                with depth_guarded(job):
                    job.results[stage.name] = stage.make(job)
            except ToastergenError as error:
                if isinstance(error, M3Error) and error.span is None and error.about is not None:
                    error.span = job.places.get(error.about)
                raise error.located(source=job.text, file=job.file) from None
            job.seconds[stage.name] = time.perf_counter() - start


def show(job: Job, name: str) -> str:
    """The text of one stage's result."""
    run(job, name)
    with depth_guarded(job):
        return _stages(job, name)[-1].show(job)


@contextlib.contextmanager
def depth_guarded(job: Job) -> Iterator[None]:
    """Stages walk expressions by recursion; one that is too deep for it is the text's fault, in whichever stage."""
    try:
        yield
    except RecursionError:
        raise _too_deep(job).located(source=job.text, file=job.file) from None


def _too_deep(job: Job) -> ToastergenError:
    if job.is_m3:
        return M3Error("an expression is nested too deeply", hint="split it into several statements")
    from toastergen.frontend.sql.source import too_deep

    return too_deep(job.text)


def _stages(job: Job, until: str) -> tuple[Stage, ...]:
    stages = M3_STAGES if job.is_m3 else SQL_STAGES
    names = [stage.name for stage in stages]
    if until not in names:
        raise SourceError(
            f"an M3 program has no stage {until}" if until in STAGE_NAMES else f"there is no stage {until}",
            hint=f"choose one of {', '.join(names)}",
        )
    return stages[: names.index(until) + 1]


def build(
    job: Job, options: BuildOptions, output: Path | None = None, started: Callable[[str], None] | None = None
) -> Built:
    """Compile everything; with ``output``, leave the program, the sources and the results there.

    ``started`` is told the engine's name if it is not in the cache, so that its compilation begins.
    """
    from toastergen.codegen.build import build_engine
    from toastergen.output import prepare_folder

    if not job.program.views:
        problem = ResolveError("no view is declared", hint="add CREATE VIEW name AS SELECT …, or a bare SELECT")
        raise problem.located(source=job.text, file=job.file)
    sources = job.sources
    if output is not None:
        prepare_folder(output)
    start = time.perf_counter()
    built = build_engine(sources, job.name, options, output, started)
    job.seconds["build"] = time.perf_counter() - start
    if output is not None:
        for file, text in {f"{built.name}.m3": show(job, "m3"), **sources}.items():
            (output / file).write_text(text, encoding="utf-8")
    return built
