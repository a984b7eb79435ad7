"""The one generator of fresh names: deterministic, readable, safe as identifiers in M3 and C++."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z")


def identifier(text: str, otherwise: str) -> str:
    """The text in lower case if it can serve as an identifier, else a neutral word."""
    word = text.lower()
    return word if _PLAIN.match(word) and not word.startswith("__") else otherwise


class Names:
    """Hands out names that are not taken yet: the wish itself, or the wish with the first free number."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def fresh(self, wish: str) -> str:
        name, number = wish, 2
        while name in self._taken:
            name, number = f"{wish}_{number}", number + 1
        self._taken.add(name)
        return name
