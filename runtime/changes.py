"""Files that say of each row what to do with it: an extra column, split off and turned into weights or operations.

deletions   the first column of a CSV file is 1 for an insert and 0 for a delete
operation   a column of this name holds words in any case: insert, delete, update, upsert, …, see operations.py
weight      a column of this name says how often the row is inserted; negative: deleted
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import pyarrow as pa

from toastergen.errors import DataError, SourceError
from toastergen.runtime import operations

OPTIONS: Final = ("deletions", "operation", "weight")
_DELETIONS: Final = {"1": operations.INSERT, "0": operations.DELETE}
_WEIGHTS: Final = (None, 1, -1, None, None, None)  # by the code of the operation
_HINTS: Final = {"deletions": "write 1 for an insert and 0 for a delete", "operation": operations.HINT}


class Piece(NamedTuple):
    """Rows of one relation; without weights and operations each of them is inserted once."""

    relation: str
    rows: pa.RecordBatch
    weights: Any  # an Arrow array of 64-bit integers, or None
    bytes_done: int
    operations: Any = None  # an Arrow array of codes, or None


class ColumnSchema(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def type(self) -> object:
        """Its text is the M3 spelling of the type."""


class RelationSchema(Protocol):
    """What a source must know of its relation; M3's ``Relation`` is one."""

    @property
    def name(self) -> str: ...

    @property
    def columns(self) -> Sequence[ColumnSchema]: ...


class Tally(Protocol):
    """Where rows that are left out are counted."""

    label: str

    def reject(self, rows: int, messages: Sequence[str]) -> None: ...


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class _Relation:
    name: str
    columns: tuple[ColumnSchema, ...]


@dataclass(frozen=True, slots=True)
class ChangeColumn:
    """``kind`` is one of ``OPTIONS``; ``name`` is the column's in the file."""

    kind: str
    name: str

    def joined(self, relation: RelationSchema) -> RelationSchema:
        """The relation as the file has it: the extra column first."""
        extra = _Column(self.name, "long" if self.kind == "weight" else "string")
        return _Relation(relation.name, (extra, *relation.columns))


def change_column(relation: RelationSchema, options: Mapping[str, str]) -> ChangeColumn | None:
    given = [
        ChangeColumn(kind, "deletions" if kind == "deletions" else options[kind])
        for kind in OPTIONS
        if kind in options and (kind != "deletions" or options[kind].lower() == "true")
    ]
    if len(given) > 1:
        raise SourceError(
            f"relation {relation.name}: {given[0].kind} and {given[1].kind} exclude each other",
            hint="say in one way which rows are deletes",
        )
    for column in relation.columns:
        if given and given[0].kind != "deletions" and column.name.lower() == given[0].name.lower():
            raise SourceError(
                f"relation {relation.name}: option {given[0].kind} names its own column {column.name}",
                hint="name a column that is in the file only",
            )
    return given[0] if given else None


def split(
    pieces: Iterator[tuple[pa.RecordBatch, int]], change: ChangeColumn, tally: Tally, skip_bad: bool
) -> Iterator[tuple[pa.RecordBatch, Any, Any, int]]:
    """The extra column off, its meaning as weights, or as operations where weights cannot say it."""
    seen = 0
    for batch, done in pieces:
        words, rows = batch.column(0), batch.select(range(1, batch.num_columns))
        weights, codes = words, None
        if change.kind != "weight":
            codes, wrong = operations.codes_of(words, _DELETIONS if change.kind == "deletions" else operations.WORDS)
            bad = [f"{tally.label}: row {seen + row + 1}: {words[row].as_py()!r} is no kind of change" for row in wrong]
            if bad and not skip_bad:
                raise DataError(bad[0], hint=_HINTS[change.kind])
            if bad:
                tally.reject(len(bad), bad)
                rows, codes = rows.filter(codes.is_valid()), codes.drop_null()
            weights = _weights(codes)
        seen += batch.num_rows
        yield rows, weights, codes if weights is None else None, done


def _weights(codes: Any) -> Any:
    """Inserts and deletes as weights, None where there are other operations."""
    weights: Any = pa.array(_WEIGHTS, pa.int64()).take(codes)
    return None if weights.null_count else weights
