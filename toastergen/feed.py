"""Rows from files into an engine: tables first and whole, then the streams in turn, batch by batch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from toastergen.errors import SourceError
from toastergen.runtime.ingest import BATCH_ROWS, STANDARD_INPUT, Source, open_source

if TYPE_CHECKING:
    from toastergen.runtime import Engine, EngineModule
    from toastergen.runtime.schema import RelationInfo, SourceInfo


@dataclass(frozen=True, slots=True)
class Feed:
    relation: str
    is_table: bool
    source: Source


@dataclass(frozen=True, slots=True)
class FeedOptions:
    """``base`` is the folder from which paths in the program are meant: that of its file."""

    base: Path
    on_error: str = "stop"
    batch_rows: int = BATCH_ROWS


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
    feeds = [_feed(module, relation, paths.get(relation.name.lower()), options) for relation in relations]
    silent = tuple(item.name for item, feed in zip(relations, feeds, strict=True) if feed is None)
    return tuple(feed for feed in feeds if feed is not None), silent


def _feed(module: EngineModule, relation: RelationInfo, path: str | None, options: FeedOptions) -> Feed | None:
    declared = relation.source
    if path is None and declared is None:
        return None
    location = path if path is not None else _beside(declared, options.base)
    settings = _settings(relation.name, declared) if declared is not None else {}
    if path is not None and declared is not None and Path(path).suffix != Path(declared.path).suffix:
        # Another kind of file: what was said about the declared one does not hold for it.
        settings = {}
    source = open_source(module, relation, location, settings, options.on_error, options.batch_rows)
    return Feed(relation.name, relation.kind == "table", source)


def _beside(declared: SourceInfo | None, base: Path) -> str:
    assert declared is not None
    return declared.path if declared.path == STANDARD_INPUT else os.fspath(base / declared.path)


def _settings(relation: str, declared: SourceInfo) -> dict[str, str]:
    match declared.format:
        case "csv" | "parquet" | "arrow" | "feather":
            return dict(declared.options)
        case "tsv":
            return {"delimiter": "\t", **dict(declared.options)}
        case other:
            raise SourceError(
                f"relation {relation}: files of the format {other} cannot be read", hint="use csv, parquet or arrow"
            )


def pump(engine: Engine, feeds: tuple[Feed, ...], watcher: Watcher) -> int:
    """Push everything; the number of rows."""
    rows = 0
    for feed, batch, done in _turns(feeds):
        engine.apply(feed.relation, batch)
        rows += batch.num_rows
        watcher.advance(feed.relation, batch.num_rows, done)
    return rows


def _turns(feeds: tuple[Feed, ...]) -> Iterator[tuple[Feed, Any, int]]:
    for feed in feeds:
        if feed.is_table:
            for batch, done in feed.source:
                yield feed, batch, done
    running = [(feed, iter(feed.source)) for feed in feeds if not feed.is_table]
    while running:
        for entry in tuple(running):
            feed, batches = entry
            item = next(batches, None)
            if item is None:
                running.remove(entry)
            else:
                yield feed, *item
