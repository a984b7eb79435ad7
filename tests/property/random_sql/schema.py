"""Random tables, and the values their columns hold: few enough that rows meet, odd enough to break things.

Numbers stay small so that no product overflows; overflow has tests of its own. Doubles are short binary fractions,
which add up exactly in any order: only then can a sum be compared, grouped by or joined with.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

INT, DECIMAL, DOUBLE, DATE, TEXT, BOOL = "int", "decimal", "double", "date", "text", "bool"
KINDS = (INT, DECIMAL, DOUBLE, DATE, TEXT, BOOL)
NUMBERS = (INT, DECIMAL, DOUBLE)
WIDE = "wide"  # a sum of decimals: DuckDB rounds it where it meets more places, so it is only shown

TYPES = {
    "INT": INT,
    "BIGINT": INT,
    "DOUBLE": DOUBLE,
    "DECIMAL(10,2)": DECIMAL,
    "DECIMAL(8,3)": DECIMAL,
    "DATE": DATE,
    "VARCHAR": TEXT,
    "BOOLEAN": BOOL,
}
VALUES: dict[str, list[Any]] = {
    "INT": [0, 1, 2, -1, 3],
    "BIGINT": [0, 1, 2, -2, 5],
    "DOUBLE": [0.0, 1.0, 0.5, -0.25, 2.0, -2.5],
    "DECIMAL(10,2)": [Decimal("0.00"), Decimal("1.00"), Decimal("0.05"), Decimal("-2.50"), Decimal("2.00")],
    "DECIMAL(8,3)": [Decimal("0.000"), Decimal("1.000"), Decimal("0.050"), Decimal("-0.125"), Decimal("2.000")],
    "DATE": [datetime.date(1, 1, 1), datetime.date(1969, 12, 31), datetime.date(2000, 2, 29), datetime.date.max],
    "VARCHAR": ["", "a", "ab", "it's", "ünï", "a string longer than twelve bytes"],
    "BOOLEAN": [False, True],
}
TYPE_OF = {INT: "INT", DECIMAL: "DECIMAL(10,2)", DOUBLE: "DOUBLE", DATE: "DATE", TEXT: "VARCHAR", BOOL: "BOOLEAN"}
NAMES = "abcd"
STREAM, TABLE, GROWING = "STREAM", "TABLE", "APPEND ONLY"


@dataclass(frozen=True, slots=True)
class Column:
    """``rough``: a rounded double, which may be shown but not compared."""

    name: str
    kind: str
    rough: bool = False


@dataclass(frozen=True, slots=True)
class Readable:
    """What FROM can name: a table, a view or a query of WITH."""

    name: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    types: tuple[str, ...]
    nullable: frozenset[str]
    form: str = STREAM
    keyed: bool = False  # the first column is a primary key

    @property
    def readable(self) -> Readable:
        return Readable(self.name, tuple(Column(*pair) for pair in zip(NAMES, self._kinds(), strict=False)))

    def _kinds(self) -> list[str]:
        return [TYPES[type_] for type_ in self.types]

    def declaration(self) -> str:
        pairs = zip(NAMES, self.types, strict=False)
        parts = [f"{name} {type_}{' NULL' if name in self.nullable else ''}" for name, type_ in pairs]
        if self.keyed:
            parts.append("PRIMARY KEY (a)")
        word = "TABLE" if self.form == TABLE else "STREAM"
        tail = " APPEND ONLY" if self.form == GROWING else ""
        return f"CREATE {word} {self.name} ({', '.join(parts)}){tail};"

    def domain(self, place: int) -> list[Any]:
        values = VALUES[self.types[place]]
        return values + [None] * (2 * (NAMES[place] in self.nullable))


def random_tables(rng: Random) -> tuple[Table, ...]:
    """Two or three relations; the first column is an integer, so that there is something to join on."""
    found = []
    for name in ("r", "s", "t")[: rng.choice((2, 2, 3))]:
        types = ("INT", *(rng.choice(tuple(TYPES)) for _ in range(rng.randint(1, 3))))
        form = rng.choice((STREAM,) * 8 + (TABLE, GROWING))
        keyed = rng.random() < 0.1
        nullable = frozenset(column for column in NAMES if rng.random() < 0.45 and not (keyed and column == "a"))
        found.append(Table(name, types, nullable, form, keyed))
    return tuple(found)


def literal(type_: str, value: Any) -> str:
    match type_:
        case "VARCHAR":
            quoted = value.replace("'", "''")
            return f"'{quoted}'"
        case "DATE":
            return f"DATE '{value.isoformat()}'"
        case "BOOLEAN":
            return "TRUE" if value else "FALSE"
        case "DOUBLE":
            return f"{value!r}e0"
        case _:
            return str(value)
