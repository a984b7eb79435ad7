"""What the readers of nested queries share, so that they can call each other without knowing each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqlglot import exp

from toastergen.frontend.m3 import Relation
from toastergen.frontend.scalar import Scalar
from toastergen.frontend.sql.block import Block
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.workspace import Workspace

ROWS = "rows"  # read by FROM or shown: all rows count
MEMBERS = "members"  # read by IN, ANY or ALL: duplicates do not count
FOUND = "found"  # read by EXISTS: neither do values
VALUE = "value"  # a scalar subquery: one aggregate


class Outer(Protocol):
    """The query around a subquery: what a column is there, and the different values some expressions have there."""

    def __call__(self, node: exp.Column) -> Scalar: ...

    def values(self, outers: Sequence[Scalar]) -> Relation: ...


class Resolve(Protocol):
    def __call__(
        self, node: exp.Expr, context: Context, mode: str = ROWS, outer: Outer | None = None
    ) -> Block: ...


@dataclass(frozen=True, slots=True)
class Context:
    """``with_queries`` are visible by their names in lower case."""

    workspace: Workspace
    places: Places
    resolve: Resolve
    with_queries: Mapping[str, Block] = field(default_factory=dict)
