"""One clause of a statement as a chain of steps that ends in one addition to one slot.

Factors are followed from left to right: a map whose keys are all bound is found, one with some bound is sliced, one
with none is scanned; a delta is a loop over the rows of the batch. Sums need no intermediate result: everything a
clause produces is added to the target, and addition does not care how it was grouped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import reduce
from itertools import product as cross

from toastergen.codegen.passes.ranges import Clause, use_ranges
from toastergen.codegen.plan import (
    LOOPS,
    WEIGHT,
    DoubleWord,
    Field,
    Find,
    ForEach,
    If,
    Let,
    Look,
    MapPlan,
    Payload,
    Rows,
    Slice,
    Step,
)
from toastergen.errors import M3Error
from toastergen.frontend import m3
from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Add, AggSum, Cond, Delta, Exists, Expr, Lift, MapRef, Product, Value
from toastergen.frontend.fold import fold
from toastergen.frontend.m3_text import print_statement
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Const, Scalar, Var
from toastergen.frontend.types import LONG, Type


@dataclass(frozen=True, slots=True)
class Chain:
    """``total_at`` is the step before which the target is known: loops from there on only add up."""

    steps: tuple[Step, ...]
    target: str
    keys: tuple[Scalar, ...]
    slot: Field
    value: Payload
    total_at: int | None
    source: str


def statement_chains(
    statement: m3.Statement,
    trigger: m3.Trigger,
    params: tuple[Var, ...],
    maps: Mapping[str, MapPlan],
    few: Set[str] = frozenset(),
    lists: Set[str] = frozenset(),
) -> list[Chain]:
    """``few`` names the maps that hold a record or two: a scan of those is as good as a lookup. ``lists`` names those
    that hold the rows of plain selections."""
    known = frozenset() if trigger.event == m3.BATCH else frozenset(params)
    chains = [
        chain
        for factors in _clauses(statement.expr, known, frozenset(key.name for key in statement.keys))
        for chain in _Walk(trigger, params, maps).run(statement, factors, few, statement.target in lists)
    ]
    return [chain for chain in chains if If(sc.FALSE) not in chain.steps]


def _clauses(expr: Expr, bound: frozenset[Var], taken: frozenset[str]) -> list[tuple[Expr, ...]]:
    """Distribute sums over products and dissolve aggregates.

    An aggregate hides the variables it binds itself, so those are kept apart from the names ``taken`` around it; the
    variables ``bound`` to its left are not its own.
    """
    match expr:
        case Add():
            return [clause for term in expr.terms for clause in _clauses(term, bound, taken)]
        case Product():
            parts = []
            for index, term in enumerate(expr.terms):
                left = frozenset(var for other in expr.terms[:index] for var in agca.outputs(other))
                parts.append(_clauses(term, bound | left, taken | _names_beside(expr.terms, index)))
            return [tuple(factor for part in choice for factor in part) for choice in cross(*parts)]
        case AggSum():
            hidden = [var for var in agca.outputs(expr.body) if var not in expr.keys and var not in bound]
            names = Names({*taken, *(var.name for var in (*bound, *expr.keys))})
            renaming = {var: Var(names.fresh(var.name), var.type) for var in hidden}
            return _clauses(agca.rename(expr.body, renaming), bound, taken)
        case _:
            if agca.is_zero(expr):
                return []
            return [()] if agca.is_one(expr) else [(expr,)]


def _names_beside(terms: tuple[Expr, ...], index: int) -> frozenset[str]:
    others = terms[:index] + terms[index + 1 :]
    return frozenset(var.name for other in others for var in (*agca.outputs(other), *agca.inputs(other)))


@dataclass
class _Walk:
    """Follows the factors of one clause; ``env`` says what every bound variable is in the plan."""

    trigger: m3.Trigger
    params: tuple[Var, ...]
    maps: Mapping[str, MapPlan]
    env: dict[Var, Scalar] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    values: list[Scalar] = field(default_factory=list)
    slots: set[Scalar] = field(default_factory=set)  # those values that are payloads of records
    names: Names = field(init=False)

    def __post_init__(self) -> None:
        self.names = Names([param.name for param in self.params])
        if self.trigger.event != m3.BATCH:
            self.env = {param: param for param in self.params}

    def run(
        self, statement: m3.Statement, factors: tuple[Expr, ...], few: Set[str], is_list: bool
    ) -> list[Chain]:
        for factor in factors:
            self._follow(factor)
        keys = tuple(self._plan(key) for key in statement.keys)
        whole = Clause(tuple(self.steps), tuple(self.values))
        return [self._chain(statement, keys, clause) for clause in use_ranges(whole, keys, self.maps, few, is_list)]

    def _chain(self, statement: m3.Statement, keys: tuple[Scalar, ...], clause: Clause) -> Chain:
        target = self.maps[statement.target]
        slot = next(item for item in target.slots if item.name == statement.slot)
        value = _payload(clause.values, self.slots, slot.type)
        total_at = _total_at(clause.steps, keys)
        return Chain(clause.steps, target.name, keys, slot, value, total_at, print_statement(statement))

    def _follow(self, factor: Expr) -> None:
        match factor:
            case Value():
                self.values.append(self._plan(factor.scalar))
            case Cond():
                self._guard(self._plan(factor.test))
            case Lift(var, Value(scalar)):
                self._lift(var, self._plan(scalar))
            case Lift():
                self._lift_expr(factor)
            case Exists(MapRef() as ref):
                self._present(ref)
            case Exists():
                raise M3Error(
                    f"a statement of the trigger of {self.trigger.relation} asks whether a sum is there",
                    hint="keep the sum in a map, and ask for that: Exists(M[][x])",
                )
            case MapRef():
                self._map(factor)
            case Delta() if self.trigger.event == m3.BATCH and factor.name == self.trigger.relation:
                self._rows(factor)
            case _:
                raise M3Error(
                    f"a statement of the trigger of {self.trigger.relation} reads {type(factor).__name__} "
                    f"{getattr(factor, 'name', '')}, which no engine stores",
                    hint="read a map instead, and the delta only in a batch trigger of its relation",
                )

    def _lift(self, var: Var, value: Scalar) -> None:
        if var in self.env:
            self._guard(_same(self.env[var], value))
        elif isinstance(value, Var | Const):
            self.env[var] = value
        else:
            local = Var(self.names.fresh(var.name), var.type)
            self.steps.append(Let(local, value))
            self.env[var] = local

    def _lift_expr(self, lift: Lift) -> None:
        """The payload of an expression as a value. One that binds variables gives a value for each of its records."""
        if isinstance(lift.body, MapRef) and not all(key in self.env for key in lift.body.keys):
            self._lift(lift.var, self._present(lift.body))
        else:
            self._lift(lift.var, self._plan(sc.cast(self._payload_of(lift.body), lift.var.type)))

    def _present(self, ref: MapRef) -> Scalar:
        """Follow the records of a map whose payload is not zero, which then counts for one."""
        self._map(ref)
        slot = self.values.pop()
        self.slots.discard(slot)
        self._guard(self._plan(sc.compare("<>", slot, sc.ZERO)))
        return slot

    def _payload_of(self, expr: Expr) -> Scalar:
        """The payload of an expression all of whose variables are bound: no loop is needed to know it."""
        match expr:
            case Value():
                return self._plan(expr.scalar)
            case Cond():
                return sc.case([(self._plan(expr.test), sc.ONE)], sc.ZERO)
            case MapRef() if all(key in self.env for key in expr.keys):
                return self._look(expr)
            case Product():
                return _folded("*", [self._payload_of(term) for term in expr.terms]) or sc.ONE
            case Add():
                return _folded("+", [self._payload_of(term) for term in expr.terms]) or sc.ZERO
            case AggSum() if all(var in self.env for var in agca.outputs(expr.body)):
                return self._payload_of(expr.body)
            case _:
                raise M3Error(
                    f"a statement of the trigger of {self.trigger.relation} adds up inside a lift",
                    hint="keep the sum in a map, and lift that",
                )

    def _look(self, ref: MapRef) -> Scalar:
        plan = self.maps[ref.map]
        record = self.names.fresh(plan.name.partition("_by_")[0] or plan.name)
        slot = next(item for item in plan.slots if item.name == ref.slot)
        found = Var(self.names.fresh(f"{slot.name}_of_{record}"), slot.type)
        keys = tuple(self.env[key] for key in ref.keys)
        self.steps.append(Look(plan.name, keys, record, Var(f"{record}.{slot.name}", slot.type), found))
        return found

    def _map(self, ref: MapRef) -> None:
        plan = self.maps[ref.map]
        # The relations it joins: shorter than its whole name, and within one chain clear enough.
        record = self.names.fresh(plan.name.partition("_by_")[0] or plan.name)
        bound = tuple(index for index, key in enumerate(ref.keys) if key in self.env)
        keys = tuple(self.env[ref.keys[index]] for index in bound)
        if len(bound) == len(ref.keys):
            self.steps.append(Find(plan.name, keys, record))
        elif bound:
            self.steps.append(Slice(plan.name, bound, keys, record))
        else:
            self.steps.append(ForEach(plan.name, record))
        self._bind(ref.keys, [f"{record}.{item.name}" for item in plan.keys], skip=bound)
        slot = next(item for item in plan.slots if item.name == ref.slot)
        self.values.append(Var(f"{record}.{slot.name}", slot.type))
        self.slots.add(self.values[-1])

    def _rows(self, delta: Delta) -> None:
        record = self.names.fresh("at")
        self.steps.append(Rows(record, delta.name))
        self._bind(delta.vars, [f"{record}.{param.name}" for param in self.params])
        self.values.append(Var(f"{record}.{WEIGHT}", LONG))

    def _bind(self, variables: tuple[Var, ...], places: list[str], skip: tuple[int, ...] = ()) -> None:
        for index, (var, place) in enumerate(zip(variables, places, strict=True)):
            if index in skip:
                continue
            here = Var(place, var.type)
            if var in self.env:
                self._guard(_same(self.env[var], here))
            else:
                self.env[var] = here

    def _guard(self, test: Scalar) -> None:
        if test != sc.TRUE:
            self.steps.append(If(test))

    def _plan(self, scalar: Scalar) -> Scalar:
        """Two variables may be one thing in the plan; comparing it with itself would be a compiler warning."""
        return fold(sc.substitute(scalar, self.env))


def _folded(op: str, operands: list[Scalar]) -> Scalar | None:
    return reduce(lambda left, right: sc.arith(op, left, right), operands) if operands else None


def _same(left: Scalar, right: Scalar) -> Scalar:
    """As keys are equal: NULL is one key."""
    return fold(sc.Compare("IS", left, right))


def _payload(values: Sequence[Scalar], slots: Set[Scalar], type_: Type) -> Payload:
    """The product of all payloads as a value of the target's type; constants ±1 vanish or become a sign."""
    negative = values.count(sc.MINUS_ONE) % 2 == 1
    rest = [value for value in values if value not in (sc.ONE, sc.MINUS_ONE)]
    exact = [value for value in rest if sc.type_of(value).is_exact]
    floating = [value for value in rest if not sc.type_of(value).is_exact]
    if not floating:
        return sc.cast(_signed(_multiply(exact), negative), type_)
    factors = (*([_multiply(exact)] if exact else []), *floating)
    if len(factors) == 1 and factors[0] not in slots:
        return _signed(factors[0], negative)  # one word already
    return DoubleWord(factors, negative)


def _signed(value: Scalar, negative: bool) -> Scalar:
    if negative:
        return sc.MINUS_ONE if value == sc.ONE else sc.negate(value)
    return value


def _multiply(factors: list[Scalar]) -> Scalar:
    """The product of exact numbers."""
    # Integers first: they stay one machine word wide until a decimal joins in.
    ordered = sorted(factors, key=lambda value: ("int", "long", "decimal").index(sc.type_of(value).kind))
    return reduce(lambda left, right: sc.arith("*", left, right), ordered) if ordered else sc.ONE


def _total_at(steps: Sequence[Step], keys: tuple[Scalar, ...]) -> int | None:
    """The first loop after the last step that any key of the target depends on."""
    needed = {var.name.split(".")[0] for key in keys for var in sc.variables(key)}
    last = -1
    for index, step in enumerate(steps):
        name = step.var.name if isinstance(step, Let | Look) else getattr(step, "record", None)
        if name in needed:
            last = index
            needed |= {var.name.split(".")[0] for scalar in _sources(step) for var in sc.variables(scalar)}
    return next((i for i, step in enumerate(steps) if i > last and isinstance(step, LOOPS)), None)


def _sources(step: Step) -> tuple[Scalar, ...]:
    """What the variable of a step is computed from."""
    match step:
        case Let():
            return (step.value,)
        case Look():
            return step.keys
        case _:
            return ()
