"""One clause of a delta, taken apart: what stays in the statement, what becomes a map.

A clause is a product of delta atoms, base relations, conditions and lifts. The delta's variables are *bound*: the event
provides them. The base relations fall into components that are connected through unbound variables only; each
component can be summed up on its own and is materialized as one map, keyed by the variables that the rest of the
clause needs (the four materialization rules of the calculus for flat queries):

* a component swallows every condition, lift and value whose variables it binds (they shrink or aggregate the map);
* conditions on bound variables guard the statement, and also filter every component that sees those variables;
* what mentions variables of several components, or unbound and event variables together, stays in the statement, and
  the variables it needs become keys of the maps (rule 3, input variables);
* where the join is cyclic, an acyclic component is split into its relations: materializing the paths of a triangle
  query would store more than the triangles themselves.

How much is materialized jointly is a ``Rule``, see there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus.agca import Cond, Delta, Expr, Lift, Rel, Value, unique
from toastergen.frontend.calculus.program import Factor, Monomial, Polynomial
from toastergen.frontend.maintain.canonical import factor_variables
from toastergen.frontend.maintain.hypergraph import is_acyclic
from toastergen.frontend.scalar import Scalar, Var


class Rule(Enum):
    """What becomes one map.

    WHOLE: every component. CUT: a component is cut at a relation that holds two or more of its keys, since such a map
    would be about as large as that relation; in a star join WHOLE needs a map for every subset of the dimensions, CUT
    one per dimension. SPLIT: every relation for itself, as in classical maintenance. NAIVE: all that is left of the
    delta, connected or not.
    """

    WHOLE = "whole"
    CUT = "cut"
    SPLIT = "split"
    NAIVE = "naive"


@dataclass(frozen=True, slots=True)
class Component:
    """A future map: its factors and the variables they bind."""

    factors: tuple[Factor, ...]
    variables: frozenset[Var]


@dataclass(frozen=True, slots=True)
class Clause:
    """A decomposed clause. ``keys[i]`` are the keys of ``components[i]``."""

    deltas: tuple[Delta, ...]
    rest: tuple[Factor, ...]
    components: tuple[Component, ...]
    keys: tuple[tuple[Var, ...], ...]

    def home(self, value: Scalar) -> int | None:
        """The component that can add up a value itself; None if it belongs to the statement."""
        return _home(value, self.bound(), self.components)

    def bound(self) -> frozenset[Var]:
        return _bound(self.deltas, self.rest)


def decompose(
    factors: Iterable[Expr], outputs: tuple[Var, ...], polynomials: Iterable[Polynomial], rule: Rule = Rule.WHOLE
) -> Clause:
    items = tuple(_factor(item) for item in factors)
    deltas = tuple(item for item in items if isinstance(item, Delta))
    atoms = tuple(item for item in items if isinstance(item, Rel))
    others = tuple(item for item in items if not isinstance(item, Rel | Delta))
    bound = _bound(deltas, others)
    components = _components(atoms, others, bound)
    if rule == Rule.NAIVE:
        components = (_component(item for part in components for item in part.factors),) if components else ()
    elif rule == Rule.SPLIT:
        components = tuple(part for component in components for part in _split(component))
    elif not is_acyclic([set(item.vars) for item in items if isinstance(item, Rel | Delta)]):
        components = tuple(part for component in components for part in _split_acyclic(component, bound))
    elif rule == Rule.CUT:
        components = tuple(part for component in components for part in _cut(component, bound | set(outputs)))
    components = tuple(_with_filters(component, others) for component in components)
    inside = {factor for component in components for factor in component.factors}
    rest = tuple(item for item in others if item not in inside or set(factor_variables(item)) <= bound)
    values = [value for polynomial in polynomials for monomial in polynomial for value in monomial]
    outside = [value for value in values if _home(value, bound, components) is None]
    needed = {var for value in outside for var in sc.variables(value)}
    needed |= {var for item in rest for var in factor_variables(item)} | bound | set(outputs)
    keys = tuple(_keys(component, components, needed) for component in components)
    return Clause(deltas, rest, components, keys)


def split_values(clause: Clause, monomial: Monomial) -> tuple[list[Scalar], list[list[Scalar]]]:
    """The values that stay in the statement, and those each component adds up."""
    outside: list[Scalar] = []
    inside: list[list[Scalar]] = [[] for _ in clause.components]
    for value in monomial:
        home = clause.home(value)
        (outside if home is None else inside[home]).append(value)
    return outside, inside


def _factor(item: Expr) -> Factor:
    assert isinstance(item, Rel | Delta | Cond | Lift), f"not a flat factor: {item}"
    return item


def _bound(deltas: Iterable[Delta], others: Iterable[Factor]) -> frozenset[Var]:
    """The event's variables and everything computed from them."""
    bound = {var for delta in deltas for var in delta.vars}
    lifts = [item for item in others if isinstance(item, Lift)]
    while True:
        more = {item.var for item in lifts if _lift_inputs(item) <= bound} - bound
        if not more:
            return frozenset(bound)
        bound |= more


def _lift_inputs(lift: Lift) -> frozenset[Var]:
    assert isinstance(lift.body, Value)
    return sc.variables(lift.body.scalar)


def _components(atoms: tuple[Rel, ...], others: tuple[Factor, ...], bound: frozenset[Var]) -> tuple[Component, ...]:
    """Connected components of relations and of the lifts over their unbound variables."""
    lifts = [i for i in others if isinstance(i, Lift) and _lift_inputs(i) and not _lift_inputs(i) & bound]
    members: tuple[Factor, ...] = (*atoms, *lifts)
    groups: list[list[Factor]] = []
    for item in members:
        reach = set(factor_variables(item)) - bound
        touching = [group for group in groups if any(reach & set(factor_variables(member)) for member in group)]
        merged = [member for group in touching for member in group]
        groups = [group for group in groups if group not in touching] + [[*merged, item]]
    order = {item: index for index, item in enumerate(members)}
    kept = [sorted(group, key=lambda item: order[item]) for group in groups]
    return tuple(_component(group) for group in sorted(kept, key=lambda group: order[group[0]]))


def _component(factors: Iterable[Factor]) -> Component:
    items = tuple(factors)
    return Component(items, frozenset(var for item in items for var in factor_variables(item)))


def _cut(component: Component, keys: frozenset[Var]) -> tuple[Component, ...]:
    """Take out the relation that holds most of the keys; what hangs on it falls apart into smaller components."""
    atoms = tuple(item for item in component.factors if isinstance(item, Rel))
    fact = max(atoms, key=lambda atom: len(keys & set(atom.vars)))
    if len(atoms) < 2 or len(keys & set(fact.vars)) < 2:
        return (component,)
    lifts = tuple(item for item in component.factors if isinstance(item, Lift))
    own = [lift for lift in lifts if _lift_inputs(lift) <= set(fact.vars)]
    alone = _component([fact, *own])
    rest = tuple(atom for atom in atoms if atom is not fact)
    others = tuple(lift for lift in lifts if lift not in own)
    parts = _components(rest, others, alone.variables | keys)
    return (alone, *(piece for part in parts for piece in _cut(part, alone.variables | keys)))


def _split_acyclic(component: Component, bound: frozenset[Var]) -> tuple[Component, ...]:
    edges = [set(item.vars) - bound for item in component.factors if isinstance(item, Rel)]
    return _split(component) if len(edges) > 1 and is_acyclic(edges) else (component,)


def _split(component: Component) -> tuple[Component, ...]:
    """One part per relation, each with the lifts it can compute alone; the other lifts stay in the statement."""
    lifts = [item for item in component.factors if isinstance(item, Lift)]
    return tuple(
        _component([atom, *(lift for lift in lifts if _lift_inputs(lift) <= set(atom.vars))])
        for atom in component.factors
        if isinstance(atom, Rel)
    )


def _with_filters(component: Component, others: tuple[Factor, ...]) -> Component:
    mine = [item for item in others if isinstance(item, Cond) and _covers(component, item)]
    return Component((*component.factors, *mine), component.variables)


def _covers(component: Component, cond: Cond) -> bool:
    needed = sc.variables(cond.test)
    return bool(needed) and needed <= component.variables


def _home(value: Scalar, bound: frozenset[Var], components: tuple[Component, ...]) -> int | None:
    needed = sc.variables(value)
    if needed <= bound:
        return None
    return next((i for i, component in enumerate(components) if needed <= component.variables), None)


def _keys(component: Component, components: tuple[Component, ...], needed: set[Var]) -> tuple[Var, ...]:
    elsewhere = {var for other in components if other is not component for var in other.variables}
    variables = unique(var for factor in component.factors for var in factor_variables(factor))
    return tuple(var for var in variables if var in needed or var in elsewhere)
