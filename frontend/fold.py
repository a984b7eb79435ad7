"""Fold conditions whose truth is known before any row is seen.

Renaming turns ``x.a < y.a`` into ``a < a`` where one row plays both parts, and a literal may lie beyond every value of
its column's type. C++ compilers warn about both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, assert_never

from toastergen.frontend import functions
from toastergen.frontend import scalar as sc
from toastergen.frontend.scalar import And, Case, Cast, Compare, Const, Func, InList, IsNull, Known, Not, Or, Scalar
from toastergen.frontend.types import BOOL, INT, LONG, Type

_HOLDS_FOR_EQUALS: Final = ("=", "<=", ">=")
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_RANGES: Final[dict[Type, range]] = {INT: range(-(2**31), 2**31), LONG: range(-(2**63), 2**63)}


def fold(scalar: Scalar) -> Scalar:
    """The same value, without the comparisons that decide themselves and what follows from them."""
    below = sc.children(scalar)
    if not below:
        return scalar
    node = sc.rebuild(scalar, tuple(map(fold, below)))
    match node:
        case Compare():
            return _compare(node)
        case And():
            return _connective(node.terms, sc.FALSE, sc.TRUE, sc.conjunction)
        case Or():
            return _connective(node.terms, sc.TRUE, sc.FALSE, sc.disjunction)
        case Not():
            return sc.FALSE if node.term == sc.TRUE else sc.TRUE if node.term == sc.FALSE else node
        case Case():
            return _case(node)
        case InList():
            return _in_list(node)
        case Func():
            return functions.folded(node) or node
        case IsNull():
            if not sc.is_nullable(node.operand):
                return sc.FALSE
            return sc.TRUE if isinstance(node.operand, Const) else node
        case Known():
            return sc.known(node.operand) if not isinstance(node.operand, Const) else node
        case Const() | sc.Var() | sc.Arith() | sc.Like() | Cast():
            return node
        case _:
            assert_never(node)


def _compare(node: Compare) -> Scalar:
    if node.op == "IS" and node.left == node.right:
        return sc.TRUE
    if sc.is_nullable(node.left) or sc.is_nullable(node.right):
        return node
    if node.op == "IS":
        return _compare(Compare("=", node.left, node.right))
    if node.left == node.right:
        return _truth(node.op in _HOLDS_FOR_EQUALS)  # NaN too equals itself here
    match node:
        case Compare(op, operand, Const(value=int() as value)):
            return _by_range(op, operand, value) or node
        case Compare(op, Const(value=int() as value), operand):
            return _by_range(_MIRRORED.get(op, op), operand, value) or node
        case _:
            return node


def _by_range(op: str, operand: Scalar, value: int) -> Scalar | None:
    """``operand op value`` where the operand's type alone decides."""
    limits = _range(operand)
    if limits is None:
        return None
    low, high = limits.start, limits.stop - 1
    match op:
        case "=" | "<>":
            return None if value in limits else _truth(op == "<>")
        case "<" | ">=":
            known = True if value > high else False if value <= low else None
        case _:
            known = True if value >= high else False if value < low else None
    return None if known is None else _truth(known == (op in ("<", "<=")))


def _in_list(node: InList) -> Scalar:
    if isinstance(node.operand, Const) and node.operand.value is None:
        return Const(None, BOOL)
    limits = _range(node.operand)
    if limits is None or sc.is_nullable(node.operand):
        return node
    kept = tuple(item for item in node.values if item.value is None or item.value in limits)
    return InList(node.operand, kept) if kept else sc.FALSE


def _range(scalar: Scalar) -> range | None:
    """The values an integer can have; a widened one has no more than before."""
    inner = scalar.operand if isinstance(scalar, Cast) and scalar.type == LONG else scalar
    return _RANGES.get(sc.type_of(inner))


def _truth(holds: bool) -> Const:
    return sc.TRUE if holds else sc.FALSE


def _connective(
    terms: tuple[Scalar, ...], decides: Scalar, neutral: Scalar, build: Callable[[list[Scalar]], Scalar]
) -> Scalar:
    if decides in terms:
        return decides
    return build([term for term in terms if term != neutral])


def _case(node: Case) -> Scalar:
    branches: list[tuple[Scalar, Scalar]] = []
    for test, value in node.branches:
        if test == sc.TRUE:
            return Case(tuple(branches), value) if branches else value
        if test != sc.FALSE:
            branches.append((test, value))
    return Case(tuple(branches), node.otherwise) if branches else node.otherwise
