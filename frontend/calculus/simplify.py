"""Rewrites that keep the meaning: polynomial expansion, and binding a delta to the row of an event."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product as cross

from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Add, Cond, Delta, Expr, Lift, Product, Value
from toastergen.frontend.fold import fold
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Compare, Var


def clauses(expr: Expr) -> tuple[tuple[Expr, ...], ...]:
    """The sum of products an expression stands for; aggregates, lifts and Exists are atoms of it."""
    match expr:
        case Add():
            return tuple(clause for term in expr.terms for clause in clauses(term))
        case Product():
            parts = [clauses(term) for term in expr.terms]
            return tuple(tuple(factor for part in choice for factor in part) for choice in cross(*parts))
        case _:
            if agca.is_zero(expr):
                return ()
            return ((),) if agca.is_one(expr) else ((expr,),)


def bind_event(
    factors: Iterable[Expr], params: tuple[Var, ...], sign: int
) -> tuple[tuple[Expr, ...], dict[Var, Var]]:
    """Replace every delta by the one row of a single-tuple event.

    ``(DELTA R)(x…)`` is ``±Π (x := param)``. An assignment to a variable met for the first time is carried out by
    renaming it; a second one becomes a condition. Other variables that happen to bear a parameter's
    name get a fresh one. Returns the factors and the renaming, which the caller applies to the target's keys.
    """
    items = tuple(factors)
    renaming: dict[Var, Var] = {}
    tests: list[Expr] = []
    odd = False
    for delta in (item for item in items if isinstance(item, Delta)):
        odd = not odd
        for var, param in zip(delta.vars, params, strict=True):
            if renaming.setdefault(var, param) != param:
                tests.append(Cond(Compare("IS" if param.type.nullable else "=", renaming[var], param)))
    names = Names([param.name for param in params])
    others = agca.unique(var for item in items for var in _mentioned(item) if var not in renaming)
    renaming |= {var: Var(names.fresh(var.name), var.type) for var in others}
    rest = tuple(_folded(agca.rename(item, renaming)) for item in items if not isinstance(item, Delta))
    head = (Value(sc.MINUS_ONE),) if odd and sign < 0 else ()
    return (*head, *dict.fromkeys(tests), *rest), renaming


def _folded(expr: Expr) -> Expr:
    return Cond(fold(expr.test)) if isinstance(expr, Cond) else expr


def _mentioned(expr: Expr) -> Iterable[Var]:
    yield from agca.outputs(expr)
    yield from sorted(agca.inputs(expr), key=lambda var: var.name)
    if isinstance(expr, Lift):
        yield expr.var
