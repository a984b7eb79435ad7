"""What the makers of queries share: the dice, what may be read, and the columns in sight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from property.random_sql.schema import NUMBERS, TYPE_OF, VALUES, Readable, literal

T = TypeVar("T")
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class Value:
    """An expression as text. A ``rough`` one is a rounded double: it may be shown, not compared or grouped by."""

    text: str
    kind: str
    rough: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """The columns of FROM, and those of the query around a subquery."""

    own: tuple[Value, ...]
    outer: tuple[Value, ...] = ()

    def of(self, *kinds: str) -> list[Value]:
        """Columns of these kinds that can be compared."""
        return [item for item in self.own if item.kind in kinds and not item.rough]

    def around(self, *kinds: str) -> list[Value]:
        """The same of the query around; a name without an alias could mean a column in here."""
        return [item for item in self.outer if item.kind in kinds and not item.rough and "." in item.text]


@dataclass(slots=True)
class Draw:
    rng: Random
    readable: list[Readable]
    nesting: int  # queries that may still be put inside this one
    size: int  # subqueries that may still be made at all
    aliases: int = 0

    def pick(self, options: Sequence[T]) -> T:
        return self.rng.choice(options)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def alias(self) -> str:
        self.aliases += 1
        return f"x{self.aliases}"

    def literal(self, kind: str) -> Value:
        type_ = TYPE_OF[kind]
        return Value(literal(type_, self.pick(VALUES[type_])), kind)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """For a query one level further in."""
        self.nesting -= 1
        yield
        self.nesting += 1

    def may_nest(self) -> bool:
        if self.nesting <= 0 or self.size <= 0:
            return False
        self.size -= 1
        return True


def alike(kind: str) -> tuple[str, ...]:
    """The kinds a value of this kind compares with."""
    return NUMBERS if kind in NUMBERS else (kind,)
