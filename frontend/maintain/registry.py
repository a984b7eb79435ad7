"""The maps of a program while it is being compiled: one entry per different shape, one slot per different value.

Two requests for the same join, up to variable names, get the same map; requests that differ in the value that is
summed get different slots of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus.agca import Delta, MapRef, Rel
from toastergen.frontend.calculus.program import MULTIPLICITY, Polynomial, Shape, sum_type_of
from toastergen.frontend.m3 import COUNT, Map, Slot
from toastergen.frontend.maintain.canonical import canonical, scalar_text
from toastergen.frontend.maintain.decompose import Rule
from toastergen.frontend.names import Names, identifier
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.types import LONG, Type


@dataclass
class Entry:
    """One map under construction. ``order`` lists the shape's variables canonically.

    ``rule`` says how its deltas are decomposed; maps inherit it from the map that first asked for them.
    """

    name: str
    shape: Shape
    order: tuple[Var, ...]
    rule: Rule
    slots: dict[str, tuple[str, Type, Polynomial]] = field(default_factory=dict)

    @property
    def degree(self) -> int:
        return sum(isinstance(factor, Rel | Delta) for factor in self.shape.factors)

    def relations(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(factor.name for factor in self.shape.factors if isinstance(factor, Rel)))

    def declaration(self, used: frozenset[str]) -> Map:
        slots = tuple(
            Slot(name, type_, self.shape.definition(polynomial))
            for name, type_, polynomial in self.slots.values()
            if name in used
        )
        return Map(self.name, self.shape.keys, slots)


class Registry:
    """``grown`` collects the entries that got a new slot since it was last emptied.

    ``counted`` maps outlive the event and must know when a key is gone; maps local to a batch need not.
    """

    def __init__(self, names: Names, counted: bool = True) -> None:
        self.entries: dict[str, Entry] = {}
        self.grown: dict[str, Entry] = {}
        self._names = names
        self._counted = counted

    def entry(
        self, shape: Shape, rule: Rule = Rule.WHOLE, wish: str | None = None
    ) -> tuple[Entry, dict[Var, Var]]:
        """The map of a shape, and the renaming from the shape's variables to the map's own."""
        text, order = canonical(shape)
        if text not in self.entries:
            name = self._names.fresh(wish or _map_name(shape))
            self.entries[text] = Entry(name, shape, order, rule)
        entry = self.entries[text]
        return entry, dict(zip(order, entry.order, strict=True))

    def slot(self, entry: Entry, polynomial: Polynomial, wish: str | None = None) -> str:
        """The slot of a map that sums a value given over the map's own variables."""
        names = {var: f"v{index}" for index, var in enumerate(entry.order)}
        text = " + ".join(sorted(" * ".join(sorted(scalar_text(s, names) for s in m)) for m in polynomial))
        if text not in entry.slots:
            taken = Names([var.name for var in entry.shape.keys] + [name for name, _, _ in entry.slots.values()])
            if polynomial == MULTIPLICITY:
                entry.slots[text] = (COUNT, LONG, polynomial)
            else:
                name = Names([COUNT]).fresh(wish or _slot_name(polynomial))
                entry.slots[text] = (taken.fresh(name), sum_type_of(polynomial), polynomial)
            self.grown[entry.name] = entry
            if self._counted and not entry.slots[text][1].is_exact:
                # A floating sum may leave a residue: only the multiplicity can tell when a key is gone.
                self.slot(entry, MULTIPLICITY)
        return entry.slots[text][0]

    def reference(self, shape: Shape, value: tuple[Scalar, ...], rule: Rule = Rule.WHOLE) -> MapRef:
        """A read of the map for a shape and value, in the reader's variables."""
        entry, renaming = self.entry(shape, rule)
        own = tuple(sc.substitute(scalar, renaming) for scalar in value)
        back = {mine: theirs for theirs, mine in renaming.items()}
        return MapRef(entry.name, self.slot(entry, (own,)), tuple(back[key] for key in entry.shape.keys))


def _map_name(shape: Shape) -> str:
    atoms = [factor for factor in shape.factors if isinstance(factor, Rel | Delta)]
    words = [identifier(atom.name, "relation") for atom in atoms]
    if len(words) > 4:
        words = [words[0], f"{len(words) - 2}_more", words[-1]]
    prefix = "delta_" if any(isinstance(atom, Delta) for atom in atoms) else ""
    keys = [var.name for var in shape.keys]
    if not keys:
        return f"{prefix}{'_'.join(words)}_total"
    tail = "_".join(keys) if len(keys) <= 3 else f"{keys[0]}_{keys[1]}_and_{len(keys) - 2}_more"
    return f"{prefix}{'_'.join(words)}_by_{tail}"


def _slot_name(polynomial: Polynomial) -> str:
    monomials = [monomial for monomial in polynomial if monomial]
    if len(monomials) == 1 and len(monomials[0]) == 1:
        value = monomials[0][0]
        inner = value.operand if isinstance(value, sc.Cast) else value
        if isinstance(inner, Var):
            return f"sum_{inner.name}"
    nodes = (node for monomial in monomials for value in monomial for node in sc.walk(value))
    return next((f"sum_of_{node.name}" for node in nodes if isinstance(node, Var)), "sum_of_1")


