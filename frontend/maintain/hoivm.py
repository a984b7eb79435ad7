"""Higher-order incremental view maintenance: every view and every map its deltas need, maintained by deltas.

For each map and each relation it reads: take the delta, decompose every clause into event variables and
components, ask the registry for a map per component, and repeat with the maps that were new. Degrees shrink with
each step, so this ends at maps of one relation, whose deltas read nothing.

A view may need very many maps that way: a star join of n dimensions has a map for every subset of them. A view that
would need more maps than a chain of as many relations does (n(n+1)/2, and two) is compiled with the next more frugal
rule.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from toastergen.errors import UnsupportedSql
from toastergen.frontend import m3
from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Expr, MapRef, Rel, Value
from toastergen.frontend.calculus.delta import delta
from toastergen.frontend.calculus.program import CalculusProgram, CalculusView, Shape
from toastergen.frontend.calculus.simplify import clauses
from toastergen.frontend.maintain.decompose import Rule, decompose, split_values
from toastergen.frontend.maintain.factor import factor
from toastergen.frontend.maintain.loading import Loading, loading
from toastergen.frontend.maintain.registry import Entry, Registry
from toastergen.frontend.maintain.triggers import Term, batch_trigger, row_trigger
from toastergen.frontend.names import Names, identifier
from toastergen.frontend.scalar import Scalar, Var

MAX_ALIASES = 8


def maintain(program: CalculusProgram) -> m3.Program:
    load = loading(program)
    return Compiler(program, tuple(_rule(program, view, load) for view in program.views), load).run()


def _rule(program: CalculusProgram, view: CalculusView, load: Loading) -> Rule:
    atoms = len(_atoms(view))
    budget = atoms * (atoms + 1) // 2 + 2
    for rule in (Rule.WHOLE, Rule.CUT):
        trial = Compiler(replace(program, views=(view,)), (rule,), load, budget=budget)
        if trial.fits():
            return rule
    return Rule.SPLIT


def _atoms(view: CalculusView) -> list[str]:
    return [factor.name for factor in view.shape.factors if isinstance(factor, Rel)]


def _refuse_many_aliases(view: CalculusView) -> None:
    """The delta of n aliases of one relation has 2^n - 1 clauses."""
    relation, times = max(Counter(_atoms(view)).items(), key=lambda item: item[1], default=("", 0))
    if times > MAX_ALIASES:
        raise UnsupportedSql(
            f"view {view.name} reads {relation} {times} times; more than {MAX_ALIASES} times is not supported",
            hint="join some of the aliases in a view of their own and read that",
        )


@dataclass
class Compiler:
    """The skeleton of all strategies.

    ``rules`` has one entry per view; ``recompute`` evaluates the views anew instead of adding deltas to them;
    ``budget`` is the number of maps at which to give up.
    """

    program: CalculusProgram
    rules: tuple[Rule, ...]
    load: Loading
    recompute: bool = False
    budget: int | None = None
    names: Names = field(default_factory=Names)
    registry: Registry = field(init=False)
    terms: dict[str, tuple[Term, ...]] = field(default_factory=dict)  # by map name: how it changes

    def __post_init__(self) -> None:
        self.registry = Registry(self.names)
        if not self.recompute:
            for view in self.program.views:
                _refuse_many_aliases(view)

    def run(self) -> m3.Program:
        views = self._views()
        self.close(self._recomputed(views))
        return self.assemble(views)

    def _recomputed(self, views: tuple[m3.View, ...]) -> set[str]:
        """A view of one relation is its own base map: adding deltas to it is all that can be done."""
        joins = {entry.name for entry in self.registry.entries.values() if entry.degree > 1}
        return {view.map for view in views} & joins if self.recompute else set()

    def fits(self) -> bool:
        """Does the program need no more maps than the budget allows?"""
        self._views()
        self.close(set())
        return not self._is_over_budget()

    def _is_over_budget(self) -> bool:
        return self.budget is not None and len(self.registry.entries) > self.budget

    def _views(self) -> tuple[m3.View, ...]:
        return tuple(self.view(view, rule) for view, rule in zip(self.program.views, self.rules, strict=True))

    def view(self, view: CalculusView, rule: Rule) -> m3.View:
        """Register the map of a view; its outputs are written over that map's own names."""
        wish = identifier(view.name, "view")
        entry, renaming = self.registry.entry(view.shape, rule, wish)
        own_names: dict[Var, Scalar] = dict(renaming)
        for slot in view.slots:
            own = tuple(tuple(sc.substitute(s, renaming) for s in monomial) for monomial in slot.polynomial)
            own_names[Var(slot.name, slot.type)] = Var(self.registry.slot(entry, own, slot.name), slot.type)
        outputs = tuple(m3.Output(item.name, sc.substitute(item.value, own_names)) for item in view.outputs)
        return m3.View(view.name, entry.name, view.rows, outputs, view.hidden, view.order)

    def close(self, recomputed: set[str]) -> None:
        """Derive until no map asks for a new map or slot."""
        while self.registry.grown:
            batch, self.registry.grown = list(self.registry.grown.values()), {}
            for entry in batch:
                if self._is_over_budget():
                    return
                step = self._redefine if entry.name in recomputed else self._derive
                self.terms[entry.name] = tuple(
                    term for relation in entry.relations() for term in step(entry, relation)
                )

    def _derive(self, entry: Entry, relation: str) -> list[Term]:
        return self._terms(entry, relation, delta(agca.product(entry.shape.factors), relation), "+=")

    def _redefine(self, entry: Entry, relation: str) -> list[Term]:
        return self._terms(entry, relation, agca.product(entry.shape.factors), ":=")

    def _terms(self, entry: Entry, relation: str, change: Expr, op: str) -> list[Term]:
        polynomials = [polynomial for _, _, polynomial in entry.slots.values()]
        terms: list[Term] = []
        for factors in clauses(change):
            if self.load.is_nothing(relation, factors):
                continue
            clause = decompose(factors, entry.shape.keys, polynomials, entry.rule)
            shapes = [
                Shape(keys, component.factors)
                for keys, component in zip(clause.keys, clause.components, strict=True)
            ]
            for slot, _, polynomial in tuple(entry.slots.values()):
                for monomial in polynomial:
                    if any(agca.is_zero(Value(value)) for value in monomial):
                        continue  # SUM(0) never changes
                    outside, inside = split_values(clause, monomial)
                    maps = [
                        self.registry.reference(shape, tuple(values), entry.rule)
                        for shape, values in zip(shapes, inside, strict=True)
                    ]
                    body = (*clause.deltas, *clause.rest, *maps, *(Value(value) for value in outside))
                    terms.append(Term(relation, entry.name, slot, entry.shape.keys, body, op))
        return terms

    def assemble(self, views: tuple[m3.View, ...]) -> m3.Program:
        """Keep what the views need, larger joins first: a map changes before the maps it reads.

        What is computed anew comes last, and reads what has changed.
        """
        used = self._used(views)
        entries = [entry for entry in self.registry.entries.values() if entry.name in used]
        maps = tuple(entry.declaration(used[entry.name]) for entry in entries)
        order = sorted(entries, key=lambda entry: -entry.degree)
        terms = [term for entry in order for term in self.terms[entry.name] if term.slot in used[entry.name]]
        terms.sort(key=lambda term: term.op == ":=")
        triggers: list[m3.Trigger] = []
        for relation in self.program.relations:
            mine = [term for term in terms if term.relation == relation.name]
            if mine:
                triggers.append(row_trigger(relation, mine, m3.INSERT))
                if not relation.append_only:
                    triggers.append(row_trigger(relation, mine, m3.DELETE))
                if relation.kind != m3.DERIVED:  # derived relations change row by row
                    triggers.append(batch_trigger(relation, mine, self.names))
        return factor(m3.Program(self.program.relations, maps, views, tuple(triggers)))

    def _used(self, views: tuple[m3.View, ...]) -> dict[str, frozenset[str]]:
        """The slots somebody reads, per map: views first, then the statements of every slot found so far."""
        entries = {entry.name: entry for entry in self.registry.entries.values()}
        found: dict[str, set[str]] = {}
        waiting = [(view.map, slot) for view in views for slot in _slots_of(entries[view.map], view)]
        while waiting:
            name, slot = waiting.pop()
            if slot in found.setdefault(name, set()):
                continue
            found[name].add(slot)
            types = {slot_name: type_ for slot_name, type_, _ in entries[name].slots.values()}
            if not types[slot].is_exact:
                waiting.append((name, m3.COUNT))
            for term in self.terms[name]:
                if term.slot == slot:
                    waiting += [(item.map, item.slot) for item in term.body if isinstance(item, MapRef)]
        return {name: frozenset(slots) for name, slots in found.items()}


def _slots_of(entry: Entry, view: m3.View) -> list[str]:
    read = {var.name for output in view.outputs for var in sc.variables(output.value)}
    return [name for name, _, _ in entry.slots.values() if name in read or name == m3.COUNT]


