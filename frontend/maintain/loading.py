"""Which relations change while tables are loaded, and which are still empty then.

Tables are complete before the first row of a stream arrives. So whatever joins a changing table with a stream joins it
with nothing: the clause is left out, and with it the maps that only it would have read. That is most of what a small
table costs otherwise; a nation that might still change would need the orders of each nation at hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from toastergen.frontend.calculus.agca import Expr, Rel
from toastergen.frontend.calculus.program import CalculusProgram, CalculusView
from toastergen.frontend.m3 import DERIVED, TABLE, Relation


@dataclass(frozen=True, slots=True)
class Loading:
    """``changing`` are tables and what is derived from tables alone; ``empty`` is what no table can put a row into."""

    changing: frozenset[str]
    empty: frozenset[str]

    def is_nothing(self, relation: str, factors: Iterable[Expr]) -> bool:
        """Does a clause of the change of a relation join it with what is empty whenever the relation changes?"""
        return relation in self.changing and any(
            isinstance(factor, Rel) and factor.name in self.empty for factor in factors
        )


def loading(program: CalculusProgram) -> Loading:
    """Derived relations follow what they read, so one walk in the order of declaration is enough."""
    views = {view.name: view for view in program.views}
    changing = {relation.name for relation in program.relations if relation.kind == TABLE}
    empty = {relation.name for relation in program.relations if relation.kind not in (TABLE, DERIVED)}
    for relation in program.relations:
        if relation.kind == DERIVED:
            feeds = _feeds(relation, views)
            if all(_reads(view) <= changing for view in feeds):
                changing.add(relation.name)
            # A view of a single row has it from the start, whatever it reads; so may an interval without ends.
            if relation.crossing is None and all(view.rows != "single" and _reads(view) & empty for view in feeds):
                empty.add(relation.name)
    return Loading(frozenset(changing), frozenset(empty))


def _feeds(relation: Relation, views: dict[str, CalculusView]) -> list[CalculusView]:
    return [views[name] for name in relation.queries]


def _reads(view: CalculusView) -> set[str]:
    return {factor.name for factor in view.shape.factors if isinstance(factor, Rel)}
