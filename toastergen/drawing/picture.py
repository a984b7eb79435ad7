"""The graph with its layout, as the template draws it: boxes with labels that fit, edges as curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toastergen.drawing.graph import MAP, VIEW, Edge, Graph, Node
from toastergen.drawing.layout import Box, lay_out
from toastergen.frontend.m3 import DERIVED

NAME_LETTERS: Final = 30
DETAIL_LETTERS: Final = 36
_NAME_WIDTH: Final = 7.25  # of one letter of 12 pixels in a font of equal widths
_DETAIL_WIDTH: Final = 6.05
_PADDING: Final = 12.0
_HEIGHT: Final = 42.0
_MARGIN: Final = 16.0
_KINDS: Final = {"stream": "stream", "table": "table", DERIVED: "derived relation", MAP: "map", VIEW: "view"}


@dataclass(frozen=True, slots=True)
class DrawnNode:
    node: Node
    x: float
    y: float
    width: float
    height: float
    name: str
    detail: str
    title: str


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    edge: Edge
    curve: str


@dataclass(frozen=True, slots=True)
class Picture:
    width: float
    height: float
    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]


def picture_of(graph: Graph) -> Picture:
    boxes = {node.id: Box(_width(node), _HEIGHT, node.kind in ("stream", "table")) for node in graph.nodes}
    layout = lay_out(boxes, [(edge.source, edge.target) for edge in graph.edges])
    nodes = []
    for node in graph.nodes:
        box = layout.boxes[node.id]
        title = f"{_KINDS[node.kind]} {printable(node.name)}\n{printable(node.detail)}"
        name, detail = shortened(node.name, NAME_LETTERS), shortened(node.detail, DETAIL_LETTERS)
        nodes.append(DrawnNode(node, box.x + _MARGIN, box.y + _MARGIN, box.width, box.height, name, detail, title))
    edges = [DrawnEdge(edge, _curve(layout.paths[edge.source, edge.target])) for edge in graph.edges]
    return Picture(layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN, tuple(nodes), tuple(edges))


def _width(node: Node) -> float:
    name = _NAME_WIDTH * len(shortened(node.name, NAME_LETTERS))
    detail = _DETAIL_WIDTH * len(shortened(node.detail, DETAIL_LETTERS))
    return round(max(name, detail, 60.0) + 2 * _PADDING, 1)


def shortened(text: str, letters: int) -> str:
    """The beginning and the end of a text that is too long: names of maps often differ in their end only."""
    text = printable(text)
    if len(text) <= letters:
        return text
    tail = (letters - 1) // 3
    return f"{text[: letters - 1 - tail]}…{text[-tail:]}"


def printable(text: str) -> str:
    """Names may hold any character; those that steer (line ends, directions of writing) are shown as escapes."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def _curve(points: Sequence[tuple[float, float]]) -> str:
    """Level at every point: curved between two ranks, straight along one."""
    moved = [(round(x + _MARGIN, 1), round(y + _MARGIN, 1)) for x, y in points]
    (x, y), *rest = moved
    words = [f"M{x:g},{y:g}"]
    for place, (next_x, next_y) in enumerate(rest):
        if place % 2:
            words.append(f"H{next_x:g}")
        else:
            middle = round((x + next_x) / 2, 1)
            words.append(f"C{middle:g},{y:g} {middle:g},{next_y:g} {next_x:g},{next_y:g}")
        x, y = next_x, next_y
    return "".join(words)
