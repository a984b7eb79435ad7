"""Aggregates pass over NULL: what a value adds where it is there, and where it is there at all.

A strict expression (arithmetic, casts, functions) is NULL when one of its *leaves* is. So its presence is a product of
indicators, one per leaf, and its value can be computed with any number in place of a missing leaf: each indicator and
each leaf belongs to one relation, and relations can still be summed apart.
"""

from __future__ import annotations

from decimal import Decimal

from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus.program import Monomial
from toastergen.frontend.scalar import Arith, Case, Cast, Const, Func, IsNull, Known, PyValue, Scalar
from toastergen.frontend.timestamps import EPOCH
from toastergen.frontend.types import STRING, Type


def leaves(value: Scalar) -> tuple[Scalar, ...]:
    """The parts without which a value is NULL; none if it never is."""
    if not sc.is_nullable(value):
        return ()
    match value:
        case Cast() if value.safe or sc.type_of(value.operand) == STRING:
            return (value,)  # what stands in for a missing text is none that could be read
        case Arith(op="+" | "-" | "*") | Cast() | Func():
            return tuple(dict.fromkeys(leaf for child in sc.children(value) for leaf in leaves(child)))
        case _:
            return (value,)


def indicators(value: Scalar) -> Monomial:
    """Factors whose product is 1 where the value is there and 0 where it is NULL."""
    return tuple(Case(((IsNull(leaf), sc.ZERO),), sc.ONE) for leaf in leaves(value))


def filled(value: Scalar) -> Scalar:
    """The same value where it is there; where it is NULL, one that means nothing (0 if it is a leaf itself)."""
    missing = set(leaves(value))

    def fill(node: Scalar) -> Scalar:
        if node in missing:
            plain = Const(_zero(sc.type_of(node)), sc.type_of(node))
            return Case(((IsNull(node), plain),), Known(node))
        below = sc.children(node)
        return sc.rebuild(node, tuple(map(fill, below))) if below else node

    return fill(value) if missing else value


def _zero(type_: Type) -> PyValue:
    match type_.kind:
        case "decimal":
            return Decimal(0).scaleb(-type_.scale)
        case "double":
            return 0.0
        case "date":
            return EPOCH.date()
        case "timestamp":
            return EPOCH
        case "string":
            return ""
        case "bool":
            return False
        case _:
            return 0
