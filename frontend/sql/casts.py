"""CAST, TRY_CAST and DATE(…): conversions that are asked for by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from toastergen.errors import UnsupportedSql
from toastergen.frontend import conversions
from toastergen.frontend import scalar as sc
from toastergen.frontend.conversions import Unclear, Unconvertible
from toastergen.frontend.scalar import Cast, Const, Scalar, ScalarTypeError, type_of
from toastergen.frontend.sql.column_types import type_from_sql
from toastergen.frontend.types import DATE, STRING, TIMESTAMP, UNTYPED, Type

if TYPE_CHECKING:
    from toastergen.frontend.sql.expressions import Translator

_WORDS: Final = {"TIMESTAMPNTZ": "TIMESTAMP", "TIMESTAMPTZ": "TIMESTAMP WITH TIME ZONE"}


def _cast(at: Translator, node: exp.Expr) -> Scalar:
    target = _cast_type(at, node.args["to"])
    value = at.scalar(node.this)
    source = type_of(value)
    if source != UNTYPED and not conversions.is_castable(source, target):
        raise UnsupportedSql(
            f"CAST of {source} to {target} is not supported",
            span=at.places.span(node),
            hint="cast numbers, truth values, dates and timestamps to strings and back, or each among its kind",
        )
    return converted(value, target, safe=isinstance(node, exp.TryCast))


def converted(value: Scalar, target: Type, *, safe: bool = False) -> Scalar:
    """The value in another type; literals are converted now, and NULL has every type."""
    source = type_of(value)
    if source == UNTYPED:
        return sc.typed_null(value, target)
    if isinstance(value, Const):
        return _literal(value, target, safe)
    if source == target:
        return value
    if {source, target} == {DATE, TIMESTAMP}:
        return sc.cast(value, target)
    return Cast(value, target, safe and conversions.may_fail(source, target))


def _literal(value: Const, target: Type, safe: bool) -> Scalar:
    try:
        return Const(conversions.convert(value.value, value.type, target), target)
    except Unconvertible as error:
        if safe:
            return Const(None, target)
        raise ScalarTypeError(_problem(value, target, error)) from None
    except Unclear as error:
        raise ScalarTypeError(_problem(value, target, error)) from None


def _problem(value: Const, target: Type, error: Unconvertible | Unclear) -> str:
    if value.type != STRING:
        return f"{value.value} does not fit {target}"
    return error.message if target not in (DATE, TIMESTAMP) else f"{value.value!r} is not a {target}"


def _cast_type(at: Translator, node: exp.Expr) -> Type:
    span = at.places.span(node.parent or node)
    if not isinstance(node, exp.DataType) or node.args.get("nested"):
        raise UnsupportedSql("this type is not supported in CAST", span=span, hint="cast to a plain type")
    numbers = [item.this for item in node.expressions if isinstance(item, exp.DataTypeParam)]
    if len(numbers) != len(node.expressions) or not all(item.is_int for item in numbers):
        raise UnsupportedSql("this type is not supported in CAST", span=span, hint="cast to a plain type")
    word = node.this.name if isinstance(node.this, exp.DType) else str(node.this)
    return type_from_sql(_WORDS.get(word, word), tuple(int(item.name) for item in numbers), span)


def _date(at: Translator, node: exp.Expr) -> Scalar:
    value = at.scalar(node.this) if node.this else None
    if value is None or type_of(value) not in (DATE, TIMESTAMP, STRING, UNTYPED):
        raise UnsupportedSql(
            "DATE(…) of anything but a timestamp or a string is not supported",
            span=at.places.span(node),
            hint="write DATE '1995-01-01'",
        )
    return converted(value, DATE)


CAST_HANDLERS: Final[dict[type[exp.Expr], tuple[tuple[str, ...], Callable[[Translator, exp.Expr], Scalar]]]] = {
    exp.Cast: (("this", "to", "_type"), _cast),
    exp.TryCast: (("this", "to", "_type", "safe"), _cast),
    exp.Date: (("this",), _date),
}
