"""The scalar functions: one row of the table says all that any stage needs to know of one.

    name        how M3 spells it
    signature   from the arguments given: the types they are converted to, and the result's type
    value       what it computes, in Python
    cpp         how generated code spells it: ``{0}``… and ``{args}`` are the arguments, ``{flag}`` notes overflow,
                ``{scratch}`` holds new strings until the event is over
    sql         the spellings in SQL that mean it

Functions are total here: where one has no value in DuckDB it gives NaN or an infinity (DIV by 0 gives 0), and SQL asks
first; see ``domains.py``.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeAlias

from toastergen.errors import EngineError
from toastergen.frontend import function_values as values
from toastergen.frontend import regex
from toastergen.frontend import scalar as sc
from toastergen.frontend.scalar import Const, Func, Scalar, ScalarTypeError, type_of
from toastergen.frontend.timestamps import MICROSECONDS, from_microseconds, microseconds
from toastergen.frontend.types import (
    BOOL,
    DATE,
    DOUBLE,
    INT,
    LONG,
    MAX_PRECISION,
    STRING,
    TIMESTAMP,
    UNTYPED,
    Type,
    decimal,
)

_PLACES: Final = range(-MAX_PRECISION, MAX_PRECISION + 1)

Signature: TypeAlias = Callable[[tuple[Scalar, ...]], tuple[tuple[Type, ...], Type] | None]


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    signature: Signature
    value: values.Evaluate
    cpp: str | Callable[[tuple[Scalar, ...]], str]
    sql: tuple[str, ...]

    def spelled(self, args: tuple[Scalar, ...]) -> str:
        return self.cpp if isinstance(self.cpp, str) else self.cpp(args)


# --- signatures -------------------------------------------------------------------------------------------


def _fixed(result: Type, *params: Type, optional: int = 0) -> Signature:
    """Always these types; the last ``optional`` ones may be left out."""

    def signature(args: tuple[Scalar, ...]) -> tuple[tuple[Type, ...], Type] | None:
        fits = len(params) - optional <= len(args) <= len(params)
        return (params[: len(args)], result) if fits else None

    return signature


def _numeric(args: tuple[Scalar, ...]) -> tuple[tuple[Type, ...], Type] | None:
    """One number; integers are computed in 64 bits."""
    if len(args) != 1 or not type_of(args[0]).is_numeric:
        return None
    type_ = LONG if type_of(args[0]).is_integer else type_of(args[0])
    return (type_,), type_


def _sign(args: tuple[Scalar, ...]) -> tuple[tuple[Type, ...], Type] | None:
    found = _numeric(args)
    return (found[0], INT) if found else None


def _whole(args: tuple[Scalar, ...]) -> tuple[tuple[Type, ...], Type] | None:
    """Decimals lose their places and keep their digits, for 9.9 may become 10; integers are doubles, as in DuckDB."""
    if len(args) != 1 or not type_of(args[0]).is_numeric:
        return None
    type_ = type_of(args[0])
    if type_.kind == "decimal":
        return (type_,), decimal(type_.precision, 0)
    return (DOUBLE,), DOUBLE


def _rounded(args: tuple[Scalar, ...]) -> tuple[tuple[Type, ...], Type] | None:
    """The places are a literal, because they decide the type."""
    if len(args) != 2 or not type_of(args[0]).is_numeric:
        return None
    places = _places(args)
    type_ = LONG if type_of(args[0]).is_integer else type_of(args[0])
    if places not in _PLACES or (type_ == LONG and places >= 0):
        return None
    if type_.kind == "decimal":
        return ((type_, INT), decimal(type_.precision, max(places, 0))) if places < type_.scale else None
    return (type_, INT), type_


def _places(args: tuple[Scalar, ...]) -> int:
    """Beyond the allowed ones if they are no literal."""
    given = args[1].value if isinstance(args[1], Const) and args[1].type == INT else None
    return given if isinstance(given, int) else _PLACES.stop


def _alike(args: tuple[Scalar, ...]) -> tuple[tuple[Type, ...], Type] | None:
    """Any number of values of one type."""
    if not args:
        return None
    type_ = type_of(sc.unify_types(args, "GREATEST or LEAST")[0])
    return (type_,) * len(args), type_


def _in_time(args: tuple[Scalar, ...]) -> tuple[tuple[Type, ...], Type] | None:
    """A date or timestamp, which it stays, and a number."""
    if len(args) != 2:
        return None
    type_ = TIMESTAMP if type_of(args[0]) == TIMESTAMP else DATE
    return (type_, LONG), type_


def _strings(args: tuple[Scalar, ...]) -> tuple[tuple[Type, ...], Type] | None:
    return ((STRING,) * len(args), STRING) if args else None


# --- spellings that depend on the arguments ---------------------------------------------------------------


def _scaled(name: str) -> Callable[[tuple[Scalar, ...]], str]:
    """``name`` of a double, ``name_scaled`` of a decimal."""

    def spelled(args: tuple[Scalar, ...]) -> str:
        type_ = type_of(args[0])
        return f"tg::{name}_scaled({{0}}, {type_.scale})" if type_.kind == "decimal" else f"std::{name}({{0}})"

    return spelled


def _absolute(args: tuple[Scalar, ...]) -> str:
    return "std::fabs({0})" if type_of(args[0]) == DOUBLE else "tg::absolute({flag}, {0})"


def _round(args: tuple[Scalar, ...]) -> str:
    type_, places = type_of(args[0]), _places(args)
    if type_ == DOUBLE:
        return f"tg::round_double({{0}}, {places})"
    return f"tg::round_exact({{flag}}, {{0}}, {type_.scale - places}, {max(-places, 0)})"


def _automaton(args: tuple[Scalar, ...]) -> str:
    """The pattern as a table; octal escapes leave nothing for a compiler or a format to take for its own."""
    found = regex.compiled(_pattern(args))
    parts = (found.columns, found.table, found.accepting)
    texts = ((part, "".join(f"\\{byte:03o}" for byte in part)) for part in parts)
    literals = ", ".join(f'std::string_view("{text}", {len(part)})' for part, text in texts)
    return f"tg::accepts({{0}}, {found.start}, {found.width}, {literals})"


def _pattern(args: tuple[Scalar, ...]) -> str:
    return args[1].value if isinstance(args[1], Const) and isinstance(args[1].value, str) else ""


# --- the table --------------------------------------------------------------------------------------------


def _date_part(name: str, value: values.Evaluate, *sql: str) -> Function:
    return Function(name, _fixed(LONG, DATE), value, f"tg::{name.lower()}({{args}})", sql)


def _date_trunc(unit: str, value: values.Evaluate) -> Function:
    name = f"TRUNC_{unit.upper()}"
    return Function(name, _fixed(DATE, DATE), value, f"tg::{name.lower()}({{args}})", (f"DATE_TRUNC('{unit}', d)",))


def _time_part(name: str, value: values.Evaluate, *sql: str, result: Type = LONG) -> Function:
    return Function(name, _fixed(result, TIMESTAMP), value, f"tg::{name.lower()}({{args}})", sql)


def _time_trunc(unit: str) -> Function:
    """Seconds and their kin divide the day evenly, so they are counted from any midnight."""
    size = MICROSECONDS[unit]
    name = f"TRUNC_{unit}"

    def value(at: datetime.datetime) -> datetime.datetime:
        return from_microseconds(microseconds(at) // size * size)

    sql = (f"DATE_TRUNC('{unit.lower()}', t)",)
    return Function(name, _fixed(TIMESTAMP, TIMESTAMP), value, f"tg::trunc_time({{args}}, {size})", sql)


def _text(name: str, value: values.Evaluate, signature: Signature, *sql: str, new: bool = False) -> Function:
    """``new``: the result is not a part of an argument and needs memory."""
    args = "{scratch}, {args}" if new else "{args}"
    return Function(name, signature, value, f"tg::{name.lower()}({args})", sql)


_PART: Final = _fixed(BOOL, STRING, STRING)
_PAD: Final = _fixed(STRING, STRING, LONG, STRING)

_TABLE: Final = (
    _date_part("YEAR", lambda day: day.year, "EXTRACT(YEAR FROM d)", "YEAR(d)"),
    _date_part("QUARTER", values.quarter, "EXTRACT(QUARTER FROM d)", "QUARTER(d)"),
    _date_part("MONTH", lambda day: day.month, "EXTRACT(MONTH FROM d)", "MONTH(d)"),
    _date_part("WEEK", values.week, "EXTRACT(WEEK FROM d)", "WEEK(d)"),
    _date_part("DAY", lambda day: day.day, "EXTRACT(DAY FROM d)", "DAY(d)"),
    _date_part("DAY_OF_WEEK", values.day_of_week, "EXTRACT(DOW FROM d)", "DAYOFWEEK(d)"),
    _date_part("DAY_OF_YEAR", values.day_of_year, "EXTRACT(DOY FROM d)", "DAYOFYEAR(d)"),
    _date_trunc("year", lambda day: day.replace(month=1, day=1)),
    _date_trunc("quarter", lambda day: day.replace(month=3 * values.quarter(day) - 2, day=1)),
    _date_trunc("month", lambda day: day.replace(day=1)),
    _date_trunc("week", values.trunc_week),
    Function(
        "ADD_DAYS", _fixed(DATE, DATE, LONG), values.add_days, "tg::add_days({flag}, {args})",
        ("d + n", "d - n", "d + INTERVAL 'n' DAY"),
    ),
    Function(
        "ADD_MONTHS", _in_time, values.add_months, "tg::add_months({flag}, {args})",
        ("d + INTERVAL 'n' MONTH", "t + INTERVAL 'n' YEAR"),
    ),
    Function(
        "ADD_MICROSECONDS", _fixed(TIMESTAMP, TIMESTAMP, LONG), values.add_microseconds,
        "tg::add_microseconds({flag}, {args})", ("t + INTERVAL 'n' HOUR",),
    ),
    Function(
        "MICROSECONDS_BETWEEN", _fixed(LONG, TIMESTAMP, TIMESTAMP), values.microseconds_between,
        "tg::microseconds_between({args})", ("t - u",),
    ),
    Function(
        "TIME_BUCKET", _fixed(TIMESTAMP, LONG, TIMESTAMP), values.time_bucket, "tg::time_bucket({flag}, {args})",
        ("TIME_BUCKET(INTERVAL 'n' MINUTE, t)",),
    ),
    _time_part("HOUR", lambda at: at.hour, "EXTRACT(HOUR FROM t)", "HOUR(t)"),
    _time_part("MINUTE", lambda at: at.minute, "EXTRACT(MINUTE FROM t)", "MINUTE(t)"),
    _time_part("SECOND", lambda at: at.second, "EXTRACT(SECOND FROM t)", "SECOND(t)"),
    _time_part("MILLISECOND", values.millisecond, "EXTRACT(MILLISECOND FROM t)", "MILLISECOND(t)"),
    _time_part("MICROSECOND", values.microsecond, "EXTRACT(MICROSECOND FROM t)", "MICROSECOND(t)"),
    _time_part("EPOCH", lambda at: microseconds(at) / 1e6, "EXTRACT(EPOCH FROM t)", "EPOCH(t)", result=DOUBLE),
    _time_part("EPOCH_US", microseconds, "EPOCH_US(t)"),
    _time_part("EPOCH_MS", values.epoch_ms, "EPOCH_MS(t)"),
    *map(_time_trunc, ("HOUR", "MINUTE", "SECOND", "MILLISECOND")),
    Function("DAYS_BETWEEN", _fixed(LONG, DATE, DATE), values.days_between, "tg::days_between({args})", ("d - e",)),
    Function("ABS", _numeric, values.absolute, _absolute, ("ABS(x)",)),
    Function("SIGN", _sign, values.sign, "tg::sign({args})", ("SIGN(x)",)),
    Function("FLOOR", _whole, values.floor, _scaled("floor"), ("FLOOR(x)",)),
    Function("CEIL", _whole, values.ceil, _scaled("ceil"), ("CEIL(x)", "CEILING(x)")),
    Function("TRUNC", _whole, values.trunc, _scaled("trunc"), ("TRUNC(x)",)),
    Function("ROUND", _rounded, values.round_to, _round, ("ROUND(x)", "ROUND(x, n)")),
    Function(
        "DIV", _fixed(LONG, LONG, LONG), values.divide_whole, "tg::divide_whole({flag}, {args})", ("a // b",)
    ),
    Function("POWER", _fixed(DOUBLE, DOUBLE, DOUBLE), values.power, "std::pow({args})", ("POWER(x, y)", "x ** y")),
    Function("SQRT", _fixed(DOUBLE, DOUBLE), values.square_root, "std::sqrt({args})", ("SQRT(x)",)),
    Function("EXP", _fixed(DOUBLE, DOUBLE), values.exponential, "std::exp({args})", ("EXP(x)",)),
    Function("LN", _fixed(DOUBLE, DOUBLE), values.logarithm(math.log), "std::log({args})", ("LN(x)",)),
    Function("LOG2", _fixed(DOUBLE, DOUBLE), values.logarithm(math.log2), "std::log2({args})", ("LOG2(x)",)),
    Function(
        "LOG10", _fixed(DOUBLE, DOUBLE), values.logarithm(math.log10), "std::log10({args})", ("LOG10(x)", "LOG(x)")
    ),
    Function("GREATEST", _alike, values.greatest, "tg::greatest({args})", ("GREATEST(a, …)",)),
    Function("LEAST", _alike, values.least, "tg::least({args})", ("LEAST(a, …)",)),
    _text("LENGTH", len, _fixed(LONG, STRING), "LENGTH(s)", "LEN(s)", "CHAR_LENGTH(s)"),
    _text("UPPER", values.upper, _fixed(STRING, STRING), "UPPER(s)", "UCASE(s)", new=True),
    _text("LOWER", values.lower, _fixed(STRING, STRING), "LOWER(s)", "LCASE(s)", new=True),
    _text(
        "SUBSTRING", values.substring, _fixed(STRING, STRING, LONG, LONG, optional=1),
        "SUBSTRING(s FROM a [FOR n])", "SUBSTRING(s, a[, n])", "SUBSTR(s, a[, n])",
    ),
    _text("LEFT", values.left, _fixed(STRING, STRING, LONG), "LEFT(s, n)"),
    _text("RIGHT", values.right, _fixed(STRING, STRING, LONG), "RIGHT(s, n)"),
    _text("TRIM", values.trim, _fixed(STRING, STRING, STRING, optional=1), "TRIM(s[, characters])"),
    _text("LTRIM", values.trim_left, _fixed(STRING, STRING, STRING, optional=1), "LTRIM(s[, characters])"),
    _text("RTRIM", values.trim_right, _fixed(STRING, STRING, STRING, optional=1), "RTRIM(s[, characters])"),
    _text("CONCAT", lambda *texts: "".join(texts), _strings, "s || t", "CONCAT(s, …)", new=True),
    _text("REPLACE", values.replace, _fixed(STRING, STRING, STRING, STRING), "REPLACE(s, part, other)", new=True),
    _text("LPAD", values.pad_left, _PAD, "LPAD(s, n, filling)", new=True),
    _text("RPAD", values.pad_right, _PAD, "RPAD(s, n, filling)", new=True),
    _text("POSITION", values.position, _fixed(LONG, STRING, STRING), "POSITION(part IN s)", "STRPOS(s, part)"),
    _text("STARTS_WITH", str.startswith, _PART, "STARTS_WITH(s, part)", "PREFIX(s, part)"),
    _text("ENDS_WITH", str.endswith, _PART, "ENDS_WITH(s, part)", "SUFFIX(s, part)"),
    _text("CONTAINS", str.__contains__, _PART, "CONTAINS(s, part)"),
    Function(
        "MATCHES", _PART, lambda text, pattern: regex.matches(pattern, text), _automaton,
        ("REGEXP_MATCHES(s, 'pattern')", "s ~ 'pattern'", "s SIMILAR TO 'pattern'"),
    ),
)  # fmt: skip

FUNCTIONS: Final = {function.name: function for function in _TABLE}


# --- building and evaluating ------------------------------------------------------------------------------


def node(name: str, args: tuple[Scalar, ...]) -> Func:
    """The function of these arguments, converted to what it takes."""
    found = FUNCTIONS[name].signature(args)
    if found is None:
        raise ScalarTypeError(f"{name} does not apply to {_listed(args)}")
    params, result = found
    for arg, param in zip(args, params, strict=True):
        if not (type_of(arg) == param or _converts(type_of(arg), param)):
            raise ScalarTypeError(f"{name} does not apply to {_listed(args)}")
    return Func(name, tuple(sc.cast(arg, param) for arg, param in zip(args, params, strict=True)), result)


def call(name: str, *args: Scalar) -> Scalar:
    """The same, but of literals alone it is a literal itself, and of NULL it is NULL."""
    made = node(name, args)
    if any(isinstance(arg, Const) and arg.value is None for arg in made.args):
        return Const(None, made.type)
    if not all(isinstance(arg, Const) for arg in made.args):
        return made
    value = folded(made)
    if value is None:
        raise ScalarTypeError(f"{name} of these values has no value of type {made.type}")
    return value


def _converts(source: Type, target: Type) -> bool:
    """Numbers widen; a fraction never becomes an integer. Of strings only literals become dates (``scalar.cast``)."""
    if source == UNTYPED:
        return True
    if target == LONG:
        return source.is_integer
    if target in (DATE, TIMESTAMP):
        return source in (STRING, DATE, TIMESTAMP)
    return source.is_numeric and target.is_numeric


def _listed(args: Iterable[Scalar]) -> str:
    return " and ".join(str(type_of(arg)) for arg in args) or "nothing"


def problem(made: Func) -> tuple[str, str] | None:
    """What is wrong with a node of hand-written M3, and the next step."""
    function = FUNCTIONS.get(made.name)
    if function is None:
        return f"there is no function {made.name}", f"known functions: {', '.join(sorted(FUNCTIONS))}"
    try:
        found = function.signature(made.args)
    except ScalarTypeError:
        found = None
    if found is None or found != (tuple(map(type_of, made.args)), made.type):
        return f"{made.name} of {_listed(made.args)} does not give {made.type}", "insert the CASTs that are missing"
    return None


def evaluate(name: str, args: Iterable[sc.PyValue]) -> sc.PyValue:
    given = tuple(args)
    if None in given:
        return None
    result: sc.PyValue = FUNCTIONS[name].value(*given)
    return result


def folded(made: Func) -> Const | None:
    """The literal that a function of literals is; None where there is none, so that it fails where it is computed."""
    arguments = [arg.value for arg in made.args if isinstance(arg, Const)]
    if len(arguments) != len(made.args):
        return None
    try:
        value = evaluate(made.name, arguments)
    except (EngineError, ArithmeticError, ValueError):
        return None
    return Const(value, made.type) if _is_literal(value, made.type) else None


def _is_literal(value: sc.PyValue, type_: Type) -> bool:
    match value:
        case bool() | None:
            return True
        case int():
            return -(2**63) <= value < 2**63
        case float():
            return math.isfinite(value)
        case Decimal():
            return abs(value) < Decimal(10) ** (type_.precision - type_.scale)
        case _:
            return True
