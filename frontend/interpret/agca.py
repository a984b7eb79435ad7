"""Evaluate AGCA from scratch, by the textbook: left to right, passing bindings sideways."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import assert_never

from toastergen.errors import DataError, M3Error
from toastergen.frontend import payload
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
from toastergen.frontend.interpret import scalars
from toastergen.frontend.interpret.numbers import Number, from_number, to_number
from toastergen.frontend.interpret.rows import (
    Record,
    Row,
    checked_row,
    derived_rows,
    find_relation,
    find_view,
    sorted_rows,
    view_rows,
)
from toastergen.frontend.m3 import Map, Program
from toastergen.frontend.scalar import PyValue, Var
from toastergen.frontend.types import Type

Env = Mapping[str, PyValue]
Bag = Mapping[Row, int]
Result = dict[Row, Number]


def evaluate(
    expr: Expr,
    database: Mapping[str, Bag],
    env: Env | None = None,
    *,
    deltas: Mapping[str, Bag] | None = None,
    maps: Mapping[str, Mapping[Row, Record]] | None = None,
    declared: Mapping[str, Map] | None = None,
) -> dict[Row, int | float | Decimal]:
    """Rows over ``outputs(expr)`` with their non-zero payloads. ``declared`` types the maps that are read."""
    type_ = payload.infer(expr, declared or {})
    if type_ is None:
        raise M3Error("the expression has no payload type", hint="its parts must be numbers that mix")
    result = Evaluator(database, deltas or {}, maps or {}).rows(expr, env or {})
    return {row: from_number(number, type_) for row, number in result.items()}


class Evaluator:
    """``rows`` gives the result of an expression under bindings: a row per binding of its outputs."""

    def __init__(
        self,
        database: Mapping[str, Bag],
        deltas: Mapping[str, Bag],
        maps: Mapping[str, Mapping[Row, Record]],
    ) -> None:
        self._database = database
        self._deltas = deltas
        self._maps = maps

    def rows(self, expr: Expr, env: Env) -> Result:
        match expr:
            case Value():
                return _nonzero({(): to_number(scalars.evaluate(expr.scalar, env))})
            case Cond():
                return {(): 1} if scalars.evaluate(expr.test, env) is True else {}
            case Rel():
                return _matching(expr.vars, self._database.get(expr.name, {}), env)
            case Delta():
                return _matching(expr.vars, self._deltas.get(expr.name, {}), env)
            case MapRef():
                records = self._maps.get(expr.map, {})
                return _matching(
                    expr.keys, {key: record.get(expr.slot, 0) for key, record in records.items()}, env
                )
            case Lift():
                return self._lift(expr, env)
            case Exists():
                return dict.fromkeys(self.rows(expr.body, env), 1)
            case Product():
                return self._product(expr, env)
            case Add():
                return self._add(expr, env)
            case AggSum():
                return _projected(self.rows(expr.body, env), outputs(expr.body), expr.keys, env)
            case _:
                assert_never(expr)

    def _product(self, expr: Product, env: Env) -> Result:
        columns: tuple[Var, ...] = ()
        result: Result = {(): 1}
        for term in expr.terms:
            more = outputs(term)
            wider = outputs(Product((*_as_terms(columns), term)))
            joined: Result = defaultdict(int)
            for row, number in result.items():
                inner = _extended(env, columns, row)
                for other, factor in self.rows(term, inner).items():
                    full = _extended(inner, more, other)
                    joined[tuple(full[var.name] for var in wider)] += number * factor
            columns, result = wider, _nonzero(joined)
        return result

    def _add(self, expr: Add, env: Env) -> Result:
        columns = outputs(expr)
        total: Result = defaultdict(int)
        for term in expr.terms:
            mine = outputs(term)
            for row, number in _projected(self.rows(term, env), mine, columns, env).items():
                total[row] += number
        return _nonzero(total)

    def _lift(self, expr: Lift, env: Env) -> Result:
        """One row per row of the body; a body that binds nothing new gives exactly one, even if empty."""
        columns = outputs(expr.body)
        wider = outputs(expr)
        result: Result = {}
        try:
            lifted = self._lifted(expr, columns, env)
        except scalars.UnknownValue:
            return {}  # a condition beside the lift drops the row; which of them comes first does not matter
        for row, value in lifted.items():
            full = _extended(env, columns, row)
            if expr.var.name not in full or same(full[expr.var.name], value):
                full = {**full, expr.var.name: value}
                result[tuple(full[var.name] for var in wider)] = 1
        return result

    def _lifted(self, expr: Lift, columns: tuple[Var, ...], env: Env) -> dict[Row, PyValue]:
        if isinstance(expr.body, Value):
            # The only place where a payload need not be a number: a parameter of any type is renamed.
            return {(): scalars.key_value(scalars.evaluate(expr.body.scalar, env))}
        found = self.rows(expr.body, env)
        if all(var.name in env for var in columns):
            found.setdefault(tuple(env[var.name] for var in columns), 0)
        return {row: _value(number, expr.var.type) for row, number in found.items()}


def same(left: PyValue, right: PyValue) -> bool:
    """Equality of keys: NULL is one key, and so is NaN."""
    if left is None or right is None:
        return left is right
    return scalars.compare("=", left, right) is True


def _value(number: Number, type_: Type) -> PyValue:
    return scalars.key_value(from_number(number, type_))


def _as_terms(columns: tuple[Var, ...]) -> tuple[Expr, ...]:
    return (Rel("", columns),) if columns else ()


def _extended(env: Env, columns: Sequence[Var], row: Row) -> dict[str, PyValue]:
    return {**env, **{var.name: value for var, value in zip(columns, row, strict=True)}}


def _nonzero(result: Mapping[Row, Number]) -> Result:
    return {row: number for row, number in result.items() if number != 0}


def _matching(columns: tuple[Var, ...], bag: Mapping[Row, Number], env: Env) -> Result:
    """The rows that agree with the bindings, and with themselves where a variable stands twice."""
    result: Result = defaultdict(int)
    for row, number in bag.items():
        full: dict[str, PyValue] = {}
        for var, value in zip(columns, row, strict=True):
            expected = full.get(var.name, env.get(var.name, value))
            if not same(expected, value):
                break
            full[var.name] = value
        else:
            result[tuple(full.values())] += number
    return _nonzero(result)


def _projected(rows: Result, columns: tuple[Var, ...], keys: tuple[Var, ...], env: Env) -> Result:
    """Keep the keys and add up; a key the rows lack is bound outside."""
    result: Result = defaultdict(int)
    for row, number in rows.items():
        full = _extended(env, columns, row)
        result[tuple(full[key.name] for key in keys)] += number
    return _nonzero(result)


def define(item: Map, evaluator: Evaluator) -> dict[Row, dict[str, Number]]:
    """A map's records, computed from the definitions of its slots."""
    records: dict[Row, dict[str, Number]] = defaultdict(dict)
    for slot in item.slots:
        rows = evaluator.rows(slot.definition, {})
        for key, number in _projected(rows, outputs(slot.definition), item.keys, {}).items():
            records[key][slot.name] = number
    return dict(records)


class AgcaOracle:
    """Keeps the base relations and computes every view from its definition when it is asked."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._database: dict[str, dict[Row, int]] = {relation.name: {} for relation in program.relations}
        # What was computed since the last change: views share maps as well as derived relations.
        self._defined: dict[str, dict[Row, dict[str, Number]]] = {}
        self._complete: dict[str, dict[Row, int]] | None = None  # with the derived relations, until the next change

    def apply(self, relation: str, row: Sequence[PyValue], weight: int = 1) -> None:
        checked = checked_row(find_relation(self._program, relation), row)
        if isinstance(weight, bool) or not isinstance(weight, int):
            raise DataError(f"weight {weight!r} is not an integer", hint="+1 inserts a row, -1 deletes it")
        self._complete = None
        self._defined.clear()
        bag = self._database[relation]
        bag[checked] = bag.get(checked, 0) + weight
        if bag[checked] == 0:
            del bag[checked]

    def map(self, name: str) -> dict[Row, dict[str, Number]]:
        database = self._with_derived()
        if name not in self._defined:
            self._defined[name] = define(self._program.map(name), Evaluator(database, {}, {}))
        return self._defined[name]

    def _with_derived(self) -> dict[str, dict[Row, int]]:
        """The base relations and, each computed from those before it, the derived ones."""
        if self._complete is not None:
            return self._complete
        database = dict(self._database)
        for relation in self._program.derived():
            feeds: list[list[Row]] = []
            for view in map(self._program.view, relation.queries):
                source = self._program.map(view.map)
                if source.name not in self._defined:  # reads earlier relations only, so it is final already
                    self._defined[source.name] = define(source, Evaluator(database, {}, {}))
                feeds.append(view_rows(view, source, self._defined[source.name]))
            database[relation.name] = dict(derived_rows(relation, feeds))
        self._complete = database
        return database

    def view(self, name: str) -> list[Row]:
        view = find_view(self._program, name)
        return view_rows(view, self._program.map(view.map), self.map(view.map))

    def relation(self, name: str) -> list[Row]:
        """The rows of a base relation, each as often as it is there."""
        bag = self._database[find_relation(self._program, name).name]
        return sorted_rows(row for row, count in bag.items() for _ in range(count))
