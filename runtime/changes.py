"""Files that say of each row whether it is inserted or deleted: an extra column, split off and turned into weights.

deletions   the first column of a CSV file is 1 for an insert and 0 for a delete
op          a column of this name holds words: insert, i, +, 1 or delete, d, -, -1, in any case
weight      a column of this name says how often the row is inserted; negative: deleted
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from toastergen.errors import DataError, SourceError

OPTIONS: Final = ("deletions", "op", "weight")
_WORDS: Final = {
    "deletions": {"1": 1, "0": -1},
    "op": {"insert": 1, "i": 1, "+": 1, "1": 1, "+1": 1, "delete": -1, "d": -1, "-": -1, "-1": -1},
}
_HINTS: Final = {
    "deletions": "write 1 for an insert and 0 for a delete",
    "op": "write insert, i, + or 1 for an insert and delete, d, - or -1 for a delete",
}


class Piece(NamedTuple):
    """Rows of one relation; without weights each of them is inserted once."""

    relation: str
    rows: pa.RecordBatch
    weights: Any  # an Arrow array of 64-bit integers, or None
    bytes_done: int


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
) -> Iterator[tuple[pa.RecordBatch, Any, int]]:
    """The extra column off, its meaning as weights."""
    seen = 0
    for batch, done in pieces:
        words, rows = batch.column(0), batch.select(range(1, batch.num_columns))
        weights = words
        if change.kind != "weight":
            weights, wrong = _weights(words, change.kind)
            bad = [f"{tally.label}: row {seen + row + 1}: {words[row].as_py()!r} is no kind of change" for row in wrong]
            if bad and not skip_bad:
                raise DataError(bad[0], hint=_HINTS[change.kind])
            if bad:
                tally.reject(len(bad), bad)
                rows, weights = rows.filter(weights.is_valid()), weights.drop_null()
        seen += batch.num_rows
        yield rows, weights, done


def _weights(words: Any, kind: str) -> tuple[Any, list[int]]:
    """A weight per word, NULL where there is none, and the places of those."""
    known = _WORDS[kind]
    places = pc.index_in(pc.utf8_lower(pc.utf8_trim_whitespace(words)), pa.array(list(known)))
    weights = pa.array(list(known.values()), pa.int64()).take(places)
    wrong: Any = pc.indices_nonzero(weights.is_null()).to_pylist() if weights.null_count else []
    return weights, wrong
