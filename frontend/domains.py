"""Where a function has a value: what an expression's shape alone proves about its sign, and what must be a literal.

SQRT, LN and POWER fail in DuckDB outside their domain. An engine should not fail for one row of a stream, so SQL's
functions are NULL there, unless the shape proves that this cannot be; those of M3 give what IEEE arithmetic gives.
"""

from __future__ import annotations

from decimal import Decimal

from toastergen.frontend import regex
from toastergen.frontend.scalar import Arith, Case, Cast, Const, Func, Scalar

LONGEST_PAD = 1_000_000  # every event makes such a string anew
_NEVER_NEGATIVE = ("ABS", "SQRT", "EXP", "LENGTH", "POSITION", "YEAR", "QUARTER", "MONTH", "WEEK", "DAY")
_KEEPING = ("FLOOR", "CEIL", "TRUNC", "ROUND")


def is_nonnegative(value: Scalar) -> bool:
    match value:
        case Const(value=int() | float() | Decimal() as number):
            return number >= 0
        case Cast(operand):
            return is_nonnegative(operand)
        case Arith(op="*", left=left, right=right):
            return left == right or (is_nonnegative(left) and is_nonnegative(right))
        case Arith(op="+" | "/" | "/!", left=left, right=right):
            return is_nonnegative(left) and is_nonnegative(right)
        case Arith(op="%", left=left):
            return is_nonnegative(left)
        case Case():
            return all(map(is_nonnegative, (*(branch for _, branch in value.branches), value.otherwise)))
        case Func(name="GREATEST"):
            return any(map(is_nonnegative, value.args))
        case Func(name="LEAST"):
            return all(map(is_nonnegative, value.args))
        case Func(name="POWER", args=(base, _)):
            return is_nonnegative(base)
        case Func(name=name):
            return name in _NEVER_NEGATIVE or (name in _KEEPING and is_nonnegative(value.args[0]))
        case _:
            return False


def is_positive(value: Scalar) -> bool:
    match value:
        case Const(value=int() | float() | Decimal() as number):
            return number > 0
        case Cast(operand, type_):
            return type_.kind == "double" and is_positive(operand)
        case Arith(op="+", left=left, right=right):
            return (is_positive(left) and is_nonnegative(right)) or (is_nonnegative(left) and is_positive(right))
        case Case():
            return all(map(is_positive, (*(branch for _, branch in value.branches), value.otherwise)))
        case Func(name="GREATEST"):
            return any(map(is_positive, value.args))
        case Func(name="LEAST"):
            return all(map(is_positive, value.args))
        case Func(name="YEAR" | "QUARTER" | "MONTH" | "WEEK" | "DAY"):
            return True
        case _:
            return False


def undefined(made: Func) -> str | None:
    """Why a function may have no value for these arguments; None if it always has one."""
    match made:
        case Func(name="TIME_BUCKET", args=(width, _)):
            fits = isinstance(width, Const) and isinstance(width.value, int) and width.value > 0
            return None if fits else "its width is no literal above 0"
        case Func(name="MATCHES", args=(_, pattern)):
            return _bad_pattern(pattern)
        case Func(name="LPAD" | "RPAD", args=(_, width, filling)):
            fits = isinstance(width, Const) and isinstance(width.value, int) and width.value <= LONGEST_PAD
            fills = isinstance(filling, Const) and bool(filling.value)
            return None if fits and fills else "its length and its filling are no literals that fit"
        case _:
            return None


def _bad_pattern(pattern: Scalar) -> str | None:
    if not isinstance(pattern, Const) or not isinstance(pattern.value, str):
        return "its pattern is no literal"
    try:
        regex.compiled(pattern.value)
    except regex.PatternError as error:
        return f"of its pattern: {error} (at character {error.place + 1})"
    return None
