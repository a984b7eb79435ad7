"""Visit and rewrite plan nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from toastergen.codegen.plan import (
    AddTo,
    Block,
    DoubleWord,
    Find,
    Function,
    If,
    Let,
    Look,
    Node,
    Payload,
    RangeSum,
    Slice,
    Total,
    Update,
)
from toastergen.frontend.scalar import Scalar


def nodes(body: tuple[Node, ...]) -> Iterator[Node]:
    """All nodes in execution order, parents before what they contain."""
    for node in body:
        yield node
        match node:
            case Block():
                yield from nodes(node.body)
            case Total():
                yield from nodes(node.body)
                yield node.update


def rewrite(body: tuple[Node, ...], change: Callable[[Node], Node]) -> tuple[Node, ...]:
    """Apply ``change`` to every node, innermost first."""
    result = []
    for node in body:
        match node:
            case Block():
                node = replace(node, body=rewrite(node.body, change))
            case Total():
                update = change(node.update)
                assert isinstance(update, Update)
                node = replace(node, body=rewrite(node.body, change), update=update)
        result.append(change(node))
    return tuple(result)


def function_scalars(function: Function) -> list[Scalar]:
    return [scalar for node in nodes(function.body) for scalar in own_scalars(node)]


def own_scalars(node: Node) -> tuple[Scalar, ...]:
    """The expressions of a node itself, without those of the nodes inside it."""
    match node:
        case Block(step=Slice() | Find() | Look() as step):
            return step.keys
        case Block(step=RangeSum() as step):
            return (*step.keys, *(test for test in (step.above, step.below) if test is not None))
        case Block(step=If(test)):
            return (test,)
        case Block(step=Let(_, value)):
            return (value,)
        case Update():
            return (*node.keys, *(scalar for _, value in node.values for scalar in _factors(value)))
        case AddTo():
            return _factors(node.value)
        case _:
            return ()


def _factors(value: Payload) -> tuple[Scalar, ...]:
    return value.factors if isinstance(value, DoubleWord) else (value,)
