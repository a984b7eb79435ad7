"""Mark the maps that feed derived relations, and end every event that may change one with a propagation."""

from __future__ import annotations

from dataclasses import replace

from toastergen.codegen.passes.walk import nodes
from toastergen.codegen.plan import Function, Plan, Propagate, Update


def track_changes(plan: Plan) -> Plan:
    sources = {derived.map for derived in plan.derived}
    maps = tuple(replace(item, tracked=item.name in sources) for item in plan.maps)
    derived = {item.relation for item in plan.derived}
    functions = tuple(
        function if function.relation in derived else _propagating(function, sources) for function in plan.functions
    )
    return replace(plan, maps=maps, functions=functions)


def _propagating(function: Function, sources: set[str]) -> Function:
    """Triggers of derived relations do not propagate themselves: the event that set them off does, in order."""
    changed = {node.map for node in nodes(function.body) if isinstance(node, Update)}
    return replace(function, body=(*function.body, Propagate())) if changed & sources else function
