"""Deltas: how an expression changes when one base relation changes by a batch.

    Δ(a + b)   = Δa + Δb
    Δ(a * b)   = Δa*b + a*Δb + Δa*Δb        the last term makes self-joins and batches right
    Δ(Sum a)   = Sum Δa
    Δ(R)       = ΔR for the changed relation, 0 for every other one
    Δ(x := q)  = (x := q + Δq) - (x := q), and 0 when q does not read the relation; Exists likewise

A single-tuple event is the batch of one row: ``simplify.bind_event`` turns ``(DELTA R)(x…)`` into the row's values.
"""

from __future__ import annotations

from typing import assert_never

from toastergen.frontend.calculus.agca import (
    NOTHING,
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
    add,
    is_zero,
    negative,
    product,
)


def delta(expr: Expr, relation: str) -> Expr:
    match expr:
        case Value() | Cond() | MapRef() | Delta():
            return NOTHING
        case Rel():
            return Delta(expr.name, expr.vars) if expr.name == relation else NOTHING
        case Add():
            return add(delta(term, relation) for term in expr.terms)
        case Product():
            return _delta_product(expr.terms, relation)
        case AggSum():
            change = delta(expr.body, relation)
            return NOTHING if is_zero(change) else AggSum(expr.keys, change)
        case Lift():
            change = delta(expr.body, relation)
            if is_zero(change):
                return NOTHING
            return add((Lift(expr.var, add((expr.body, change))), negative(expr)))
        case Exists():
            change = delta(expr.body, relation)
            if is_zero(change):
                return NOTHING
            return add((Exists(add((expr.body, change))), negative(expr)))
        case _:
            assert_never(expr)


def _delta_product(terms: tuple[Expr, ...], relation: str) -> Expr:
    """Fold from the right: Δ(a*rest) = Δa*rest + a*Δrest + Δa*Δrest."""
    if not terms:
        return NOTHING
    head, rest = terms[0], terms[1:]
    head_change, rest_change = delta(head, relation), _delta_product(rest, relation)
    return add(
        (
            product((head_change, *rest)),
            product((head, rest_change)),
            product((head_change, rest_change)),
        )
    )
