"""What makes an expression legal: everything declared, typed, and bound before it is used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from toastergen.errors import M3Error
from toastergen.frontend import conversions, domains, functions, payload
from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus.agca import (
    Add,
    AggSum,
    Cond,
    Delta,
    Exists,
    Expr,
    Lift,
    MapRef,
    Product,
    Rel,
    Value,
    outputs,
)
from toastergen.frontend.m3_text import Scope
from toastergen.frontend.m3_text.scope import arithmetic_type
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.types import BOOL, STRING, Type


@dataclass(frozen=True, slots=True)
class Reads:
    """What may be read: base relations in definitions, maps in statements, one delta in batches."""

    relations: bool
    maps: bool
    delta: str | None = None


class ExprCheck:
    """Walks an expression in binding order. ``where`` opens every message."""

    def __init__(self, scope: Scope, reads: Reads, where: str) -> None:
        self._scope = scope
        self._reads = reads
        self._where = where
        self.bound: dict[str, Type] = dict(scope.vars)

    def check(self, expr: Expr) -> None:
        match expr:
            case Value():
                check_scalar(expr.scalar, self.bound, self._where)
                if sc.is_nullable(expr.scalar):
                    hint = "say what NULL adds: CASE WHEN ISNULL(x) THEN 0L ELSE KNOWN(x) END"
                    raise self._error("a payload can be NULL", hint)
            case Cond():
                check_scalar(expr.test, self.bound, self._where)
                if sc.type_of(expr.test) != BOOL:
                    raise self._error("a condition must be a bool", "compare the value with something")
            case Rel() | Delta():
                self._relation(expr)
            case MapRef():
                self._map(expr)
            case Lift():
                self._lift(expr)
            case Exists():
                self.check(expr.body)
            case Product():
                for term in expr.terms:
                    self.check(term)
            case Add():
                self._sum(expr)
            case AggSum():
                self._aggregate(expr)
            case _:
                assert_never(expr)

    def bind(self, items: Iterable[Var], types: tuple[Type, ...], what: str) -> None:
        """Variables at places of given types: bound ones must have that type already."""
        variables = tuple(items)
        if len(variables) != len(types):
            message = f"{what} has {len(types)} columns, {len(variables)} variables are given"
            raise self._error(message, "give one variable per column, in order")
        for var, type_ in zip(variables, types, strict=True):
            if var.type != type_:
                message = f"variable {var.name} is {var.type} where {what} has {type_}"
                raise self._error(message, "bind another variable and compare the two with a CAST")
            self._bind_var(var)

    def _bind_var(self, var: Var) -> None:
        if self.bound.setdefault(var.name, var.type) != var.type:
            message = f"variable {var.name} is {var.type} here and {self.bound[var.name]} elsewhere"
            raise self._error(message, "rename one of the two")

    def _relation(self, expr: Rel | Delta) -> None:
        if expr.name not in self._scope.relations:
            raise self._error(f"relation {expr.name} is not declared", "add a CREATE STREAM for it")
        if isinstance(expr, Rel) and not self._reads.relations:
            message = f"a statement reads relation {expr.name}, which no engine stores"
            raise self._error(message, "declare a map that keeps its rows and read the map")
        if isinstance(expr, Delta) and expr.name != self._reads.delta:
            message = f"the changes of {expr.name} are not known here"
            raise self._error(message, "read (DELTA R) only in ON BATCH UPDATE OF R")
        self.bind(expr.vars, self._scope.column_types(expr.name), f"relation {expr.name}")

    def _map(self, expr: MapRef) -> None:
        if not self._reads.maps:
            message = f"a definition reads map {expr.map}"
            raise self._error(message, "define maps over base relations only")
        known = self._scope.maps.get(expr.map)
        if known is None:
            raise self._error(f"map {expr.map} is not declared", "add a DECLARE MAP for it")
        if all(slot.name != expr.slot for slot in known.slots):
            slots = ", ".join(slot.name for slot in known.slots)
            raise self._error(f"map {expr.map} has no slot {expr.slot}", f"its slots: {slots}")
        self.bind(expr.keys, self._scope.key_types(expr.map), f"map {expr.map}")

    def _lift(self, expr: Lift) -> None:
        if isinstance(expr.body, Value):
            check_scalar(expr.body.scalar, self.bound, self._where)  # variables, unlike payloads, may be NULL
        else:
            self.check(expr.body)
        type_ = payload.lifted(expr.body, self._scope.maps)
        wanted = expr.var.type
        fits = type_ is not None and type_.nullable == wanted.nullable
        if type_ is None or not (type_ == wanted or (fits and payload.accepts(wanted, type_))):
            message = f"variable {expr.var.name} is {expr.var.type}, its value is {type_ or 'of no type'}"
            raise self._error(message, "give the variable the type of the lifted expression")
        self._bind_var(expr.var)

    def _sum(self, expr: Add) -> None:
        before = self.bound
        columns: set[str] | None = None
        for term in expr.terms:
            self.bound = dict(before)
            self.check(term)
            mine = {var.name for var in outputs(term) if var.name not in before}
            if columns is not None and mine != columns:
                odd = min(mine ^ columns)
                raise self._error(
                    f"only some terms of a sum bind variable {odd}", "bind the same variables in every term"
                )
            columns = mine

    def _aggregate(self, expr: AggSum) -> None:
        before = dict(self.bound)
        self.check(expr.body)
        names = [key.name for key in expr.keys]
        if len(set(names)) != len(names):
            raise self._error("an AggSum names a key twice", "name each key once")
        for key in expr.keys:
            if key.name not in self.bound:
                message = f"AggSum keeps variable {key.name}, which nothing binds"
                raise self._error(message, "bind it in the body or leave it out of the keys")
            self._bind_var(key)
        self.bound = {key.name: key.type for key in expr.keys} | before

    def _error(self, message: str, hint: str) -> M3Error:
        return M3Error(f"{self._where}: {message}", hint=hint)


def check_scalar(scalar: Scalar, bound: Mapping[str, Type], where: str) -> None:
    """Variables are bound and operands agree, as the builders of ``scalar.py`` guarantee."""
    for node in sc.walk(scalar):
        problem = _problem(node, bound)
        if problem:
            raise M3Error(f"{where}: {problem[0]}", hint=problem[1])


def _problem(node: Scalar, bound: Mapping[str, Type]) -> tuple[str, str] | None:
    match node:
        case sc.Var():
            return _variable_problem(node, bound)
        case sc.Const() | sc.IsNull() | sc.Known():
            return None
        case sc.Arith():
            left, right = sc.type_of(node.left), sc.type_of(node.right)
            if arithmetic_type(node.op, left, right) != node.type:
                return (
                    f"{left} {node.op} {right} does not give {node.type}",
                    "insert the CASTs that are missing",
                )
        case sc.Compare() | sc.InList() | sc.Case():
            return _unequal_types(node)
        case sc.And() | sc.Or() | sc.Not():
            if any(sc.type_of(term) != BOOL for term in sc.children(node)):
                return "AND, OR and NOT take conditions", "compare the value with something"
        case sc.Like():
            return _like_problem(node)
        case sc.Cast():
            source = sc.type_of(node.operand)
            if not conversions.is_castable(source, node.type):
                return f"{source} cannot be cast to {node.type}", "cast to a string, or between kinds that convert"
        case sc.Func():
            return functions.problem(node) or _undefined(node)
        case _:
            assert_never(node)
    return None


def _undefined(node: sc.Func) -> tuple[str, str] | None:
    reason = domains.undefined(node)
    if reason is None:
        return None
    hint = "rule that out in the expression itself, as GREATEST(x, 1) does"
    return f"{node.name} may have no value here: {reason}", hint


def _variable_problem(node: Var, bound: Mapping[str, Type]) -> tuple[str, str] | None:
    if node.name not in bound:
        known = ", ".join(sorted(bound)) or "none"
        return f"variable {node.name} is used before it is bound", f"bound so far: {known}"
    if bound[node.name] != node.type:
        return f"variable {node.name} is {bound[node.name]}, not {node.type}", "use the type that binds it"
    return None


def _unequal_types(node: sc.Compare | sc.InList | sc.Case) -> tuple[str, str] | None:
    match node:
        case sc.Compare():
            sides: tuple[Scalar, ...] = (node.left, node.right)
        case sc.InList():
            sides = (node.operand, *node.values)
        case sc.Case():
            sides = (*(value for _, value in node.branches), node.otherwise)
            if any(sc.type_of(test) != BOOL for test, _ in node.branches):
                return "WHEN takes a condition", "compare the value with something"
        case _:
            assert_never(node)
    found = sorted({str(sc.type_of(side)) for side in sides})
    return (
        (f"types {' and '.join(found)} meet", "insert the CASTs that are missing") if len(found) > 1 else None
    )


def _like_problem(node: sc.Like) -> tuple[str, str] | None:
    if sc.type_of(node.operand) != STRING:
        return "LIKE takes a string", "compare the value with = instead"
    if len(node.escape) > 1:
        return "ESCAPE takes one character", "write for example ESCAPE '!'"
    rest = iter(node.pattern)
    if node.escape and any(char == node.escape and next(rest, None) is None for char in rest):
        return "a LIKE pattern ends in its escape character", "write the escape character twice"
    return None
