"""How each view is kept fresh, event by event: by its changes or computed anew, at what cost, reading what, and why.

A view needs more than its own map: the maps its triggers read have to be kept as well, and so have the maps behind the
derived relations it reads. All of that is counted here; what other views of the program need is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toastergen.codegen.cost import O_1, O_MAP, Survey, Write, cost_of, dearest, set_off, survey, writes_of_event
from toastergen.codegen.plan import Function, Plan, ViewPlan

INCREMENTAL: Final = "incremental"
REEVALUATED: Final = "re-evaluated"
UNAFFECTED: Final = "unaffected"


@dataclass(frozen=True, slots=True)
class EventUpkeep:
    """What an event does for one view. ``reads`` are the stored maps it looks into."""

    event: str
    relation: str
    how: str
    cost: str
    reads: tuple[str, ...]
    reason: str

    @property
    def grows(self) -> bool:
        """Does the event cost more the more there is? A slice does not count: it is what the event concerns."""
        return self.how == REEVALUATED or self.cost == O_MAP


@dataclass(frozen=True, slots=True)
class ViewUpkeep:
    """``maps`` are all the maps that are kept for the view, its own first."""

    view: str
    map: str
    maps: tuple[str, ...]
    events: tuple[EventUpkeep, ...]


def view_upkeep(plan: Plan) -> tuple[ViewUpkeep, ...]:
    """One entry per view that is shown, with one event per trigger of a relation that is fed."""
    known = survey(plan)
    return tuple(_view(known, view) for view in plan.views)


def _view(known: Survey, view: ViewPlan) -> ViewUpkeep:
    plan = known.plan
    needed = _needed(known, view.map)
    derived = {item.relation for item in plan.derived}
    events = tuple(
        _event(known, view, needed, function) for function in plan.functions if function.relation not in derived
    )
    names = (item.name for item in plan.maps if item.name in needed and item.name != view.map)
    return ViewUpkeep(view.name, view.map, (view.map, *names), events)


def _needed(known: Survey, name: str) -> frozenset[str]:
    """The map, those that are read to keep it, and so on."""
    needed = {name}
    while True:
        before = len(needed)
        for write in (write for group in known.writes for write in group):
            if write.map in needed:
                needed.update(write.reads)
                needed.update(item.map for item in known.plan.derived if item.relation == write.relation)
        if len(needed) == before:
            return frozenset(needed) - known.local


def _event(known: Survey, view: ViewPlan, needed: frozenset[str], function: Function) -> EventUpkeep:
    event, relation = function.event, function.relation
    writes = [write for write in writes_of_event(known, function) if write.map in needed]
    if not writes:
        return EventUpkeep(event, relation, UNAFFECTED, O_1, (), "the view does not depend on it")
    reads = tuple(dict.fromkeys(name for write in writes for name in write.reads if name not in known.local))
    anew = [write for write in writes if write.anew]
    if anew:
        sources = dict.fromkeys(name for write in anew for name in write.reads)
        reason = f"{anew[0].map} is emptied and computed anew from {', '.join(sources) or 'nothing'}"
        return EventUpkeep(event, relation, REEVALUATED, O_MAP, reads, reason)
    cost = dearest([cost_of(known, write.path)[0] for write in writes])
    dear = [write for write in writes if cost_of(known, write.path)[0] == cost]
    own = [write for write in dear if write.map == view.map]
    return EventUpkeep(event, relation, INCREMENTAL, cost, reads, _reason(known, view, function, (own or dear)[0]))


def _reason(known: Survey, view: ViewPlan, function: Function, write: Write) -> str:
    own = write.relation == function.relation
    cost, reason = cost_of(known, write.path) if own else set_off(known, write)
    return reason if cost == O_1 or write.map == view.map else f"{reason} (to keep {write.map})"
