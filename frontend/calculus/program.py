"""The calculus form of a whole script: every view as keys, a relational part and value polynomials.

All slots of a view range over the same join, so a definition is split in two: ``Shape`` (keys and the factors that
decide which records exist) and, per slot, a ``Polynomial``: the sum of products of scalars that is added up for
each joined row. ``((),)`` is the constant 1, the multiplicity itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from toastergen.frontend import types
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Add, AggSum, Cond, Expr, Lift, Product, Rel, Value
from toastergen.frontend.m3 import Order, Output, Relation
from toastergen.frontend.scalar import Scalar, Var, type_of
from toastergen.frontend.types import LONG, Type

Monomial: TypeAlias = tuple[Scalar, ...]
Polynomial: TypeAlias = tuple[Monomial, ...]
Factor: TypeAlias = Rel | agca.Delta | Cond | Lift

MULTIPLICITY: Polynomial = ((),)


def sum_type_of(polynomial: Polynomial) -> Type:
    """The type of a slot that adds up a polynomial; all its monomials agree in kind and scale."""
    monomials = [reduce(types.payload_product, map(type_of, monomial), LONG) for monomial in polynomial]
    widest = max(monomials, key=lambda item: ("long", "decimal", "double").index(item.kind))
    return types.sum_type(widest)


@dataclass(frozen=True, slots=True)
class Shape:
    """Which records exist: a conjunctive query projected on ``keys``."""

    keys: tuple[Var, ...]
    factors: tuple[Factor, ...]

    def definition(self, polynomial: Polynomial) -> Expr:
        """The defining AGCA query of one slot."""
        clauses = [self._clause(monomial) for monomial in polynomial]
        return AggSum(self.keys, clauses[0] if len(clauses) == 1 else Add(tuple(clauses)))

    def _clause(self, monomial: Monomial) -> Expr:
        """A clause that is always zero (WHERE FALSE, SUM(0)) is kept whole: it still has to bind the keys."""
        terms = (*self.factors, *(Value(scalar) for scalar in monomial))
        clause = agca.product(terms)
        return Product(terms) if agca.is_zero(clause) else clause


@dataclass(frozen=True, slots=True)
class ViewSlot:
    name: str
    type: Type
    polynomial: Polynomial


@dataclass(frozen=True, slots=True)
class CalculusView:
    name: str
    rows: str  # how records become rows: groups, bag or single (see m3.View)
    shape: Shape
    slots: tuple[ViewSlot, ...]
    outputs: tuple[Output, ...]
    hidden: bool = False  # only feeds the derived relation of its name
    order: Order | None = None  # applied when the view is read


@dataclass(frozen=True, slots=True)
class CalculusProgram:
    relations: tuple[Relation, ...]
    views: tuple[CalculusView, ...]
