"""Names in SQL: matching them without regard to case, close matches, and the variables they become."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from toastergen.frontend.m3 import Relation
from toastergen.frontend.names import Names, identifier
from toastergen.frontend.scalar import Var
from toastergen.frontend.sql.resolved import Input

# Slots and delta relations have these names in M3.
RESERVED: Final = ("count", "delta")


def suggestion(wanted: str, known: Iterable[str]) -> str:
    """The next step after a name that does not exist."""
    names = list(known)
    by_key = {name.lower(): name for name in names}
    close = difflib.get_close_matches(wanted.lower(), list(by_key), n=3, cutoff=0.6)
    if close:
        return f"did you mean {' or '.join(by_key[key] for key in close)}?"
    return f"known are {', '.join(names)}" if names else "declare it with CREATE STREAM or CREATE TABLE"


def variables_of(sources: Sequence[tuple[str, Relation]], names: Names) -> tuple[Input, ...]:
    """One variable per column of every input: the column's own name where only one input has it.

    Names that are free are given out first, so that a prefixed name never takes the name of another column.
    """
    wishes = [
        [identifier(column.name, f"column_{place}") for place, column in enumerate(relation.columns, 1)]
        for _, relation in sources
    ]
    owners = Counter(wish for row in wishes for wish in row)
    chosen: dict[tuple[int, int], str] = {}
    shared: list[tuple[int, int]] = []
    for i, row in enumerate(wishes):
        for j, wish in enumerate(row):
            if owners[wish] == 1 and wish not in RESERVED:
                chosen[i, j] = names.fresh(wish)
            else:
                shared.append((i, j))
    for i, j in shared:
        prefix = identifier(sources[i][0], f"input_{i + 1}")
        chosen[i, j] = names.fresh(f"{prefix}_{wishes[i][j]}")
    return tuple(
        Input(
            alias,
            relation.name,
            tuple(Var(chosen[i, j], column.type) for j, column in enumerate(relation.columns)),
        )
        for i, (alias, relation) in enumerate(sources)
    )


class OutputNames:
    """Names of result columns: kept as written, numbered ``a_1`` where they repeat (case does not matter)."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}

    def fresh(self, wish: str) -> str:
        name, number = wish, 1
        while name.lower() in self._taken:
            name, number = f"{wish}_{number}", number + 1
        self._taken.add(name.lower())
        return name
