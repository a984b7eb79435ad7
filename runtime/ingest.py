"""Rows of files as Arrow batches of exactly a relation's types, streamed: no file is ever held in memory.

CSV is read by the native reader that every engine module carries; Parquet, Feather and Arrow files by
pyarrow. Only CSV knows bad rows one by one: in the other formats a value that does not fit always stops.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

import pyarrow as pa

from toastergen.errors import DataError, SourceError
from toastergen.runtime import changes
from toastergen.runtime.changes import ColumnSchema, Piece, RelationSchema, change_column, split

BATCH_ROWS: Final = 65_536
STANDARD_INPUT: Final = "-"
OPTIONS: Final = ("delimiter", "header", "quote", "escape", "null")
_DELIMITERS: Final = {".tsv": "\t", ".tbl": "|"}
_COMPRESSED: Final = {".gz": "gunzip -c", ".bz2": "bunzip2 -c", ".xz": "xz -dc", ".zst": "zstd -dc"}
_KINDS: Final = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow"}
_KEPT_MESSAGES: Final = 5

Batches: TypeAlias = Iterator[tuple[pa.RecordBatch, int]]


@dataclass(slots=True)
class Source:
    """A running input: iterate over it for pieces of rows. The counts grow as it is read."""

    label: str
    bytes_total: int | None
    pieces: Callable[[Source], Iterator[Piece]]
    rows_read: int = 0
    rows_rejected: int = 0
    messages: tuple[str, ...] = field(default=())

    def reject(self, rows: int, messages: Sequence[str]) -> None:
        """Count rows that are left out; the first few messages are kept."""
        self.rows_rejected += rows
        self.messages = (*self.messages, *messages)[:_KEPT_MESSAGES]

    def __iter__(self) -> Iterator[Piece]:
        for piece in self.pieces(self):
            self.rows_read += piece.rows.num_rows
            yield piece


@dataclass(frozen=True, slots=True)
class Place:
    """A file that can be read: ``label`` names it in messages, ``bytes_total`` is None for a pipe."""

    location: Path
    label: str
    bytes_total: int | None


def open_place(relation: str, path: str | os.PathLike[str]) -> Place:
    location = Path("/dev/stdin" if os.fspath(path) == STANDARD_INPUT else path)
    total = _size(location, relation)
    suffix = location.suffix.lower()
    label = "<stdin>" if os.fspath(path) == STANDARD_INPUT else os.fspath(path)
    if suffix in _COMPRESSED:
        raise SourceError(
            f"{label} is compressed, which is not read",
            hint=f"unpack it, or read it through a pipe: {_COMPRESSED[suffix]} {label} | … {relation}=-",
        )
    return Place(location, label, total)


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read: ``on_error`` is ``stop`` (the first bad row raises) or ``skip`` (bad rows are counted)."""

    on_error: str = "stop"
    batch_rows: int = BATCH_ROWS

    def __post_init__(self) -> None:
        if self.on_error not in ("stop", "skip"):
            raise SourceError(f"on_error is {self.on_error!r}", hint="choose stop or skip")
        if self.batch_rows < 1:
            raise SourceError(f"a batch of {self.batch_rows} rows", hint="give a batch size of at least 1")

    @property
    def skips(self) -> bool:
        return self.on_error == "skip"


def open_source(
    module: Any,
    relation: RelationSchema,
    path: str | os.PathLike[str],
    options: Mapping[str, str] | None = None,
    on_error: str = "stop",
    batch_rows: int = BATCH_ROWS,
    kind: str | None = None,
) -> Source:
    """Open a file for a relation. ``module`` is a loaded engine module: its ``CsvReader`` does the work.

    Where ``kind`` does not name the format, the suffix decides: ``.parquet``, ``.arrow``/``.feather``;
    everything else is CSV, ``-`` is standard input.
    """
    reading = Reading(on_error, batch_rows)
    place = open_place(relation.name, path)
    settings = dict(options or {})
    change = change_column(relation, settings)
    read = _batches(module, relation if change is None else change.joined(relation), place, settings, reading, kind)

    def pieces(source: Source) -> Iterator[Piece]:
        found = read(source)
        if change is None:
            return (Piece(relation.name, rows, None, done) for rows, done in found)
        parts = split(found, change, source, reading.skips)
        return (Piece(relation.name, rows, weights, done, codes) for rows, weights, codes, done in parts)

    return Source(place.label, place.bytes_total, pieces)


def _batches(
    module: Any,
    relation: RelationSchema,
    place: Place,
    options: Mapping[str, str],
    reading: Reading,
    kind: str | None,
) -> Callable[[Source], Batches]:
    suffix = place.location.suffix.lower()
    match kind or _KINDS.get(suffix, "csv"):
        case "parquet":
            return lambda source: _parquet(source, place.location, relation, reading.batch_rows)
        case "arrow":
            return lambda source: _arrow(source, place.location, relation, reading.batch_rows)
        case _:
            settings = _csv_settings(relation, suffix, options)
            return lambda source: read_csv(source, module, place.location, relation, settings, reading)


def _size(location: Path, relation: str) -> int | None:
    """Bytes to read, None for a pipe."""
    if location.is_dir():
        raise SourceError(f"{location} is a folder", hint=f"name one file for relation {relation}")
    # Asked, not opened: a named pipe that is opened and closed again has lost its writer.
    if not location.exists() or not os.access(location, os.R_OK):
        problem = "permission denied" if location.exists() else "no such file"
        raise SourceError(
            f"cannot read {location} for relation {relation}: {problem}",
            hint=f"check the path, or give the file as {relation}=PATH",
        )
    return location.stat().st_size if location.is_file() else None


# -- CSV ----------------------------------------------------------------------------------------------------


def _csv_settings(relation: RelationSchema, suffix: str, options: Mapping[str, str]) -> dict[str, Any]:
    settings: dict[str, Any] = {"delimiter": _DELIMITERS.get(suffix, ",")}
    for name, value in options.items():
        if name in changes.OPTIONS:
            continue
        if name not in OPTIONS:
            raise SourceError(
                f"relation {relation.name}: no CSV option is called {name}",
                hint=f"the options are {', '.join((*OPTIONS, *changes.OPTIONS))}",
            )
        match name:
            case "header":
                settings[name] = _header(relation, value)
            case "null":
                settings[name] = value
            case _:
                settings[name] = _character(relation, name, value)
    if options.get("deletions", "").lower() == "true":
        settings["header"] = False  # the first column has no name that a header could give
    return settings


def _header(relation: RelationSchema, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise SourceError(f"relation {relation.name}: option header is {value!r}", hint="write true or false")
    return value.lower() == "true"


def _character(relation: RelationSchema, name: str, value: str) -> str:
    character = "\t" if value == "\\t" else value
    may_be_empty = name != "delimiter"
    if (may_be_empty and not character) or (
        len(character) == 1 and character.isascii() and character not in "\r\n\0"
    ):
        return character
    raise SourceError(
        f"relation {relation.name}: option {name} is {value!r}, which is not one ASCII character",
        hint=f"write for example {name} := '|'; a tab is written '\\t'",
    )


def read_csv(
    source: Source,
    module: Any,
    location: Path,
    relation: RelationSchema,
    settings: Mapping[str, Any],
    reading: Reading,
) -> Batches:
    columns = [
        (column.name, *_type_parts(str(column.type)), _may_be_null(column)) for column in relation.columns
    ]
    # A file name need not be text, a message must be.
    label = os.fsencode(source.label).decode(errors="replace")
    try:
        limits = {"skip_bad_rows": reading.skips, "batch_rows": reading.batch_rows}
        reader = module.CsvReader(os.fsencode(location), label, columns, **settings, **limits)
        rejected, told = 0, 0
        while True:
            batch = reader.next_batch()
            source.reject(reader.rows_rejected - rejected, reader.messages[told:])
            rejected, told = reader.rows_rejected, len(reader.messages)
            if batch is None:
                return
            yield pa.record_batch(batch), reader.bytes_read
    except ValueError as error:
        hint = "correct the row, or use --on-error=skip to leave such rows out"
        raise DataError(str(error), hint=hint) from None
    except OSError as error:
        raise _unreadable(source, error, "check the file and its permissions") from None


def _may_be_null(column: ColumnSchema) -> bool:
    return bool(getattr(column, "nullable", False)) or str(column.type).endswith("?")


def _type_parts(text: str) -> tuple[str, int, int]:
    """Kind, precision and scale; whether NULL is allowed (``int?``) is no matter of the values."""
    kind, _, rest = text.removesuffix("?").partition("(")
    if not rest:
        return kind, 0, 0
    precision, scale = rest.rstrip(")").split(",")
    return kind, int(precision), int(scale)


# -- Arrow and Parquet --------------------------------------------------------------------------------------


def _arrow_type(text: str) -> pa.DataType:
    kind, precision, scale = _type_parts(text)
    match kind:
        case "int":
            return pa.int32()
        case "long":
            return pa.int64()
        case "double":
            return pa.float64()
        case "decimal":
            return pa.decimal128(precision, scale)
        case "date":
            return pa.date32()
        case "timestamp":
            return pa.timestamp("us")
        case "bool":
            return pa.bool_()
        case _:
            return pa.string()


def arrow_schema(relation: RelationSchema) -> pa.Schema:
    """The types in which an engine takes a relation's batches."""
    return pa.schema([pa.field(column.name, _arrow_type(str(column.type))) for column in relation.columns])


def _parquet(
    source: Source, location: Path, relation: RelationSchema, batch_rows: int
) -> Batches:
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(location) as file:
            positions = _positions(file.schema_arrow, relation, source.label)
            wanted = [file.schema_arrow.names[at] for at in positions]
            batches = file.iter_batches(batch_size=batch_rows, columns=wanted)
            # Columns by name come back in the file's order, whatever order was asked for.
            ordered = (batch.select(wanted) for batch in batches)
            yield from _fitted(source, ordered, relation, file.metadata.num_rows)
    except (pa.ArrowInvalid, OSError) as error:
        raise _unreadable(source, error, "check that the suffix fits the format") from None


def _arrow(
    source: Source, location: Path, relation: RelationSchema, batch_rows: int
) -> Batches:
    """Feather is the Arrow file format. Files are mapped; a stream is read as it comes."""
    try:
        with pa.memory_map(os.fspath(location)) as mapped:
            schema, batches = _open_ipc(mapped)
            positions = _positions(schema, relation, source.label)
            pieces = (piece for batch in batches for piece in _pieces(batch.select(positions), batch_rows))
            yield from _fitted(source, pieces, relation, None)
    except (pa.ArrowInvalid, OSError) as error:
        raise _unreadable(source, error, "check that the suffix fits the format") from None


def _open_ipc(mapped: Any) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Both layouts go by the same suffix: the file with a footer, and the stream without."""
    try:
        file = pa.ipc.open_file(mapped)
        return file.schema, (file.get_batch(at) for at in range(file.num_record_batches))
    except pa.ArrowInvalid:
        mapped.seek(0)
        stream = pa.ipc.open_stream(mapped)
        return stream.schema, iter(stream)


def _pieces(batch: pa.RecordBatch, rows: int) -> Iterator[pa.RecordBatch]:
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def _unreadable(source: Source, error: Exception, hint: str) -> SourceError:
    first_line = str(error).partition("\n")[0]
    return SourceError(f"cannot read {source.label}: {first_line}", hint=hint)


def _positions(schema: pa.Schema, relation: RelationSchema, label: str) -> list[int]:
    """Where the relation's columns are in the file, found by name, in any case."""
    names = [name.lower() for name in schema.names]
    positions = []
    for column in relation.columns:
        if names.count(column.name.lower()) != 1:
            many = "lacks" if column.name.lower() not in names else "has more than one"
            raise SourceError(
                f'{label} {many} column "{column.name}" of relation {relation.name}',
                hint=f"its columns are {', '.join(schema.names) or 'none'}",
            )
        positions.append(names.index(column.name.lower()))
    return positions


def _fitted(
    source: Source, batches: Iterator[pa.RecordBatch], relation: RelationSchema, rows: int | None
) -> Batches:
    """Cast to the relation's types where no value changes. Progress follows rows where they are counted."""
    schema = arrow_schema(relation)
    seen = 0
    for batch in batches:
        seen += batch.num_rows
        share = seen / rows if rows else 0.0
        done = int((source.bytes_total or 0) * share)
        columns = [_cast(source, batch.column(at), item, seen) for at, item in enumerate(schema)]
        yield pa.record_batch(columns, schema=schema), done


def _cast(source: Source, values: pa.Array[Any], wanted: pa.Field[Any], seen: int) -> pa.Array[Any]:
    rows = f"{source.label}: rows {seen - len(values) + 1} to {seen}"
    if values.null_count:
        raise DataError(
            f'{rows}: column "{wanted.name}" holds NULL',
            hint="remove or replace the NULLs: columns are NOT NULL",
        )
    try:
        return values if values.type == wanted.type else values.cast(wanted.type, safe=True)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(
            f'{rows}: column "{wanted.name}" of type {values.type} does not fit {wanted.type}: {error}',
            hint="store the column in the declared type, or declare the type the file has",
        ) from None
