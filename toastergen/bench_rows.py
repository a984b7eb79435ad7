"""The changes that ``bench`` pushes: rows of the program's own sources, or rows that are drawn for it.

Drawn rows follow the program: a column that is compared with literals takes them every other time, primary keys count
up, and the other columns draw from domains that grow with the number of rows, so that joins find partners. One change
in five deletes a row that is there, except from streams that only grow.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import pyarrow as pa

from toastergen.errors import SourceError
from toastergen.feed import Feed, turns
from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Cond, Expr, Rel
from toastergen.frontend.m3 import DERIVED, Program, Relation
from toastergen.frontend.types import Type
from toastergen.runtime.convert import to_batch
from toastergen.runtime.schema import RelationInfo

Row = tuple[Any, ...]

_DELETES: Final = 0.2
_TRIES: Final = 1000
_NULLS: Final = 0.05
_FIRST_DAY: Final = datetime.date(1992, 1, 1)
_DAYS: Final = 2557  # seven years


@dataclass(frozen=True, slots=True)
class Piece:
    """Changes of one relation, as a batch and as single rows; both are ready before the clock runs."""

    relation: str
    batch: pa.RecordBatch
    weights: pa.Int64Array | None  # None where all are +1
    rows: tuple[Row, ...]
    signs: tuple[int, ...]

    def first(self, changes: int) -> Piece:
        weights = None if self.weights is None else self.weights.slice(0, changes)
        return Piece(self.relation, self.batch.slice(0, changes), weights, self.rows[:changes], self.signs[:changes])


def piece_of(relation: str, batch: pa.RecordBatch, rows: Sequence[Row], signs: Sequence[int]) -> Piece:
    weights = None if all(sign == 1 for sign in signs) else pa.array(signs, pa.int64())
    return Piece(relation, batch, weights, tuple(rows), tuple(map(int, signs)))


def read_pieces(feeds: tuple[Feed, ...], size: int, limit: int) -> list[Piece]:
    """The first rows of the sources, tables whole, in pieces of at most ``size``."""
    found: list[Piece] = []
    taken = 0
    for feed, piece in turns(feeds):
        left = piece.rows.num_rows if feed.is_table else limit - taken
        if left <= 0:
            break
        if piece.operations is not None:
            raise SourceError(
                f"{feed.source.label} updates rows by key, which bench does not measure",
                hint="give a file with inserts and deletes, or use --generate",
            )
        batch = piece.rows.slice(0, left)
        weights = [1] * batch.num_rows if piece.weights is None else list(piece.weights)[: batch.num_rows]
        taken += 0 if feed.is_table else batch.num_rows
        found += _cut(piece.relation, batch, weights, size)
    return found


def _cut(relation: str, batch: pa.RecordBatch, weights: Sequence[int], size: int) -> Iterator[Piece]:
    for start in range(0, batch.num_rows, size):
        part = batch.slice(start, size)
        rows = tuple(zip(*(column.to_pylist() for column in part.columns), strict=True))
        yield piece_of(relation, part, rows, weights[start : start + size])


def draw_pieces(
    program: Program, relations: Sequence[RelationInfo], names: Iterable[str], size: int, limit: int, seed: int
) -> list[Piece]:
    """Pieces for the named relations, tables first, then the streams in turn; ``limit`` changes altogether."""
    chosen = set(names)
    wanted = _wanted(program)
    infos = {info.name: info for info in relations}
    drawn = [item for item in program.relations if item.kind != DERIVED and item.name in chosen]
    share = max(1, limit // max(1, len(drawn)))
    makers = [_Maker(item, share, wanted, random.Random(f"{seed} {item.name}")) for item in drawn]
    tables = [maker for maker in makers if maker.relation.kind == "table"]
    streams = [maker for maker in makers if maker.relation.kind != "table"]
    turns_ = [[maker.changes(share) for maker in tables]] if tables else []
    turns_ += [[maker.changes(min(size, share - start)) for maker in streams] for start in range(0, share, size)]
    return [_piece(infos[name], rows, weights) for turn in turns_ for name, rows, weights in turn]


def _piece(info: RelationInfo, rows: list[Row], weights: list[int]) -> Piece:
    batch, _ = to_batch(info, rows, None)
    return piece_of(info.name, batch, rows, weights)


@dataclass
class _Maker:
    """Draws changes of one relation."""

    relation: Relation
    expected: int
    wanted: dict[tuple[str, int], list[Any]]
    random: random.Random

    def __post_init__(self) -> None:
        self._live: list[Row] = []
        self._keys: set[Row] = set()
        self._made = 0

    def changes(self, count: int) -> tuple[str, list[Row], list[int]]:
        drawn = [self._change() for _ in range(count)]
        return self.relation.name, [row for row, _ in drawn], [weight for _, weight in drawn]

    def _change(self) -> tuple[Row, int]:
        deletes = self.relation.kind == "stream" and not self.relation.append_only
        if deletes and len(self._live) > 1 and self.random.random() < _DELETES:
            place = self.random.randrange(len(self._live))
            self._live[place], self._live[-1] = self._live[-1], self._live[place]
            return self._live.pop(), -1
        row = self._new_row()
        self._live.append(row)
        return row, 1

    def _new_row(self) -> Row:
        """A row whose key was never drawn before: engines refuse a key that is there."""
        names = [column.name for column in self.relation.columns]
        places = [names.index(name) for name in self.relation.primary_key]
        for _ in range(_TRIES):
            self._made += 1
            row = tuple(self._value(place) for place in range(len(names)))
            key = tuple(row[place] for place in places)
            if not places or key not in self._keys:
                self._keys.add(key)
                return row
        raise SourceError(
            f"no more keys can be drawn for {self.relation.name}", hint="give it a file, or a key that is an integer"
        )

    def _value(self, place: int) -> Any:
        column = self.relation.columns[place]
        if column.type.nullable and self.random.random() < _NULLS:
            return None
        if self.relation.primary_key[:1] == (column.name,) and column.type.is_integer:
            return self._made
        literals = self.wanted.get((self.relation.name, place), [])
        if literals and self.random.random() < 0.5:
            return self.random.choice(literals)
        return _drawn(column.type, self.random, max(10, self.expected // 10))


def _drawn(type_: Type, source: random.Random, domain: int) -> Any:
    match type_.kind:
        case "int" | "long":
            return source.randrange(min(domain, 2**31))
        case "double":
            return source.randrange(domain * 4) / 4
        case "decimal":
            digits = min(type_.precision, 9)
            return Decimal(source.randrange(10**digits)).scaleb(-type_.scale)
        case "date":
            return _FIRST_DAY + datetime.timedelta(source.randrange(_DAYS))
        case "timestamp":
            start = datetime.datetime.combine(_FIRST_DAY, datetime.time())
            return start + datetime.timedelta(seconds=source.randrange(_DAYS * 86_400))
        case "bool":
            return source.random() < 0.5
        case _:
            return f"word {source.randrange(min(domain, 1000))}"


# -- literals ----------------------------------------------------------------------------------------------------------


def _wanted(program: Program) -> dict[tuple[str, int], list[Any]]:
    """By relation and place: the values that the program compares a column with."""
    found: dict[tuple[str, int], list[Any]] = {}
    for definition in (slot.definition for item in program.maps for slot in item.slots):
        places: dict[sc.Scalar, list[tuple[str, int]]] = {}
        tests: list[sc.Scalar] = []
        for node in _nodes(definition):
            if isinstance(node, Rel):
                for place, var in enumerate(node.vars):
                    places.setdefault(var, []).append((node.name, place))
            elif isinstance(node, Cond):
                tests += sc.walk(node.test)
        for compared, value in (pair for test in tests for pair in _literals(test)):
            for at in places.get(compared, ()):
                values = found.setdefault(at, [])
                values += [value] if value not in values else []
    return found


def _nodes(expr: Expr) -> Iterator[Expr]:
    yield expr
    for child in agca.children(expr):
        yield from _nodes(child)


def _literals(test: sc.Scalar) -> Iterator[tuple[sc.Scalar, Any]]:
    match test:
        case sc.Compare(_, sc.Var() as var, sc.Const(value=value)) if value is not None:
            yield var, value
        case sc.InList(sc.Var() as var, values):
            yield from ((var, item.value) for item in values)
        case sc.Like(sc.Var() as var, pattern, ""):
            yield var, pattern.replace("%", " ").replace("_", "x")
