"""Expand a value into a sum of products, but only where that separates relations.

``a * (1 - b)`` with both columns of one relation stays one factor. With ``a`` and ``b`` of different relations it
becomes ``a·1 - a·b``: then each relation can be summed on its own, and a change of one needs a lookup, not a join.
"""

from __future__ import annotations

from collections.abc import Callable

from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus.program import Monomial, Polynomial
from toastergen.frontend.scalar import MINUS_ONE, ONE, Arith, Case, Cast, Const, Scalar
from toastergen.frontend.types import DOUBLE

# Beyond this many products expansion costs more than the join it saves; the value then stays whole.
MAX_PRODUCTS = 64


def expand(value: Scalar, is_local: Callable[[Scalar], bool]) -> Polynomial:
    """``is_local`` tells whether one relation binds all variables of a scalar."""
    terms = _expand(value, is_local)
    return terms if 0 < len(terms) <= MAX_PRODUCTS else ((value,),)


def _expand(value: Scalar, is_local: Callable[[Scalar], bool]) -> Polynomial:
    if _is_zero(value):
        return ()
    if value == ONE:
        return ((),)
    if is_local(value):
        return ((value,),)
    match value:
        case Arith("*", left, right):
            return _times(_expand(left, is_local), _expand(right, is_local))
        case Arith("+", left, right):
            return _expand(left, is_local) + _expand(right, is_local)
        case Arith("-", left, right):
            return _expand(left, is_local) + _times(((MINUS_ONE,),), _expand(right, is_local))
        case Arith("/", left, Const() as right):
            inverse = Arith("/", Const(1.0, DOUBLE), right, DOUBLE)
            return _times(_expand(left, is_local), ((inverse,),))
        case Cast(Arith(op="+" | "-" | "*") as inner, target) if target == DOUBLE:
            left, right = sc.cast(inner.left, DOUBLE), sc.cast(inner.right, DOUBLE)
            return _expand(Arith(inner.op, left, right, DOUBLE), is_local)
        case Case():
            return _case(value, is_local)
        case _:
            return ((value,),)


def _case(value: Case, is_local: Callable[[Scalar], bool]) -> Polynomial:
    """A choice is a sum of 0/1 indicators times their branch; indicators exclude each other."""
    terms: Polynomial = ()
    earlier: tuple[Scalar, ...] = ()
    for condition, branch in (*value.branches, (sc.TRUE, value.otherwise)):
        holds = sc.conjunction((*earlier, condition))
        indicator: Monomial = tuple(Case(((part, ONE),), sc.ZERO) for part in sc.conjuncts(holds))
        terms += _times((indicator,), _expand(branch, is_local))
        earlier = (*earlier, sc.negation(condition))
    return terms


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    return tuple(a + b for a in left for b in right)


def _is_zero(value: Scalar) -> bool:
    return isinstance(value, Const) and value.type.is_numeric and value.value == 0


