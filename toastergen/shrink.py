"""Delta debugging: from a stream that shows a difference to the smallest part of it that still does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from toastergen.changes import Change, Step, assembled, flattened, legal

ALL_SUBSETS: Final = 8  # changes: so few that every subset can be tried


def smallest_stream(steps: Sequence[Step], shows: Callable[[tuple[Step, ...]], bool]) -> tuple[Step, ...]:
    """The smallest legal part of a stream for which ``shows`` holds: no part of the result does.

    That is certain up to eight changes; beyond, no single change can be left out.
    """

    def shown(changes: tuple[Change, ...]) -> bool:
        return shows(assembled(changes))

    found = _without_parts(flattened(steps), shown)
    for simpler in (_once, _one_by_one):
        candidate = simpler(found)
        if candidate != found and shown(candidate):
            found = _without_parts(candidate, shown)
    return assembled(found)


def _once(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    return legal([replace(change, weight=1 if change.weight > 0 else -1) for change in changes])


def _one_by_one(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    return legal([replace(change, step=number, batch=False) for number, change in enumerate(changes)])


def _without_parts(changes: tuple[Change, ...], shown: Callable[[tuple[Change, ...]], bool]) -> tuple[Change, ...]:
    """Leave out half, then quarters, then eighths …, and begin again with what is left."""
    pieces = 2
    while len(changes) > 1:
        size = -(-len(changes) // pieces)
        smaller = next(filter(shown, _leaving_out(changes, size)), None)
        if smaller is not None:
            changes, pieces = smaller, max(2, pieces - 1)
        elif size == 1:
            break
        else:
            pieces = min(pieces * 2, len(changes))
    if len(changes) > ALL_SUBSETS:
        return changes
    return next(filter(shown, _subsets(changes)), changes)


def _leaving_out(changes: tuple[Change, ...], size: int) -> Iterator[tuple[Change, ...]]:
    for start in range(0, len(changes), size):
        # What is deleted later must still be there: where an insert goes, its delete goes too.
        candidate = legal(changes[:start] + changes[start + size :])
        if candidate:
            yield candidate


def _subsets(changes: tuple[Change, ...]) -> Iterator[tuple[Change, ...]]:
    """The proper parts, smallest first."""
    for length in range(1, len(changes)):
        for subset in combinations(changes, length):
            if legal(subset) == subset:
                yield subset
