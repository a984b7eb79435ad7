"""A canonical name for a join shape: equal for two shapes iff they differ in variable names and order only.

Variables are coloured by how they are used, colours are refined until stable, and ties are broken by trying each tied
variable and keeping the smallest description. Joins of many aliases of one relation (paths, stars) are told
apart by refinement alone, so the search stays small.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Cond, Delta, Lift, Rel, Value
from toastergen.frontend.calculus.program import Factor, Shape
from toastergen.frontend.scalar import Scalar, Var

# How many tie-breaks are tried in all. Shapes of higher symmetry (products of many copies of one relation) may then get
# different descriptions for equal shapes: a missed sharing, never a wrong one.
SEARCH_WIDTH = 720


@lru_cache(maxsize=4096)
def canonical(shape: Shape) -> tuple[str, tuple[Var, ...]]:
    """The description, and the variables in canonical order."""
    variables = agca.unique(var for factor in shape.factors for var in factor_variables(factor))
    colour = {var: f"{var in shape.keys}{var.type}" for var in variables}
    return _search(shape, _ranked(colour), SEARCH_WIDTH)


def factor_variables(factor: Factor) -> tuple[Var, ...]:
    match factor:
        case Rel() | Delta():
            return factor.vars
        case Cond():
            return tuple(sorted(sc.variables(factor.test), key=lambda var: var.name))
        case Lift(var, Value(scalar)):
            return (var, *sorted(sc.variables(scalar), key=lambda item: item.name))
        case Lift():
            return agca.outputs(factor)


def scalar_text(scalar: Scalar, names: Mapping[Var, str]) -> str:
    return repr(sc.substitute(scalar, {var: Var(name, var.type) for var, name in names.items()}))


def _factor_text(factor: Factor, names: Mapping[Var, str]) -> str:
    match factor:
        case Rel():
            return f"R {factor.name!r} {[names[var] for var in factor.vars]}"
        case Delta():
            return f"D {factor.name!r} {[names[var] for var in factor.vars]}"
        case Cond():
            return f"C {scalar_text(factor.test, names)}"
        case Lift(var, Value(scalar)):
            return f"L {names[var]} {scalar_text(scalar, names)}"
        case Lift():
            return f"L {names[factor.var]} {factor.body!r}"


def _search(shape: Shape, colour: dict[Var, str], width: int) -> tuple[str, tuple[Var, ...]]:
    colour = _refine(shape, colour)
    tied = _first_tie(colour)
    if not tied:
        order = tuple(sorted(colour, key=lambda var: colour[var]))
        names = {var: f"v{index}" for index, var in enumerate(order)}
        keys = sorted(names[var] for var in shape.keys)
        factors = sorted(_factor_text(factor, names) for factor in shape.factors)
        return f"{keys} {factors}", order
    tried = tied[: max(1, width)]
    results = [_search(shape, {**colour, var: colour[var] + "!"}, width // len(tried)) for var in tried]
    return min(results, key=lambda result: result[0])


def _refine(shape: Shape, colour: dict[Var, str]) -> dict[Var, str]:
    while True:
        seen: dict[Var, list[str]] = {var: [] for var in colour}
        for factor in shape.factors:
            for var in dict.fromkeys(factor_variables(factor)):
                marked = {**colour, var: "*"}
                seen[var].append(_factor_text(factor, marked))
        finer = _ranked({var: f"{colour[var]} {sorted(seen[var])}" for var in colour})
        if len(set(finer.values())) == len(set(colour.values())):
            return finer
        colour = finer


def _ranked(colour: dict[Var, str]) -> dict[Var, str]:
    """Short colours in the order of the long ones, so that strings do not grow with each round."""
    rank = {text: f"{index:04d}" for index, text in enumerate(sorted(set(colour.values())))}
    return {var: rank[text] for var, text in colour.items()}


def _first_tie(colour: dict[Var, str]) -> list[Var]:
    classes: dict[str, list[Var]] = {}
    for var, text in colour.items():
        classes.setdefault(text, []).append(var)
    return next((group for _, group in sorted(classes.items()) if len(group) > 1), [])
