"""From terms to triggers: the same change, once for a single row and once for a batch.

A *term* is one clause of one slot's delta, still over ``(DELTA R)(x…)``. For a single row the delta is replaced by the
row's values and disappears. For a batch it is first summed up onto the columns the statement needs (opposite
changes cancel there), unless nothing would be gained: a statement that reads no other map adds up in its target anyway,
and rows with a declared primary key among the needed columns are distinct already.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from toastergen.frontend import m3
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import AggSum, Cond, Delta, Expr, Lift, MapRef, Value
from toastergen.frontend.calculus.program import Factor, Shape
from toastergen.frontend.calculus.simplify import bind_event
from toastergen.frontend.maintain.order import ordered
from toastergen.frontend.maintain.registry import Registry
from toastergen.frontend.names import Names, identifier
from toastergen.frontend.scalar import Scalar, Var


@dataclass(frozen=True, slots=True)
class Term:
    """``target.slot[keys] += body`` on a change of ``relation``, or ``:=`` for what is computed anew."""

    relation: str
    target: str
    slot: str
    keys: tuple[Var, ...]
    body: tuple[Expr, ...]
    op: str = "+="


def row_trigger(relation: m3.Relation, terms: Iterable[Term], event: str) -> m3.Trigger:
    params = parameters(relation)
    sign = 1 if event == m3.INSERT else -1
    statements = []
    for term in terms:
        factors, renaming = bind_event(term.body, params, sign)
        if any(map(agca.is_zero, factors)):
            continue  # a row is not less than itself
        keys = tuple(renaming.get(key, key) for key in term.keys)
        statements.append(_statement(term, keys, factors, params))
    return m3.Trigger(event, relation.name, params, _joined(statements))


def parameters(relation: m3.Relation) -> tuple[Var, ...]:
    names = Names()
    return tuple(
        Var(names.fresh(identifier(column.name, f"column_{index}")), column.type)
        for index, column in enumerate(relation.columns, 1)
    )


def batch_trigger(relation: m3.Relation, terms: Iterable[Term], names: Names) -> m3.Trigger:
    registry = Registry(names, counted=False)
    bodies = [(term, _preaggregated(relation, term, registry)) for term in terms]
    entries = tuple(registry.entries.values())
    small = frozenset(entry.name for entry in entries)
    statements = _joined(_statement(term, term.keys, factors, (), small) for term, factors in bodies)
    locals_ = tuple(
        entry.declaration(frozenset(name for name, _, _ in entry.slots.values())) for entry in entries
    )
    fills = tuple(
        m3.Statement(local.name, slot.name, local.keys, ":=", slot.definition)
        for local in locals_
        for slot in local.slots
    )
    return m3.Trigger(m3.BATCH, relation.name, (), (*fills, *statements), locals_)


def _joined(statements: Iterable[m3.Statement]) -> tuple[m3.Statement, ...]:
    """``:=`` replaces, so all that a slot is computed from must stand in one statement."""
    result: list[m3.Statement] = []
    for statement in statements:
        before = result[-1] if result else None
        if before and statement.op == before.op == ":=" and replace(before, expr=statement.expr) == statement:
            result[-1] = replace(before, expr=agca.add((before.expr, statement.expr)))
        else:
            result.append(statement)
    return tuple(result)


def _statement(
    term: Term,
    keys: tuple[Var, ...],
    factors: Iterable[Expr],
    params: tuple[Var, ...],
    small: frozenset[str] = frozenset(),
) -> m3.Statement:
    body = agca.product(ordered(factors, params, small))
    summed = set(agca.outputs(body)) - set(keys) - set(params)
    open_keys = tuple(key for key in agca.unique(keys) if key not in params)
    expr = AggSum(open_keys, body) if summed else body
    return m3.Statement(term.target, term.slot, keys, term.op, expr)


def _preaggregated(relation: m3.Relation, term: Term, registry: Registry) -> tuple[Expr, ...]:
    deltas = [item for item in term.body if isinstance(item, Delta)]
    rest = [item for item in term.body if not isinstance(item, Delta)]
    if not deltas or (len(deltas) == 1 and not any(isinstance(item, MapRef) for item in rest)):
        return term.body
    result: list[Expr] = []
    for index, delta in enumerate(deltas):
        own, computed = _owned(delta, rest)
        left = [item for item in rest if item not in own]
        needed = {var for item in (*left, *deltas[index + 1 :], *result) for var in _mentioned(item)}
        needed |= set(term.keys)
        keys = tuple(var for var in agca.unique((*delta.vars, *computed)) if var in needed)
        if len(deltas) == 1 and _is_unique(relation, delta, keys):
            return term.body
        factors: tuple[Factor, ...] = (delta, *(item for item in own if isinstance(item, Cond | Lift)))
        values: tuple[Scalar, ...] = tuple(item.scalar for item in own if isinstance(item, Value))
        result.append(registry.reference(Shape(keys, factors), values))
        rest = left
    return (*result, *rest)


def _owned(delta: Delta, rest: Iterable[Expr]) -> tuple[list[Expr], list[Var]]:
    """The factors that a delta can take in: everything computed from its own columns alone."""
    known = set(delta.vars)
    computed: list[Var] = []
    own: list[Expr] = []
    waiting = [item for item in rest if not isinstance(item, MapRef)]
    while True:
        ready = [item for item in waiting if agca.inputs(item) and agca.inputs(item) <= known]
        if not ready:
            return own, computed
        own += ready
        waiting = [item for item in waiting if item not in ready]
        lifted = [item.var for item in ready if isinstance(item, Lift)]
        computed += lifted
        known |= set(lifted)


def _mentioned(item: Expr) -> set[Var]:
    return set(agca.outputs(item)) | set(agca.inputs(item))


def _is_unique(relation: m3.Relation, delta: Delta, keys: tuple[Var, ...]) -> bool:
    """Is each row of the relation told apart by these columns?"""
    if not relation.primary_key:
        return False
    by_name = {column.name: var for column, var in zip(relation.columns, delta.vars, strict=True)}
    return all(by_name[name] in keys for name in relation.primary_key)


