"""From a pattern to a table: code points become bytes of UTF-8, the automaton is made deterministic and small.

State 0 has failed and state 1 has matched, whatever follows; every other state says whether the text may end in it.
Bytes that no transition tells apart share a column of the table.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import cache
from typing import Final, TypeAlias

from toastergen.frontend.regex.syntax import (
    Characters,
    Choice,
    Edge,
    Node,
    PatternError,
    Ranges,
    Repeat,
    Sequence,
    parse,
)

_MOST_STEPS: Final = 20_000  # of the automaton with choices
_MOST_SETS: Final = 3_000  # states before equal ones are merged
_MOST_STATES: Final = 256  # so that a state fits a byte
FAILED, MATCHED = 0, 1

Bytes: TypeAlias = tuple[tuple[int, int], ...]  # one range for each byte


@dataclass(frozen=True, slots=True)
class Automaton:
    start: int
    columns: bytes  # of each of the 256 bytes
    table: bytes  # by state, then by column
    accepting: bytes  # 1 where the text may end

    @property
    def width(self) -> int:
        return max(self.columns) + 1


@cache
def compiled(pattern: str) -> Automaton:
    """An automaton that finds the pattern anywhere in a text. Raises PatternError."""
    steps = _Steps()
    start = steps.add(parse(pattern), steps.final)
    return _Sets(steps, start).automaton()


def matches(pattern: str, text: str) -> bool:
    found = compiled(pattern)
    state = found.start
    for byte in text.encode():
        state = found.table[state * found.width + found.columns[byte]]
        if state in (FAILED, MATCHED):
            return state == MATCHED
    return bool(found.accepting[state])


@dataclass(slots=True)
class _Steps:
    """States with choices: on a byte, for free, or for free at an edge of the text. Built from the end."""

    on_byte: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    free: dict[int, list[tuple[str, int]]] = field(default_factory=dict)
    count: int = 1
    final: int = 0

    def _new(self) -> int:
        self.count += 1
        if self.count > _MOST_STEPS:
            raise PatternError("the pattern is too large", 0)
        return self.count - 1

    def _byte(self, low: int, high: int, target: int) -> int:
        state = self._new()
        self.on_byte[state] = (low, high, target)
        return state

    def _fork(self, targets: list[int], kind: str = "") -> int:
        state = self._new()
        self.free[state] = [(kind, target) for target in targets]
        return state

    def add(self, node: Node, target: int) -> int:
        """A state from which the node leads to the target."""
        match node:
            case Characters():
                return self._characters(node.ranges, target)
            case Edge():
                return self._fork([target], "end" if node.at_end else "start")
            case Sequence():
                for part in reversed(node.parts):
                    target = self.add(part, target)
                return target
            case Choice():
                return self._fork([self.add(part, target) for part in node.parts])
            case Repeat():
                return self._repeat(node, target)

    def _repeat(self, node: Repeat, target: int) -> int:
        if node.most is None:
            loop = self._fork([target])
            self.free[loop].append(("", self.add(node.part, loop)))
            target = loop
        else:
            last = target
            for _ in range(node.most - node.least):
                target = self._fork([self.add(node.part, target), last])
        for _ in range(node.least):
            target = self.add(node.part, target)
        return target

    def _characters(self, ranges: Ranges, target: int) -> int:
        states = []
        for sequence in (item for first, last in ranges for item in _utf8(first, last)):
            state = target
            for low, high in reversed(sequence):
                state = self._byte(low, high, state)
            states.append(state)
        return states[0] if len(states) == 1 else self._fork(states)

    def closure(self, states: set[int], at: frozenset[str]) -> frozenset[int]:
        found = set(states)
        waiting = list(states)
        while waiting:
            for kind, target in self.free.get(waiting.pop(), ()):
                if (not kind or kind in at) and target not in found:
                    found.add(target)
                    waiting.append(target)
        return frozenset(found)


def _utf8(first: int, last: int) -> list[Bytes]:
    """Ranges of bytes that spell exactly the code points from first to last, without surrogates."""
    if first > last:
        return []
    for limit in (0x7F, 0x7FF, 0xD7FF, 0xDFFF, 0xFFFF):
        if first <= limit < last:
            return _utf8(first, limit) + _utf8(limit + 1, last)
    if 0xD800 <= first <= 0xDFFF:
        return []
    low, high = chr(first).encode(), chr(last).encode()
    for place in range(1, len(low)):
        if low[:place] == high[:place]:
            continue
        # Where the leading bytes differ, what follows must be whole blocks.
        size = 64 ** (len(low) - place)
        if first % size:
            return _utf8(first, first - first % size + size - 1) + _utf8(first - first % size + size, last)
        if last % size != size - 1:
            return _utf8(first, last - last % size - 1) + _utf8(last - last % size, last)
    return [tuple(zip(low, high, strict=True))]


class _Sets:
    """Sets of steps as states. A new search begins at every byte, until one has matched."""

    def __init__(self, steps: _Steps, start: int) -> None:
        self.steps = steps
        self.begin = start
        self.cuts = sorted({cut for low, high, _ in steps.on_byte.values() for cut in (low, high + 1)} | {0})
        self.numbers: dict[tuple[frozenset[int], bool], int] = {}  # the first state is like no other: edges meet there
        self.rows: list[list[int]] = []
        self.waiting: deque[tuple[frozenset[int], bool]] = deque()

    def automaton(self) -> Automaton:
        first = self._number({self.begin}, is_first=True)
        while self.waiting:
            current = self.waiting.popleft()
            self.rows[self.numbers[current]] = [self._move(current[0], byte) for byte in self.cuts if byte < 256]
        ends = [self._may_end(*key) for key in self.numbers]
        return _small(first, self.rows, ends, [cut for cut in self.cuts if cut < 256])

    def _number(self, states: set[int], is_first: bool = False) -> int:
        found = self.steps.closure(states | {self.begin}, frozenset({"start"} if is_first else ()))
        if self.steps.final in found:
            found, is_first = frozenset({self.steps.final}), False  # matched, whatever follows
        key = (found, is_first)
        if key not in self.numbers:
            if len(self.numbers) >= _MOST_SETS:
                raise PatternError("the pattern needs too many states", 0)
            self.numbers[key] = len(self.numbers)
            self.rows.append([])
            self.waiting.append(key)
        return self.numbers[key]

    def _move(self, states: frozenset[int], byte: int) -> int:
        if self.steps.final in states:
            return self.numbers[states, False]
        edges = (self.steps.on_byte[state] for state in states if state in self.steps.on_byte)
        return self._number({target for low, high, target in edges if low <= byte <= high})

    def _may_end(self, states: frozenset[int], is_first: bool) -> bool:
        at = frozenset({"start", "end"} if is_first else {"end"})
        return self.steps.final in self.steps.closure(set(states), at)


def _small(first: int, rows: list[list[int]], ends: list[bool], cuts: list[int]) -> Automaton:
    """Merge states that no text tells apart, then bytes that no state tells apart."""
    block = [int(end) for end in ends]
    while True:
        signatures: dict[tuple[int, ...], int] = {}
        refined = [
            signatures.setdefault((block[state], *(block[target] for target in row)), len(signatures))
            for state, row in enumerate(rows)
        ]
        if len(set(refined)) == len(set(block)):
            break
        block = refined
    table = {block[state]: [block[target] for target in row] for state, row in enumerate(rows)}
    accepts = {block[state]: ends[state] for state in range(len(rows))}
    return _numbered(block[first], table, accepts, cuts)


def _numbered(first: int, table: dict[int, list[int]], accepts: dict[int, bool], cuts: list[int]) -> Automaton:
    stuck = {state for state, row in table.items() if set(row) == {state}}
    matched = next((state for state in stuck if accepts[state]), None)
    failed = next((state for state in stuck if not accepts[state]), None)
    others = [state for state in table if state not in (matched, failed)]
    order = {state: place for place, state in enumerate(others, 2)}
    if matched is not None:
        order[matched] = MATCHED
    if failed is not None:
        order[failed] = FAILED
    if len(others) + 2 > _MOST_STATES:
        raise PatternError("the pattern needs too many states", 0)
    columns: dict[tuple[int, ...], int] = {}
    by_byte = []
    for byte in range(256):
        place = max(index for index, cut in enumerate(cuts) if cut <= byte)
        column = tuple(order[table[state][place]] for state in others)
        by_byte.append(columns.setdefault(column, len(columns)))
    rows = [[FAILED] * len(columns), [MATCHED] * len(columns)]
    rows += [[column[place] for column in columns] for place in range(len(others))]
    flags = [0, 1, *(int(accepts[state]) for state in others)]
    return Automaton(order[first], bytes(by_byte), bytes(cell for row in rows for cell in row), bytes(flags))

