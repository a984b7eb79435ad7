"""The aggregates of one query: equal ones are computed once, each has a variable for its result."""

from __future__ import annotations

from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import COUNT
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.sql.resolved import Aggregate
from toastergen.frontend.types import DOUBLE, LONG, Type, sum_type


class Aggregates:
    """Collects aggregates in the order of their first use. ``names`` already holds the column variables."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._by_meaning: dict[tuple[str, Scalar | None], Aggregate] = {}
        self._distinct: dict[tuple[str, Scalar], Aggregate] = {}
        self._unnamed = {"sum": 0, "avg": 0}

    def found(self) -> tuple[Aggregate, ...]:
        return tuple(self._by_meaning.values())

    def is_result(self, value: Scalar) -> bool:
        return any(value == aggregate.var for aggregate in (*self.found(), *self.distinct()))

    def distinct(self) -> tuple[Aggregate, ...]:
        """Those that take each value of a group once."""
        return tuple(self._distinct.values())

    def count(self) -> Var:
        """COUNT takes the reserved name: it is the multiplicity every record has anyway."""
        return self._add("count", None, COUNT, LONG)

    def over(self, kind: str, argument: Scalar) -> Var:
        known = self._by_meaning.get((kind, argument))
        if known is not None:
            return known.var
        if isinstance(argument, Var):
            wish = f"{kind}_{argument.name}"
        else:
            self._unnamed[kind] += 1
            wish = f"{kind}_{self._unnamed[kind]}"
        result = DOUBLE if kind == "avg" else sum_type(sc.type_of(argument))
        return self._add(kind, argument, self._names.fresh(wish), result)

    def over_distinct(self, kind: str, argument: Scalar) -> Var:
        known = self._distinct.get((kind, argument))
        if known is None:
            name = argument.name if isinstance(argument, Var) else "values"
            result = {"count": LONG, "avg": DOUBLE}.get(kind) or sum_type(sc.type_of(argument))
            var = Var(self._names.fresh(f"{kind}_distinct_{name}"), result)
            known = self._distinct[kind, argument] = Aggregate(kind, argument, var)
        return known.var

    def _add(self, kind: str, argument: Scalar | None, name: str, result: Type) -> Var:
        aggregate = Aggregate(kind, argument, Var(name, result))
        return self._by_meaning.setdefault((kind, argument), aggregate).var
