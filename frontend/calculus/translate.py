"""Resolved SQL to the calculus.

Equality of two columns becomes one shared variable (NULL kept out by a condition), equality of expressions over
different relations a shared lifted key, every other conjunct a condition. Values are expanded into sums of products
wherever a factor would otherwise tie two relations together: only then can each relation be aggregated on its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus import agca, presence
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
from toastergen.frontend.types import DOUBLE, LONG, Type, sum_type

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
        joined = [left for op, left, _ in equalities if op == "=" and left.type.nullable]
        rest += [sc.Not(sc.IsNull(var)) for var in joined]
        atoms = [Rel(item.relation, tuple(map(self._var, item.vars))) for item in self.query.inputs]
        self.factors += atoms
        for conjunct in dict.fromkeys(fold(self._scalar(conjunct)) for conjunct in rest):
            self.factors += self._conjunct(conjunct, atoms)

    def _conjunct(self, test: Scalar, atoms: list[Rel]) -> tuple[Factor, ...]:
        """An equality between expressions of two relations joins on a lifted key, so both sides get indexed."""
        if isinstance(test, Compare) and test.op in ("=", "IS"):
            sides = {_owner(side, atoms) for side in (test.left, test.right)}
            if len(sides) == 2 and not sides & {None, CONSTANT}:
                return self._joined(test)
        return (Cond(test),)

    def _joined(self, test: Compare) -> tuple[Factor, ...]:
        """NULL equals nothing: it is kept out, and the key is what is left. To IS it is a value like any other."""
        nullable = [side for side in (test.left, test.right) if sc.is_nullable(side)]
        if test.op == "IS" and len(nullable) == 2:
            return self._key_join(test.left, test.right)
        kept_out = tuple(Cond(sc.Not(sc.IsNull(side))) for side in nullable)
        return (*kept_out, *self._key_join(sc.known(test.left), sc.known(test.right)))

    def _key_join(self, left: Scalar, right: Scalar) -> tuple[Factor, ...]:
        if isinstance(right, Var):
            left, right = right, left
        if isinstance(left, Var):
            return (Lift(left, Value(right)),)
        key = Var(self.names.fresh("join_key"), sc.column_type(left))
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
        key = Var(self.names.fresh(identifier(names[0] if names else "", "key")), sc.column_type(expression))
        self.factors.append(Lift(key, Value(expression)))
        return key

    def slots(self) -> tuple[ViewSlot, ...]:
        """The multiplicity, and one sum for every different argument; one count for every argument that can be NULL."""
        found = {MULTIPLICITY: ViewSlot(COUNT, LONG, MULTIPLICITY)}
        for aggregate in self.query.aggregates:
            self.aggregate_values[aggregate.var] = self._aggregate(aggregate, found)
        return tuple(found.values())

    def _aggregate(self, aggregate: Aggregate, found: dict[Polynomial, ViewSlot]) -> Scalar:
        argument = None if aggregate.argument is None else fold(self._scalar(aggregate.argument))
        count = self._count(aggregate, argument, found)
        if aggregate.kind == "count" or argument is None:
            return count
        total = self._slot(self._sum(argument), sum_type(sc.type_of(argument)), aggregate, found)
        result: Scalar = total
        if aggregate.kind == "avg":
            result = sc.Arith("/!", sc.cast(total, DOUBLE), sc.cast(count, DOUBLE), DOUBLE)
        if self.query.group_by and not sc.is_nullable(argument):
            return result
        empty = Compare("=", count, sc.ZERO)
        return sc.Case(((empty, sc.Const(None, sc.type_of(result))),), result)

    def _count(self, aggregate: Aggregate, argument: Scalar | None, found: dict[Polynomial, ViewSlot]) -> Var:
        """How many rows have the argument: all of them, unless it can be NULL."""
        if argument is None or not sc.is_nullable(argument):
            return Var(COUNT, LONG)
        counting = replace(aggregate, kind="count")
        return self._slot((presence.indicators(argument),), LONG, counting, found)

    def _sum(self, argument: Scalar) -> Polynomial:
        atoms = [factor for factor in self.factors if isinstance(factor, Rel)]
        terms = expand(presence.filled(argument), lambda part: _owner(part, atoms) is not None)
        if argument in presence.leaves(argument):
            return terms  # filled with 0, it adds nothing where it is NULL
        return tuple((*term, *presence.indicators(argument)) for term in terms)

    def _slot(
        self, polynomial: Polynomial, type_: Type, aggregate: Aggregate, found: dict[Polynomial, ViewSlot]
    ) -> Var:
        if polynomial not in found:
            found[polynomial] = ViewSlot(self._slot_name(aggregate), type_, polynomial)
        return Var(found[polynomial].name, found[polynomial].type)

    def _slot_name(self, aggregate: Aggregate) -> str:
        """The column that shows the sum, if there is one; else what is summed."""
        if aggregate.kind == "count":
            return self.names.fresh("count_" + aggregate.var.name.partition("_")[2])
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


def _split_equalities(where: tuple[Scalar, ...]) -> tuple[list[tuple[str, Var, Var]], list[Scalar]]:
    """One variable for two columns takes one type: where only one of them can be NULL, the key is lifted."""
    equalities: list[tuple[str, Var, Var]] = []
    rest: list[Scalar] = []
    for test in where:
        match test:
            case Compare("=" | "IS" as op, Var() as left, Var() as right) if left.type == right.type:
                equalities.append((op, left, right))
            case _:
                rest.append(test)
    return equalities, rest


def _unify(equalities: list[tuple[str, Var, Var]]) -> dict[Var, Var]:
    """Union-find: every variable to the first one of its class."""
    root: dict[Var, Var] = {}

    def find(var: Var) -> Var:
        while root.setdefault(var, var) != var:
            var = root[var]
        return var

    for _, left, right in equalities:
        root[find(right)] = find(left)
    return {var: find(var) for var in list(root)}


def _owner(part: Scalar, atoms: list[Rel]) -> int | None:
    """Which relation binds all variables of a scalar; None if it takes several."""
    needed = sc.variables(part)
    if not needed:
        return CONSTANT
    return next((i for i, atom in enumerate(atoms) if needed <= set(atom.vars)), None)


