"""Scalars as text. Parentheses stand only where the reader would group differently without them."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Final, assert_never

from toastergen.frontend.m3_text.scope import arithmetic_type
from toastergen.frontend.m3_text.tokens import name_text, string_text
from toastergen.frontend.scalar import (
    And,
    Arith,
    Case,
    Cast,
    Compare,
    Const,
    Func,
    InList,
    IsNull,
    Known,
    Like,
    Not,
    Or,
    Scalar,
    Var,
    type_of,
)
from toastergen.frontend.timestamps import timestamp_text
from toastergen.frontend.types import Type, decimal

_OR, _AND, _NOT, _COMPARE, _SUM, _TIMES, _ATOM = range(7)
_ARITH_LEVEL: Final = {"+": _SUM, "-": _SUM, "*": _TIMES, "/": _TIMES, "/!": _TIMES, "%": _TIMES}


def print_scalar(scalar: Scalar, bound: Mapping[str, Type] | None = None) -> str:
    """``bound`` holds the types the reader will know; without it variables are written by name alone."""
    return _at(scalar, _OR, bound)


def _at(scalar: Scalar, level: int, bound: Mapping[str, Type] | None) -> str:
    """The text, in parentheses if it binds weaker than its place needs."""
    text = _text(scalar, bound)
    return text if _level(scalar) >= level else f"({text})"


def _level(scalar: Scalar) -> int:
    match scalar:
        case Or():
            return _OR if len(scalar.terms) > 1 else _ATOM
        case And():
            return _AND if len(scalar.terms) > 1 else _ATOM
        case Not():
            return _NOT
        case Compare() | InList() | Like():
            return _COMPARE
        case Arith():
            return _ARITH_LEVEL[scalar.op] if _is_inferred(scalar) else _ATOM
        case Const() | Var() | Case() | Cast() | Func() | IsNull() | Known():
            return _ATOM
        case _:
            assert_never(scalar)


def _is_inferred(scalar: Arith) -> bool:
    return scalar.type == arithmetic_type(scalar.op, type_of(scalar.left), type_of(scalar.right))


def _text(scalar: Scalar, bound: Mapping[str, Type] | None) -> str:
    match scalar:
        case Const():
            return print_const(scalar)
        case Var():
            known = bound is None or bound.get(scalar.name) == scalar.type
            return name_text(scalar.name) if known else f"{name_text(scalar.name)}::{scalar.type}"
        case Arith():
            level = _ARITH_LEVEL[scalar.op]
            text = f"{_at(scalar.left, level, bound)} {scalar.op} {_at(scalar.right, level + 1, bound)}"
            return text if _is_inferred(scalar) else f"({text})::{scalar.type}"
        case Compare():
            return f"{_at(scalar.left, _SUM, bound)} {scalar.op} {_at(scalar.right, _SUM, bound)}"
        case And():
            return _joined("AND", scalar.terms, _NOT, bound)
        case Or():
            return _joined("OR", scalar.terms, _AND, bound)
        case Not():
            return f"NOT {_at(scalar.term, _ATOM, bound)}"
        case InList():
            values = ", ".join(map(print_const, scalar.values))
            return f"{_at(scalar.operand, _SUM, bound)} IN ({values})"
        case Like():
            escape = f" ESCAPE {string_text(scalar.escape)}" if scalar.escape else ""
            return f"{_at(scalar.operand, _SUM, bound)} LIKE {string_text(scalar.pattern)}{escape}"
        case Case():
            branches = "".join(
                f"WHEN {_at(test, _OR, bound)} THEN {_at(value, _OR, bound)} "
                for test, value in scalar.branches
            )
            return f"CASE {branches}ELSE {_at(scalar.otherwise, _OR, bound)} END"
        case Cast():
            return f"{'TRY_' if scalar.safe else ''}CAST({_at(scalar.operand, _OR, bound)} AS {scalar.type})"
        case Func():
            return f"{scalar.name}({', '.join(_at(arg, _OR, bound) for arg in scalar.args)})"
        case IsNull():
            return f"ISNULL({_at(scalar.operand, _OR, bound)})"
        case Known():
            return f"KNOWN({_at(scalar.operand, _OR, bound)})"
        case _:
            assert_never(scalar)


def _joined(word: str, terms: tuple[Scalar, ...], level: int, bound: Mapping[str, Type] | None) -> str:
    if len(terms) > 1:
        return f" {word} ".join(_at(term, level, bound) for term in terms)
    return f"{word}({', '.join(_at(term, _OR, bound) for term in terms)})"


def print_const(const: Const) -> str:
    """A literal that shows its type."""
    value = const.value
    if value is None:
        return f"NULL::{const.type}"
    match const.type.kind:
        case "bool":
            return "TRUE" if value else "FALSE"
        case "int":
            return str(value)
        case "long":
            return f"{value}L"
        case "double":
            return _double_text(float(value) if isinstance(value, int | float | Decimal) else math.nan)
        case "decimal":
            return _decimal_text(value if isinstance(value, Decimal) else Decimal(str(value)), const.type)
        case "date":
            return f"DATE '{value.isoformat() if isinstance(value, datetime.date) else value}'"
        case "timestamp":
            return f"TIMESTAMP '{timestamp_text(value) if isinstance(value, datetime.datetime) else value}'"
        case _:
            return string_text(str(value))


def _double_text(value: float) -> str:
    if not math.isfinite(value):
        return f"DOUBLE '{value}'"
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def _decimal_text(value: Decimal, type_: Type) -> str:
    text = format(value, "f")
    whole, _, fraction = text.lstrip("-").partition(".")
    natural = decimal(len(whole) + len(fraction), len(fraction))
    return text if fraction and natural == type_ else f"DECIMAL({type_.precision},{type_.scale}) '{text}'"
