"""Keep records alive through passing zeros.

A map with floating slots drops a record when its count reaches 0. Inside one trigger a count can pass through 0 while
the sums do not (a self-join's terms, or the mixed signs of a batch), and dropping the record then would lose them.
Where that can happen the record is only noted and swept at the end. Exact maps need none of this: they drop a record
when every slot is 0, and nothing is lost with zeros. Tracked maps keep their records until changes have been
propagated, which sweeps them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from toastergen.codegen.passes.walk import nodes, rewrite
from toastergen.codegen.plan import Function, Node, Plan, Propagate, Sweep, Update
from toastergen.frontend.m3 import BATCH


def defer_erasure(plan: Plan) -> Plan:
    floating = {
        item.name for item in plan.maps if not item.local and any(not slot.type.is_exact for slot in item.slots)
    }
    tracked = {item.name for item in plan.maps if item.tracked}
    return replace(plan, functions=tuple(_defer(function, floating, tracked) for function in plan.functions))


def _defer(function: Function, floating: set[str], tracked: set[str]) -> Function:
    updates = Counter(node.map for node in nodes(function.body) if isinstance(node, Update) and node.map in floating)
    deferred = {name for name, times in updates.items() if function.event == BATCH or times > 1}

    def mark(node: Node) -> Node:
        if isinstance(node, Update) and node.map in deferred | tracked:
            return replace(node, deferred=True)
        return node

    body = list(rewrite(function.body, mark))
    last = [body.pop()] if body and isinstance(body[-1], Propagate) else []
    sweeps = [Sweep(name) for name in updates if name in deferred - tracked]
    return replace(function, body=(*body, *sweeps, *last))
