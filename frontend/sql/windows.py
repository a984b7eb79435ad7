"""The window functions of one query, and the query over their results that takes its place.

The query as written gives the rows, with every value that a window or the select list needs as a column. A derived
relation extends them by what the calls of one window give; a call over other partitions or in another order is a step
of its own, over the rows that the last one has extended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from toastergen.frontend import m3
from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import Column, Frame
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Const, Scalar, Var
from toastergen.frontend.sql.block import Block, named, reading, rewrite, rewritten, unique
from toastergen.frontend.sql.context import Context
from toastergen.frontend.sql.names import RESERVED, OutputNames
from toastergen.frontend.sql.resolved import Item
from toastergen.frontend.types import Type
from toastergen.frontend.windows import SIGNATURES, WHOLE, result_type

_ORDERLESS = ("sum", "count", "min", "max")


@dataclass(frozen=True, slots=True)
class Ordering:
    value: Scalar
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Over:
    """What stands behind OVER, and IGNORE NULLS, which stands before it."""

    partition: tuple[Scalar, ...]
    order: tuple[Ordering, ...]
    frame: Frame
    ignore_nulls: bool = False


@dataclass(frozen=True, slots=True)
class WindowCall:
    """``var`` stands for the result. ``frame`` is None for functions that have none."""

    function: str
    arguments: tuple[Scalar, ...]
    number: int | None
    frame: Frame | None
    partition: tuple[Scalar, ...]
    order: tuple[Ordering, ...]
    ignore_nulls: bool = False

    @property
    def is_orderless(self) -> bool:
        """Does it look at the whole partition, in any order?"""
        return self.function in _ORDERLESS and self.frame == WHOLE

    def values(self) -> tuple[Scalar, ...]:
        return (*self.partition, *(key.value for key in self.order), *self.arguments)

    def type(self) -> Type:
        names = tuple(f"argument {place}" for place, _ in enumerate(self.arguments))
        call = m3.Call("", self.function, names, self.number, self.frame)
        return result_type(call, dict(zip(names, map(sc.column_type, self.arguments), strict=True)))


class Windows:
    """Collects the calls in the order of their first use; equal ones are computed once."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._found: dict[WindowCall, Var] = {}

    def add(self, function: str, arguments: tuple[Scalar, ...], number: int | None, over: Over) -> Var:
        frame = over.frame if SIGNATURES[function].frame else None
        passes = over.ignore_nulls and SIGNATURES[function].passes and sc.is_nullable(arguments[0])
        call = WindowCall(function, arguments, number, frame, over.partition, over.order, passes)
        if call not in self._found:
            self._found[call] = Var(self._names.fresh(f"{function}_over"), call.type())
        return self._found[call]

    def is_result(self, value: Scalar) -> bool:
        return isinstance(value, Var) and value in self._found.values()

    def found(self) -> dict[WindowCall, Var]:
        return self._found

    def inside(self, value: Scalar) -> bool:
        return any(map(self.is_result, sc.variables(value)))


def over_windows(
    rows: Callable[[tuple[Item, ...]], Block],
    windows: Windows,
    items: tuple[Item, ...],
    qualify: tuple[Scalar, ...],
    context: Context,
) -> Block:
    """``rows`` makes the query with other items: those that the windows are computed over."""
    calls = windows.found()
    wanted = [value for call in calls for value in call.values()]
    wanted += [part for value in (*(item.value for item in items), *qualify) for part in _parts(value, windows)]
    columns = named(unique(wanted), items) or (Item("one", sc.ONE),)
    return _Steps(columns, calls, context).block(rows(columns), items, qualify)


def _parts(value: Scalar, windows: Windows) -> Iterator[Scalar]:
    """The largest parts of a value that are known before any window is."""
    if not windows.inside(value):
        if not isinstance(value, Const):
            yield value
        return
    for child in sc.children(value):
        yield from _parts(child, windows)


class _Steps:
    """``columns`` are the rows of the current step, ``meaning`` is what their variables stand for."""

    def __init__(self, columns: tuple[Item, ...], calls: dict[WindowCall, Var], context: Context) -> None:
        self.calls = calls
        self.context = context
        self.names = OutputNames(item.name for item in columns)
        self.labels = {item.value: item.name for item in columns}
        self.meaning: dict[str, Scalar] = {item.name: item.value for item in columns}

    def block(self, block: Block, items: tuple[Item, ...], qualify: tuple[Scalar, ...]) -> Block:
        for calls in _by_window(list(self.calls)):
            block = self._step(block, calls)
        change = {value: item.value for value, item in zip(self.meaning.values(), block.items, strict=True)}
        where = tuple(rewrite(term, change) for term in qualify)
        shown = rewritten(items, lambda value: rewrite(value, change))
        return Block(block.inputs, where, None, (), shown)

    def _step(self, block: Block, calls: list[WindowCall]) -> Block:
        """The rows extended by these calls, as a query that reads all their columns."""
        more: list[Column] = []
        made: list[m3.Call] = []
        for call in calls:
            var = self.calls[call]
            name = self.names.fresh(call.function)
            more.append(Column(name, var.type))
            arguments = tuple(self.labels[value] for value in call.arguments)
            made.append(m3.Call(name, call.function, arguments, call.number, call.frame, call.ignore_nulls))
            self.meaning[name] = var
        leader = max(calls, key=lambda call: not call.is_orderless)
        partition = tuple(self.labels[value] for value in leader.partition)
        order = tuple(m3.OrderKey(self.labels[key.value], key.descending, key.nulls_first) for key in leader.order)
        window = m3.Window(partition, order, tuple(made))
        source = reading(self.context.workspace.derive_window(block, window, tuple(more)), Names(RESERVED))
        return Block((source,), (), None, (), tuple(map(Item, self.meaning, source.vars)))


def _by_window(calls: list[WindowCall]) -> list[list[WindowCall]]:
    """Calls that share partitions and order; what needs no order goes with any order."""
    groups: dict[tuple[frozenset[Scalar], tuple[Ordering, ...] | None], list[WindowCall]] = {}
    for call in sorted(calls, key=lambda call: call.is_orderless):
        partition = frozenset(call.partition)
        shared = (key for key in groups if call.is_orderless and key[0] == partition)
        groups.setdefault(next(shared, (partition, call.order)), []).append(call)
    return list(groups.values())
