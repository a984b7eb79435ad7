"""Columns a subquery takes from the query around it, and the equalities that tie the two together."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from toastergen.errors import ResolveError
from toastergen.frontend import scalar as sc
from toastergen.frontend.names import Names, identifier
from toastergen.frontend.scalar import Compare, Scalar, Var
from toastergen.frontend.sql.block import Tie
from toastergen.frontend.sql.context import Outer
from toastergen.frontend.sql.resolved import Input
from toastergen.frontend.sql.scope import Scope


class OuterColumns:
    """Each stands as a variable of its own in the subquery until the ties are known."""

    def __init__(self, outer: Outer | None, names: Names) -> None:
        self._outer = outer
        self._names = names
        self._found: dict[Scalar, Var] = {}
        self._first: exp.Column | None = None

    def is_meant(self, node: exp.Column, scope: Scope) -> bool:
        """Inner names hide outer ones."""
        return self._outer is not None and not scope.knows(node)

    def column(self, node: exp.Column, scope: Scope) -> Scalar:
        assert self._outer is not None
        try:
            value = self._outer(node)
        except ResolveError as error:
            if "ambiguous" in error.message:
                raise
            return scope.lookup(node).value  # which says what the inner query knows
        if value not in self._found:
            var = Var(self._names.fresh(f"outer_{identifier(node.name, 'column')}"), sc.column_type(value))
            self._found[value] = var
            self._first = self._first or node
        return self._found[value]

    def first(self) -> exp.Column | None:
        """The first column from outside that is used, if any is."""
        return self._first

    def inside(self, value: Scalar) -> bool:
        return bool(self._found) and not self._variables().isdisjoint(sc.variables(value))

    def from_outside(self, value: Scalar) -> Scalar:
        """A value as the query around would write it."""
        return sc.substitute(value, {var: outer for outer, var in self._found.items()})

    def ties(self, where: Iterable[Scalar]) -> tuple[tuple[Scalar, ...], tuple[Tie, ...]]:
        """The conditions of the subquery, and its ties. What is no equality stays, over variables from outside."""
        own: list[Scalar] = []
        ties: list[Tie] = []
        for term in where:
            tie = self._tie(term) if self.inside(term) else None
            if tie is None:
                own.append(term)
            else:
                ties.append(tie)
        return tuple(own), tuple(dict.fromkeys(ties))

    def free(self, values: Iterable[Scalar]) -> tuple[tuple[Var, Scalar], ...]:
        """The columns from outside that are still used: their variables here, and what they are there."""
        if not self._found:
            return ()
        used = {var for value in values for var in sc.variables(value)}
        return tuple((var, value) for value, var in self._found.items() if var in used)

    def bound(self, free: tuple[tuple[Var, Scalar], ...]) -> tuple[Input, tuple[Tie, ...]]:
        """Read the different values the columns have outside as one more input, tied to the query around by them."""
        assert self._outer is not None
        relation = self._outer.values([value for _, value in free])
        source = Input(relation.name, relation.name, tuple(var for var, _ in free))
        return source, tuple(Tie(var, value, same=True) for var, value in free)

    def _variables(self) -> set[Var]:
        return set(self._found.values())

    def _tie(self, term: Scalar) -> Tie | None:
        outside = self._variables()
        if isinstance(term, Compare) and term.op == "=":
            for inner, outer in ((term.left, term.right), (term.right, term.left)):
                mentioned = sc.variables(outer)
                if mentioned and mentioned <= outside and not self.inside(inner):
                    return Tie(inner, self.from_outside(outer))
        return None
