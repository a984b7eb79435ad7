"""The page: template, style and script put together. Every text is escaped by the template engine."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import jinja2
from markupsafe import Markup

from toastergen import __version__
from toastergen.codegen.cost import O_1, O_GROUPS, O_LOG, O_MAP, O_PARTITION, O_SLICE, event_costs
from toastergen.codegen.plan import Plan
from toastergen.codegen.upkeep import REEVALUATED, UNAFFECTED, EventUpkeep, ViewUpkeep, view_upkeep
from toastergen.drawing.graph import anchor, graph_of
from toastergen.drawing.m3_tokens import sections
from toastergen.drawing.picture import picture_of, printable
from toastergen.errors import counted
from toastergen.explain import signs_of, titled, titled_costs
from toastergen.explain_text import view_summary, why
from toastergen.frontend.m3 import DERIVED, Program

_CLASSES: Final = {
    O_1: "one",
    O_LOG: "log",
    O_SLICE: "slice",
    O_GROUPS: "partition",
    O_PARTITION: "partition",
    O_MAP: "map",
    REEVALUATED: "anew",
}
_MEANINGS: Final = (
    (O_1, "looks up whole keys"),
    (O_LOG, "finds its place in an ordered index"),
    (O_SLICE, "visits the records that match"),
    (O_GROUPS, "finds a place for every group"),
    (O_PARTITION, "visits the rows of a partition"),
    (O_MAP, "visits all records of a map"),
    (REEVALUATED, "computes the view anew"),
)


def html_page(program: Program, plan: Plan, name: str) -> str:
    """The whole page; equal programs give equal bytes."""
    return _rendered("page.html.j2", program, plan, name)


def html_picture(program: Program, plan: Plan, name: str) -> str:
    """The picture and the costs alone, to stand inside another page, a notebook's for example."""
    return _rendered("page.fragment.j2", program, plan, name)


def _rendered(template: str, program: Program, plan: Plan, name: str) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_read), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {"printable": printable, "class_of": _CLASSES.__getitem__}
    return environment.get_template(template).render(_content(program, plan, name))


def _read(name: str) -> str:
    return files("toastergen.drawing").joinpath(name).read_text(encoding="utf-8")


def _content(program: Program, plan: Plan, name: str) -> dict[str, Any]:
    shown = [view for view in program.views if not view.hidden]
    fed = [relation for relation in program.relations if relation.kind != DERIVED]
    counts = [counted(len(fed), "relation"), counted(len(program.maps), "map"), counted(len(shown), "view")]
    if derived := len(program.derived()):
        counts.insert(1, counted(derived, "derived relation"))
    return {
        "name": printable(name),
        "version": __version__,
        "counts": ", ".join(counts),
        "picture": picture_of(graph_of(program, plan)),
        "sections": sections(program),
        "views": _views(program, plan),
        "relations": [{"name": item.name, "anchor": anchor(item, program)} for item in fed],
        "events": [
            {"title": title, "cost": cost.cost, "reason": cost.reason}
            for title, cost in titled_costs(event_costs(plan))
        ],
        "maps": [
            {"name": item.name, "anchor": anchor(item, program), "why": why(item, program)} for item in program.maps
        ],
        "meanings": _MEANINGS,
        "style": Markup(_read("page.css")),
        "script": Markup(_read("page.js")),
    }


# -- views and what their events cost ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chip:
    """A cost class, and the events it is the class of, if it is not that of all events of the relation."""

    cost: str
    events: str
    reason: str


def _views(program: Program, plan: Plan) -> list[dict[str, Any]]:
    fed = [relation.name for relation in program.relations if relation.kind != DERIVED]
    found = []
    for upkeep in view_upkeep(plan):
        view = program.view(upkeep.view)
        events = titled([event for event in upkeep.events if event.how != UNAFFECTED])
        found.append(
            {
                "name": view.name,
                "anchor": anchor(view, program),
                "summary": view_summary(upkeep, view),
                "cells": [_chips(upkeep, relation) for relation in fed],
                "events": [
                    {
                        "title": title,
                        "how": event.how,
                        "cost": _class(event),
                        "reason": event.reason,
                        "reads": [{"name": name, "anchor": anchor(program.map(name), program)} for name in event.reads],
                    }
                    for title, event in events
                ],
            }
        )
    return found


def _chips(upkeep: ViewUpkeep, relation: str) -> list[Chip]:
    events = [event for event in upkeep.events if event.relation == relation and event.how != UNAFFECTED]
    classes = dict.fromkeys(_class(event) for event in events)
    chips = []
    for cost in classes:
        mine = [event for event in events if _class(event) == cost]
        chips.append(Chip(cost, signs_of(event.event for event in mine) if len(classes) > 1 else "", mine[0].reason))
    return chips


def _class(event: EventUpkeep) -> str:
    return REEVALUATED if event.how == REEVALUATED else event.cost
