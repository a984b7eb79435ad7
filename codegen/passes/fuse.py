"""Fuse chains that begin with the same steps: one lookup, one loop, one record touched for all slots.

Only neighbours are fused, and never when the later chain writes a map that the earlier block reads: inside one loop the
write would be seen by the next round, where before it came after the whole loop.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from toastergen.codegen.chain import Chain
from toastergen.codegen.plan import AddTo, Block, Find, ForEach, Node, Slice, Step, Total, Update
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
    values: list[tuple[str, Scalar]] = field(default_factory=list)
    source: list[str] = field(default_factory=list)


@dataclass
class _Add:
    total: str
    value: Scalar
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
        _insert(body, chain, 0, None)
        source = body[-1].source
        if chain.source not in source:
            source.append(chain.source)
    return [_freeze(item) for item in body]


def _insert(body: list[_Item], chain: Chain, at: int, total: _Total | None) -> None:
    last = body[-1] if body and chain.target not in _reads(body[-1]) else None
    if total is None and chain.total_at == at:
        if not (isinstance(last, _Total) and last.map == chain.target and last.keys == chain.keys):
            last = _Total(chain.target, chain.keys)
            body.append(last)
        _insert(last.body, chain, at, last)
    elif at < len(chain.steps):
        if not (isinstance(last, _Block) and last.step == chain.steps[at]):
            last = _Block(chain.steps[at])
            body.append(last)
        _insert(last.body, chain, at + 1, total)
    elif total is not None:
        name, _ = total.totals.setdefault(chain.slot.name, (f"total_{chain.slot.name}", chain.slot.type))
        body.append(_Add(name, chain.value))
    else:
        if not (isinstance(last, _Update) and last.map == chain.target and last.keys == chain.keys):
            last = _Update(chain.target, chain.keys)
            body.append(last)
        last.values.append((chain.slot.name, chain.value))


def _reads(item: _Item) -> set[str]:
    match item:
        case _Block(step=Find() | Slice() | ForEach() as step):
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
            values = tuple((slot, Var(name, type_)) for slot, (name, type_) in item.totals.items())
            update = Update(item.map, item.keys, values)
            return Total(tuple(item.totals.values()), tuple(map(_freeze, item.body)), update, source)
