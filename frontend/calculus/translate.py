"""Resolved SQL to the calculus.

Equality of two columns becomes one shared variable, equality of expressions over different relations a shared lifted
key, every other conjunct a condition. Values are expanded into sums of products wherever a factor would otherwise tie
two relations together: only then can each relation be aggregated on its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Cond, Lift, Rel, Value
from toastergen.frontend.calculus.polynomial import expand
from toastergen.frontend.calculus.program import (
    MULTIPLICITY,
    CalculusProgram,
    CalculusView,
    Factor,
    Polynomial,
    Shape,
    ViewSlot,
)
from toastergen.frontend.fold import fold
from toastergen.frontend.m3 import COUNT, Output
from toastergen.frontend.names import Names, identifier
from toastergen.frontend.scalar import Compare, Scalar, Var
from toastergen.frontend.sql.resolved import Aggregate, Query, Script
from toastergen.frontend.types import DOUBLE, LONG, sum_type

CONSTANT = -1  # the owner of a scalar without variables


def translate(script: Script) -> CalculusProgram:
    return CalculusProgram(script.relations, tuple(translate_query(query) for query in script.queries))


def translate_query(query: Query) -> CalculusView:
    builder = _Builder(query)
    builder.join()
    keys, outputs_of = builder.group_keys()
    slots = builder.slots()
    outputs = tuple(Output(item.name, builder.output(item.value, outputs_of)) for item in query.items)
    rows = "bag" if query.group_by is None else "groups" if query.group_by else "single"
    shape = Shape(keys, tuple(builder.factors))
    return CalculusView(query.name, rows, shape, slots, outputs, query.hidden, query.order)


@dataclass
class _Builder:
    """The state of translating one query; its methods run once, in the order of ``translate_query``."""

    query: Query
    factors: list[Factor] = field(default_factory=list)
    renaming: dict[Var, Scalar] = field(default_factory=dict)
    aggregate_values: dict[Var, Scalar] = field(default_factory=dict)
    names: Names = field(init=False)

    def __post_init__(self) -> None:
        columns = [var.name for item in self.query.inputs for var in item.vars]
        results = [aggregate.var.name for aggregate in self.query.aggregates]
        self.names = Names([*columns, *results, COUNT])

    def join(self) -> None:
        """FROM and WHERE: relations, shared variables, conditions."""
        equalities, rest = _split_equalities(self.query.where)
        self.renaming = {var: root for var, root in _unify(equalities).items() if var != root}
        atoms = [Rel(item.relation, tuple(map(self._var, item.vars))) for item in self.query.inputs]
        self.factors += atoms
        for conjunct in rest:
            self.factors += self._conjunct(fold(self._scalar(conjunct)), atoms)

    def _conjunct(self, test: Scalar, atoms: list[Rel]) -> tuple[Factor, ...]:
        """An equality between expressions of two relations joins on a lifted key, so both sides get indexed."""
        if isinstance(test, Compare) and test.op == "=":
            sides = {_owner(side, atoms) for side in (test.left, test.right)}
            if len(sides) == 2 and not sides & {None, CONSTANT}:
                return self._key_join(test.left, test.right)
        return (Cond(test),)

    def _key_join(self, left: Scalar, right: Scalar) -> tuple[Factor, ...]:
        if isinstance(right, Var):
            left, right = right, left
        if isinstance(left, Var):
            return (Lift(left, Value(right)),)
        key = Var(self.names.fresh("join_key"), sc.type_of(left))
        return (Lift(key, Value(left)), Lift(key, Value(right)))

    def group_keys(self) -> tuple[tuple[Var, ...], dict[Scalar, Var]]:
        """GROUP BY, or the select list of a plain SELECT: one key per distinct expression."""
        wanted = self.query.group_by
        if wanted is None:
            wanted = tuple(item.value for item in self.query.items)
        key_of: dict[Scalar, Var] = {}
        for expression in map(self._scalar, wanted):
            if expression not in key_of and not isinstance(expression, sc.Const):
                key_of[expression] = self._key(expression)
        return agca.unique(key_of.values()), key_of

    def _key(self, expression: Scalar) -> Var:
        if isinstance(expression, Var):
            return expression
        names = [item.name for item in self.query.items if self._scalar(item.value) == expression]
        key = Var(self.names.fresh(identifier(names[0] if names else "", "key")), sc.type_of(expression))
        self.factors.append(Lift(key, Value(expression)))
        return key

    def slots(self) -> tuple[ViewSlot, ...]:
        """The multiplicity, and one sum for every different argument of SUM and AVG."""
        found = {MULTIPLICITY: ViewSlot(COUNT, LONG, MULTIPLICITY)}
        for aggregate in self.query.aggregates:
            self.aggregate_values[aggregate.var] = self._aggregate(aggregate, found)
        return tuple(found.values())

    def _aggregate(self, aggregate: Aggregate, found: dict[Polynomial, ViewSlot]) -> Scalar:
        count = Var(COUNT, LONG)
        if aggregate.kind == "count" or aggregate.argument is None:
            return count
        argument = self._scalar(aggregate.argument)
        atoms = [factor for factor in self.factors if isinstance(factor, Rel)]
        polynomial = expand(argument, lambda part: _owner(part, atoms) is not None)
        if polynomial not in found:
            found[polynomial] = ViewSlot(self._slot_name(aggregate), sum_type(sc.type_of(argument)), polynomial)
        total = Var(found[polynomial].name, found[polynomial].type)
        result: Scalar = total
        if aggregate.kind == "avg":
            result = sc.Arith("/!", sc.cast(total, DOUBLE), sc.cast(count, DOUBLE), DOUBLE)
        if self.query.group_by:
            return result
        empty = Compare("=", count, sc.ZERO)
        return sc.Case(((empty, sc.Const(None, sc.type_of(result))),), result)

    def _slot_name(self, aggregate: Aggregate) -> str:
        """The column that shows the sum, if there is one; else what is summed."""
        if aggregate.kind == "avg":
            return self.names.fresh("sum_" + aggregate.var.name.removeprefix("avg_"))
        shown = next((item.name for item in self.query.items if item.value == aggregate.var), "")
        return self.names.fresh(identifier(shown, aggregate.var.name + "_total"))

    def output(self, value: Scalar, key_of: dict[Scalar, Var]) -> Scalar:
        """A select item over keys and slots."""

        def rewrite(node: Scalar) -> Scalar:
            if node in key_of:
                return key_of[node]
            if isinstance(node, Var) and node in self.aggregate_values:
                return self.aggregate_values[node]
            below = sc.children(node)
            return sc.rebuild(node, tuple(map(rewrite, below))) if below else node

        return rewrite(self._scalar(value))

    def _scalar(self, value: Scalar) -> Scalar:
        return sc.substitute(value, self.renaming)

    def _var(self, var: Var) -> Var:
        root = self.renaming.get(var, var)
        assert isinstance(root, Var)
        return root


def _split_equalities(where: tuple[Scalar, ...]) -> tuple[list[tuple[Var, Var]], list[Scalar]]:
    equalities: list[tuple[Var, Var]] = []
    rest: list[Scalar] = []
    for test in where:
        match test:
            case Compare("=", Var() as left, Var() as right):
                equalities.append((left, right))
            case _:
                rest.append(test)
    return equalities, rest


def _unify(equalities: list[tuple[Var, Var]]) -> dict[Var, Var]:
    """Union-find: every variable to the first one of its class."""
    root: dict[Var, Var] = {}

    def find(var: Var) -> Var:
        while root.setdefault(var, var) != var:
            var = root[var]
        return var

    for left, right in equalities:
        root[find(right)] = find(left)
    return {var: find(var) for var in list(root)}


def _owner(part: Scalar, atoms: list[Rel]) -> int | None:
    """Which relation binds all variables of a scalar; None if it takes several."""
    needed = sc.variables(part)
    if not needed:
        return CONSTANT
    return next((i for i, atom in enumerate(atoms) if needed <= set(atom.vars)), None)


