"""The plan: what a trigger does, step by step. All decisions are visible here; the C++ printer takes none.

    function ::= node*
    node     ::= step { node* }                           a loop, a lookup or a guard around what follows
               | TOTAL name… { node* } then update        add up first, touch the target once
               | ADD value TO name                        inside TOTAL
               | UPDATE map[key…] { slot += value … }     DEFERRED: a record that becomes vacant stays until SWEEP
               | CLEAR map | SWEEP map
               | PROPAGATE                                bring the derived relations up to date, last of all
    step     ::= FOR ROWS AS r | FOR EACH map AS r | FOR SLICE map[key…] AS r | FIND map[key…] AS r
               | SUM map[key…] BY key [ABOVE test] [BELOW test] AS r      r holds the sums of all such records
               | SUM EACH map[key…] BY key [ABOVE test] [BELOW test] AS r  the same for every group of these keys
               | LOOK map[key…] AS r: x = r.slot OR 0      x is 0 where there is no such record
               | IF test | LET x = value
    value    ::= scalar | [-] PRODUCT(factor…)            PRODUCT: of doubles, carried in two words (DoubleWord)

Scalars are those of M3. A variable with a dot is a field of a record or row in scope (``r.price``, and ``r.*`` for the
weight of a row); all others are parameters of the event or LET names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from toastergen.frontend.m3 import Crossing, Window
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.types import Type

WEIGHT: Final = "*"


@dataclass(frozen=True, slots=True)
class Rows:
    """Every row of the batch."""

    record: str
    relation: str


@dataclass(frozen=True, slots=True)
class ForEach:
    map: str
    record: str


@dataclass(frozen=True, slots=True)
class Slice:
    """The records whose keys at ``positions`` have the values ``keys``."""

    map: str
    positions: tuple[int, ...]
    keys: tuple[Scalar, ...]
    record: str


@dataclass(frozen=True, slots=True)
class Find:
    """The record with these keys; what is inside runs only if there is one."""

    map: str
    keys: tuple[Scalar, ...]
    record: str


@dataclass(frozen=True, slots=True)
class RangeSum:
    """The sums over the records of a slice whose key at ``by`` passes the tests; what is inside runs if there are any.

    ``above`` comes true once as that key grows, ``below`` ceases to be true once; both ask it as a field of ``record``.
    With ``each`` there are no keys: sums are taken for every group of records that agree in ``positions``, in turn, and
    the record has the keys of the group too.
    """

    map: str
    positions: tuple[int, ...]
    keys: tuple[Scalar, ...]
    by: int
    above: Scalar | None
    below: Scalar | None
    record: str
    each: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """Bind a variable to a slot of the record with these keys, or to 0 where there is none."""

    map: str
    keys: tuple[Scalar, ...]
    record: str
    slot: Var
    var: Var


@dataclass(frozen=True, slots=True)
class If:
    test: Scalar


@dataclass(frozen=True, slots=True)
class Let:
    var: Var
    value: Scalar


@dataclass(frozen=True, slots=True)
class DoubleWord:
    """What is added to a floating slot, in two words: the product of its factors.

    Factors that are floating slots or totals are read whole; at most one is exact, and the first. A scalar would be
    rounded to one word, and what a large value rounds away from a small one, no delete of the large one brings back.
    """

    factors: tuple[Scalar, ...]
    negative: bool = False


Payload: TypeAlias = Scalar | DoubleWord
Step: TypeAlias = Rows | ForEach | Slice | Find | RangeSum | Look | If | Let
Reading: TypeAlias = ForEach | Slice | Find | RangeSum | Look  # the steps that read a map
LOOPS: Final = (Rows, ForEach, Slice)
READS: Final = (ForEach, Slice, Find, RangeSum, Look)


@dataclass(frozen=True, slots=True)
class Block:
    """``source`` lists the M3 statements a top-level block carries out."""

    step: Step
    body: tuple[Node, ...]
    source: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Update:
    map: str
    keys: tuple[Scalar, ...]
    values: tuple[tuple[str, Payload], ...]
    deferred: bool = False
    source: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AddTo:
    total: str
    value: Payload


@dataclass(frozen=True, slots=True)
class Total:
    totals: tuple[tuple[str, Type], ...]
    body: tuple[Node, ...]
    update: Update
    source: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Clear:
    map: str


@dataclass(frozen=True, slots=True)
class Sweep:
    map: str


@dataclass(frozen=True, slots=True)
class Propagate:
    """Turn what the event changed in tracked maps into events of the derived relations, and sweep those maps."""


Node: TypeAlias = Block | Update | AddTo | Total | Clear | Sweep | Propagate


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class RangePlan:
    """An index of a map: for each group of records that agree in ``positions``, sums of slots in the order of a key."""

    positions: tuple[int, ...]
    by: int
    slots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MapPlan:
    """How a map is stored. Without keys it is a single record.

    ``slices`` are the partial keys it is looked up by, ``ranges`` the orders it is summed over, ``lookups`` the partial
    keys that one record at most has. ``local`` maps live for one batch and never erase. ``tracked`` maps feed derived
    relations: they remember the records an event touched as they were before.
    """

    name: str
    keys: tuple[Field, ...]
    slots: tuple[Field, ...]
    slices: tuple[tuple[int, ...], ...] = ()
    ranges: tuple[RangePlan, ...] = ()
    lookups: tuple[tuple[int, ...], ...] = ()
    local: bool = False
    tracked: bool = False

    def is_lookup(self, positions: tuple[int, ...]) -> bool:
        """Do these keys leave one record at most?"""
        return any(set(found) <= set(positions) for found in self.lookups)

    def range_index(self, step: RangeSum) -> int:
        return [(item.positions, item.by) for item in self.ranges].index((step.positions, step.by))


@dataclass(frozen=True, slots=True)
class Function:
    """The code of one trigger. ``columns`` are the columns of the relation it reads, by parameter name."""

    event: str
    relation: str
    params: tuple[Var, ...]
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ViewColumn:
    name: str
    type: Type
    nullable: bool
    value: Scalar


@dataclass(frozen=True, slots=True)
class ViewPlan:
    """Reading a view: every present record (variable ``entry.…``) gives a row, or ``count`` of them."""

    name: str
    map: str
    shape: str
    columns: tuple[ViewColumn, ...]
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WindowPlan:
    """Rows kept in order, partition by partition: their ``columns``, and the ``results`` of the window's calls."""

    columns: tuple[Field, ...]
    results: tuple[Field, ...]
    window: Window


@dataclass(frozen=True, slots=True)
class DerivedPlan:
    """What a derived relation gets from one of its views: the rows that the records of a map give (``entry.…``).

    With a ``crossing`` it gets intervals: its first plan gives keys and weights, its second the threshold. With an
    ``end`` it gets only the first or last of the rows that agree but for the last value, with a ``window``
    all rows, extended by its results.
    """

    relation: str
    map: str
    shape: str
    values: tuple[Scalar, ...]
    end: str = ""
    window: WindowPlan | None = None
    crossing: Crossing | None = None


@dataclass(frozen=True, slots=True)
class LedgerPlan:
    """What the border keeps of a relation's rows: ``kind`` is one of ``ledger_kind`` in relation.hpp.

    ``key`` holds the positions of the primary key's columns.
    """

    relation: str
    kind: str
    key: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """``derived`` is in the order in which changes travel."""

    maps: tuple[MapPlan, ...]
    functions: tuple[Function, ...]
    views: tuple[ViewPlan, ...]
    derived: tuple[DerivedPlan, ...] = ()
    ledgers: tuple[LedgerPlan, ...] = ()

    def map(self, name: str) -> MapPlan:
        return next(item for item in self.maps if item.name == name)
