"""A stream of changes as data and as text: what ``verify`` replays, and what it writes down when views differ.

One event per line: ``+ orders [1, "north"]`` inserts a row, ``- orders [1, "north"]`` deletes it, ``+3`` does it three
times. ``batch orders`` is followed by indented lines without a name, ``  + [1, "north"]``. Rows are JSON: dates are
texts, decimals are exact. ``#`` begins a comment.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from toastergen.errors import DataError, SourceError, Span
from toastergen.frontend.m3 import Column, Relation
from toastergen.runtime.operations import DELETE, DELETE_KEY, INSERT, UPDATE

Row: TypeAlias = tuple[Any, ...]

_LINE = re.compile(r'(?P<indent>\s*)(?:batch|(?P<sign>[+-])(?P<times>\d*))\s*(?P<name>"(?:[^"\\]|\\.)*"|[^\s\["]*)\s*')
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class Step:
    """Changes of one relation: a batch, or single-row events one after the other."""

    relation: str
    rows: tuple[Row, ...]
    weights: tuple[int, ...]
    batch: bool


@dataclass(frozen=True, slots=True)
class Change:
    """One row of one step; rows of a batch share its number."""

    step: int
    relation: str
    row: Row
    weight: int
    batch: bool


def flattened(steps: Iterable[Step]) -> tuple[Change, ...]:
    return tuple(
        Change(number, step.relation, row, weight, step.batch)
        for number, step in enumerate(steps)
        for row, weight in zip(step.rows, step.weights, strict=True)
    )


def assembled(changes: Iterable[Change]) -> tuple[Step, ...]:
    """Batches as they were, single rows one by one."""
    found = []
    for _, group in groupby(enumerate(changes), key=lambda item: (item[1].step, 0 if item[1].batch else item[0])):
        same = [change for _, change in group]
        rows, weights = tuple(change.row for change in same), tuple(change.weight for change in same)
        found.append(Step(same[0].relation, rows, weights, same[0].batch))
    return tuple(found)


def legal(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Without the deletes of rows that are not there. Inside a batch order does not count: its inserts come first."""
    live: Counter[tuple[str, Row]] = Counter()
    kept: set[int] = set()
    places = enumerate(changes)
    for _, group in groupby(places, key=lambda item: (item[1].step, 0 if item[1].batch else item[0])):
        for place, change in sorted(group, key=lambda item: -item[1].weight):
            if live[change.relation, change.row] + change.weight >= 0:
                live[change.relation, change.row] += change.weight
                kept.add(place)
    return tuple(change for place, change in enumerate(changes) if place in kept)


def resolved(
    relation: Relation, rows: Iterable[Row], new: Sequence[Row], operations: Sequence[int]
) -> tuple[list[Row], list[int]]:
    """Operations by key as inserts and deletes, for someone who knows the rows that are there."""
    names = [column.name for column in relation.columns]
    places = [names.index(name) for name in relation.primary_key]
    if not places and any(code not in (INSERT, DELETE) for code in operations):
        raise DataError(f"update and upsert of {relation.name} go by PRIMARY KEY", hint="declare one")
    there = {tuple(row[place] for place in places): row for row in rows} if places else {}
    found: list[tuple[Row, int]] = []
    for number, (row, code) in enumerate(zip(new, operations, strict=True), 1):
        key = tuple(row[place] for place in places)
        old = there.get(key) if code not in (INSERT, DELETE) else row if code == DELETE else None
        if old is None and code in (UPDATE, DELETE_KEY):
            raise DataError(f"relation {relation.name}, row {number}: no row has the key {key}", hint="upsert it")
        if old is not None:
            found.append((old, -1))
            there.pop(key, None)
        if code not in (DELETE, DELETE_KEY):
            found.append((row, 1))
            there[key] = row
    return [row for row, _ in found], [weight for _, weight in found]


# -- text --------------------------------------------------------------------------------------------------------------


def stream_text(steps: Iterable[Step]) -> str:
    lines = []
    for step in steps:
        name = step.relation if _PLAIN.match(step.relation) else json.dumps(step.relation)
        changes = [(_sign(weight), _row_text(row)) for row, weight in zip(step.rows, step.weights, strict=True)]
        if step.batch:
            lines += [f"batch {name}", *(f"  {sign} {row}" for sign, row in changes)]
        else:
            lines += [f"{sign} {name} {row}" for sign, row in changes]
    return "".join(f"{line}\n" for line in lines)


def _sign(weight: int) -> str:
    return ("+" if weight > 0 else "-") + (str(abs(weight)) if abs(weight) != 1 else "")


def _row_text(row: Row) -> str:
    return f"[{', '.join(map(_value_text, row))}]"


def _value_text(value: Any) -> str:
    match value:
        case Decimal():
            return f"{value:f}"
        case date():
            return json.dumps(value.isoformat())
        case _:
            return json.dumps(value, ensure_ascii=False)


def read_stream(path: Path, relations: Iterable[Relation]) -> tuple[Step, ...]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problem = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise SourceError(f"cannot read {path}: {problem}", hint="give a file that verify wrote") from None
    return parse_stream(text, str(path), {item.name.lower(): item for item in relations})


def parse_stream(text: str, file: str, relations: Mapping[str, Relation]) -> tuple[Step, ...]:
    changes: list[Change] = []
    batch: Relation | None = None
    number = 0
    for place, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            head = _LINE.match(line)
            if head is None:
                raise ValueError("an event begins with +, - or batch")
            if not head["indent"]:
                number, relation = place, _relation(head["name"], relations)
                batch = relation if head["sign"] is None else None
                if batch is not None:
                    _nothing_more(line[head.end() :])
                    continue
            elif batch is None or head["sign"] is None or head["name"]:
                raise ValueError("an indented line is a row of a batch: + [1, 2]")
            else:
                relation = batch
            weight = int(f"{head['sign']}{head['times'] or 1}")
            changes.append(Change(number, relation.name, _row(line[head.end() :], relation), weight, batch is not None))
        except ValueError as error:
            hint = 'write an event as: + orders [1, "north"]'
            raise DataError(str(error), span=Span(place, 1, len(line)), source=text, file=file, hint=hint) from None
    return assembled(changes)


def _nothing_more(rest: str) -> None:
    if rest:
        raise ValueError("the rows of a batch stand on the lines below it")


def _relation(written: str, relations: Mapping[str, Relation]) -> Relation:
    name = json.loads(written) if written.startswith('"') else written
    if name.lower() not in relations:
        known = ", ".join(item.name for item in relations.values())
        raise ValueError(f"there is no relation {name or 'without a name'}; the relations are {known}")
    return relations[name.lower()]


def _row(text: str, relation: Relation) -> Row:
    try:
        values = json.loads(text, parse_float=Decimal)
    except json.JSONDecodeError:
        raise ValueError(f"{text!r} is not a row in JSON") from None
    if not isinstance(values, list) or len(values) != len(relation.columns):
        raise ValueError(f"{relation.name} has {len(relation.columns)} columns, the row is {text}")
    return tuple(_value(value, column) for value, column in zip(values, relation.columns, strict=True))


def _value(value: Any, column: Column) -> Any:
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    match column.type.kind, value:
        case (_, None) | ("bool", True | False) | ("string", str()):
            return value
        case ("int" | "long", int()) if is_number:
            return value
        case ("double", _) if is_number:
            return float(value)
        case ("decimal", int() | Decimal()) if is_number and _fits(Decimal(value), column):
            return Decimal(value)
        case ("date", str()):
            return date.fromisoformat(value)
        case ("timestamp", str()):
            return datetime.fromisoformat(value)
        case _:
            raise ValueError(f"column {column.name} is {column.type}, which {json.dumps(value, default=str)} is not")


def _fits(value: Decimal, column: Column) -> bool:
    exponent = value.as_tuple().exponent
    return isinstance(exponent, int) and -exponent <= (column.type.scale or 0)
