"""M3, the trigger program: the only thing that leaves the frontend. Nodes only; text lives in m3_text.

A program declares the relations it listens to, the maps it keeps, the views it answers from them, and one trigger
per event. A *map* is a set of records: key columns and named payload *slots*, each slot with its defining query. The
slot ``count`` (if there is one) is the multiplicity of the key and alone decides whether the key is present;
a map without it holds exact payloads only, and a key is absent when all of them are zero.

A trigger is a list of statements that run in order. ``+=`` statements read the state before the event, so a map is
updated before the maps its statement reads. The order is checked by ``check.py``.

A *derived* relation holds the rows of the views it is declared over, all together (UNION ALL). Nobody pushes into it:
when an event has changed such a view, its old rows are deleted from the derived relation and its new rows inserted, one
single-row event each. That is how a query reads the results of others. Relations are declared in such an order that a
derived relation follows whatever its views read. Of a view of groups it may instead hold only the *ends*: for all
rows that agree but for the last column, the one whose last column is the least (``first``) or the greatest (``last``).
With a *window* it holds all rows of its view, each extended by what the calls of the window give for it. With a
*crossing* it holds the intervals in which a running sum over one view passes a test against another.

Batch triggers see the changes of one relation as the delta relation ``(DELTA R)(x…)`` whose payload is the weight of
the row. Their ``locals`` are maps that live for one batch: pre-aggregations of the delta.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from toastergen.frontend.calculus.agca import Expr
from toastergen.frontend.scalar import Const, Scalar, Var
from toastergen.frontend.types import Type

COUNT: Final = "count"

STREAM: Final = "stream"
TABLE: Final = "table"
DERIVED: Final = "derived"

FIRST: Final = "first"
LAST: Final = "last"

ROWS: Final = "rows"
RANGE: Final = "range"
GROUPS: Final = "groups"
PRECEDING: Final = "preceding"
CURRENT: Final = "current row"
FOLLOWING: Final = "following"

INSERT: Final = "insert"
DELETE: Final = "delete"
BATCH: Final = "batch"


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Source:
    """Where a relation's rows come from when the program is run: ``FILE 'path' LINE DELIMITED CSV (…)``."""

    path: str
    format: str = "csv"
    options: tuple[tuple[str, str], ...] = ()

    @property
    def has_deletes(self) -> bool:
        """Is it of a kind that is there to delete rows as well?"""
        names = [name for name, value in self.options if name != "deletions" or value == "true"]
        return self.format == "orderbook" or not {"deletions", "operation", "weight"}.isdisjoint(names)


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A column that rows are sorted by."""

    column: str
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """Where a frame starts or ends. ``offset`` is None for CURRENT ROW and for UNBOUNDED.

    In a RANGE frame it is of the kind of the order key, decimals of its scale; days for a date.
    """

    side: str
    offset: Const | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows of a partition that a call looks at from one of them.

    ``rows`` and ``groups`` count, ``groups`` rows that are equal in their order as one; ``range`` compares keys.
    """

    unit: str
    start: Bound
    end: Bound


@dataclass(frozen=True, slots=True)
class Call:
    """``column := function(arguments, number)`` over ``frame``; see ``windows.py`` for what each function takes."""

    column: str
    function: str
    arguments: tuple[str, ...] = ()
    number: int | None = None
    frame: Frame | None = None
    ignore_nulls: bool = False  # as if rows whose value is NULL were not there


@dataclass(frozen=True, slots=True)
class Window:
    """Rows that agree in ``partition`` stand in one order: by ``order``, then by all their columns, NULLs last."""

    partition: tuple[str, ...]
    order: tuple[OrderKey, ...]
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Crossing:
    """For which values p the sum of the weights of all keys with ``key side p`` passes a test against a threshold.

    The relation's first query gives keys and weights, its second the threshold, in one row at most. ``test`` is over
    the variables ``running`` and ``threshold``. Where no key is added up there is no sum and nothing holds, unless
    ``counts_nothing``: then the sum is 0. The rows are intervals of p, as few as possible: ``low`` and ``high``, each a
    key or NULL where there is no end.
    """

    side: str
    test: Scalar
    counts_nothing: bool = False

    @property
    def takes_low(self) -> bool:
        """Is the low end of an interval inside it, and the high end not? Otherwise it is the other way round."""
        return self.side in (">", "<=")


@dataclass(frozen=True, slots=True)
class Relation:
    """``kind`` is ``stream``, ``table`` or ``derived``; tables are loaded before the streams start and fixed then.

    Rows of an ``append_only`` stream are never deleted: it has no delete trigger.
    """

    name: str
    columns: tuple[Column, ...]
    kind: str = STREAM
    primary_key: tuple[str, ...] = ()
    source: Source | None = None
    queries: tuple[str, ...] = ()  # of a derived relation: the views whose rows it holds
    end: str = ""  # of a derived relation: which rows of its view, if not all
    append_only: bool = False
    window: Window | None = None  # of a derived relation: what extends the rows of its view
    crossing: Crossing | None = None  # of a derived relation: intervals in which a running sum passes a test


@dataclass(frozen=True, slots=True)
class Slot:
    name: str
    type: Type
    definition: Expr


@dataclass(frozen=True, slots=True)
class Map:
    name: str
    keys: tuple[Var, ...]
    slots: tuple[Slot, ...]

    def slot(self, name: str) -> Slot:
        return next(slot for slot in self.slots if slot.name == name)

    @property
    def has_count(self) -> bool:
        return any(slot.name == COUNT for slot in self.slots)


@dataclass(frozen=True, slots=True)
class Output:
    """One column of a view: an expression over the keys and slots of its map, each a ``Var`` of that name."""

    name: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Order:
    """How a view's rows are shown: sorted, then ``limit`` of them behind the first ``offset``."""

    keys: tuple[OrderKey, ...] = ()
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """An answer. ``shape`` says how records become rows:

    * ``groups``: one row per present key (GROUP BY);
    * ``bag``: each key ``count`` times (a SELECT without aggregates);
    * ``single``: exactly one row, even when nothing is there (aggregates without GROUP BY).

    A ``hidden`` view is not shown: it only feeds derived relations. An ``order`` is applied when the view is read.
    """

    name: str
    map: str
    shape: str
    outputs: tuple[Output, ...]
    hidden: bool = False
    order: Order | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """``target.slot[keys] op expr`` with op ``+=`` or ``:=`` (replace the whole map)."""

    target: str
    slot: str
    keys: tuple[Var, ...]
    op: str
    expr: Expr


@dataclass(frozen=True, slots=True)
class Trigger:
    """What to do on an event: ``insert``/``delete`` of one row (``params`` name its columns), or ``batch``."""

    event: str
    relation: str
    params: tuple[Var, ...]
    statements: tuple[Statement, ...]
    locals: tuple[Map, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    relations: tuple[Relation, ...]
    maps: tuple[Map, ...]
    views: tuple[View, ...]
    triggers: tuple[Trigger, ...] = field(default=())

    def relation(self, name: str) -> Relation:
        return next(item for item in self.relations if item.name == name)

    def view(self, name: str) -> View:
        return next(item for item in self.views if item.name == name)

    def derived(self) -> tuple[Relation, ...]:
        return tuple(item for item in self.relations if item.kind == DERIVED)

    def map(self, name: str) -> Map:
        return next(item for item in self.maps if item.name == name)

    def trigger(self, event: str, relation: str) -> Trigger | None:
        return next((t for t in self.triggers if t.event == event and t.relation == relation), None)
