"""Print a plan, for people and goldens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from toastergen.codegen.plan import (
    AddTo,
    Block,
    Clear,
    DerivedPlan,
    DoubleWord,
    Find,
    ForEach,
    Function,
    If,
    Let,
    Look,
    MapPlan,
    Node,
    Payload,
    Plan,
    Propagate,
    RangeSum,
    Rows,
    Slice,
    Step,
    Sweep,
    Total,
    Update,
)
from toastergen.frontend.m3_text import print_scalar
from toastergen.frontend.m3_text.windows import print_window


def print_plan(plan: Plan) -> str:
    parts = [f"LEDGER {item.kind.upper()} OF {item.relation}" for item in plan.ledgers]
    parts += [_map(item) for item in plan.maps]
    parts += map(_derived, plan.derived)
    parts += ["\n".join(["", *_function(function)]) for function in plan.functions]
    parts += [
        f"\nVIEW {view.name} {view.shape.upper()} OF {view.map} ("
        + ", ".join(f"{column.name} := {print_scalar(column.value)}" for column in view.columns)
        + ")"
        for view in plan.views
    ]
    return "\n".join(parts) + "\n"


def _derived(item: DerivedPlan) -> str:
    text = f"DERIVED {item.relation} {item.shape.upper()} OF {item.map} ({', '.join(map(print_scalar, item.values))})"
    return f"{text}\n    {print_window(item.window.window)}" if item.window is not None else text


def _map(item: MapPlan) -> str:
    keys = ", ".join(f"{key.name}: {key.type}" for key in item.keys)
    slots = ", ".join(f"{slot.name}: {slot.type}" for slot in item.slots)
    slices = "".join(f" SLICE [{', '.join(item.keys[p].name for p in positions)}]" for positions in item.slices)
    slices += "".join(
        f" SUM [{', '.join(item.keys[p].name for p in found.positions)}] BY {item.keys[found.by].name}"
        f" ({', '.join(found.slots)})"
        for found in item.ranges
    )
    word = "LOCAL MAP" if item.local else "TRACKED MAP" if item.tracked else "MAP"
    return f"{word} {item.name} [{keys}] ({slots}){slices}"


def _function(function: Function) -> Iterator[str]:
    params = ", ".join(param.name for param in function.params)
    yield f"ON {function.event.upper()} {function.relation} ({params})"
    for node in function.body:
        yield from (f"    {line}" for line in _node(node))


def _node(node: Node) -> Iterator[str]:
    match node:
        case Block():
            yield f"{_step(node.step)} {{"
            yield from (f"    {line}" for inner in node.body for line in _node(inner))
            yield "}"
        case Update():
            keys = ", ".join(map(print_scalar, node.keys))
            values = ", ".join(f"{slot} += {_payload(value)}" for slot, value in node.values)
            yield f"UPDATE{' DEFERRED' if node.deferred else ''} {node.map}[{keys}] {{ {values} }}"
        case AddTo():
            yield f"ADD {_payload(node.value)} TO {node.total}"
        case Total():
            yield f"TOTAL {', '.join(f'{name}: {type_}' for name, type_ in node.totals)} {{"
            yield from (f"    {line}" for inner in node.body for line in _node(inner))
            yield "} then " + next(iter(_node(node.update)))
        case Clear():
            yield f"CLEAR {node.map}"
        case Sweep():
            yield f"SWEEP {node.map}"
        case Propagate():
            yield "PROPAGATE"
        case _:
            assert_never(node)


def _payload(value: Payload) -> str:
    if isinstance(value, DoubleWord):
        return f"{'-' if value.negative else ''}PRODUCT({', '.join(map(print_scalar, value.factors))})"
    return print_scalar(value)


def _step(step: Step) -> str:
    match step:
        case Rows():
            return f"FOR ROWS AS {step.record}"
        case ForEach():
            return f"FOR EACH {step.map} AS {step.record}"
        case Slice():
            keys = ", ".join(
                f"{position}: {print_scalar(key)}" for position, key in zip(step.positions, step.keys, strict=True)
            )
            return f"FOR SLICE {step.map}[{keys}] AS {step.record}"
        case Find():
            return f"FIND {step.map}[{', '.join(map(print_scalar, step.keys))}] AS {step.record}"
        case RangeSum():
            keys = ", ".join(
                f"{position}: {print_scalar(key)}" for position, key in zip(step.positions, step.keys, strict=False)
            )
            sides = (("ABOVE", step.above), ("BELOW", step.below))
            tests = "".join(f" {word} ({print_scalar(test)})" for word, test in sides if test is not None)
            groups = f"EACH {step.map}[{', '.join(map(str, step.positions))}]" if step.each else f"{step.map}[{keys}]"
            return f"SUM {groups} BY {step.by}{tests} AS {step.record}"
        case Look():
            keys = ", ".join(map(print_scalar, step.keys))
            return f"LOOK {step.map}[{keys}] AS {step.record}: {step.var.name} = {print_scalar(step.slot)} OR 0"
        case If():
            return f"IF {print_scalar(step.test)}"
        case Let():
            return f"LET {step.var.name} = {print_scalar(step.value)}"
        case _:
            assert_never(step)
