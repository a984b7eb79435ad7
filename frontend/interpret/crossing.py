"""The intervals of a crossing, by the definition: every gap between two keys is asked for itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from toastergen.frontend.interpret.scalars import evaluate
from toastergen.frontend.m3 import Crossing

Row = tuple[Any, ...]


def intervals(crossing: Crossing, weights: Iterable[Row], thresholds: Iterable[Row]) -> Counter[Row]:
    """Gap g lies behind the first g keys."""
    limits = [threshold for (threshold,) in thresholds]
    ascending = sorted(weights, key=lambda row: row[0])
    ends = [None, *(key for key, _ in ascending), None]
    found: Counter[Row] = Counter()
    start: int | None = None
    for gap in range(len(ascending) + 2):
        holds = gap <= len(ascending) and bool(limits) and _holds(crossing, ascending, gap, limits[0])
        if holds and start is None:
            start = gap
        elif not holds and start is not None:
            found[ends[start], ends[gap]] += 1
            start = None
    return found


def _holds(crossing: Crossing, ascending: list[Row], gap: int, threshold: Any) -> bool:
    added = ascending[gap:] if crossing.side.startswith(">") else ascending[:gap]
    if not added and not crossing.counts_nothing:
        return False
    running = sum((weight for _, weight in added), start=0)
    return evaluate(crossing.test, {"running": running, "threshold": threshold}) is True
