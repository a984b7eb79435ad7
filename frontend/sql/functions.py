"""Function calls: which syntax means which function, and where they are NULL because they have no value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlglot import exp

from toastergen.errors import UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.domains import LONGEST_PAD, is_nonnegative, is_positive
from toastergen.frontend.fold import fold
from toastergen.frontend.functions import call
from toastergen.frontend.scalar import Const, Func, Scalar, type_of
from toastergen.frontend.sql.casts import converted
from toastergen.frontend.sql.refuse import refuse
from toastergen.frontend.sql.times import NAMED_PARTS, TIME_HANDLERS, date_part
from toastergen.frontend.types import DOUBLE, INT, STRING

if TYPE_CHECKING:
    from toastergen.frontend.sql.expressions import Translator

Handler: TypeAlias = Callable[["Translator", exp.Expr], Scalar]

# Syntax whose parts are the arguments, in this order; missing ones are left out.
_PLAIN: Final[dict[type[exp.Expr], tuple[str, tuple[str, ...]]]] = {
    exp.Year: ("YEAR", ("this",)),
    exp.Quarter: ("QUARTER", ("this",)),
    exp.Month: ("MONTH", ("this",)),
    exp.Week: ("WEEK", ("this",)),
    exp.WeekOfYear: ("WEEK", ("this",)),
    exp.Day: ("DAY", ("this",)),
    exp.DayOfMonth: ("DAY", ("this",)),
    exp.DayOfWeek: ("DAY_OF_WEEK", ("this",)),
    exp.DayOfYear: ("DAY_OF_YEAR", ("this",)),
    exp.Hour: ("HOUR", ("this",)),
    exp.Minute: ("MINUTE", ("this",)),
    exp.Second: ("SECOND", ("this",)),
    exp.Abs: ("ABS", ("this",)),
    exp.Sign: ("SIGN", ("this",)),
    exp.Floor: ("FLOOR", ("this",)),
    exp.Ceil: ("CEIL", ("this",)),
    exp.Trunc: ("TRUNC", ("this",)),
    exp.Exp: ("EXP", ("this",)),
    exp.Length: ("LENGTH", ("this",)),
    exp.Upper: ("UPPER", ("this",)),
    exp.Lower: ("LOWER", ("this",)),
    exp.Substring: ("SUBSTRING", ("this", "start", "length")),
    exp.Left: ("LEFT", ("this", "expression")),
    exp.Right: ("RIGHT", ("this", "expression")),
    exp.Replace: ("REPLACE", ("this", "expression", "replacement")),
    exp.StrPosition: ("POSITION", ("this", "substr")),
    exp.StartsWith: ("STARTS_WITH", ("this", "expression")),
    exp.EndsWith: ("ENDS_WITH", ("this", "expression")),
    exp.Contains: ("CONTAINS", ("this", "expression")),
}
_TRIMS: Final = {"LEADING": "LTRIM", "TRAILING": "RTRIM", "BOTH": "TRIM", "": "TRIM"}


def _plain(at: Translator, node: exp.Expr) -> Scalar:
    name, parts = _PLAIN[type(node)]
    return call(name, *(at.scalar(node.args[part]) for part in parts if node.args.get(part) is not None))


# --- numbers ----------------------------------------------------------------------------------------------


def _round(at: Translator, node: exp.Expr) -> Scalar:
    operand = at.scalar(node.this)
    decimals = node.args.get("decimals")
    places = at.scalar(decimals) if decimals is not None else Const(0, INT)
    if not (isinstance(places, Const) and places.type == INT and isinstance(places.value, int)):
        hint = "write for example ROUND(x, 2)"
        raise _refused(at, node, "ROUND to anything but a literal number of places is not supported", hint)
    type_ = type_of(operand)
    if type_.is_numeric and type_ != DOUBLE and places.value >= type_.scale:
        return operand
    return call("ROUND", operand, places)


def _int_div(at: Translator, node: exp.Expr) -> Scalar:
    left, right = at.scalar(node.this), at.scalar(node.expression)
    made = call("DIV", left, right)
    is_sure = isinstance(right, Const) and right.value not in (None, 0)
    return made if is_sure else _unless(sc.compare("=", right, sc.ZERO), made)


def _sqrt(at: Translator, node: exp.Expr) -> Scalar:
    operand = at.scalar(node.this)
    made = call("SQRT", operand)
    return made if is_nonnegative(operand) else _unless(sc.compare("<", operand, sc.ZERO), made)


def _ln(at: Translator, node: exp.Expr) -> Scalar:
    return _logarithm("LN", at.scalar(node.this))


def _log(at: Translator, node: exp.Expr) -> Scalar:
    """LOG(x) and LOG10(x), LOG2(x)."""
    base = node.this.name if node.expression is not None else "10"
    if base not in ("2", "10"):
        raise _refused(at, node, "LOG to this base is not supported", "write LN(x) / LN(b), LOG2(x) or LOG10(x)")
    return _logarithm(f"LOG{base}", at.scalar(node.this if node.expression is None else node.expression))


def _logarithm(name: str, operand: Scalar) -> Scalar:
    made = call(name, operand)
    return made if is_positive(operand) else _unless(sc.compare("<=", operand, sc.ZERO), made)


def _power(at: Translator, node: exp.Expr) -> Scalar:
    base, exponent = at.scalar(node.this), at.scalar(node.expression)
    made = call("POWER", base, exponent)
    if is_positive(base) or is_nonnegative(exponent):
        return made
    return _unless(sc.conjunction((sc.compare("=", base, sc.ZERO), sc.compare("<", exponent, sc.ZERO))), made)


def _unless(undefined: Scalar, value: Scalar) -> Scalar:
    """NULL where a function has no value, as a quotient is where its divisor is 0. DuckDB fails there."""
    return fold(sc.case(((undefined, Const(None, type_of(value))),), value))


def _extreme(at: Translator, node: exp.Expr) -> Scalar:
    name = "GREATEST" if isinstance(node, exp.Greatest) else "LEAST"
    values = sc.unify_types((at.scalar(item) for item in (node.this, *node.expressions)), name)
    return _skipping_null(name, values)


def _skipping_null(name: str, values: tuple[Scalar, ...]) -> Scalar:
    """GREATEST and LEAST pass over NULL: where both sides have a value they choose, else they take the one there is."""
    plain = [value for value in values if not sc.is_nullable(value)]
    result = call(name, *plain) if len(plain) > 1 else plain[0] if plain else None
    for value in (item for item in values if sc.is_nullable(item)):
        if isinstance(value, Const):
            result = result or value
        elif result is None:
            result = value
        else:
            both = call(name, sc.known(value), sc.known(result))
            without = [(sc.IsNull(value), result)]
            if sc.is_nullable(result):
                without.append((sc.IsNull(result), value))
            result = sc.case(without, both)
    assert result is not None
    return result


# --- strings ----------------------------------------------------------------------------------------------


def _trim(at: Translator, node: exp.Expr) -> Scalar:
    characters = node.args.get("expression")
    operands = [at.scalar(node.this), *((at.scalar(characters),) if characters is not None else ())]
    return call(_TRIMS[str(node.args.get("position") or "")], *operands)


def _concat(at: Translator, node: exp.Expr) -> Scalar:
    values = [converted(at.scalar(item), STRING) for item in node.expressions]
    return _joined([sc.coalesce((value, Const("", STRING))) for value in values])


def _pipes(at: Translator, node: exp.Expr) -> Scalar:
    return _joined([converted(at.scalar(item), STRING) for item in node.flatten(unnest=False)])


def _joined(values: list[Scalar]) -> Scalar:
    parts = [part for value in values for part in _parts(value)]
    return parts[0] if len(parts) == 1 else call("CONCAT", *parts)


def _parts(value: Scalar) -> tuple[Scalar, ...]:
    return value.args if isinstance(value, Func) and value.name == "CONCAT" else (value,)


def _pad(at: Translator, node: exp.Expr) -> Scalar:
    name = "LPAD" if node.args.get("is_left") else "RPAD"
    filling = node.args.get("fill_pattern")
    width = at.scalar(node.expression)
    fill = at.scalar(filling) if filling is not None else None
    if not (isinstance(width, Const) and isinstance(width.value, int) and width.value <= LONGEST_PAD):
        hint = f"write the length as a literal up to {LONGEST_PAD}"
        raise _refused(at, node, f"{name} to a length that is no such literal is not supported", hint)
    if not (isinstance(fill, Const) and fill.value):
        hint = f"write the filling as a string: {name}(s, 10, ' ')"
        raise _refused(at, node, f"{name} with a filling that may be empty is not supported", hint)
    return call(name, at.scalar(node.this), width, fill)


def _named(at: Translator, node: exp.Expr) -> Scalar:
    """Functions the SQL reader has no syntax of its own for."""
    name, args = node.name.upper(), node.expressions
    if name in ("DATE_PART", "DATEPART") and len(args) == 2 and isinstance(args[0], exp.Literal):
        return date_part(at, node, args[0].name, args[1])
    if name in NAMED_PARTS and len(args) == 1:
        return date_part(at, node, name, args[0])
    known = {"PREFIX": "STARTS_WITH", "SUFFIX": "ENDS_WITH", "EPOCH_US": "EPOCH_US"}.get(name)
    if known is None:
        raise refuse(node, at.places)
    return call(known, *map(at.scalar, args))


# --- refusals ---------------------------------------------------------------------------------------------


def _refused(at: Translator, node: exp.Expr, message: str, hint: str) -> UnsupportedSql:
    return UnsupportedSql(message, span=at.places.span(node), hint=hint)


_BINARY: Final = ("this", "expression")
# `ignore_nulls`, `safe` and `coalesce` only say which dialect was read.
FUNCTION_HANDLERS: Final[dict[type[exp.Expr], tuple[tuple[str, ...], Handler]]] = {
    **{kind: (parts, _plain) for kind, (_, parts) in _PLAIN.items()},
    **TIME_HANDLERS,
    exp.Round: (("this", "decimals"), _round),
    exp.IntDiv: (_BINARY, _int_div),
    exp.Sqrt: (("this",), _sqrt),
    exp.Ln: (("this",), _ln),
    exp.Log: (_BINARY, _log),
    exp.Pow: (_BINARY, _power),
    exp.Greatest: (("this", "expressions", "ignore_nulls"), _extreme),
    exp.Least: (("this", "expressions", "ignore_nulls"), _extreme),
    exp.Trim: ((*_BINARY, "position"), _trim),
    exp.Concat: (("expressions", "safe", "coalesce"), _concat),
    exp.DPipe: ((*_BINARY, "safe"), _pipes),
    exp.Pad: ((*_BINARY, "fill_pattern", "is_left"), _pad),
    exp.Anonymous: (("this", "expressions"), _named),
}
