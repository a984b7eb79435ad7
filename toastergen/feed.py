"""Rows from files into an engine: tables first and whole, then the streams in turn, batch by batch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from toastergen.errors import DataError, SourceError
from toastergen.runtime.ingest import BATCH_ROWS, STANDARD_INPUT, Reading, Source, open_place, open_source
from toastergen.runtime.order_book import book_reader, open_order_book

if TYPE_CHECKING:
    from toastergen.runtime import EngineModule
    from toastergen.runtime.changes import Piece
    from toastergen.runtime.schema import RelationInfo, SourceInfo

_ORDER_BOOK: Final = "orderbook"


@dataclass(frozen=True, slots=True)
class Feed:
    """A source and the relations whose rows it brings."""

    relations: tuple[str, ...]
    is_table: bool
    source: Source

    @property
    def name(self) -> str:
        return ", ".join(self.relations)


@dataclass(frozen=True, slots=True)
class FeedOptions:
    """``base`` is the folder from which paths in the program are meant: that of its file."""

    base: Path
    on_error: str = "stop"
    batch_rows: int = BATCH_ROWS


class Sink(Protocol):
    """What takes the rows: an engine, or whatever stands beside one."""

    def apply(self, relation: str, data: Any, weights: Any = None, *, operations: Any = None) -> None: ...


class Watcher(Protocol):
    def advance(self, relation: str, rows: int, bytes_done: int) -> None: ...


def parse_assignments(words: list[str]) -> dict[str, str]:
    """``relation=path`` words of the command line."""
    paths: dict[str, str] = {}
    for word in words:
        relation, equals, path = word.partition("=")
        if not (relation and equals and path):
            raise SourceError(f"{word!r} does not say which relation it is for", hint="write relation=path")
        if relation.lower() in paths:
            raise SourceError(f"relation {relation} is given twice", hint="give one file per relation")
        paths[relation.lower()] = path
    return paths


def open_feeds(
    module: EngineModule, paths: Mapping[str, str], options: FeedOptions
) -> tuple[tuple[Feed, ...], tuple[str, ...]]:
    """A feed per relation that has a source, in declaration order, and the names of those that have none."""
    relations = module.schema.relations
    known = {relation.name.lower() for relation in relations}
    for name in paths:
        if name not in known:
            names = ", ".join(relation.name for relation in relations)
            raise SourceError(f"there is no relation {name}", hint=f"the relations are {names}")
    if sum(path == STANDARD_INPUT for path in paths.values()) > 1:
        raise SourceError("standard input is given for two relations", hint="use it for one only")
    groups: dict[tuple[str, ...], list[_Input]] = {}
    silent = []
    for relation in relations:
        found = _input(relation, paths.get(relation.name.lower()), options)
        if found is None:
            silent.append(relation.name)
        else:
            groups.setdefault(found.group, []).append(found)
    return tuple(_feed(module, inputs, options) for inputs in groups.values()), tuple(silent)


@dataclass(frozen=True, slots=True)
class _Input:
    """What is read for one relation, and how; ``kind`` is None where the suffix decides."""

    relation: RelationInfo
    location: str
    kind: str | None
    settings: dict[str, str]

    @property
    def group(self) -> tuple[str, ...]:
        """Relations of one group share one pass over their file: the sides of an order book do."""
        if self.kind != _ORDER_BOOK:
            return (self.relation.name,)
        types = book_reader(self.relation, self.settings).types
        return (_ORDER_BOOK, self.location, self.relation.kind, *types)


def _input(relation: RelationInfo, path: str | None, options: FeedOptions) -> _Input | None:
    declared = relation.source
    if declared is None:
        return None if path is None else _Input(relation, path, None, {})
    if path is not None and Path(path).suffix != Path(declared.path).suffix:
        # Another kind of file: what was said about the declared one does not hold for it.
        return _Input(relation, path, None, {})
    location = path if path is not None else _beside(declared, options.base)
    return _Input(relation, location, *_settings(relation.name, declared))


def _feed(module: EngineModule, inputs: list[_Input], options: FeedOptions) -> Feed:
    names = tuple(item.relation.name for item in inputs)
    first = inputs[0]
    is_table = first.relation.kind == "table"
    if first.kind == _ORDER_BOOK:
        readers = [book_reader(item.relation, item.settings) for item in inputs]
        place = open_place(first.relation.name, first.location)
        source = open_order_book(module, readers, place, Reading(options.on_error, options.batch_rows))
    else:
        source = open_source(
            module, first.relation, first.location, first.settings, options.on_error, options.batch_rows, first.kind
        )
    return Feed(names, is_table, source)


def _beside(declared: SourceInfo, base: Path) -> str:
    return declared.path if declared.path == STANDARD_INPUT else os.fspath(base / declared.path)


def _settings(relation: str, declared: SourceInfo) -> tuple[str | None, dict[str, str]]:
    match declared.format:
        case "csv" | "parquet" | "arrow" | "feather":
            return None, dict(declared.options)
        case "tsv":
            return None, {"delimiter": "\t", **dict(declared.options)}
        case "orderbook":
            return _ORDER_BOOK, dict(declared.options)
        case other:
            raise SourceError(
                f"relation {relation}: files of the format {other} cannot be read", hint="use csv, parquet or arrow"
            )


def pump(engine: Sink, feeds: tuple[Feed, ...], watcher: Watcher) -> int:
    """Push everything; the number of rows."""
    rows = 0
    for feed, piece in turns(feeds):
        try:
            engine.apply(piece.relation, piece.rows, piece.weights, operations=piece.operations)
        except DataError as error:
            raise _placed(error, feed, piece) from None
        rows += piece.rows.num_rows
        watcher.advance(feed.name, piece.rows.num_rows, piece.bytes_done)
    return rows


def _placed(error: DataError, feed: Feed, piece: Piece) -> DataError:
    """Engines know the rows of a batch by number, people the file."""
    last = feed.source.rows_read
    place = f"{feed.source.label}, batch of rows {last - piece.rows.num_rows + 1:,} to {last:,}"
    return DataError(f"{place}: {error.message}", hint=error.hint)


def turns(feeds: tuple[Feed, ...]) -> Iterator[tuple[Feed, Piece]]:
    """What the sources bring, in the order in which it is pushed."""
    for feed in feeds:
        if feed.is_table:
            for piece in feed.source:
                yield feed, piece
    running = [(feed, iter(feed.source)) for feed in feeds if not feed.is_table]
    while running:
        for entry in tuple(running):
            feed, pieces = entry
            item = next(pieces, None)
            if item is None:
                running.remove(entry)
            else:
                yield feed, item
