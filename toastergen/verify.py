"""Is every view equal to its recomputation? Engines run beside DuckDB; the first difference is made small.

The rows of the sources go into two engines, one row by row and one in batches, and into DuckDB. Steps grow from one row
to ``every`` rows, and after each of them every view is compared. A stream of changes is replayed as it is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from toastergen.changes import Step, resolved
from toastergen.compare import arranged, differing, differing_top
from toastergen.errors import ToastergenError
from toastergen.frontend.m3 import Program, View
from toastergen.recompute import Recomputation
from toastergen.shrink import smallest_stream

ROW_BY_ROW: Final = "row by row"
IN_BATCHES: Final = "in batches"
AS_WRITTEN: Final = "as written"


class Rows(Protocol):
    def rows(self) -> list[tuple[Any, ...]]: ...


class Engine(Protocol):
    """What is on trial."""

    def apply_row(self, relation: str, row: Any, weight: int) -> None: ...

    def apply(self, relation: str, data: Any, weights: Any = None) -> None: ...

    def view(self, name: str) -> Rows: ...


class Different(Exception):
    """Thrown out of the replay by the first difference."""

    def __init__(self, view: View, lane: str, text: str) -> None:
        super().__init__(text)
        self.view, self.lane, self.text = view, lane, text


@dataclass(frozen=True, slots=True)
class Difference:
    """``stream`` is the smallest one that shows it, ``text`` what is wrong after it."""

    view: str
    lane: str
    rows: int
    text: str
    stream: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    rows: int
    comparisons: int
    views: tuple[str, ...]
    difference: Difference | None


class Trial:
    """Engines and judge in step. Rows come in through ``apply``, as into an engine, or as whole steps."""

    def __init__(self, program: Program, judge: Recomputation, make_engine: Callable[[], Engine], every: int) -> None:
        self._views = tuple(view for view in program.views if not view.hidden)
        self._program = program
        self._judge = judge
        self._make_engine = make_engine
        self._every = every
        self._steps: list[Step] = []
        self._lanes: dict[str, Engine] = {}
        self._rows = self._compared = self._comparisons = 0

    def sources(self, feed: Callable[[Trial], object]) -> Verdict:
        """Judge what ``feed`` applies, row by row and in batches."""
        self._lanes = {ROW_BY_ROW: self._make_engine(), IN_BATCHES: self._make_engine()}
        return self._judged(lambda: feed(self))

    def stream(self, steps: Sequence[Step]) -> Verdict:
        """Judge a stream of changes, its single rows as rows and its batches as batches."""
        self._lanes = {AS_WRITTEN: self._make_engine()}

        def replay() -> None:
            for step in steps:
                self._take(step)

        return self._judged(replay)

    def apply(self, relation: str, data: Any, weights: Any = None, *, operations: Any = None) -> None:
        """A batch from a source; it is cut where a comparison is due."""
        rows = list(zip(*(column.to_pylist() for column in data.columns), strict=True))
        factors = _weights(weights, len(rows))
        if operations is not None:
            known = self._judge.rows(relation)
            rows, factors = resolved(self._program.relation(relation), known, rows, operations.to_pylist())
        while rows:
            size = max(1, self._due() - self._rows)
            self._take(Step(relation, tuple(rows[:size]), tuple(factors[:size]), batch=True))
            rows, factors = rows[size:], factors[size:]

    def _due(self) -> int:
        """After 1, 2, 4 … rows, at last every ``every`` rows."""
        return self._compared + max(1, min(self._compared, self._every))

    def _take(self, step: Step) -> None:
        self._steps.append(step)
        self._rows += len(step.rows)
        _judge_step(self._judge, step)
        for lane, engine in self._lanes.items():
            _push(engine, _as_in(lane, step))
        if self._rows >= self._due():
            self._compare()

    def _compare(self) -> None:
        self._compared = self._rows
        self._comparisons += 1
        for view in self._views:
            for lane, engine in self._lanes.items():
                text = _difference(view, self._judge, engine)
                if text is not None:
                    raise Different(view, lane, text)

    def _judged(self, replay: Callable[[], object]) -> Verdict:
        found = None
        try:
            self._judge.clear()
            self._compare()
            replay()
            if self._compared != self._rows:
                self._compare()
        except Different as different:
            found = self._shrunk(different)
        return Verdict(self._rows, self._comparisons, tuple(view.name for view in self._views), found)

    def _shrunk(self, first: Different) -> Difference:
        texts: dict[tuple[Step, ...], str] = {}

        def shows(steps: tuple[Step, ...]) -> bool:
            text = self._after(steps, first.view)
            if text is not None:
                texts[steps] = text
            return text is not None

        steps = tuple(_as_in(first.lane, step) for step in self._steps)
        smallest = smallest_stream(steps, shows) if steps else ()
        text = texts.get(smallest, first.text)
        return Difference(first.view.name, first.lane, self._rows, text, smallest)

    def _after(self, steps: tuple[Step, ...], view: View) -> str | None:
        """The difference in one view after a stream, in engines that start empty."""
        self._judge.clear()
        engine = self._make_engine()
        try:
            for step in steps:
                _judge_step(self._judge, step)
                _push(engine, step)
            return _difference(view, self._judge, engine)
        except ToastergenError:
            return None  # a part of the stream that leaves the range of a type says nothing


def _weights(weights: Any, count: int) -> list[int]:
    match weights:
        case None:
            return [1] * count
        case int():
            return [weights] * count
        case _:
            return [int(weight) for weight in (weights.to_pylist() if hasattr(weights, "to_pylist") else weights)]


def _as_in(lane: str, step: Step) -> Step:
    if lane == AS_WRITTEN:
        return step
    return replace(step, batch=True) if lane == IN_BATCHES else _one_by_one(step)


def _one_by_one(step: Step) -> Step:
    """A batch may delete what it inserts further down, a single row may not: its net changes, deletes first."""
    if min(step.weights, default=1) >= 0:
        return replace(step, batch=False)
    net: Counter[tuple[Any, ...]] = Counter()
    for row, weight in zip(step.rows, step.weights, strict=True):
        net[row] += weight
    changes = sorted(((row, weight) for row, weight in net.items() if weight), key=lambda item: item[1] > 0)
    return Step(step.relation, tuple(row for row, _ in changes), tuple(weight for _, weight in changes), batch=False)


def _in_order(step: Step) -> Iterator[tuple[tuple[Any, ...], int]]:
    """The order of a batch does not count, and a row may leave it that enters further down: inserts come first."""
    pairs = zip(step.rows, step.weights, strict=True)
    yield from sorted(pairs, key=lambda pair: -pair[1]) if step.batch else pairs


def _judge_step(judge: Recomputation, step: Step) -> None:
    for row, weight in _in_order(step):
        judge.apply(step.relation, row, weight)


def _push(engine: Engine, step: Step) -> None:
    if step.batch:
        engine.apply(step.relation, list(step.rows), list(step.weights))
        return
    for row, weight in zip(step.rows, step.weights, strict=True):
        engine.apply_row(step.relation, row, weight)


def _difference(view: View, judge: Recomputation, engine: Engine) -> str | None:
    found = engine.view(view.name).rows()
    order = view.order
    if order is None:
        return differing(arranged(judge.view(view.name)), arranged(found))
    names = [output.name for output in view.outputs]
    keys = [names.index(key.column) for key in order.keys]
    end = None if order.limit is None else order.offset + order.limit
    return differing_top(judge.whole(view.name), keys, slice(order.offset, end), found)
