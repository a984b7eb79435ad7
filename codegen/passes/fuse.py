"""Fuse chains that begin with the same steps: one lookup, one loop, one record touched for all slots.

A chain joins the nearest earlier block that begins alike, unless that would carry its write ahead of a read: neither
the block it joins nor any block in between may read the map it writes. Inside a shared loop such a write would be seen
by the next round, where before it came after the whole loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from toastergen.codegen.chain import Chain
from toastergen.codegen.plan import (
    AddTo,
    Block,
    DoubleWord,
    Find,
    ForEach,
    Look,
    Node,
    Payload,
    RangeSum,
    Slice,
    Step,
    Total,
    Update,
)
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.types import Type


@dataclass
class _Block:
    step: Step
    body: list[_Item] = field(default_factory=list)
    source: list[str] = field(default_factory=list)


@dataclass
class _Update:
    map: str
    keys: tuple[Scalar, ...]
    values: list[tuple[str, Payload]] = field(default_factory=list)
    source: list[str] = field(default_factory=list)


@dataclass
class _Add:
    total: str
    value: Payload
    source: list[str] = field(default_factory=list)


@dataclass
class _Total:
    map: str
    keys: tuple[Scalar, ...]
    totals: dict[str, tuple[str, Type]] = field(default_factory=dict)  # by slot
    body: list[_Item] = field(default_factory=list)
    source: list[str] = field(default_factory=list)


_Item = _Block | _Update | _Add | _Total


def fuse(chains: list[Chain]) -> list[Node]:
    body: list[_Item] = []
    for chain in chains:
        source = _insert(body, chain, 0, None).source
        if chain.source not in source:
            source.append(chain.source)
    return [_freeze(item) for item in body]


def _insert(body: list[_Item], chain: Chain, at: int, total: _Total | None) -> _Item:
    """Place a chain from its step ``at`` on; returns the item of ``body`` it went to."""
    if total is None and chain.total_at == at:
        target = _find(body, chain, lambda item: isinstance(item, _Total) and _same_target(item, chain))
        item = target if isinstance(target, _Total) else _append(body, _Total(chain.target, chain.keys))
        _insert(item.body, chain, at, item)
        return item
    if at < len(chain.steps):
        step = chain.steps[at]
        target = _find(body, chain, lambda item: isinstance(item, _Block) and item.step == step)
        block = target if isinstance(target, _Block) else _append(body, _Block(step))
        _insert(block.body, chain, at + 1, total)
        return block
    if total is not None:
        name, _ = total.totals.setdefault(chain.slot.name, (f"total of {chain.slot.name}", chain.slot.type))
        return _append(body, _Add(name, chain.value))
    target = _find(body, chain, lambda item: isinstance(item, _Update) and _same_target(item, chain))
    update = target if isinstance(target, _Update) else _append(body, _Update(chain.target, chain.keys))
    update.values.append((chain.slot.name, chain.value))
    return update


_T = TypeVar("_T", _Block, _Update, _Add, _Total)


def _append(body: list[_Item], item: _T) -> _T:
    body.append(item)
    return item


def _find(body: list[_Item], chain: Chain, fits: Callable[[_Item], bool]) -> _Item | None:
    for item in reversed(body):
        if chain.target in _reads(item):
            return None
        if fits(item):
            return item
    return None


def _same_target(item: _Total | _Update, chain: Chain) -> bool:
    return item.map == chain.target and item.keys == chain.keys


def _reads(item: _Item) -> set[str]:
    match item:
        case _Block(step=Find() | Slice() | ForEach() | RangeSum() | Look() as step):
            return {step.map}.union(*map(_reads, item.body))
        case _Block() | _Total():
            return set().union(*map(_reads, item.body))
        case _:
            return set()


def _freeze(item: _Item) -> Node:
    source = tuple(item.source)
    match item:
        case _Block():
            return Block(item.step, tuple(map(_freeze, item.body)), source)
        case _Update():
            return Update(item.map, item.keys, tuple(item.values), source=source)
        case _Add():
            return AddTo(item.total, item.value)
        case _Total():
            values = tuple((slot, _whole(Var(name, type_))) for slot, (name, type_) in item.totals.items())
            update = Update(item.map, item.keys, values)
            return Total(tuple(item.totals.values()), tuple(map(_freeze, item.body)), update, source)


def _whole(total: Var) -> Payload:
    return total if total.type.is_exact else DoubleWord((total,))
