"""What a program keeps and what an event costs, for people (text) and for machines (JSON)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from toastergen.codegen.cost import EventCost, event_costs
from toastergen.codegen.plan import Plan
from toastergen.codegen.upkeep import UNAFFECTED, EventUpkeep, ViewUpkeep, view_upkeep
from toastergen.errors import counted
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Expr, MapRef
from toastergen.frontend.m3 import BATCH, DELETE, Map, Program, Trigger, View
from toastergen.frontend.m3_text import Scope, print_expr, print_statement

_SIGNS = {"insert": "+", "delete": "-", "batch": "batch"}


def explanation(program: Program, plan: Plan) -> dict[str, Any]:
    """Maps with definitions and readers, views with their upkeep, and the cost of every event, as plain data."""
    upkeep = {item.view: item for item in view_upkeep(plan)}
    return {
        "maps": [_map(item, program, plan) for item in program.maps],
        "views": [_view(view, upkeep.get(view.name)) for view in program.views],
        "events": [_event(cost) for cost in event_costs(plan)],
    }


def explain_text(program: Program, plan: Plan) -> str:
    """The same as a page of text."""
    data = explanation(program, plan)
    lines = [f"{counted(len(data['maps']), 'map')}, {counted(len(data['views']), 'view')}", "", "MAPS"]
    for item in data["maps"]:
        lines += _map_lines(item)
    lines += ["", "VIEWS"]
    for upkeep in view_upkeep(plan):
        lines += _upkeep_lines(upkeep)
    lines += ["", "EVENTS"]
    width = max((len(_title(event)) for event in data["events"]), default=0)
    lines += [
        f"  {_title(event):{width}}  {event['cost']:8}  {event['reason']}" for event in data["events"]
    ]
    lines += ["", "TRIGGERS"]
    for event, trigger in zip(data["events"], _in_order(program, data["events"]), strict=True):
        lines += _trigger_lines(event, trigger, program)
    return "\n".join(lines) + "\n"


def titled(events: Sequence[EventUpkeep]) -> list[tuple[str, EventUpkeep]]:
    """Events that differ in nothing but their sign, under one title: ``+ - batch orders``."""
    found = []
    for _, group in groupby(events, key=lambda item: (item.relation, item.how, item.cost, item.reads, item.reason)):
        same = list(group)
        found.append((f"{' '.join(_SIGNS[item.event] for item in same)} {same[0].relation}", same[0]))
    return found


def _view(view: View, upkeep: ViewUpkeep | None) -> dict[str, Any]:
    """A hidden view has no upkeep of its own: it belongs to the views that read it."""
    data: dict[str, Any] = {"name": view.name, "map": view.map, "shape": view.shape, "hidden": view.hidden}
    if upkeep is not None:
        data |= {"maps": list(upkeep.maps), "events": [asdict(event) for event in upkeep.events]}
    return data


def _upkeep_lines(upkeep: ViewUpkeep) -> list[str]:
    events = titled([event for event in upkeep.events if event.how != UNAFFECTED])
    width = max((len(title) for title, _ in events), default=0)
    lines = [f"  {upkeep.view}: map {upkeep.map}, {counted(len(upkeep.maps) - 1, 'map')} kept for it"]
    for title, event in events:
        lines.append(f"      {title:{width}}  {event.how:12}  {event.cost:8}  {event.reason}")
        lines += [f"      {'':{width}}  reads {', '.join(event.reads)}"] if event.reads else []
    return lines


def _map(item: Map, program: Program, plan: Plan) -> dict[str, Any]:
    scope = Scope.of(program)
    stored = plan.map(item.name)
    return {
        "name": item.name,
        "keys": {key.name: str(key.type) for key in item.keys},
        "slots": {
            slot.name: {"type": str(slot.type), "definition": print_expr(slot.definition, scope)}
            for slot in item.slots
        },
        "indexes": [[stored.keys[at].name for at in positions] for positions in stored.slices],
        "answers": [view.name for view in program.views if view.map == item.name],
        "read_by": _readers(item.name, program),
    }


def _readers(name: str, program: Program) -> list[str]:
    """Which maps need this one, and on which event. Batches read what inserts read: they are left out."""
    readers: dict[str, None] = {}
    for trigger in program.triggers:
        if trigger.event in (BATCH, DELETE):
            continue
        for statement in trigger.statements:
            if name in _maps_read(statement.expr):
                readers[f"{statement.target} on {_SIGNS[trigger.event]} {trigger.relation}"] = None
    return list(readers)


def _maps_read(expr: Expr) -> Iterator[str]:
    if isinstance(expr, MapRef):
        yield expr.map
    for child in agca.children(expr):
        yield from _maps_read(child)


def _event(cost: EventCost) -> dict[str, Any]:
    return {
        "event": cost.event,
        "relation": cost.relation,
        "cost": cost.cost,
        "reason": cost.reason,
        "statements": [
            {"statements": list(part.statements), "cost": part.cost, "reason": part.reason}
            for part in cost.statements
        ],
    }


def _title(event: dict[str, Any]) -> str:
    return f"{_SIGNS[event['event']]} {event['relation']}"


def _map_lines(item: dict[str, Any]) -> list[str]:
    keys = ", ".join(f"{name}: {type_}" for name, type_ in item["keys"].items())
    lines = [f"  {item['name']}[{keys}]"]
    for name, slot in item["slots"].items():
        lines.append(f"      {name}: {slot['type']} := {slot['definition']}")
    lines += [f"      sliced by {', '.join(names)}" for names in item["indexes"]]
    if item["answers"]:
        lines.append(f"      why: it answers {', '.join(item['answers'])}")
    if item["read_by"]:
        lines.append(f"      why: read to maintain {'; '.join(item['read_by'])}")
    return lines


def _in_order(program: Program, events: list[dict[str, Any]]) -> Iterator[Trigger]:
    for event in events:
        trigger = program.trigger(event["event"], event["relation"])
        if trigger is not None:
            yield trigger


def _trigger_lines(event: dict[str, Any], trigger: Trigger, program: Program) -> list[str]:
    scope = Scope.of(program, trigger)
    lines = [f"  {_title(event)} ({', '.join(param.name for param in trigger.params)})  {event['cost']}"]
    lines += [f"      {print_statement(statement, scope)}" for statement in trigger.statements]
    return lines
