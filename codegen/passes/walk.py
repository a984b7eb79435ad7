"""Visit and rewrite plan nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from toastergen.codegen.plan import Block, Node, Total, Update


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
