"""The command ``verify``: reads what ``run`` reads, says whether the views are right, writes down a stream if not."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toastergen import driver
from toastergen.changes import read_stream, stream_text
from toastergen.errors import SourceError, UnsupportedSql, counted
from toastergen.feed import FeedOptions, open_feeds, parse_assignments, pump
from toastergen.progress import watch
from toastergen.recompute import Recomputation
from toastergen.runtime import load
from toastergen.verify import Difference, Trial, Verdict

if TYPE_CHECKING:
    from toastergen.codegen.build import BuildOptions
    from toastergen.driver import Job
    from toastergen.runtime import EngineModule

SUFFIX = ".stream"


def run_verify(job: Job, options: argparse.Namespace, build: BuildOptions, say: Callable[[str], None]) -> int:
    """Exit code 0 if all views are right, 1 if one is not."""
    paths = parse_assignments(options.data)
    if options.stream is not None and paths:
        raise SourceError("both --stream and files are given", hint="give one of them")
    if job.is_m3:
        raise UnsupportedSql(
            "an M3 program has no SQL that DuckDB could compute", hint="verify the .sql file it was made from"
        )
    program = job.program
    names = [view.name for view in program.views if not view.hidden]
    try:
        judge = Recomputation(job.text, program.relations, names)
    except UnsupportedSql as error:
        raise error.located(source=job.text, file=job.file) from None
    built = driver.build(job, build, None, lambda name: say(f"compiling {name} …"))
    module = load(built.module)
    trial = Trial(program, judge, module.engine, options.every if options.stream is None else 1)
    if options.stream is not None:
        relations = [item for item in program.relations if item.kind != "derived"]
        verdict = trial.stream(read_stream(options.stream, relations))
    else:
        verdict = trial.sources(lambda sink: _feed(sink, module, paths, options, say))
    return _report(verdict, job, options)


def _feed(
    sink: Trial, module: EngineModule, paths: dict[str, str], options: argparse.Namespace, say: Callable[[str], None]
) -> None:
    settings = FeedOptions(Path(options.program).parent, options.on_error, options.every)
    feeds, silent = open_feeds(module, paths, settings)
    if silent:
        say(f"note: no source for {', '.join(silent)}: empty; give one with {silent[0]}=PATH")
    with watch(feeds) as watcher:
        pump(sink, feeds, watcher)


def _report(verdict: Verdict, job: Job, options: argparse.Namespace) -> int:
    found = verdict.difference
    file = None if found is None else options.output or Path(f"{job.name}{SUFFIX}")
    if found is not None and file is not None:
        file.write_text(_file_text(found), encoding="utf-8")
    if options.json:
        print(json.dumps(_data(verdict, file), indent=2, ensure_ascii=False))
    else:
        print(_text(verdict, file, options.program), end="")
    return 0 if found is None else 1


def _file_text(found: Difference) -> str:
    comment = f"view {found.view}: {found.text}".replace("\n", " ").replace("\r", " ")
    return f"# {comment}\n{stream_text(found.stream)}"


def _text(verdict: Verdict, file: Path | None, program: str) -> str:
    found = verdict.difference
    if found is None:
        return (
            f"{counted(len(verdict.views), 'view')} equal to DuckDB: {counted(verdict.rows, 'row')},"
            f" {counted(verdict.comparisons, 'comparison')}\n"
        )
    changes = sum(len(step.rows) for step in found.stream)
    return (
        f"view {found.view} differs from DuckDB after {counted(found.rows, 'row')}, {found.lane}\n"
        f"the smallest stream that shows it has {counted(changes, 'change')}:\n"
        + "".join(f"    {line}\n" for line in stream_text(found.stream).splitlines())
        + f"after it the view has {found.text}\n"
        f"  next: replay it with: {shlex.join(['toastergen', 'verify', program, '--stream', str(file)])}\n"
    )


def _data(verdict: Verdict, file: Path | None) -> dict[str, Any]:
    found = verdict.difference
    data: dict[str, Any] = {
        "equal": found is None,
        "rows": verdict.rows,
        "comparisons": verdict.comparisons,
        "views": list(verdict.views),
    }
    if found is not None:
        data["difference"] = {
            "view": found.view,
            "lane": found.lane,
            "text": found.text,
            "changes": stream_text(found.stream).splitlines(),
            "file": str(file),
        }
    return data
