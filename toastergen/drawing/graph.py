"""What depends on what in a program: relations, maps, derived relations and views as a graph that can be drawn.

An edge goes the way changes go: from a relation to the maps its events write, from a map to the maps it is read for,
from a map to the derived relation that holds its rows, and to the views it answers. The graph has no cycle: a
map is read for larger joins only, and a derived relation is declared behind what it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toastergen.codegen.cost import O_1, cost_of, dearest, survey
from toastergen.codegen.plan import Plan
from toastergen.explain import SIGNS, maps_read
from toastergen.frontend.m3 import BATCH, DERIVED, Map, Program, Relation, Trigger, View

EVENT: Final = "event"
READ: Final = "read"
ROWS: Final = "rows"

VIEW: Final = "view"
MAP: Final = "map"


@dataclass(frozen=True, slots=True)
class Node:
    """``id`` is made of the kind and a number, so it needs no escaping. ``kind``: stream, table, derived, map, view."""

    id: str
    kind: str
    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class Edge:
    """``cost`` is the class of the dearest way an event writes its target."""

    source: str
    target: str
    kind: str
    cost: str
    label: str


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def anchor(item: Relation | Map | View | Trigger, program: Program) -> str:
    """A word that names the item's place in the page: of its kind, the how-manieth."""
    match item:
        case Relation():
            return f"relation-{program.relations.index(item)}"
        case Map():
            return f"map-{program.maps.index(item)}"
        case View():
            return f"view-{program.views.index(item)}"
        case Trigger():
            return f"trigger-{program.triggers.index(item)}"


def graph_of(program: Program, plan: Plan) -> Graph:
    """Hidden views are not drawn: the derived relation stands for them."""
    return Graph(tuple(_nodes(program)), (*_event_edges(program, plan), *_read_edges(program), *_row_edges(program)))


def _nodes(program: Program) -> Iterator[Node]:
    for relation in program.relations:
        yield Node(anchor(relation, program), relation.kind, relation.name, _columns(relation))
    for item in program.maps:
        keys = ", ".join(key.name for key in item.keys)
        slots = ", ".join(slot.name for slot in item.slots)
        yield Node(anchor(item, program), MAP, item.name, f"[{keys}] {slots}")
    for view in program.views:
        if not view.hidden:
            yield Node(anchor(view, program), VIEW, view.name, ", ".join(output.name for output in view.outputs))


def _columns(relation: Relation) -> str:
    text = ", ".join(column.name for column in relation.columns)
    if relation.window:
        return f"window: {text}"
    return f"{relation.end} of {text}" if relation.end else text


def _event_edges(program: Program, plan: Plan) -> Iterator[Edge]:
    known = survey(plan)
    costs: dict[tuple[str, str], list[str]] = {}
    for function, writes in zip(plan.functions, known.writes, strict=True):
        for write in writes:
            costs.setdefault((function.relation, write.map), []).append(cost_of(known, write.path)[0])
    events: dict[tuple[str, str], dict[str, None]] = {}
    for trigger in program.triggers:
        local = {item.name for item in trigger.locals}
        for statement in trigger.statements:
            if statement.target not in local:
                events.setdefault((trigger.relation, statement.target), {})[SIGNS[trigger.event]] = None
    for (relation, name), signs in events.items():
        cost = dearest(costs.get((relation, name), [O_1]))
        label = f"{' '.join(signs)} {relation} writes {name}: {cost}"
        source, target = anchor(program.relation(relation), program), anchor(program.map(name), program)
        yield Edge(source, target, EVENT, cost, label)


def _read_edges(program: Program) -> Iterator[Edge]:
    reads: dict[tuple[str, str], dict[str, None]] = {}
    for trigger in program.triggers:
        local = {item.name for item in trigger.locals}
        sign = "" if trigger.event == BATCH else SIGNS[trigger.event]
        for statement in trigger.statements:
            for name in maps_read(statement.expr):
                if name not in local and statement.target not in local and name != statement.target:
                    reads.setdefault((name, statement.target), {})[f"{sign} {trigger.relation}".strip()] = None
    for (name, target), events in reads.items():
        shown = ", ".join(event for event in events if event[0] in "+-") or ", ".join(events)
        label = f"{name} is read to keep {target} on {shown}"
        yield Edge(anchor(program.map(name), program), anchor(program.map(target), program), READ, O_1, label)


def _row_edges(program: Program) -> Iterator[Edge]:
    for relation in program.relations:
        if relation.kind == DERIVED:
            for name in dict.fromkeys(program.view(query).map for query in relation.queries):
                label = f"{relation.name} holds the rows of {name}"
                yield Edge(anchor(program.map(name), program), anchor(relation, program), ROWS, O_1, label)
    for view in program.views:
        if not view.hidden:
            label = f"{view.name} is read from {view.map}"
            yield Edge(anchor(program.map(view.map), program), anchor(view, program), ROWS, O_1, label)
