"""What the SQL stage hands to the calculus: queries with every name resolved and every expression typed.

    program  ::= relation* query*
    query    ::= SELECT item* FROM input* WHERE conjunct* GROUP BY scalar* [ORDER BY key* LIMIT n OFFSET n]

Column references are variables of the calculus: ``Input.vars`` names one variable per column of the relation, unique
in the query, safe as an identifier in M3 and C++, and readable (the column's own name where it is unambiguous).
Aggregates appear in the select list only, as ``Aggregate`` nodes inside ``Item.value``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from toastergen.frontend.m3 import Order, Relation
from toastergen.frontend.scalar import Scalar, Var


@dataclass(frozen=True, slots=True)
class Input:
    """One entry of the FROM list."""

    alias: str
    relation: str
    vars: tuple[Var, ...]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``sum``, ``count`` or ``avg``; ``var`` stands for its result inside the item's scalar.

    ``argument`` is None for COUNT(*). COUNT(expr) over what cannot be NULL is COUNT(*) too.
    """

    kind: str
    argument: Scalar | None
    var: Var


@dataclass(frozen=True, slots=True)
class Item:
    """One select item: ``value`` is over group keys and the ``var`` of aggregates."""

    name: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Query:
    """``group_by`` is None for a plain SELECT, () for aggregates over everything.

    A ``hidden`` query is no view of the user's: it only feeds the derived relation of its name.
    """

    name: str
    inputs: tuple[Input, ...]
    where: tuple[Scalar, ...]
    group_by: tuple[Scalar, ...] | None
    aggregates: tuple[Aggregate, ...]
    items: tuple[Item, ...]
    hidden: bool = False
    order: Order | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A whole SQL file."""

    relations: tuple[Relation, ...]
    queries: tuple[Query, ...]


Resolved: TypeAlias = Script | Query
