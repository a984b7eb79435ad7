"""A layered drawing of a graph without cycles, from left to right.

Four steps, each plain: ranks by dependence; long edges cut at every rank they cross (edges of one node share these
bends, so that they leave it as one bundle); order within a rank by barycentres, keeping the order with the fewest
crossings; heights that pull neighbours together as far as the order and the distances allow.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

GAP_X: Final = 64.0
GAP_Y: Final = 16.0
BEND: Final = 6.0
SWEEPS: Final = 24
PULLS: Final = 30


@dataclass(frozen=True, slots=True)
class Box:
    width: float
    height: float
    first: bool = False  # stands in the first rank, whoever needs it


@dataclass(frozen=True, slots=True)
class Placed:
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Where boxes are, and for every edge its points: at both ends of each gap between ranks that it crosses."""

    boxes: Mapping[str, Placed]
    paths: Mapping[tuple[str, str], tuple[tuple[float, float], ...]]
    width: float
    height: float


def lay_out(boxes: Mapping[str, Box], edges: Sequence[tuple[str, str]]) -> Layout:
    forward = _without_cycles(boxes, tuple(dict.fromkeys(edges)))
    ranks = _ranks(boxes, tuple(dict.fromkeys(forward.values())))
    chains = {edge: _chain(way, ranks) for edge, way in forward.items()}
    places = dict(ranks)
    for chain in chains.values():
        places |= {name: ranks[chain[0]] + step for step, name in enumerate(chain)}
    links = tuple(dict.fromkeys(link for chain in chains.values() for link in pairwise(chain)))
    rows = _ordered(places, links)
    centres = _heights(rows, links, boxes)
    layout = _placed(rows, centres, boxes, chains)
    paths = {edge: path if forward[edge] == edge else path[::-1] for edge, path in layout.paths.items()}
    return replace(layout, paths=paths)


# -- ranks -------------------------------------------------------------------------------------------------------------


def _without_cycles(
    boxes: Mapping[str, Box], edges: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], tuple[str, str]]:
    """For every edge the way it is laid out: some of every cycle (of a program written by hand) are turned around."""
    before: dict[str, list[str]] = {name: [] for name in boxes}
    for source, target in edges:
        before[target].append(source)
    place = {name: at for at, name in enumerate(_in_order(boxes, before))}
    return {edge: edge if place[edge[0]] < place[edge[1]] else edge[::-1] for edge in edges if edge[0] != edge[1]}


def _in_order(boxes: Mapping[str, Box], before: Mapping[str, list[str]]) -> list[str]:
    """Every box behind those its edges come from, where there is no cycle."""
    order: dict[str, None] = {}
    begun: set[str] = set()
    waiting = list(boxes)[::-1]
    while waiting:
        name = waiting[-1]
        missing = [other for other in before[name] if other not in begun]
        if name not in begun and missing:
            begun.add(name)
            waiting += reversed(missing)
        else:
            begun.add(name)
            order[waiting.pop()] = None
    return list(order)


def _ranks(boxes: Mapping[str, Box], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """The longest way to each box; then boxes move towards where most of their edges go."""
    before: dict[str, list[str]] = {name: [] for name in boxes}
    behind: dict[str, list[str]] = {name: [] for name in boxes}
    for source, target in edges:
        before[target].append(source)
        behind[source].append(target)
    ranks: dict[str, int] = {}
    for name in _in_order(boxes, before):
        ranks[name] = max((ranks[other] + 1 for other in before[name]), default=0)
    for name in reversed(list(ranks)):
        if boxes[name].first or len(behind[name]) <= len(before[name]):
            continue
        ranks[name] = min(ranks[other] for other in behind[name]) - 1
    return ranks


def _chain(edge: tuple[str, str], ranks: Mapping[str, int]) -> tuple[str, ...]:
    """The edge with a bend in every rank between its ends. Bends belong to the source: its edges share them."""
    source, target = edge
    return (source, *(f"{source}@{rank}" for rank in range(ranks[source] + 1, ranks[target])), target)


# -- order -------------------------------------------------------------------------------------------------------------


def _ordered(places: Mapping[str, int], links: Sequence[tuple[str, str]]) -> list[list[str]]:
    rows: list[list[str]] = [[] for _ in range(max(places.values(), default=-1) + 1)]
    for name, rank in places.items():
        rows[rank].append(name)
    before, behind = _neighbours(links)
    best, fewest = rows, _crossings(rows, behind)
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        rows = [list(row) for row in rows]
        steps = range(1, len(rows)) if forward else range(len(rows) - 2, -1, -1)
        for rank in steps:
            fixed = {name: at for at, name in enumerate(rows[rank - 1 if forward else rank + 1])}
            near = before if forward else behind
            rows[rank] = _by_barycentre(rows[rank], near, fixed)
        found = _crossings(rows, behind)
        if found < fewest:
            best, fewest = rows, found
    return best


def _neighbours(links: Sequence[tuple[str, str]]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    before: dict[str, list[str]] = {}
    behind: dict[str, list[str]] = {}
    for source, target in links:
        before.setdefault(target, []).append(source)
        behind.setdefault(source, []).append(target)
    return before, behind


def _by_barycentre(row: list[str], near: Mapping[str, list[str]], fixed: Mapping[str, int]) -> list[str]:
    """Boxes without a neighbour on that side keep their place."""

    def weight(at: int) -> float:
        others = [fixed[name] for name in near.get(row[at], ())]
        return sum(others) / len(others) if others else at * len(fixed) / max(len(row), 1)

    return [row[at] for at in sorted(range(len(row)), key=lambda at: (weight(at), at))]


def _crossings(rows: Sequence[Sequence[str]], behind: Mapping[str, list[str]]) -> int:
    total = 0
    for row, following in pairwise(rows):
        place = {name: at for at, name in enumerate(following)}
        ends = [at for name in row for at in sorted(place[other] for other in behind.get(name, ()))]
        passed: list[int] = []
        for end in ends:
            total += len(passed) - bisect_right(passed, end)
            insort(passed, end)
    return total


# -- heights -----------------------------------------------------------------------------------------------------------


def _heights(
    rows: Sequence[Sequence[str]], links: Sequence[tuple[str, str]], boxes: Mapping[str, Box]
) -> dict[str, float]:
    """Centres: as close to the middle of the neighbours as order and distance allow, by turns in both directions."""
    before, behind = _neighbours(links)
    distances = [_distances(row, boxes) for row in rows]
    centres = {name: at for row, gaps in zip(rows, distances, strict=True) for name, at in _stacked(row, gaps)}
    for pull in range(PULLS):
        forward = pull % 2 == 0
        for rank in range(len(rows)) if forward else range(len(rows) - 1, -1, -1):
            row = rows[rank]
            wishes = [_middle(name, before, behind, centres) for name in row]
            weights = [_weight(name, boxes) for name in row]
            for name, centre in zip(row, _spread(wishes, weights, distances[rank]), strict=True):
                centres[name] = centre
    return centres


def _distances(row: Sequence[str], boxes: Mapping[str, Box]) -> list[float]:
    halves = [boxes[name].height / 2 + GAP_Y / 2 if name in boxes else BEND for name in row]
    return [one + two for one, two in pairwise(halves)]


def _stacked(row: Sequence[str], gaps: Sequence[float]) -> list[tuple[str, float]]:
    at = -sum(gaps) / 2
    found = []
    for name, gap in zip(row, (*gaps, 0.0), strict=True):
        found.append((name, at))
        at += gap
    return found


def _middle(
    name: str, before: Mapping[str, list[str]], behind: Mapping[str, list[str]], centres: Mapping[str, float]
) -> float:
    near = [*before.get(name, ()), *behind.get(name, ())]
    return sum(centres[other] for other in near) / len(near) if near else centres[name]


def _weight(name: str, boxes: Mapping[str, Box]) -> float:
    """Bends hold their height: a straight line is worth more than a centred box."""
    return 1.0 if name in boxes else 4.0


def _spread(wishes: Sequence[float], weights: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """The heights nearest to the wishes (least squares) that keep the gaps: pool neighbours that would overlap."""
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    pools: list[tuple[float, float, int]] = []  # height, weight, how many
    for wish, weight, offset in zip(wishes, weights, offsets, strict=False):
        height, mass, size = wish - offset, weight, 1
        while pools and pools[-1][0] > height:
            other, more, count = pools.pop()
            height = (height * mass + other * more) / (mass + more)
            mass, size = mass + more, size + count
        pools.append((height, mass, size))
    flat = [height for height, _, size in pools for _ in range(size)]
    return [height + offset for height, offset in zip(flat, offsets, strict=False)]


# -- places ------------------------------------------------------------------------------------------------------------


def _placed(
    rows: Sequence[Sequence[str]],
    centres: Mapping[str, float],
    boxes: Mapping[str, Box],
    chains: Mapping[tuple[str, str], tuple[str, ...]],
) -> Layout:
    widths = [max((boxes[name].width for name in row if name in boxes), default=0.0) for row in rows]
    top = min((centres[name] - _half(name, boxes) for row in rows for name in row), default=0.0)
    lefts: list[float] = []
    at = 0.0
    for width in widths:
        lefts.append(at)
        at += width + GAP_X
    placed: dict[str, Placed] = {}
    spans: dict[str, tuple[float, float]] = {}
    for row, left, width in zip(rows, lefts, widths, strict=True):
        for name in row:
            box = boxes.get(name, Box(width, 0.0))
            spans[name] = (left, left + box.width)
            if name in boxes:
                y = centres[name] - top - box.height / 2
                placed[name] = Placed(round(left, 1), round(y, 1), box.width, box.height)
    paths = {edge: _path(chain, spans, centres, top) for edge, chain in chains.items()}
    bottom = max((box.y + box.height for box in placed.values()), default=0.0)
    lowest = max((y for path in paths.values() for _, y in path), default=0.0)
    return Layout(placed, paths, round(max(at - GAP_X, 0.0), 1), round(max(bottom, lowest), 1))


def _half(name: str, boxes: Mapping[str, Box]) -> float:
    return boxes[name].height / 2 if name in boxes else 0.0


def _path(
    chain: tuple[str, ...], spans: Mapping[str, tuple[float, float]], centres: Mapping[str, float], top: float
) -> tuple[tuple[float, float], ...]:
    points: list[tuple[float, float]] = []
    for place, name in enumerate(chain):
        y = round(centres[name] - top, 1)
        left, right = spans[name]
        if place > 0:
            points.append((round(left, 1), y))
        if place < len(chain) - 1:
            points.append((round(right, 1), y))
    return tuple(points)
