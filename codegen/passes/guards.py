"""Join guards that stand directly inside each other: one test reads better than a staircase of them."""

from __future__ import annotations

from dataclasses import replace

from toastergen.codegen.passes.walk import rewrite
from toastergen.codegen.plan import Block, If, Node, Plan
from toastergen.frontend.scalar import conjunction


def join_guards(plan: Plan) -> Plan:
    functions = tuple(replace(function, body=rewrite(function.body, _joined)) for function in plan.functions)
    return replace(plan, functions=functions)


def _joined(node: Node) -> Node:
    match node:
        case Block(If(outer), (Block(If(inner), body),)):
            return replace(node, step=If(conjunction((outer, inner))), body=body)
        case _:
            return node
