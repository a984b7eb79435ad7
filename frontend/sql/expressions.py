"""Expressions: from the syntax tree to typed scalars.

One ``Translator`` serves one place in a query (WHERE, ON, GROUP BY, an aggregate's argument, a select item).
What differs between places is passed in: how columns are found, and whether aggregates may stand there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeAlias

from sqlglot import exp

from toastergen.errors import ResolveError, SqlTypeError, UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.fold import fold
from toastergen.frontend.scalar import Const, Scalar
from toastergen.frontend.sql.casts import CAST_HANDLERS
from toastergen.frontend.sql.composed import BOOLEANS, VARIANCES
from toastergen.frontend.sql.dates import Interval, beside_difference, combine, operand
from toastergen.frontend.sql.functions import FUNCTION_HANDLERS
from toastergen.frontend.sql.literals import integer, literal
from toastergen.frontend.sql.patterns import PATTERN_HANDLERS
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.refuse import check_arguments, refuse
from toastergen.frontend.types import BOOL, UNTYPED

AGGREGATES: Final[tuple[type[exp.Expr], ...]] = (exp.Sum, exp.Count, exp.Avg, exp.Min, exp.Max, *BOOLEANS, *VARIANCES)

_ARITHMETIC: Final[dict[type[exp.Expr], str]] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}
_DIVISION: Final[dict[type[exp.Expr], str]] = {exp.Div: "/", exp.Mod: "%"}
_COMPARISON: Final[dict[type[exp.Expr], str]] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip

_TYPE_HINT: Final = (
    "make both sides the same kind of value: numbers, strings, DATE '1995-01-01' or conditions"
)


@dataclass(frozen=True, slots=True)
class Translator:
    """``aggregate`` is None where aggregates may not stand; ``where`` names the place in messages.

    ``subquery`` joins a nested query and gives its value; ``root`` is the condition that is being read, if there is
    one: a row for which it is NULL is dropped. ``window`` is None where window functions may not stand.
    """

    places: Places
    column: Callable[[exp.Column], Scalar]
    where: str
    aggregate: Callable[[exp.Expr], Scalar] | None = None
    subquery: Callable[[Translator, exp.Expr], Scalar] | None = None
    root: exp.Expr | None = None
    window: Callable[[exp.Window], Scalar] | None = None

    def scalar(self, node: exp.Expr) -> Scalar:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise refuse(node, self.places)
        allowed, translate = handler
        check_arguments(node, allowed, self.places, type(node).__name__.upper())
        with _typed(node, self.places):
            return translate(self, node)

    def condition(self, node: exp.Expr) -> Scalar:
        value = sc.typed_null(self.scalar(node), BOOL)
        if sc.type_of(value) != BOOL:
            raise SqlTypeError(
                f"{self.where} needs a condition, not a value of type {sc.type_of(value)}",
                span=self.places.span(node),
                hint="compare the value with something: a <> 0",
            )
        return value


Handler: TypeAlias = Callable[[Translator, exp.Expr], Scalar]


@contextmanager
def _typed(node: exp.Expr, places: Places) -> Iterator[None]:
    """Give a type error its place in the text."""
    try:
        yield
    except sc.ScalarTypeError as error:
        raise SqlTypeError(str(error), span=places.span(node), hint=_TYPE_HINT) from None


# --- leaves -----------------------------------------------------------------------------------------------


def _column(at: Translator, node: exp.Expr) -> Scalar:
    assert isinstance(node, exp.Column)
    return at.column(node)


def _literal(at: Translator, node: exp.Expr) -> Scalar:
    assert isinstance(node, exp.Literal)
    return literal(node, at.places.span(node))


def _boolean(_: Translator, node: exp.Expr) -> Scalar:
    return sc.TRUE if node.this else sc.FALSE


def _paren(at: Translator, node: exp.Expr) -> Scalar:
    return at.scalar(node.this)


def _aggregate(at: Translator, node: exp.Expr) -> Scalar:
    if at.aggregate is None:
        raise ResolveError(
            f"an aggregate cannot stand in {at.where}",
            span=at.places.span(node),
            hint="aggregates belong in the select list, one level deep",
        )
    return at.aggregate(node)


def _window(at: Translator, node: exp.Expr) -> Scalar:
    assert isinstance(node, exp.Window)
    if at.window is None:
        raise ResolveError(
            f"a window function cannot stand in {at.where}",
            span=at.places.span(node),
            hint="compute it in a subquery and use its column there, or filter with QUALIFY",
        )
    return at.window(node)


def _subquery(at: Translator, node: exp.Expr) -> Scalar:
    if at.subquery is None:
        raise UnsupportedSql(
            f"a subquery in {at.where} is not supported",
            span=at.places.span(node),
            hint="move it to WHERE, HAVING or the select list",
        )
    return at.subquery(at, node)


# --- arithmetic -------------------------------------------------------------------------------------------


def _negative(at: Translator, node: exp.Expr) -> Scalar:
    inner = node.this
    if isinstance(inner, exp.Literal) and not inner.is_string:
        return literal(inner, at.places.span(inner), negative=True)
    operand = at.scalar(inner)
    if not sc.type_of(operand).is_numeric:
        raise sc.ScalarTypeError(f"operator - does not apply to {sc.type_of(operand)}")
    if isinstance(operand, Const) and isinstance(operand.value, int):
        return integer(-operand.value, at.places.span(node))
    return sc.negate(operand)


def _arithmetic(at: Translator, node: exp.Expr) -> Scalar:
    """Chains of one operator lean to the left and can be long: walked in a loop, not by recursion."""
    chain = [node]
    while type(chain[-1].this) in _ARITHMETIC:
        chain.append(chain[-1].this)
    value = operand(at, chain[-1].this)
    for link in reversed(chain):
        with _typed(link, at.places):
            value = combine(_ARITHMETIC[type(link)], value, operand(at, link.expression))
    assert not isinstance(value, Interval)
    return value


def _division(at: Translator, node: exp.Expr) -> Scalar:
    op = _DIVISION[type(node)]
    left, right = at.scalar(node.this), at.scalar(node.expression)
    return sc.arith(op, left, right)


# --- conditions -------------------------------------------------------------------------------------------


def _comparison(at: Translator, node: exp.Expr) -> Scalar:
    if isinstance(node.expression, exp.Any | exp.All):
        return _subquery(at, node)
    op = _COMPARISON[type(node)]
    if isinstance(node.this.unnest(), exp.Interval):
        right = at.scalar(node.expression)
        return sc.compare(op, beside_difference(at, node.this, right), right)
    left = at.scalar(node.this)
    return sc.compare(op, left, beside_difference(at, node.expression, left))


def _connective(at: Translator, node: exp.Expr) -> Scalar:
    terms = tuple(map(at.scalar, node.flatten(unnest=False)))
    return sc.conjunction(terms) if isinstance(node, exp.And) else sc.disjunction(terms)


def _not(at: Translator, node: exp.Expr) -> Scalar:
    return sc.negation(at.scalar(node.this))


def _null(_: Translator, node: exp.Expr) -> Scalar:
    return Const(None, UNTYPED)


def _is(at: Translator, node: exp.Expr) -> Scalar:
    """IS NULL, IS TRUE, IS FALSE: never NULL themselves."""
    value = at.scalar(node.this)
    if isinstance(node.expression, exp.Null):
        return sc.TRUE if isinstance(value, Const) and value.value is None else sc.is_null(value)
    if not isinstance(node.expression, exp.Boolean):
        raise refuse(node, at.places)
    sc.require_bool(value, f"IS {node.expression.sql().upper()}")
    value = sc.typed_null(value, BOOL)
    return sc.holds(value if node.expression.this else sc.negation(value))


def _is_same(at: Translator, node: exp.Expr) -> Scalar:
    """IS [NOT] DISTINCT FROM: an equality to which NULL is a value."""
    left, right = sc.unify_types((at.scalar(node.this), at.scalar(node.expression)), "IS DISTINCT FROM")
    same = fold(sc.Compare("IS", left, right))
    return same if isinstance(node, exp.NullSafeEQ) else sc.negation(same)


def _coalesce(at: Translator, node: exp.Expr) -> Scalar:
    return sc.coalesce(at.scalar(item) for item in (node.this, *node.expressions))


def _nullif(at: Translator, node: exp.Expr) -> Scalar:
    value, other = at.scalar(node.this), at.scalar(node.expression)
    return sc.case(((sc.compare("=", value, other), Const(None, sc.type_of(value))),), value)


def _if(at: Translator, node: exp.Expr) -> Scalar:
    otherwise = node.args.get("false")
    default = at.scalar(otherwise) if otherwise is not None else Const(None, UNTYPED)
    return sc.case(((at.scalar(node.this), at.scalar(node.args["true"])),), default)


def _between(at: Translator, node: exp.Expr) -> Scalar:
    operand = at.scalar(node.this)
    low, high = (beside_difference(at, node.args[end], operand) for end in ("low", "high"))
    return sc.conjunction((sc.compare(">=", operand, low), sc.compare("<=", operand, high)))


def _in(at: Translator, node: exp.Expr) -> Scalar:
    if node.args.get("query"):
        return _subquery(at, node)
    values = [at.scalar(item) for item in node.expressions]
    literals = [value for value in values if isinstance(value, Const)]
    if len(literals) == len(values):
        return sc.in_list(at.scalar(node.this), literals)
    subject, *others = sc.unify_types((at.scalar(node.this), *values), "IN")
    return sc.disjunction(sc.compare("=", subject, other) for other in others)


def _case(at: Translator, node: exp.Expr) -> Scalar:
    default = node.args.get("default")
    subject = at.scalar(node.this) if node.this else None
    branches: list[tuple[Scalar, Scalar]] = []
    for branch in node.args["ifs"]:
        check_arguments(branch, ("this", "true"), at.places, "WHEN")
        test = at.scalar(branch.this)
        if subject is not None:
            test = sc.compare("=", subject, test)
        branches.append((test, at.scalar(branch.args["true"])))
    return sc.case(branches, at.scalar(default) if default is not None else Const(None, UNTYPED))


_BINARY: Final = ("this", "expression")
# `typed` and `safe` on a division and `big_int` on COUNT only say which dialect was read.
_HANDLERS: Final[dict[type[exp.Expr], tuple[tuple[str, ...], Handler]]] = {
    exp.Column: (("this", "table", "db", "catalog"), _column),
    exp.Literal: (("this", "is_string"), _literal),
    exp.Boolean: (("this",), _boolean),
    exp.Null: ((), _null),
    exp.NullSafeEQ: (_BINARY, _is_same),
    exp.NullSafeNEQ: (_BINARY, _is_same),
    exp.Coalesce: (("this", "expressions", "is_null", "is_nvl"), _coalesce),
    exp.Nullif: (_BINARY, _nullif),
    exp.If: (("this", "true", "false"), _if),
    exp.Paren: (("this",), _paren),
    exp.Neg: (("this",), _negative),
    exp.Not: (("this",), _not),
    **CAST_HANDLERS,
    exp.Between: (("this", "low", "high"), _between),
    exp.In: (("this", "expressions", "query"), _in),
    exp.Is: (_BINARY, _is),
    **PATTERN_HANDLERS,
    exp.Case: (("this", "ifs", "default"), _case),
    exp.Exists: (("this",), _subquery),
    exp.Subquery: (("this", "with_"), _subquery),
    exp.And: (_BINARY, _connective),
    exp.Or: (_BINARY, _connective),
    exp.Sum: (("this",), _aggregate),
    exp.Avg: (("this",), _aggregate),
    exp.Min: (("this",), _aggregate),
    exp.Max: (("this",), _aggregate),
    **dict.fromkeys((*BOOLEANS, *VARIANCES), (("this",), _aggregate)),
    exp.Filter: (_BINARY, _aggregate),
    exp.Window: (("this", "partition_by", "order", "spec", "alias", "over", "first"), _window),
    exp.Count: (("this", "big_int"), _aggregate),
    **dict.fromkeys(_ARITHMETIC, (_BINARY, _arithmetic)),
    exp.Div: ((*_BINARY, "typed", "safe"), _division),
    exp.Mod: (_BINARY, _division),
    **dict.fromkeys(_COMPARISON, (_BINARY, _comparison)),
    **FUNCTION_HANDLERS,
}
