"""An aggregate as it is written: FILTER, DISTINCT and its argument, to the variable that stands for its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from toastergen.errors import SqlTypeError, UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.scalar import Scalar
from toastergen.frontend.sql.aggregates import Aggregates
from toastergen.frontend.sql.composed import BOOLEANS, VARIANCES, boolean, filtered, variance
from toastergen.frontend.sql.distinct import row_of
from toastergen.frontend.sql.expressions import AGGREGATES, Translator
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.refuse import check_arguments, refuse
from toastergen.frontend.types import INT


@dataclass(frozen=True, slots=True)
class AggregateReader:
    """``row`` reads expressions over one joined row, in the place that it is told."""

    places: Places
    aggregates: Aggregates
    row: Callable[[str], Translator]

    def read(self, node: exp.Expr) -> Scalar:
        condition = None
        if isinstance(node, exp.Filter):
            check_arguments(node.expression, ("this",), self.places, "FILTER")
            condition = self.row("FILTER").condition(node.expression.this)
            node = node.this
            if not isinstance(node, AGGREGATES):
                raise refuse(node, self.places)
        argument = node.this
        if isinstance(node, exp.Count) and type(argument) is exp.Star:
            check_arguments(argument, (), self.places, "COUNT(*)")
            if condition is None:
                return self.aggregates.count()
            return self.aggregates.over("count", filtered(sc.ONE, condition))
        if argument is None:
            raise UnsupportedSql(
                "COUNT() is not supported", span=self.places.span(node), hint="write COUNT(*)"
            )
        distinct = isinstance(argument, exp.Distinct)
        if distinct:
            argument = self._distinct_argument(argument)
            if isinstance(argument, exp.Tuple):
                return self._different_rows(node, argument, condition)
        value = sc.typed_null(self.row("the argument of an aggregate").scalar(argument), INT)
        if condition is not None:
            value = filtered(value, condition)
        return self._over(node, value, distinct)

    def _over(self, node: exp.Expr, value: Scalar, distinct: bool) -> Scalar:
        """DISTINCT makes no difference to ends and conditions."""
        kind = type(node).__name__.lower()
        if isinstance(node, BOOLEANS):
            return boolean(node, value, self.aggregates.over)
        if isinstance(node, VARIANCES) and not distinct:
            return variance(node, value, self.aggregates.over)
        if kind not in ("min", "max", "count") and not sc.type_of(value).is_numeric:
            raise SqlTypeError(
                f"{kind.upper()} needs numbers, not {sc.type_of(value)}",
                span=self.places.span(node),
                hint="for a condition use COUNT(*) FILTER (WHERE …)",
            )
        if not distinct or kind in ("min", "max"):
            return self.aggregates.over(kind, value)
        if kind not in ("sum", "count", "avg"):
            raise UnsupportedSql(
                f"{kind.upper()} over DISTINCT is not supported",
                span=self.places.span(node),
                hint="select the different values in a subquery and aggregate those",
            )
        return self.aggregates.over_distinct(kind, value)

    def _different_rows(self, node: exp.Expr, argument: exp.Tuple, condition: Scalar | None) -> Scalar:
        """COUNT(DISTINCT (a, b))"""
        if not isinstance(node, exp.Count) or condition is not None:
            raise UnsupportedSql(
                "a row of values here is not supported",
                span=self.places.span(argument),
                hint="rows of values can be counted without FILTER: COUNT(DISTINCT (a, b))",
            )
        at = self.row("the argument of an aggregate")
        values = tuple(sc.typed_null(at.scalar(item), INT) for item in argument.expressions)
        return self.aggregates.over_distinct("count", row_of(values))

    def _distinct_argument(self, node: exp.Distinct) -> exp.Expr:
        check_arguments(node, ("expressions",), self.places, "DISTINCT")
        if len(node.expressions) != 1:
            raise UnsupportedSql(
                "DISTINCT over several values is not supported",
                span=self.places.span(node),
                hint="write COUNT(DISTINCT (a, b))",
            )
        only: exp.Expr = node.expressions[0]
        return only
