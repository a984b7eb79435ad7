"""A file of order-book messages as changes of bids and asks.

Each line is ``t, id, action, volume, price``. What the action means for the order with this id:

B       a bid is entered                    A, S    an ask is entered
E, C    executed or cancelled in part: its volume shrinks by that of the message; at zero the order is gone
F, D    filled or deleted: the order is gone
X, T    trades that no order of the book takes part in: nothing happens

Letters may be small. A message about an order that is not in the book says nothing: files begin in the middle of a day.
A changed order is its old row deleted and its new row inserted; it keeps the time at which it was entered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from toastergen.errors import DataError, SourceError
from toastergen.runtime.changes import Piece, RelationSchema
from toastergen.runtime.ingest import Place, Reading, Source, arrow_schema, read_csv

_COLUMNS: Final = ("t", "id", "broker_id", "volume", "price")
_ENTERED: Final = {"B": "bids", "A": "asks", "S": "asks"}
_SHRUNK: Final = ("E", "C")
_GONE: Final = ("F", "D")
_IGNORED: Final = ("X", "T")
_HINT: Final = "see the order-book format in docs/sources.md, or use --on-error=skip to leave such messages out"


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class _Messages:
    """The columns of the file, of the types that its readers declare."""

    name: str
    columns: tuple[_Column, ...]


@dataclass(frozen=True, slots=True)
class BookReader:
    """A relation that holds one side of the book."""

    relation: RelationSchema
    book: str
    brokers: int
    deterministic: bool

    @property
    def types(self) -> tuple[str, str, str]:
        """How to read times, volumes and prices; readers that agree share one pass over the file."""
        declared = {column.name.lower(): str(column.type) for column in self.relation.columns}
        return declared.get("t", "double"), declared.get("volume", "double"), declared.get("price", "double")

    def broker(self, order: int) -> int:
        # Without `deterministic` brokers look random but are the same in every run: multiplication by the golden
        # ratio spreads neighbouring ids.
        mixed = order if self.deterministic else (order * 0x9E3779B97F4A7C15 % 2**64) >> 32
        return mixed % self.brokers

    def batch(self, events: _Events) -> pa.RecordBatch:
        values: dict[str, list[Any]] = {
            "t": events.times, "id": events.ids, "volume": events.volumes, "price": events.prices,
        }  # fmt: skip
        schema = arrow_schema(self.relation)
        if "broker_id" in map(str.lower, schema.names):
            values["broker_id"] = list(map(self.broker, events.ids))
        # Ids come as whole numbers; the engine casts them where the relation declares another type.
        types = [pa.int64() if item.name.lower() in ("id", "broker_id") else item.type for item in schema]
        columns = [pa.array(values[name.lower()], kind) for name, kind in zip(schema.names, types, strict=True)]
        return pa.record_batch(columns, names=schema.names)


def book_reader(relation: RelationSchema, options: Mapping[str, str]) -> BookReader:
    book, brokers = options.get("book", "").lower(), options.get("brokers", "10")
    unknown = [column.name for column in relation.columns if column.name.lower() not in _COLUMNS]
    if book not in ("bids", "asks"):
        problem, hint = "does not say which side of the order book it reads", "write book := 'bids' or book := 'asks'"
    elif not (brokers.isascii() and brokers.isdecimal() and int(brokers)):
        problem, hint = f"has the option brokers {brokers!r}", "write for example brokers := '10'"
    elif unknown:
        problem, hint = f"has a column {unknown[0]}", f"an order book has the columns {', '.join(_COLUMNS)}"
    else:
        return BookReader(relation, book, int(brokers), options.get("deterministic", "no").lower() == "yes")
    raise SourceError(f"relation {relation.name} {problem}", hint=hint)


@dataclass(slots=True)
class _Order:
    book: str
    time: Any
    volume: Any
    price: Any


@dataclass(slots=True)
class _Events:
    """Changes of one side, column by column."""

    times: list[Any] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    volumes: list[Any] = field(default_factory=list)
    prices: list[Any] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)

    def add(self, number: int, order: _Order, weight: int) -> None:
        self.times.append(order.time)
        self.ids.append(number)
        self.volumes.append(order.volume)
        self.prices.append(order.price)
        self.weights.append(weight)


class OrderBook:
    """The open orders, and what each message changes about them."""

    def __init__(self) -> None:
        self._open: dict[int, _Order] = {}

    def apply(self, events: Mapping[str, _Events], message: Sequence[Any]) -> str | None:
        """Carry out ``t, id, action, volume, price``; what is wrong with it, if something is."""
        time, number, action, volume, price = message
        action = action.strip().upper()
        book = _ENTERED.get(action)
        order = self._open.get(number)
        if book is not None:
            if order is not None:
                return f"order {number} is entered again while it is open"
            order = self._open[number] = _Order(book, time, volume, price)
            events[book].add(number, order, 1)
        elif action in _SHRUNK or action in _GONE:
            if order is None:
                return None
            left = order.volume - volume if action in _SHRUNK else 0
            if left < 0:
                return f"{volume} of order {number} are taken, which has {order.volume}"
            events[order.book].add(number, order, -1)
            if left:
                order.volume = left
                events[order.book].add(number, order, 1)
            else:
                del self._open[number]
        elif action not in _IGNORED:
            return f"{action!r} is no action of an order book"
        return None


def open_order_book(module: Any, readers: Sequence[BookReader], place: Place, reading: Reading) -> Source:
    """One pass over the file for all its readers: after each batch of messages every one of them is up to date."""
    names = ", ".join(reader.relation.name for reader in readers)
    time, volume, price = readers[0].types
    types = {"t": time, "id": "long", "action": "string", "volume": volume, "price": price}
    messages = _Messages(names, tuple(_Column(name, type_) for name, type_ in types.items()))

    def pieces(source: Source) -> Iterator[Piece]:
        book, seen = OrderBook(), 0
        for batch, done in read_csv(source, module, place.location, messages, {}, reading):
            events = {"bids": _Events(), "asks": _Events()}
            columns = [column.to_pylist() for column in batch.columns]
            for at, message in enumerate(zip(*columns, strict=True), seen + 1):
                problem = book.apply(events, message)
                if problem is not None:
                    _refuse(source, f"{place.label}: message {at}: {problem}", reading)
            seen += batch.num_rows
            for reader in readers:
                mine = events[reader.book]
                if mine.weights:
                    yield Piece(reader.relation.name, reader.batch(mine), pa.array(mine.weights, pa.int64()), done)

    return Source(place.label, place.bytes_total, pieces)


def _refuse(source: Source, message: str, reading: Reading) -> None:
    if not reading.skips:
        raise DataError(message, hint=_HINT)
    source.reject(1, (message,))
