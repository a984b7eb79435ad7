"""Column and value types, and the rules that combine them.

    type ::= plain | plain?
    plain ::= int | long | double | decimal(p,s) | date | timestamp | string | bool

A ``?`` marks a column, key or variable that can be NULL. Expressions are of plain types; whether one can be NULL
follows from its parts (``scalar.is_nullable``).

The words on the right are the spelling in M3 text. The rules follow DuckDB where that is sensible; the
deviations are deliberate: integer arithmetic is always 64 bit wide, so ``INT + INT`` cannot overflow where
the answer exists.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

MAX_PRECISION: Final = 38


@dataclass(frozen=True, slots=True)
class Type:
    """One value type. ``precision`` and ``scale`` are meaningful for ``decimal`` only."""

    kind: str
    precision: int = 0
    scale: int = 0
    nullable: bool = False

    def __str__(self) -> str:
        text = f"decimal({self.precision},{self.scale})" if self.kind == "decimal" else self.kind
        return f"{text}?" if self.nullable else text

    @property
    def plain(self) -> Type:
        return replace(self, nullable=False) if self.nullable else self

    def or_null(self, nullable: bool = True) -> Type:
        """The same type, with NULL or without."""
        return self if self.nullable == nullable else replace(self, nullable=nullable)

    @property
    def is_numeric(self) -> bool:
        return self.kind in ("int", "long", "double", "decimal")

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "long")

    @property
    def is_exact(self) -> bool:
        """Sums of exact values return to zero when everything is deleted; floating sums may not."""
        return self.kind in ("int", "long", "decimal")


INT: Final = Type("int")
LONG: Final = Type("long")
DOUBLE: Final = Type("double")
DATE: Final = Type("date")
TIMESTAMP: Final = Type("timestamp")  # microseconds, without a time zone
STRING: Final = Type("string")
BOOL: Final = Type("bool")
UNTYPED: Final = Type("null")  # a NULL that nothing has given a type yet; never leaves an expression


def decimal(precision: int, scale: int) -> Type:
    return Type("decimal", precision, scale)


def as_decimal(type_: Type) -> Type:
    """The decimal that holds every value of an exact type."""
    match type_.kind:
        case "int":
            return decimal(10, 0)
        case "long":
            return decimal(19, 0)
        case _:
            return type_


def common(left: Type, right: Type) -> Type | None:
    """The type in which two values are compared or unified, or None if they do not mix."""
    if left == right or right == UNTYPED:
        return left
    if left == UNTYPED:
        return right
    if {left, right} == {DATE, TIMESTAMP}:
        return TIMESTAMP
    if not (left.is_numeric and right.is_numeric):
        return None
    if DOUBLE in (left, right):
        return DOUBLE
    if left.is_integer and right.is_integer:
        return LONG
    a, b = as_decimal(left), as_decimal(right)
    scale = max(a.scale, b.scale)
    return decimal(min(MAX_PRECISION, max(a.precision - a.scale, b.precision - b.scale) + scale), scale)


def arithmetic(op: str, left: Type, right: Type) -> Type | None:
    """The type of ``left op right``, or None if the operands do not fit the operator."""
    if not (left.is_numeric and right.is_numeric):
        return None
    if op in ("/", "/!") or DOUBLE in (left, right):
        return DOUBLE
    if left.is_integer and right.is_integer:
        return LONG
    a, b = as_decimal(left), as_decimal(right)
    if op == "*":
        scale = a.scale + b.scale
        if scale > MAX_PRECISION:
            return None
        return decimal(min(MAX_PRECISION, a.precision + b.precision), scale)
    scale = max(a.scale, b.scale)
    whole = max(a.precision - a.scale, b.precision - b.scale)
    return decimal(min(MAX_PRECISION, whole + scale + 1), scale)


def payload_product(left: Type, right: Type) -> Type:
    """The payload type of a join: integers only scale, decimals add their scales, a double makes all double."""
    if DOUBLE in (left, right):
        return DOUBLE
    if left.kind != "decimal":
        return right if right.kind == "decimal" else LONG
    if right.kind != "decimal":
        return left
    return decimal(min(MAX_PRECISION, left.precision + right.precision), left.scale + right.scale)


def sum_type(type_: Type) -> Type:
    """The type of SUM over values of a type: wide enough that realistic sums fit, checked beyond."""
    match type_.kind:
        case "int" | "long" | "bool":
            return LONG
        case "decimal":
            return decimal(MAX_PRECISION, type_.scale)
        case _:
            return type_


def parse_type(text: str) -> Type | None:
    """Read the M3 spelling of a type."""
    word = text.strip().lower()
    if word.endswith("?"):
        plain = parse_type(word[:-1]) if not word.endswith("??") else None
        return plain.or_null() if plain else None
    if word in ("int", "long", "double", "date", "timestamp", "string", "bool"):
        return Type(word)
    if word.startswith("decimal(") and word.endswith(")"):
        parts = word[len("decimal(") : -1].split(",")
        if len(parts) == 2 and all(part.strip().isdigit() for part in parts):
            precision, scale = int(parts[0]), int(parts[1])
            if 1 <= precision <= MAX_PRECISION and scale <= precision:
                return decimal(precision, scale)
    return None
