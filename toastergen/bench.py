"""Measure an engine on given changes: one by one and in batches, beside an engine that computes its views anew.

What is compared has done the same work on the same changes, and its views are compared too. Re-evaluation is slow, so
it gets a time limit; the incremental engine is measured on everything, and once more on as many changes as
re-evaluation came through, which is what the ratio is made of. Engines take turns, and the median of the runs counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from toastergen.bench_rows import Piece
from toastergen.compare import arranged, differing
from toastergen.errors import EngineError

if TYPE_CHECKING:
    from toastergen.runtime import Engine

ROWS: Final = "rows"
BATCHES: Final = "batches"

_LOOK: Final = 64  # single rows between two looks at the clock

Tick = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Run:
    """Changes that were pushed, and how long that took."""

    changes: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.changes / max(self.seconds, 1e-9)


@dataclass(frozen=True, slots=True)
class Lane:
    """One way to push: the engine on everything, and both engines on the changes that both came through."""

    name: str
    runs: tuple[Run, ...]
    same: tuple[Run, ...] = ()
    anew: tuple[Run, ...] = ()

    @property
    def rate(self) -> float:
        return median(run.rate for run in self.runs)

    @property
    def ratio(self) -> float | None:
        """How many times faster than re-evaluation, on the same changes."""
        if not self.anew:
            return None
        return median(run.rate for run in self.same) / median(run.rate for run in self.anew)


@dataclass(frozen=True, slots=True)
class Bench:
    """``memory`` is by mode: what the maps of the engine hold in the end, in bytes, by map."""

    lanes: tuple[Lane, ...]
    memory: dict[str, dict[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float  # of re-evaluation, and after which no further run is begun
    runs: int = 3


def measure(
    make: Callable[[], Engine], anew: Callable[[], Engine] | None, pieces: Sequence[Piece], limits: Limits, tick: Tick
) -> Bench:
    """Tables are loaded before the clock runs in no lane: they are changes like all others."""
    memory: dict[str, dict[str, int]] = {}
    lanes = tuple(_lane(name, push, make, anew, pieces, limits, tick, memory) for name, push in _PUSHES.items())
    return Bench(lanes, memory)


def _lane(
    name: str,
    push: Callable[[Engine, Sequence[Piece], float | None], Run],
    make: Callable[[], Engine],
    anew: Callable[[], Engine] | None,
    pieces: Sequence[Piece],
    limits: Limits,
    tick: Tick,
    memory: dict[str, dict[str, int]],
) -> Lane:
    runs: list[Run] = []
    same: list[Run] = []
    again: list[Run] = []
    start = time.perf_counter()
    while not runs or (len(runs) < limits.runs and time.perf_counter() - start < limits.seconds):
        tick(name)
        engine = make()
        runs.append(push(engine, pieces, None))
        memory["incremental"] = _memory(engine)
        if anew is not None:
            tick(f"{name}, re-evaluated")
            slow, quick = anew(), make()
            again.append(push(slow, pieces, limits.seconds / limits.runs))
            same.append(push(quick, first(pieces, again[-1].changes), None))
            memory["re-evaluated"] = _memory(slow)
            _compare(quick, slow)
    return Lane(name, tuple(runs), tuple(same), tuple(again))


def first(pieces: Sequence[Piece], changes: int) -> list[Piece]:
    """As many changes from the beginning, the last piece cut if need be."""
    found: list[Piece] = []
    for piece in pieces:
        if changes <= 0:
            break
        found.append(piece.first(changes))
        changes -= len(piece.rows)
    return found


def _rows(engine: Engine, pieces: Sequence[Piece], limit: float | None) -> Run:
    done = 0
    start = time.perf_counter()
    for piece in pieces:
        insert, delete, relation = engine.insert, engine.delete, piece.relation
        for row, weight in zip(piece.rows, piece.signs, strict=True):
            (insert if weight > 0 else delete)(relation, row)
            done += 1
            if limit is not None and done % _LOOK == 0 and time.perf_counter() - start > limit:
                return Run(done, time.perf_counter() - start)
    return Run(done, time.perf_counter() - start)


def _batches(engine: Engine, pieces: Sequence[Piece], limit: float | None) -> Run:
    done = 0
    start = time.perf_counter()
    for piece in pieces:
        engine.apply(piece.relation, piece.batch, piece.weights)
        done += len(piece.rows)
        if limit is not None and time.perf_counter() - start > limit:
            break
    return Run(done, time.perf_counter() - start)


_PUSHES: Final = {ROWS: _rows, BATCHES: _batches}


def _memory(engine: Engine) -> dict[str, int]:
    return {item["name"]: item["bytes"] for item in engine.stats()["maps"]}


def _compare(quick: Engine, slow: Engine) -> None:
    """Two engines that have seen the same changes give the same answers, or what was measured is worth nothing."""
    for info in quick.views:
        one, two = (arranged(engine.view(info.name).rows()) for engine in (slow, quick))
        found = differing(one, two)
        if found is not None:
            raise EngineError(
                f"view {info.name} differs from its re-evaluation: {found}",
                hint="that is a fault of toastergen: report it, with what `toastergen verify` says",
            )


def summary(bench: Bench) -> list[dict[str, Any]]:
    """The lanes as plain data."""
    return [
        {
            "lane": lane.name,
            "changes": lane.runs[0].changes,
            "seconds": [run.seconds for run in lane.runs],
            "changes_per_second": lane.rate,
            "re_evaluated": None
            if not lane.anew
            else {
                "changes": [run.changes for run in lane.anew],
                "changes_per_second": median(run.rate for run in lane.anew),
                "incremental_on_the_same": median(run.rate for run in lane.same),
                "times_faster": lane.ratio,
            },
        }
        for lane in bench.lanes
    ]
