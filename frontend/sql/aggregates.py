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
        self._unnamed: dict[str, int] = {}
        self.over_nothing = False  # without GROUP BY there may be nothing to aggregate

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
        """A count of what is never NULL is the count of rows."""
        if kind == "count" and not sc.is_nullable(argument):
            return self.count()
        known = self._by_meaning.get((kind, argument))
        if known is not None:
            return known.var
        if isinstance(argument, Var):
            wish = f"{kind}_{argument.name}"
        else:
            self._unnamed[kind] = self._unnamed.get(kind, 0) + 1
            wish = f"{kind}_{self._unnamed[kind]}"
        return self._add(kind, argument, self._names.fresh(wish), self._result(kind, argument))

    def _result(self, kind: str, argument: Scalar) -> Type:
        """NULL where there is nothing to aggregate, but nothing is counted as 0."""
        nullable = self.over_nothing or sc.is_nullable(argument)
        match kind:
            case "count":
                return LONG
            case "avg":
                return DOUBLE.or_null(nullable)
            case "sum":
                return sum_type(sc.type_of(argument)).or_null(nullable)
            case _:
                return sc.type_of(argument).or_null(nullable)

    def over_distinct(self, kind: str, argument: Scalar) -> Var:
        known = self._distinct.get((kind, argument))
        if known is None:
            name = argument.name if isinstance(argument, Var) else "values"
            var = Var(self._names.fresh(f"{kind}_distinct_{name}"), self._result(kind, argument))
            known = self._distinct[kind, argument] = Aggregate(kind, argument, var)
        return known.var

    def _add(self, kind: str, argument: Scalar | None, name: str, result: Type) -> Var:
        aggregate = Aggregate(kind, argument, Var(name, result))
        return self._by_meaning.setdefault((kind, argument), aggregate).var
