"""Access-pattern analysis: which partial keys each map is looked up by. Each gets an index of its own."""

from __future__ import annotations

from dataclasses import replace

from toastergen.codegen.passes.walk import nodes
from toastergen.codegen.plan import Block, Plan, Slice


def choose_slices(plan: Plan) -> Plan:
    wanted: dict[str, dict[tuple[int, ...], None]] = {}
    for function in plan.functions:
        for node in nodes(function.body):
            if isinstance(node, Block) and isinstance(node.step, Slice):
                wanted.setdefault(node.step.map, {})[node.step.positions] = None
    maps = tuple(replace(item, slices=tuple(wanted.get(item.name, ()))) for item in plan.maps)
    return replace(plan, maps=maps)
