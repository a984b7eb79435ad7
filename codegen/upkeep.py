"""How each view is kept fresh, event by event: by its changes or computed anew, at what cost, reading what, and why.

A view needs more than its own map: the maps its triggers read have to be kept as well, and so have the maps behind the
derived relations it reads. All of that is counted here; what other views of the program need is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toastergen.codegen.cost import O_1, O_MAP, Survey, Write, cost_of_write, dearest, survey, writes_of_event
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
    anew = [write for write in writes if write.anew]
    if anew:
        sources = _in_order(known, anew)
        reason = f"{anew[0].map} is emptied and computed anew from {', '.join(sources) or 'nothing'}"
        return EventUpkeep(event, relation, REEVALUATED, O_MAP, _in_order(known, writes), reason)
    cost, reason = _dearest(known, view, function, writes, _relations(known, needed))
    return EventUpkeep(event, relation, INCREMENTAL, cost, _in_order(known, writes), reason)


def _in_order(known: Survey, writes: list[Write]) -> tuple[str, ...]:
    """The stored maps that are read, in the order of their declaration: the same for a row and for a batch."""
    read = {name for write in writes for name in write.reads}
    return tuple(item.name for item in known.plan.maps if item.name in read and not item.local)


def _relations(known: Survey, needed: frozenset[str]) -> frozenset[str]:
    """The relations whose changes reach the maps."""
    return frozenset(write.relation for group in known.writes for write in group if write.map in needed)


def _dearest(
    known: Survey, view: ViewPlan, function: Function, writes: list[Write], relations: frozenset[str]
) -> tuple[str, str]:
    """The class of the dearest write; of several, the reason is that of the view's own map, or of the first map's."""
    costs = [(write.map, *cost_of_write(known, function, write, relations)) for write in writes]
    cost = dearest([item[1] for item in costs])
    reasons = {name: reason for name, class_, reason in reversed(costs) if class_ == cost}
    names = (view.map, *(item.name for item in known.plan.maps))
    name = next(name for name in names if name in reasons)
    own = cost == O_1 or name == view.map
    return cost, reasons[name] if own else f"{reasons[name]} (to keep {name})"
