"""Is a join acyclic? The GYO reduction: remove lonely variables and contained edges until nothing moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from toastergen.frontend.scalar import Var


def is_acyclic(edges: Iterable[set[Var]]) -> bool:
    remaining = [frozenset(edge) for edge in edges]
    while True:
        uses = Counter(var for edge in remaining for var in edge)
        shrunk = [frozenset(var for var in edge if uses[var] > 1) for edge in remaining]
        kept: list[frozenset[Var]] = []
        for index, edge in enumerate(shrunk):
            others = shrunk[index + 1 :] + kept
            if not any(edge <= other for other in others):
                kept.append(edge)
        if len(kept) <= 1:
            return True
        if kept == remaining:
            return False
        remaining = kept
