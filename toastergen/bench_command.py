"""The command ``bench``: how many changes a second, in how much memory, and how much that is worth."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from toastergen import driver
from toastergen.bench import BATCHES, Bench, Lane, Limits, Tick, measure, summary
from toastergen.bench_rows import Piece, draw_pieces, read_pieces
from toastergen.errors import SourceError, ToastergenError, counted
from toastergen.feed import FeedOptions, open_feeds, parse_assignments
from toastergen.runtime import load

if TYPE_CHECKING:
    from toastergen.codegen.build import BuildOptions
    from toastergen.driver import Job
    from toastergen.runtime import EngineModule

SEED: Final = 1


@dataclass(frozen=True, slots=True)
class Input:
    """The changes, and the names of the relations whose rows were drawn."""

    pieces: list[Piece]
    drawn: tuple[str, ...]

    @property
    def changes(self) -> int:
        return sum(len(piece.rows) for piece in self.pieces)


def run_bench(job: Job, options: argparse.Namespace, build: BuildOptions, say: Callable[[str], None]) -> int:
    paths = parse_assignments(options.data)

    def compiling(name: str) -> None:
        say(f"compiling {name} …")

    module = load(driver.build(job, build, None, compiling).module)
    anew, reason = _anew(job, build, compiling)
    found = _input(job, module, paths, options)
    with _ticking() as tick:
        bench = measure(
            module.engine, None if anew is None else anew.engine, found.pieces, Limits(options.seconds), tick
        )
    if options.json:
        print(json.dumps(_data(job, bench, found, options, reason), indent=2, ensure_ascii=False))
    else:
        print(_text(job, bench, found, options, reason), end="")
    return 0


def _anew(job: Job, build: BuildOptions, compiling: Callable[[str], None]) -> tuple[EngineModule | None, str]:
    """The same program in mode reeval, or why there is none."""
    if job.is_m3:
        return None, "an M3 program is what it is"
    if job.mode == "reeval":
        return None, "this is re-evaluation"
    other = driver.Job(job.text, f"{job.name}_reeval", job.file, "reeval", job.relations)
    try:
        return load(driver.build(other, build, None, compiling).module), ""
    except ToastergenError as error:
        return None, error.message


def _input(job: Job, module: EngineModule, paths: dict[str, str], options: argparse.Namespace) -> Input:
    relations = module.schema.relations
    if options.generate:
        if paths:
            raise SourceError("both --generate and files are given", hint="give one of them")
        silent = tuple(relation.name for relation in relations)
        pieces: list[Piece] = []
    else:
        settings = FeedOptions(Path(options.program).parent, "stop", options.batch_size)
        feeds, silent = open_feeds(module, paths, settings)
        pieces = read_pieces(feeds, options.batch_size, options.rows)
    if silent:
        drawn = draw_pieces(job.program, relations, silent, options.batch_size, options.rows, SEED)
        pieces = drawn if not pieces else _mixed(module, pieces, drawn)
    if not pieces:
        raise SourceError("there are no rows to measure with", hint="use --generate, or give files: RELATION=PATH")
    return Input(pieces, silent)


def _mixed(module: EngineModule, read: list[Piece], drawn: list[Piece]) -> list[Piece]:
    """Tables first, wherever they come from; then a piece of a file and a drawn one by turns."""
    tables = {relation.name for relation in module.schema.relations if relation.kind == "table"}
    first = [piece for piece in (*read, *drawn) if piece.relation in tables]
    one, two = ([piece for piece in part if piece.relation not in tables] for part in (read, drawn))
    mixed = [piece for pair in zip(one, two, strict=False) for piece in pair]
    shared = min(len(one), len(two))
    return [*first, *mixed, *one[shared:], *two[shared:]]


@contextlib.contextmanager
def _ticking() -> Iterator[Tick]:
    """What is measured right now, on a terminal; nothing else runs meanwhile."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    # Drawn rarely: the bar must not take the processor from what is measured.
    with Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=2) as progress:
        task = progress.add_task("measuring", total=None)
        yield lambda lane: progress.update(task, description=f"measuring {lane}")


# -- report ------------------------------------------------------------------------------------------------------------


def _data(job: Job, bench: Bench, found: Input, options: argparse.Namespace, reason: str) -> dict[str, Any]:
    return {
        "program": job.name,
        "mode": job.mode,
        "changes": found.changes,
        "drawn": list(found.drawn),
        "batch_size": options.batch_size,
        "lanes": summary(bench),
        "memory": {mode: {"bytes": sum(maps.values()), "maps": maps} for mode, maps in bench.memory.items()},
        "not_compared": reason or None,
    }


def _text(job: Job, bench: Bench, found: Input, options: argparse.Namespace, reason: str) -> str:
    drawn = f", drawn for {', '.join(found.drawn)}" if found.drawn else ""
    lines = [f"{job.name} ({job.mode}): {counted(found.changes, 'change')}{drawn}"]
    for lane in bench.lanes:
        lines.append(_lane_text(lane, options.batch_size))
    for mode, maps in bench.memory.items():
        largest = max(maps, key=lambda name: maps[name], default="none")
        total = _bytes(sum(maps.values()))
        lines.append(f"  memory, {mode}: {total} in {counted(len(maps), 'map')}, most in {largest}")
    if reason:
        lines.append(f"  not compared with re-evaluation: {reason}")
    lines.append("  from Python: one call per row or batch, its conversion to Arrow not counted; medians")
    return "\n".join(lines) + "\n"


def _lane_text(lane: Lane, size: int) -> str:
    title = f"batches of {size:,}" if lane.name == BATCHES else "single rows"
    text = f"  {title:18} {lane.rate:>14,.0f} rows/s"
    if lane.ratio is None:
        return text
    anew = median(run.rate for run in lane.anew)
    changes = median(run.changes for run in lane.anew)
    return f"{text}   {lane.ratio:,.1f} times re-evaluation ({anew:,.0f} rows/s) on the first {changes:,.0f}"


def _bytes(number: int) -> str:
    for unit in ("bytes", "KB", "MB"):
        if number < 10_000:
            return f"{number:,} {unit}"
        number //= 1000
    return f"{number:,} GB"
