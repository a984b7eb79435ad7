"""What an event costs, read off the plan: which loops it runs over stored state, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toastergen.codegen.passes.walk import nodes
from toastergen.codegen.plan import Block, ForEach, Function, Node, Plan, Slice, Total, Update

O_1: Final = "O(1)"
O_SLICE: Final = "O(slice)"
O_MAP: Final = "O(map)"
_ORDER: Final = (O_1, O_SLICE, O_MAP)


@dataclass(frozen=True, slots=True)
class StatementCost:
    """The M3 statements of one block, their class, and the reason for it."""

    statements: tuple[str, ...]
    cost: str
    reason: str


@dataclass(frozen=True, slots=True)
class EventCost:
    """The class of a whole event is that of its dearest block. For batches it is meant per row."""

    event: str
    relation: str
    cost: str
    reason: str
    statements: tuple[StatementCost, ...]


def event_costs(plan: Plan) -> tuple[EventCost, ...]:
    return tuple(_event(plan, function) for function in plan.functions)


def _event(plan: Plan, function: Function) -> EventCost:
    blocks = tuple(
        _statement(plan, node) for node in function.body if isinstance(node, Block | Total | Update)
    )
    dearest = max(blocks, key=lambda block: _ORDER.index(block.cost), default=None)
    if dearest is None:
        return EventCost(function.event, function.relation, O_1, "nothing to do", ())
    return EventCost(function.event, function.relation, dearest.cost, dearest.reason, blocks)


def _statement(plan: Plan, node: Block | Total | Update) -> StatementCost:
    scanned, sliced = _loops(plan, node)
    if scanned:
        cost, reason = O_MAP, f"scans all of {', '.join(scanned)}: no column of it is known from the event"
    elif sliced:
        cost, reason = O_SLICE, f"visits the matching records of {', '.join(sliced)}"
    else:
        cost, reason = O_1, "only lookups by whole keys"
    return StatementCost(node.source, cost, reason)


def _loops(plan: Plan, node: Node) -> tuple[list[str], list[str]]:
    scanned: dict[str, None] = {}
    sliced: dict[str, None] = {}
    for inner in nodes((node,)):
        match inner:
            case Block(step=ForEach() as step) if not plan.map(step.map).local:
                scanned[step.map] = None
            case Block(step=Slice() as step) if not plan.map(step.map).local:
                keys = plan.map(step.map).keys
                sliced[f"{step.map} by {', '.join(keys[p].name for p in step.positions)}"] = None
    return list(scanned), list(sliced)
