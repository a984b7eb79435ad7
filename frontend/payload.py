"""The type of an expression's payload: what one row of it counts or sums."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import assert_never

from toastergen.frontend import scalar as sc
from toastergen.frontend import types
from toastergen.frontend.calculus.agca import (
    Add,
    AggSum,
    Cond,
    Delta,
    Exists,
    Expr,
    Lift,
    MapRef,
    Product,
    Rel,
    Value,
)
from toastergen.frontend.m3 import Map
from toastergen.frontend.types import LONG, MAX_PRECISION, Type


def infer(expr: Expr, maps: Mapping[str, Map]) -> Type | None:
    """The payload's type, or None where the parts do not mix or a map or slot is unknown."""
    match expr:
        case Rel() | Delta() | Cond() | Exists() | Lift():
            return LONG
        case Value():
            return sc.type_of(expr.scalar)
        case MapRef():
            known = maps.get(expr.map)
            slots = known.slots if known else ()
            return next((slot.type for slot in slots if slot.name == expr.slot), None)
        case Product():
            factors: list[Type | None] = [LONG, *(infer(term, maps) for term in expr.terms)]
            return reduce(_times, factors)
        case Add():
            parts = [infer(term, maps) for term in expr.terms]
            return reduce(_plus, parts) if parts else LONG
        case AggSum():
            body = infer(expr.body, maps)
            return types.sum_type(body) if body is not None and body.is_numeric else None
        case _:
            assert_never(expr)


def lifted(body: Expr, maps: Mapping[str, Map]) -> Type | None:
    """The type of a variable that is bound to the payload of an expression: a scalar may be NULL there."""
    return sc.column_type(body.scalar) if isinstance(body, Value) else infer(body, maps)


def accepts(slot: Type, payload: Type) -> bool:
    """May a payload be added to a slot? Never by rounding: the kinds agree, and decimals have one scale."""
    if payload.is_integer and slot.is_integer:
        return True
    return slot.kind == payload.kind and slot.scale == payload.scale


def _times(left: Type | None, right: Type | None) -> Type | None:
    if left is None or right is None or not (left.is_numeric and right.is_numeric):
        return None
    product = types.payload_product(left, right)
    return product if product.scale <= MAX_PRECISION else None


def _plus(left: Type | None, right: Type | None) -> Type | None:
    return None if left is None or right is None else types.common(left, right)
