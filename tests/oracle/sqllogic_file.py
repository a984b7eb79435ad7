"""Files in the form of sqllogictest: statements that must work or fail, and queries with the rows they must give.

    statement ok            query ITR rowsort [label]       # a comment
    CREATE TABLE t (a INT)  SELECT a, b, c FROM t           skipif duckdb
                            ----                            onlyif toastergen
    statement error         1                               hash-threshold 8
    SELECT FROM             2 values hashing to 6ddb…       halt

A record ends at an empty line. The letters of a query say how its columns are written: integers, reals with three
places, texts. ``skipif`` and ``onlyif`` name an engine and hold for the record below them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from toastergen.errors import DataError, SourceError, Span

NOSORT, ROWSORT, VALUESORT = "nosort", "rowsort", "valuesort"
_HASH = re.compile(r"(\d+) values hashing to ([0-9a-f]{32})\Z")


@dataclass(frozen=True, slots=True)
class Statement:
    line: int
    sql: str
    fails: bool
    without: frozenset[str] = frozenset()  # engines that leave it out
    message: str = ""  # what the error has to say


@dataclass(frozen=True, slots=True)
class Query:
    """``values`` row by row, or their number and hash."""

    line: int
    sql: str
    types: str
    sorting: str
    values: tuple[str, ...] = ()
    hashed: tuple[int, str] | None = None
    label: str = ""
    without: frozenset[str] = frozenset()


Record = Statement | Query


def read_records(path: Path) -> list[Record]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot read {path.name}: {error}", hint="give a text file") from None
    return list(_Reader(text, path.name).records())


@dataclass(slots=True)
class _Reader:
    text: str
    file: str
    lines: list[str] = field(init=False)
    place: int = 0  # of the next line

    def __post_init__(self) -> None:
        self.lines = self.text.split("\n")

    def records(self) -> Iterator[Record]:
        without: frozenset[str] = frozenset()
        while self.place < len(self.lines):
            line, number = self.lines[self.place].partition("#")[0].rstrip(), self.place + 1
            self.place += 1
            match line.split():
                case [] | ["hash-threshold", _]:
                    continue
                case ["halt"]:
                    return
                case ["skipif", engine]:
                    without |= {engine.lower()}
                    continue
                case ["onlyif", engine]:
                    without |= {"duckdb", "toastergen"} - {engine.lower()}
                    continue
                case ["statement", "ok" | "error" as word]:
                    yield self._statement(number, word == "error", without)
                case ["statement", *_]:
                    raise self._wrong(number, "a statement is ok or error", "write: statement ok")
                case ["query", types, *rest]:
                    yield self._query(number, types, rest, without)
                case ["query"]:
                    raise self._wrong(number, "a query needs the types of its columns", "write: query II rowsort")
                case [word, *_]:
                    hint = "a record begins with statement, query, skipif, onlyif, hash-threshold or halt"
                    raise self._wrong(number, f"{word} begins no record", hint)
            without = frozenset()
        if without:
            raise self._wrong(len(self.lines), "skipif or onlyif has no record below it", "add one, or leave it out")

    def _statement(self, number: int, fails: bool, without: frozenset[str]) -> Statement:
        sql, has_more = self._sql(number)
        if has_more and not fails:
            raise self._wrong(self.place, "statement ok expects no rows", "write it as a query, or leave ---- out")
        message = "\n".join(self._until_empty()) if has_more else ""
        return Statement(number, sql, fails, without, message)

    def _query(self, number: int, types: str, rest: list[str], without: frozenset[str]) -> Query:
        odd = types.strip("ITR")
        if odd:
            raise self._wrong(number, f"{odd[0]} is no type of a column", "the types are I, R and T: query IT rowsort")
        sorting = rest[0] if rest else NOSORT
        if sorting not in (NOSORT, ROWSORT, VALUESORT) or len(rest) > 2:
            hint = "write: query II rowsort, with nosort, rowsort or valuesort and at most a label"
            raise self._wrong(number, f"{' '.join(rest)} is no way to sort", hint)
        label = rest[1] if len(rest) > 1 else ""
        sql, has_more = self._sql(number)
        if not has_more:
            raise self._wrong(number, "the query has no ---- below it", "write ---- below the SQL, then the rows")
        first = self.place
        values = self._until_empty()
        hashed = _HASH.match(values[0]) if values else None
        if hashed is not None:
            if len(values) > 1:
                raise self._wrong(first + 2, "there are values below a hash", "keep the hash or the values")
            return Query(number, sql, types, sorting, (), (int(hashed[1]), hashed[2]), label, without)
        if len(values) % len(types):
            message = f"{len(values)} values are no rows of {len(types)} columns"
            raise self._wrong(first + 1, message, "write one value per line, row by row")
        return Query(number, sql, types, sorting, tuple(values), None, label, without)

    def _sql(self, number: int) -> tuple[str, bool]:
        """The lines up to an empty one or to ----, and whether it was the latter."""
        found: list[str] = []
        while self.place < len(self.lines):
            line = self.lines[self.place]
            if not line.strip():
                break
            self.place += 1
            if line.strip() == "----":
                return self._not_empty(found, number), True
            found.append(line)
        return self._not_empty(found, number), False

    def _not_empty(self, found: list[str], number: int) -> str:
        if not found:
            raise self._wrong(number, "there is no SQL below this line", "write it on the next line")
        return "\n".join(found).rstrip().rstrip(";")

    def _until_empty(self) -> list[str]:
        found = []
        while self.place < len(self.lines) and self.lines[self.place].strip():
            found.append(self.lines[self.place].rstrip("\r"))
            self.place += 1
        return found

    def _wrong(self, number: int, message: str, hint: str) -> DataError:
        line = self.lines[min(number, len(self.lines)) - 1]
        return DataError(message, span=Span(number, 1, max(1, len(line))), source=self.text, file=self.file, hint=hint)
