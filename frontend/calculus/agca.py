"""AGCA, the aggregate calculus: expressions over generalized multiset relations.

    q ::= q * q * …          Product    natural join, multiplies payloads, binds left to right
        | q + q + …          Add        bag union
        | [s]                Value      the payload s; s may only use bound variables
        | {s}                Cond       payload 1 where s holds, 0 elsewhere
        | R(x…)              Rel        a base relation
        | (DELTA R)(x…)      Delta      the current batch of changes of a base relation
        | M.slot[][x…]       MapRef     a materialized map
        | AggSum([x…], q)    AggSum     project on x… and add up payloads
        | (x := q)           Lift       bind x to the payload of q
        | Exists(q)          Exists     1 for every non-zero multiplicity

``-q`` is written ``[-1] * q``. A lift whose variable is bound already is an equality test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from toastergen.frontend import scalar as sc
from toastergen.frontend.scalar import Const, Scalar, Var
from toastergen.frontend.types import LONG


@dataclass(frozen=True, slots=True)
class Value:
    scalar: Scalar


@dataclass(frozen=True, slots=True)
class Cond:
    test: Scalar


@dataclass(frozen=True, slots=True)
class Rel:
    name: str
    vars: tuple[Var, ...]


@dataclass(frozen=True, slots=True)
class Delta:
    name: str
    vars: tuple[Var, ...]


@dataclass(frozen=True, slots=True)
class MapRef:
    map: str
    slot: str
    keys: tuple[Var, ...]


@dataclass(frozen=True, slots=True)
class Lift:
    var: Var
    body: Expr


@dataclass(frozen=True, slots=True)
class Exists:
    body: Expr


@dataclass(frozen=True, slots=True)
class Product:
    terms: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Add:
    terms: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class AggSum:
    keys: tuple[Var, ...]
    body: Expr


Expr: TypeAlias = Value | Cond | Rel | Delta | MapRef | Lift | Exists | Product | Add | AggSum

UNIT = Value(sc.ONE)  # the neutral element of *
NOTHING = Value(sc.ZERO)  # the neutral element of +


def product(terms: Iterable[Expr]) -> Expr:
    """Flatten, drop ones, collapse to zero."""
    flat: list[Expr] = []
    for term in terms:
        for part in term.terms if isinstance(term, Product) else (term,):
            if is_zero(part):
                return NOTHING
            if not is_one(part):
                flat.append(part)
    if not flat:
        return UNIT
    return flat[0] if len(flat) == 1 else Product(tuple(flat))


def add(terms: Iterable[Expr]) -> Expr:
    """Flatten and drop zeros."""
    flat = [
        part
        for term in terms
        for part in (term.terms if isinstance(term, Add) else (term,))
        if not is_zero(part)
    ]
    if not flat:
        return NOTHING
    return flat[0] if len(flat) == 1 else Add(tuple(flat))


def negative(term: Expr) -> Expr:
    return product((Value(sc.MINUS_ONE), term))


def is_zero(term: Expr) -> bool:
    match term:
        case Value(Const(value=value)):
            return not isinstance(value, str) and value == 0 and value is not False
        case Cond(Const(value=False)):
            return True
        case _:
            return False


def is_one(term: Expr) -> bool:
    match term:
        case Value(Const(value=value, type=type_)):
            return type_ == LONG and value == 1
        case Cond(Const(value=True)):
            return True
        case _:
            return False


def children(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Value() | Cond() | Rel() | Delta() | MapRef():
            return ()
        case Lift() | Exists() | AggSum():
            return (expr.body,)
        case Product() | Add():
            return expr.terms
        case _:
            assert_never(expr)


def relations(expr: Expr) -> frozenset[str]:
    """The base relations an expression reads."""
    if isinstance(expr, Rel):
        return frozenset((expr.name,))
    return frozenset(name for child in children(expr) for name in relations(child))


def outputs(expr: Expr) -> tuple[Var, ...]:
    """The columns of the result, in order of first appearance: what the expression binds."""
    match expr:
        case Value() | Cond():
            return ()
        case Rel() | Delta():
            return unique(expr.vars)
        case MapRef():
            return unique(expr.keys)
        case Lift():
            return unique((*outputs(expr.body), expr.var))
        case Exists():
            return outputs(expr.body)
        case AggSum():
            return expr.keys
        case Product() | Add():
            return unique(var for term in expr.terms for var in outputs(term))
        case _:
            assert_never(expr)


def inputs(expr: Expr) -> frozenset[Var]:
    """The variables that must be bound from outside before the expression can be evaluated."""
    match expr:
        case Value():
            return sc.variables(expr.scalar)
        case Cond():
            return sc.variables(expr.test)
        case Rel() | Delta() | MapRef():
            return frozenset()
        case Lift() | Exists() | AggSum():
            return inputs(expr.body)
        case Add():
            return frozenset().union(*(inputs(term) for term in expr.terms))
        case Product():
            needed: set[Var] = set()
            bound: set[Var] = set()
            for term in expr.terms:
                needed |= inputs(term) - bound
                bound |= set(outputs(term))
            return frozenset(needed)
        case _:
            assert_never(expr)


def unique(items: Iterable[Var]) -> tuple[Var, ...]:
    return tuple(dict.fromkeys(items))


def rename(expr: Expr, mapping: Mapping[Var, Var]) -> Expr:
    """Replace variables everywhere, bound ones included."""

    def var(item: Var) -> Var:
        return mapping.get(item, item)

    match expr:
        case Value():
            return Value(sc.substitute(expr.scalar, mapping))
        case Cond():
            return Cond(sc.substitute(expr.test, mapping))
        case Rel():
            return Rel(expr.name, tuple(map(var, expr.vars)))
        case Delta():
            return Delta(expr.name, tuple(map(var, expr.vars)))
        case MapRef():
            return MapRef(expr.map, expr.slot, tuple(map(var, expr.keys)))
        case Lift():
            return Lift(var(expr.var), rename(expr.body, mapping))
        case Exists():
            return Exists(rename(expr.body, mapping))
        case Product():
            return Product(tuple(rename(term, mapping) for term in expr.terms))
        case Add():
            return Add(tuple(rename(term, mapping) for term in expr.terms))
        case AggSum():
            return AggSum(unique(map(var, expr.keys)), rename(expr.body, mapping))
        case _:
            assert_never(expr)
