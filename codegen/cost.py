"""What an event costs, read off the plan: which loops it runs over stored state, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toastergen.codegen.passes.walk import nodes
from toastergen.codegen.plan import (
    READS,
    Block,
    Clear,
    DerivedPlan,
    ForEach,
    Function,
    Node,
    Plan,
    RangeSum,
    Slice,
    Step,
    Total,
    Update,
)
from toastergen.frontend.m3 import BATCH

O_1: Final = "O(1)"
O_LOG: Final = "O(log n)"
O_SLICE: Final = "O(slice)"
O_GROUPS: Final = "O(groups)"
O_PARTITION: Final = "O(partition)"
O_MAP: Final = "O(map)"
_ORDER: Final = (O_1, O_LOG, O_SLICE, O_GROUPS, O_PARTITION, O_MAP)


@dataclass(frozen=True, slots=True)
class StatementCost:
    """The M3 statements of one block, their class, and the reason for it."""

    statements: tuple[str, ...]
    cost: str
    reason: str


@dataclass(frozen=True, slots=True)
class EventCost:
    """The class of a whole event is that of its dearest block, or of the dearest event of a derived relation that it
    sets off. For batches it is meant per row."""

    event: str
    relation: str
    cost: str
    reason: str
    statements: tuple[StatementCost, ...]


@dataclass(frozen=True, slots=True)
class Write:
    """One update of a stored map, and the steps on the way to it. ``anew``: the map was emptied first.

    ``relation`` is the one whose trigger writes: a derived relation where an event has set that trigger off.
    """

    relation: str
    map: str
    path: tuple[Step, ...]
    anew: bool

    @property
    def reads(self) -> tuple[str, ...]:
        """The maps read on the way, local ones included."""
        return tuple(dict.fromkeys(step.map for step in self.path if isinstance(step, READS)))


@dataclass(frozen=True, slots=True)
class Survey:
    """A plan with what has to be known of all of it: who writes what, and which maps live for one batch or stay small.

    ``writes`` stand in the order of the plan's functions.
    """

    plan: Plan
    writes: tuple[tuple[Write, ...], ...]
    local: frozenset[str]
    small: frozenset[str]


def survey(plan: Plan) -> Survey:
    local = frozenset(item.name for item in plan.maps if item.local)
    writes = tuple(tuple(_writes(function, local)) for function in plan.functions)
    return Survey(plan, writes, local, _small_maps(plan, writes))


def event_costs(plan: Plan) -> tuple[EventCost, ...]:
    known = survey(plan)
    return tuple(_event(known, function) for function in plan.functions)


def dearest(costs: Sequence[str]) -> str:
    return max(costs, key=_ORDER.index, default=O_1)


def _event(known: Survey, function: Function) -> EventCost:
    blocks = tuple(_statement(known, node) for node in function.body if isinstance(node, Block | Total | Update))
    costs = [(block.cost, block.reason) for block in blocks]
    costs += [cost_of_write(known, function, write) for write in writes_of_event(known, function)]
    cost, reason = max(costs, key=lambda item: _ORDER.index(item[0]), default=(O_1, "nothing to do"))
    return EventCost(function.event, function.relation, cost, reason, blocks)


def _statement(known: Survey, node: Block | Total | Update) -> StatementCost:
    cost, reason = cost_of(known, tuple(_steps((node,))))
    return StatementCost(node.source, cost, reason)


def _steps(body: tuple[Node, ...]) -> Iterator[Step]:
    return (inner.step for inner in nodes(body) if isinstance(inner, Block))


def cost_of_write(
    known: Survey, function: Function, write: Write, derived: frozenset[str] | None = None
) -> tuple[str, str]:
    """Class and reason of a write of an event; it may follow from the change of a derived relation.

    Which row of a group is the first or the last is read off an ordered index, which every new value enters; windows
    are computed anew for the partition. Only the relations in ``derived`` count, if they are given.
    """
    cost, reason = cost_of(known, write.path)
    ends = [
        f"the {item.end} of {item.relation}"
        for item in known.plan.derived
        if item.end and item.map == write.map and (derived is None or item.relation in derived)
    ]
    if ends and cost == O_1:
        cost, reason = O_LOG, f"keeps an ordered index to find {', '.join(ends)}"
    for window in _window_costs(known, write, derived):
        cost, reason = max((cost, reason), window, key=lambda item: _ORDER.index(item[0]))
    if write.relation == function.relation:
        return cost, reason
    return cost, f"a change of {write.relation} {'needs ' if cost == O_1 else ''}{reason}"


def _window_costs(known: Survey, write: Write, derived: frozenset[str] | None) -> Iterator[tuple[str, str]]:
    """What it takes to find out which rows of the windows over a map are not what they were."""
    for item in known.plan.derived:
        if item.window is None or item.map != write.map or item.map in known.small:
            continue
        if derived is not None and item.relation not in derived:
            continue
        keys = ", ".join(item.window.window.partition)
        begin = "from the first row that can differ"
        if keys:
            yield O_PARTITION, f"re-evaluates the partition of {item.relation} by {keys}, {begin}"
        else:
            yield O_MAP, f"re-evaluates {item.relation} {begin}: it has no PARTITION BY"


def cost_of(known: Survey, path: Sequence[Step]) -> tuple[str, str]:
    """The class of what stands behind these steps, and the reason for it."""
    scanned, sliced, few = _loops(known, path)
    if scanned:
        return O_MAP, f"scans all of {', '.join(scanned)}: no column of it is known from the event"
    grouped = [step for step in path if isinstance(step, RangeSum) and step.each]
    if grouped:
        keys = known.plan.map(grouped[0].map).keys
        names = ", ".join(keys[position].name for position in grouped[0].positions)
        return O_GROUPS, f"finds a place in the order of {grouped[0].map} for every group by {names}"
    if sliced:
        return O_SLICE, f"visits the matching records of {', '.join(sliced)}"
    ordered = _orders(known, path)
    if ordered:
        return O_LOG, f"finds its place in the order of {', '.join(ordered)}"
    if few:
        return O_1, f"only lookups, and one record at most of {', '.join(few)}"
    return O_1, "only lookups by whole keys"


def _orders(known: Survey, path: Sequence[Step]) -> list[str]:
    steps = [step for step in path if isinstance(step, RangeSum)]
    return list(dict.fromkeys(f"{step.map} by {known.plan.map(step.map).keys[step.by].name}" for step in steps))


def _loops(known: Survey, path: Sequence[Step]) -> tuple[list[str], list[str], list[str]]:
    scanned: dict[str, None] = {}
    sliced: dict[str, None] = {}
    few: dict[str, None] = {}
    for step in path:
        if not isinstance(step, ForEach | Slice) or step.map in known.local:
            continue
        if step.map in known.small or (isinstance(step, Slice) and known.plan.map(step.map).is_lookup(step.positions)):
            few[step.map] = None
        elif isinstance(step, ForEach):
            scanned[step.map] = None
        else:
            keys = known.plan.map(step.map).keys
            sliced[f"{step.map} by {', '.join(keys[p].name for p in step.positions)}"] = None
    return list(scanned), list(sliced), list(few)


# -- what is written -----------------------------------------------------------------------------------------


def writes_of_event(known: Survey, function: Function) -> tuple[Write, ...]:
    """What an event writes, itself and through the derived relations that it changes, in the order of events."""
    derived = known.plan.derived
    by_function = tuple(zip(known.plan.functions, known.writes, strict=True))
    found = [write for other, writes in by_function if other is function for write in writes]
    if function.relation in {item.relation for item in derived}:
        return tuple(found)  # the event that set it off carries the change on
    changed = {write.map for write in found}
    for relation in dict.fromkeys(item.relation for item in derived):
        if changed.isdisjoint(item.map for item in derived if item.relation == relation):
            continue
        for other, writes in by_function:
            if other.relation == relation and other.event != BATCH:
                found += writes
        changed |= {write.map for write in found}
    return tuple(found)


def _writes(function: Function, local: frozenset[str]) -> Iterator[Write]:
    """The updates of stored maps that stand in a trigger itself. What fills a local is a step of what reads it."""
    cleared = {node.map for node in function.body if isinstance(node, Clear)}
    fills: dict[str, tuple[Step, ...]] = {}
    for name, path in _updates(function.body, ()):
        read = [step.map for step in path if isinstance(step, READS)]
        path = (*(step for item in dict.fromkeys(read) for step in fills.get(item, ())), *path)
        if name in local:
            fills[name] = (*fills.get(name, ()), *path)
        else:
            yield Write(function.relation, name, path, name in cleared)


def _updates(body: tuple[Node, ...], path: tuple[Step, ...]) -> Iterator[tuple[str, tuple[Step, ...]]]:
    for node in body:
        match node:
            case Block():
                yield from _updates(node.body, (*path, node.step))
            case Total():
                yield node.update.map, (*path, *_steps(node.body))
            case Update():
                yield node.map, path


def _small_maps(plan: Plan, writes: tuple[tuple[Write, ...], ...]) -> frozenset[str]:
    """Maps that cannot grow: those without keys, and those of the rows of queries that have one row.

    The first or last of all values, where there are no groups, is one row as well.
    """
    small = {item.name for item in plan.maps if not item.keys and not item.local}
    writers: dict[str, set[str]] = {}
    for write in (write for group in writes for write in group):
        writers.setdefault(write.map, set()).add(write.relation)
    while True:
        fixed = {item.relation for item in plan.derived}
        fixed -= {item.relation for item in plan.derived if item.map not in small and not _holds_few_rows(item)}
        more = {name for name, relations in writers.items() if relations <= fixed} - small
        if not more:
            return frozenset(small)
        small |= more


def _holds_few_rows(item: DerivedPlan) -> bool:
    """One end of everything, or intervals: one while no weight is negative."""
    return (bool(item.end) and len(item.values) == 1) or item.crossing is not None
