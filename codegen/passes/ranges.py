"""Range sums instead of scans.

A loop over a map that only adds up a slot of the records on one side of a threshold needs no loop: an index in the
order of the compared key, with sums of its subtrees, finds the place and the sum on one path. The condition itself asks
the keys, so any comparison will do whose answer changes only once along the order: ``key + x > y`` as well as
``key > x``. An OR of such conditions is the sum of its terms without what they have in common.

    FOR EACH m AS r { IF r.key > x { … r.slot … } }   becomes   SUM m BY key ABOVE (r.key > x) AS r { … r.slot … }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from typing import Final

from toastergen.codegen.passes.walk import nodes, own_scalars
from toastergen.codegen.plan import Block, ForEach, If, Let, MapPlan, Node, Plan, RangePlan, RangeSum, Slice, Step
from toastergen.frontend import scalar as sc
from toastergen.frontend.scalar import And, Arith, Cast, Compare, Const, Known, Not, Or, Scalar, Var
from toastergen.frontend.types import MAX_PRECISION, Type

_MOST_ALTERNATIVES: Final = 3
_RISING: Final = {">": 1, ">=": 1, "<": -1, "<=": -1}  # does `key op x` come true, or stop being true?


@dataclass(frozen=True, slots=True)
class Clause:
    """What a chain does before it updates its target: the steps, and the values that are multiplied."""

    steps: tuple[Step, ...]
    values: tuple[Scalar, ...]


def use_ranges(
    clause: Clause, keys: tuple[Scalar, ...], maps: Mapping[str, MapPlan], few: Set[str], is_list: bool = False
) -> list[Clause]:
    """The clauses that together do the same without scans, as far as that is possible. Maps of ``few`` records stay.

    Where the target lists rows (``is_list``) its groups would be about as many as the records, and dearer than these.
    """
    for at, step in enumerate(clause.steps):
        if isinstance(step, ForEach | Slice) and not _is_short_loop(step, maps[step.map], few):
            found = _Loop(clause, at, step, maps[step.map], is_list).ranged(keys)
            if found is not None:
                return [result for other in found for result in use_ranges(other, keys, maps, few, is_list)]
    return [clause]


def _is_short_loop(step: ForEach | Slice, plan: MapPlan, few: Set[str]) -> bool:
    return plan.local or plan.name in few or (isinstance(step, Slice) and plan.is_lookup(step.positions))


@dataclass(frozen=True, slots=True)
class _Loop:
    clause: Clause
    at: int
    step: ForEach | Slice
    map: MapPlan
    is_list: bool

    def ranged(self, keys: tuple[Scalar, ...]) -> list[Clause] | None:
        parted = self._parted()
        if not self._only_adds_up() or parted is None or not parted[1]:
            return None
        free, tests = parted
        by = self._compared(tests)
        groups = self._groups(keys, by)
        if by is None or groups is None:
            return None
        before = (*self.clause.steps[: self.at], *free)
        result: list[Clause] = []
        for choice, is_added in _choices(tests, self._var(by)):
            step = self._sum(by, groups, choice)
            if step is None:
                return None
            sign = () if is_added else (sc.MINUS_ONE,)
            result.append(Clause((*before, step), (*self.clause.values, *sign)))
        return result

    def _mentions(self, scalar: Scalar) -> bool:
        return any(var.name.startswith(f"{self.step.record}.") for var in sc.variables(scalar))

    def _only_adds_up(self) -> bool:
        """Is a slot of the record a factor, and nothing else of it in the product?"""
        slots = {f"{self.step.record}.{slot.name}" for slot in self.map.slots}
        factors = [value for value in self.clause.values if self._mentions(value)]
        return len(factors) == 1 and isinstance(factors[0], Var) and factors[0].name in slots

    def _groups(self, keys: tuple[Scalar, ...], by: int | None) -> tuple[int, ...] | None:
        """The keys of the record that the target is keyed by: sums are taken for every group of these; None if not.

        Groups of one record each would be no better than the records, and strings of an index are not the map's.
        """
        mentioned = [key for key in keys if self._mentions(key)]
        names = [f"{self.step.record}.{key.name}" for key in self.map.keys]
        if not all(isinstance(key, Var) and key.name in names for key in mentioned):
            return None
        places = tuple(dict.fromkeys(names.index(key.name) for key in mentioned if isinstance(key, Var)))
        if not places:
            return places
        is_text = any(self.map.keys[place].type.kind == "string" for place in places)
        is_vain = self.is_list or self.map.is_lookup(places)
        return None if by in places or is_text or is_vain or isinstance(self.step, Slice) else places

    def _parted(self) -> tuple[list[Step], list[Scalar]] | None:
        """The later steps that do not look at the record, and the tests that do; None if anything else does."""
        free: list[Step] = []
        tests: list[Scalar] = []
        for step in self.clause.steps[self.at + 1 :]:
            if not any(map(self._mentions, _scalars(step))):
                free.append(step)
            elif isinstance(step, If):
                tests += sc.conjuncts(step.test)
            else:
                return None
        return free, tests

    def _compared(self, tests: list[Scalar]) -> int | None:
        """The position of the one key that all tests look at."""
        names = [f"{self.step.record}.{key.name}" for key in self.map.keys]
        seen = {var.name for test in tests for var in sc.variables(test) if self._mentions(var)}
        return names.index(next(iter(seen))) if len(seen) == 1 and seen <= set(names) else None

    def _var(self, by: int) -> Var:
        key = self.map.keys[by]
        return Var(f"{self.step.record}.{key.name}", key.type)

    def _sum(self, by: int, groups: tuple[int, ...], tests: tuple[Scalar, ...]) -> RangeSum | None:
        given = self._var(by)
        var = replace(given, type=given.type.plain)
        # Records whose key is NULL are in no range, so within one the key is known.
        known = [sc.substitute(test, {given: var}) for test in tests]
        sides: dict[int, list[Scalar]] = {1: [], -1: []}
        for test in known:
            side = _direction(test, var)
            if side is None:
                return None
            sides[side].append(test)
        above, below = (sc.conjunction(sides[side]) if sides[side] else None for side in (1, -1))
        if groups:
            return RangeSum(self.step.map, groups, (), by, above, below, self.step.record, each=True)
        group = (self.step.positions, self.step.keys) if isinstance(self.step, Slice) else ((), ())
        return RangeSum(self.step.map, *group, by, above, below, self.step.record)


def _scalars(step: Step) -> tuple[Scalar, ...]:
    match step:
        case If(test):
            return (test,)
        case Let(_, value):
            return (value,)
        case _:
            return own_scalars(Block(step, ()))


def _choices(tests: list[Scalar], var: Var) -> list[tuple[tuple[Scalar, ...], bool]]:
    """The ways in which all tests hold, as sets to be added (True) or taken away: an OR counts what it shares twice.

    An OR that changes once along the order, as ``open OR key > x`` does, is one test.
    """
    ways: list[tuple[tuple[Scalar, ...], bool]] = [((), True)]
    for test in tests:
        is_split = isinstance(test, Or) and len(test.terms) <= _MOST_ALTERNATIVES and _direction(test, var) is None
        terms = test.terms if isinstance(test, Or) and is_split else (test,)
        parts = [
            (tuple(part for term in some for part in sc.conjuncts(term)), size % 2 == 1)
            for size in range(1, len(terms) + 1)
            for some in combinations(terms, size)
        ]
        ways = [((*left, *right), positive == odd) for left, positive in ways for right, odd in parts]
    return ways


# --- along the order --------------------------------------------------------------------------------------


def _direction(test: Scalar, var: Var) -> int | None:
    """1 if the test comes true as the variable grows, -1 if it ceases to, None if that is not certain."""
    if isinstance(test, Not):  # of a comparison with NULL: holds nowhere, as the comparison itself
        turned = _direction(test.term, var)
        return None if turned is None else -turned
    if isinstance(test, And | Or):
        found = {_direction(term, var) for term in test.terms if var in sc.variables(term)}
        return found.pop() if len(found) == 1 else None
    if not isinstance(test, Compare) or test.op not in _RISING:
        return None
    left, right = (var in sc.variables(side) for side in (test.left, test.right))
    if left == right:
        return None
    slope = _slope(test.left if left else test.right, var)
    return None if slope is None else slope * _RISING[test.op] * (1 if left else -1)


def _slope(scalar: Scalar, var: Var) -> int | None:
    """1 if the value never falls as the variable grows, -1 if it never rises. Nothing on the way can overflow."""
    match scalar:
        case Var():
            return 1 if scalar == var else None
        case Known(operand):
            return _slope(operand, var)
        case Cast(operand, type_) if _widens(sc.type_of(operand), type_):
            return _slope(operand, var)
        case Arith("+" | "-" | "*", left, right, type_) if _cannot_overflow(scalar):
            sides = [var in sc.variables(side) for side in (left, right)]
            if all(sides):
                return None
            inner = _slope(left if sides[0] else right, var)
            outer = _sign(right if sides[0] else left) if scalar.op == "*" else 1
            turned = -1 if scalar.op == "-" and sides[1] else 1
            return None if inner is None or outer is None else inner * outer * turned
        case _:
            return None


def _sign(scalar: Scalar) -> int | None:
    if isinstance(scalar, Const) and isinstance(scalar.value, int | float | Decimal) and scalar.value:
        return 1 if scalar.value > 0 else -1
    return None


def _widens(source: Type, target: Type) -> bool:
    match source.kind, target.kind:
        case ("int", "long") | ("int" | "long" | "decimal", "double"):
            return True
        case ("int" | "long" | "decimal", "decimal"):
            digits = {"int": 10, "long": 19}.get(source.kind, source.precision - source.scale)
            return target.precision - target.scale >= digits and target.scale >= source.scale
        case _:
            return False


def _cannot_overflow(scalar: Arith) -> bool:
    """Doubles do not; decimals do not while their type has room for the result; integers if they come from 32 bits."""
    match scalar.type.kind:
        case "double":
            return True
        case "decimal":
            return scalar.type.precision < MAX_PRECISION
        case "long":
            return all(map(_is_short, (scalar.left, scalar.right)))
        case _:
            return False


def _is_short(scalar: Scalar) -> bool:
    match scalar:
        case Cast(operand, _):
            return sc.type_of(operand).kind == "int"
        case Const(value=int() as value):
            return abs(value) < 2**31
        case _:
            return False


# --- which indexes that takes -----------------------------------------------------------------------------


def choose_ranges(plan: Plan) -> Plan:
    """Access-pattern analysis: one index per group and order that sums are asked for by, over the slots read there."""
    wanted: dict[str, dict[tuple[tuple[int, ...], int], dict[str, None]]] = {}
    for step, slots in (found for function in plan.functions for found in _range_sums(function.body)):
        known = wanted.setdefault(step.map, {}).setdefault((step.positions, step.by), {})
        known.update(dict.fromkeys(slots))
    maps = tuple(_with_ranges(item, wanted.get(item.name, {})) for item in plan.maps)
    return replace(plan, maps=maps)


def _with_ranges(item: MapPlan, wanted: Mapping[tuple[tuple[int, ...], int], Mapping[str, None]]) -> MapPlan:
    ranges = tuple(
        RangePlan(positions, by, tuple(slot.name for slot in item.slots if slot.name in names))
        for (positions, by), names in wanted.items()
    )
    return replace(item, ranges=ranges)


def _range_sums(body: tuple[Node, ...]) -> Iterator[tuple[RangeSum, set[str]]]:
    for node in nodes(body):
        if isinstance(node, Block) and isinstance(node.step, RangeSum):
            prefix = f"{node.step.record}."
            scalars = [scalar for inner in nodes(node.body) for scalar in own_scalars(inner)]
            names = {var.name for scalar in scalars for var in sc.variables(scalar)}
            yield node.step, {name.removeprefix(prefix) for name in names if name.startswith(prefix)}
