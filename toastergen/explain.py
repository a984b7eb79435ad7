"""What a program keeps and what an event costs, as plain data for machines; ``explain_text`` makes a page of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any, Final

from toastergen.codegen.cost import EventCost, event_costs
from toastergen.codegen.plan import Plan
from toastergen.codegen.upkeep import EventUpkeep, ViewUpkeep, view_upkeep
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Expr, MapRef
from toastergen.frontend.m3 import BATCH, DELETE, Map, Program, View
from toastergen.frontend.m3_text import Scope, print_expr

SIGNS: Final = {"insert": "+", "delete": "-", "batch": "batch"}


def explanation(program: Program, plan: Plan) -> dict[str, Any]:
    """Maps with definitions and readers, views with their upkeep, and the cost of every event, as plain data."""
    upkeep = {item.view: item for item in view_upkeep(plan)}
    return {
        "maps": [_map(item, program, plan) for item in program.maps],
        "views": [_view(view, upkeep.get(view.name)) for view in program.views],
        "events": [_event(cost) for cost in event_costs(plan)],
        "ledgers": [{"relation": item.relation, "kind": item.kind, "keeps": item.reason} for item in plan.ledgers],
    }


def titled(events: Sequence[EventUpkeep]) -> list[tuple[str, EventUpkeep]]:
    """Events that differ in nothing but their sign, under one title: ``+ - batch orders``."""
    found = []
    for _, group in groupby(events, key=lambda item: (item.relation, item.how, item.cost, item.reads, item.reason)):
        same = list(group)
        found.append((f"{signs_of(item.event for item in same)} {same[0].relation}", same[0]))
    return found


def titled_costs(costs: Sequence[EventCost]) -> list[tuple[str, EventCost]]:
    """The same for whole events."""
    found = []
    for _, group in groupby(costs, key=lambda item: (item.relation, item.cost, item.reason)):
        same = list(group)
        found.append((f"{signs_of(item.event for item in same)} {same[0].relation}", same[0]))
    return found


def signs_of(events: Iterator[str]) -> str:
    return " ".join(SIGNS[event] for event in events)


def readers(name: str, program: Program) -> list[str]:
    """Which maps need this one, and on which event. Batches read what inserts read: they are left out."""
    found: dict[str, None] = {}
    for trigger in program.triggers:
        if trigger.event in (BATCH, DELETE):
            continue
        for statement in trigger.statements:
            if name in maps_read(statement.expr):
                found[f"{statement.target} on {SIGNS[trigger.event]} {trigger.relation}"] = None
    return list(found)


def maps_read(expr: Expr) -> Iterator[str]:
    if isinstance(expr, MapRef):
        yield expr.map
    for child in agca.children(expr):
        yield from maps_read(child)


def answers(name: str, program: Program) -> list[str]:
    return [view.name for view in program.views if view.map == name and not view.hidden]


def feeds(name: str, program: Program) -> list[str]:
    """The derived relations that hold rows of this map."""
    views = {view.name for view in program.views if view.map == name}
    return [relation.name for relation in program.derived() if not views.isdisjoint(relation.queries)]


def _map(item: Map, program: Program, plan: Plan) -> dict[str, Any]:
    scope = Scope.of(program)
    stored = plan.map(item.name)
    return {
        "name": item.name,
        "keys": {key.name: str(key.type) for key in item.keys},
        "slots": {
            slot.name: {"type": str(slot.type), "definition": print_expr(slot.definition, scope)} for slot in item.slots
        },
        "indexes": [[stored.keys[at].name for at in positions] for positions in stored.slices],
        "answers": answers(item.name, program),
        "feeds": feeds(item.name, program),
        "read_by": readers(item.name, program),
    }


def _view(view: View, upkeep: ViewUpkeep | None) -> dict[str, Any]:
    """A hidden view has no upkeep of its own: it belongs to the views that read it."""
    data: dict[str, Any] = {"name": view.name, "map": view.map, "shape": view.shape, "hidden": view.hidden}
    if upkeep is not None:
        data |= {"maps": list(upkeep.maps), "events": [asdict(event) for event in upkeep.events]}
    return data


def _event(cost: EventCost) -> dict[str, Any]:
    return {
        "event": cost.event,
        "relation": cost.relation,
        "cost": cost.cost,
        "reason": cost.reason,
        "statements": [
            {"statements": list(part.statements), "cost": part.cost, "reason": part.reason} for part in cost.statements
        ],
    }
