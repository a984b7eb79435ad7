"""Order the factors of a clause so that evaluating them from left to right is cheap and legal.

Conditions and lifts run as soon as their variables are bound; then the map that leaves the fewest keys open comes
first: lookups before slices, slices before scans. Maps local to a batch count as the delta they sum up: small.
"""

from __future__ import annotations

from collections.abc import Iterable

from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Cond, Delta, Expr, Lift, MapRef, Value
from toastergen.frontend.scalar import Var


def ordered(
    factors: Iterable[Expr], bound: Iterable[Var], small: frozenset[str] = frozenset()
) -> tuple[Expr, ...]:
    known = set(bound)
    waiting = list(factors)
    result: list[Expr] = []
    while waiting:
        ready = [item for item in waiting if agca.inputs(item) <= known]
        assert ready, f"no order binds all variables of {waiting}"
        best = min(ready, key=lambda item: _cost(item, known, small))
        waiting.remove(best)
        result.append(best)
        known |= set(agca.outputs(best))
    values = [item for item in result if isinstance(item, Value)]
    return (*(item for item in result if not isinstance(item, Value)), *values)


def _cost(item: Expr, known: set[Var], small: frozenset[str]) -> tuple[int, int]:
    match item:
        case Cond():
            return (0, 0)
        case Lift():
            return (1, 0)
        case Value():
            return (9, 0)
        case Delta():
            return (4, 0)
        case MapRef():
            open_keys = len(set(item.keys) - known)
            if open_keys == 0:
                return (3, 0)
            return (4 if item.map in small or open_keys < len(item.keys) else 5, open_keys)
        case _:
            return (6, 0)
