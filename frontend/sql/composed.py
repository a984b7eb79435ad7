"""Aggregates that are made of others: FILTER, BOOL_AND and BOOL_OR, variances and standard deviations.

A variance of exact numbers is computed from their count, sum and sum of squares without any rounding before the last
division. Of doubles the same sums would cancel to noise, so those are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from sqlglot import exp

from toastergen.frontend import scalar as sc
from toastergen.frontend.functions import call
from toastergen.frontend.scalar import Case, Compare, Const, Scalar, ScalarTypeError
from toastergen.frontend.types import BOOL, DOUBLE, LONG, UNTYPED, as_decimal

Aggregate: TypeAlias = Callable[[str, Scalar], Scalar]  # of a kind over an argument

BOOLEANS: Final = (exp.LogicalAnd, exp.LogicalOr)
# Which of them divide by one less than the number of values, and which are square roots.
_VARIANCES: Final[dict[type[exp.Expr], tuple[bool, bool]]] = {
    exp.Variance: (True, False),
    exp.VariancePop: (False, False),
    exp.Stddev: (True, True),
    exp.StddevSamp: (True, True),
    exp.StddevPop: (False, True),
}
VARIANCES: Final = tuple(_VARIANCES)


def filtered(argument: Scalar, condition: Scalar) -> Scalar:
    """What FILTER leaves of an argument: aggregates pass over NULL."""
    return sc.case(((condition, argument),), Const(None, UNTYPED))


def boolean(node: exp.Expr, argument: Scalar, aggregate: Aggregate) -> Scalar:
    """BOOL_AND holds where nothing is false, BOOL_OR where something is true; of nothing both are NULL."""
    sc.require_bool(argument, "BOOL_AND" if isinstance(node, exp.LogicalAnd) else "BOOL_OR")
    is_and = isinstance(node, exp.LogicalAnd)
    decides = sc.negation(argument) if is_and else argument
    deciding = aggregate("count", sc.case(((decides, sc.ONE),), Const(None, UNTYPED)))
    result = Compare("=" if is_and else ">", deciding, sc.ZERO)
    nothing = Compare("=", aggregate("count", argument), sc.ZERO)
    return Case(((nothing, Const(None, BOOL)),), result)


def variance(node: exp.Expr, argument: Scalar, aggregate: Aggregate) -> Scalar:
    is_sample, is_root = _VARIANCES[type(node)]
    type_ = sc.type_of(argument)
    if not type_.is_exact:
        raise ScalarTypeError(f"a variance or standard deviation of {type_} is not maintained exactly; CAST to DECIMAL")
    value = sc.cast(argument, as_decimal(type_))
    count = aggregate("count", argument)
    total, squares = (sc.known(aggregate("sum", part)) for part in (value, sc.arith("*", value, value)))
    spread = sc.arith("-", sc.arith("*", count, squares), sc.arith("*", total, total))
    pairs = sc.arith("*", count, sc.arith("-", count, sc.ONE) if is_sample else count)
    result: Scalar = sc.Arith("/!", sc.cast(spread, DOUBLE), sc.cast(pairs, DOUBLE), DOUBLE)
    if is_root:
        result = call("SQRT", call("GREATEST", result, Const(0.0, DOUBLE)))
    few = Compare("<", count, Const(2 if is_sample else 1, LONG))
    return Case(((few, Const(None, DOUBLE)),), result)
