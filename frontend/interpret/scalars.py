"""Evaluate scalars with SQL's rules: exact decimals, NULL in three-valued logic, nothing raised for x / 0."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, assert_never

from toastergen.errors import EngineError
from toastergen.frontend import conversions, functions
from toastergen.frontend.scalar import (
    EXACT,
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
    PyValue,
    Scalar,
    Var,
    type_of,
)


class UnknownValue(EngineError):
    """KNOWN met a NULL."""


def evaluate(scalar: Scalar, env: Mapping[str, PyValue]) -> PyValue:
    match scalar:
        case Const():
            return scalar.value
        case Var():
            return env[scalar.name]
        case Arith():
            result: PyValue = _arithmetic(scalar.op, evaluate(scalar.left, env), evaluate(scalar.right, env))
            return result
        case Compare():
            return compare(scalar.op, evaluate(scalar.left, env), evaluate(scalar.right, env))
        case And():
            return _all([evaluate(term, env) for term in scalar.terms])
        case Or():
            return negated(_all([negated(evaluate(term, env)) for term in scalar.terms]))
        case Not():
            return negated(evaluate(scalar.term, env))
        case InList():
            operand = evaluate(scalar.operand, env)
            return negated(_all([compare("<>", operand, item.value) for item in scalar.values]))
        case Like():
            operand = evaluate(scalar.operand, env)
            return None if operand is None else _like(str(operand), scalar.pattern, scalar.escape)
        case Case():
            for test, value in scalar.branches:
                if evaluate(test, env) is True:
                    return evaluate(value, env)
            return evaluate(scalar.otherwise, env)
        case Cast():
            return _convert(scalar, evaluate(scalar.operand, env))
        case Func():
            return functions.evaluate(scalar.name, (evaluate(arg, env) for arg in scalar.args))
        case IsNull():
            return evaluate(scalar.operand, env) is None
        case Known():
            known = evaluate(scalar.operand, env)
            if known is None:
                raise UnknownValue("KNOWN was asked for the value of NULL", hint="test it with ISNULL first")
            return known
        case _:
            assert_never(scalar)


def negated(value: PyValue) -> bool | None:
    return None if value is None else not value


def _all(values: list[PyValue]) -> bool | None:
    """AND: one false decides, otherwise one unknown leaves it open."""
    if False in values:
        return False
    return None if None in values else True


def _arithmetic(op: str, left: Any, right: Any) -> Any:
    if left is None or right is None or (op in ("/", "/!", "%") and right == 0):
        return None
    is_decimal = isinstance(left, Decimal) or isinstance(right, Decimal)
    match op:
        case "+":
            return EXACT.add(left, right) if is_decimal else left + right
        case "-":
            return EXACT.subtract(left, right) if is_decimal else left - right
        case "*":
            return EXACT.multiply(left, right) if is_decimal else left * right
        case "/" | "/!":
            return float(left) / float(right)
        case "%":
            # The sign of the dividend, as SQL has it; Python's own % follows the divisor.
            rest = abs(left) % abs(right)
            return -rest if left < 0 else rest
        case _:
            raise ValueError(f"unknown operator {op}")


def compare(op: str, left: Any, right: Any) -> bool | None:
    """NaN equals itself and is greater than every number: an order that keys can rely on."""
    if left is None or right is None:
        return left is right if op == "IS" else None
    a, b = _ordered(left), _ordered(right)
    match op:
        case "=" | "IS":
            return bool(a == b)
        case "<>":
            return bool(a != b)
        case "<":
            return bool(a < b)
        case "<=":
            return bool(a <= b)
        case ">":
            return bool(a > b)
        case ">=":
            return bool(a >= b)
        case _:
            raise ValueError(f"unknown comparison {op}")


def _ordered(value: Any) -> tuple[bool, Any]:
    is_nan = isinstance(value, float) and math.isnan(value)
    return is_nan, 0 if is_nan else value


def _like(text: str, pattern: str, escape: str) -> bool:
    parts: list[str] = []
    rest = iter(pattern)
    for char in rest:
        if escape and char == escape:
            parts.append(re.escape(next(rest, escape)))
        else:
            parts.append({"%": ".*", "_": "."}.get(char) or re.escape(char))
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


def _convert(scalar: Cast, value: PyValue) -> PyValue:
    try:
        return conversions.convert(value, type_of(scalar.operand), scalar.type)
    except conversions.Unconvertible:
        if scalar.safe:
            return None
        raise


NAN = float("nan")


def key_value(value: PyValue) -> PyValue:
    """The one representative of equal values, so that dictionaries find keys by SQL's equality."""
    if isinstance(value, float):
        if math.isnan(value):
            return NAN  # one object: dictionaries compare by identity first
        return value + 0.0  # -0.0 becomes 0.0
    return value
