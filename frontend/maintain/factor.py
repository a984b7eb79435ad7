"""Factors of a statement that share no variable are summed apart.

The sum over a and b of f(a) * g(b) is the product of two sums. Nested loops would cost the product of two maps, loops
side by side cost their sum. So where the factors of a clause fall apart, given the event's variables, every group that
does not bind a key of the target becomes a slot of a local map without keys, filled before anything changes.

That is left out where little is gained: two slices inside each other stop at once where the first one is empty. And
where a group is tested: a threshold on a scanned map is answered from its order, a path wherever it stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import prod
from typing import Final

from toastergen.frontend import m3, payload
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import AggSum, Cond, Delta, Expr, Lift, MapRef, Product, Value
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Var

Skeleton = tuple[Expr, ...]  # what is looped over and tested, whatever is summed

# Guesses of what a loop visits, good enough to tell a product from a sum.
SCANNED: Final = 1000
SLICED: Final = 4
GAIN: Final = 3.5


def factor(program: m3.Program) -> m3.Program:
    locals_ = [item.name for trigger in program.triggers for item in trigger.locals]
    names = Names([*(item.name for item in program.maps), *locals_])
    return replace(program, triggers=tuple(_factored(program, trigger, names) for trigger in program.triggers))


def _factored(program: m3.Program, trigger: m3.Trigger, names: Names) -> m3.Trigger:
    known = {item.name: item for item in (*program.maps, *trigger.locals)}
    sums = _Sums(names, known)
    statements = [
        _apart(statement, trigger, sums) if statement.op == "+=" else statement for statement in trigger.statements
    ]
    if not sums.entries:
        return trigger
    declared = {item.name for item in trigger.locals}
    head = [statement for statement in statements if statement.target in declared]
    rest = [statement for statement in statements if statement.target not in declared]
    return replace(trigger, statements=(*head, *sums.fills(), *rest), locals=(*trigger.locals, *sums.declarations()))


@dataclass
class _Sums:
    """The local maps of one trigger: one per skeleton, with a slot for every sum over it."""

    names: Names
    maps: dict[str, m3.Map]
    entries: dict[Skeleton, tuple[str, dict[Expr, m3.Slot]]] = field(default_factory=dict)

    def reference(self, terms: tuple[Expr, ...]) -> MapRef:
        skeleton = tuple(_blank(term) for term in terms if not isinstance(term, Value))
        if skeleton not in self.entries:
            read = next(term.map for term in terms if isinstance(term, MapRef))
            self.entries[skeleton] = (self.names.fresh(f"sum_of_{read}"), {})
        name, slots = self.entries[skeleton]
        total = AggSum((), agca.product(terms))
        if total not in slots:
            type_ = payload.infer(total, self.maps)
            assert type_ is not None, f"the parts of {total} do not mix"
            slots[total] = m3.Slot(f"sum_{len(slots) + 1}", type_, total)
        return MapRef(name, slots[total].name, ())

    def declarations(self) -> Iterable[m3.Map]:
        return (m3.Map(name, (), tuple(slots.values())) for name, slots in self.entries.values())

    def fills(self) -> Iterable[m3.Statement]:
        for item in self.declarations():
            for slot in item.slots:
                yield m3.Statement(item.name, slot.name, (), ":=", slot.definition)


def _blank(term: Expr) -> Expr:
    return replace(term, slot="") if isinstance(term, MapRef) else term


def _apart(statement: m3.Statement, trigger: m3.Trigger, sums: _Sums) -> m3.Statement:
    body = statement.expr.body if isinstance(statement.expr, AggSum) else statement.expr
    if not isinstance(body, Product):
        return statement
    bound = _bound(body.terms, trigger.params)
    closed, groups = _groups(body.terms, bound)
    alone = [group for group in groups if _is_plain(group) and not _mentioned(group) & set(statement.keys)]
    inside = prod(_visits(group, bound) for group in groups)
    apart = sum(_visits(group, bound) for group in alone) + prod(
        _visits(group, bound) for group in groups if group not in alone
    )
    if not alone or inside < GAIN * apart:
        return statement
    # Tests of the event itself count once, however often they are made: so nothing is summed in vain.
    guards = tuple(term for term in closed if isinstance(term, Cond | Lift))
    totals = [sums.reference((*guards, *group)) for group in alone]
    kept = [term for group in groups if group not in alone for term in group]
    rest = (term for term in body.terms if term not in guards and (term in kept or term in closed))
    expr = agca.product((*guards, *totals, *rest))
    if kept and isinstance(statement.expr, AggSum):
        expr = AggSum(statement.expr.keys, expr)
    return replace(statement, expr=expr)


def _bound(terms: tuple[Expr, ...], params: tuple[Var, ...]) -> frozenset[Var]:
    """The event's variables, and what is computed from them alone."""
    bound = set(params)
    for term in terms:
        if isinstance(term, Lift) and agca.inputs(term) <= bound:
            bound.add(term.var)
    return frozenset(bound)


def _is_plain(group: tuple[Expr, ...]) -> bool:
    return any(isinstance(term, MapRef) for term in group) and not any(isinstance(term, Cond) for term in group)


def _visits(group: tuple[Expr, ...], bound: frozenset[Var]) -> int:
    known, found = set(bound), 1
    for term in group:
        open_ = set(agca.outputs(term)) - known
        if open_ and isinstance(term, MapRef | Delta):
            found *= SCANNED if len(open_) == len(set(agca.outputs(term))) else SLICED
        known |= open_
    return found


def _groups(
    terms: tuple[Expr, ...], bound: frozenset[Var]
) -> tuple[tuple[Expr, ...], list[tuple[Expr, ...]]]:
    """The terms without open variables, and the others in groups that share none, each in the order it had."""
    closed: list[Expr] = []
    groups: list[tuple[set[Var], list[int]]] = []
    for place, term in enumerate(terms):
        open_ = _mentioned((term,)) - bound
        if not open_:
            closed.append(term)
            continue
        met = [group for group in groups if group[0] & open_]
        groups = [group for group in groups if group not in met]
        variables = open_.union(*(group[0] for group in met))
        groups.append((set(variables), [*(at for group in met for at in group[1]), place]))
    return tuple(closed), [tuple(terms[at] for at in sorted(places)) for _, places in groups]


def _mentioned(terms: Iterable[Expr]) -> frozenset[Var]:
    return frozenset(var for term in terms for var in (*agca.outputs(term), *agca.inputs(term)))
