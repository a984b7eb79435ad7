"""Expressions over the columns in sight, by the kind of their result."""

from __future__ import annotations

from collections.abc import Callable

from property.random_sql import conditions
from property.random_sql.draw import Draw, Scope, Value
from property.random_sql.schema import BOOL, DATE, DECIMAL, DOUBLE, INT, KINDS, NUMBERS, TEXT, WIDE

LOW, HIGH = "DATE '0100-01-01'", "DATE '9900-01-01'"


def any_value(draw: Draw, scope: Scope, depth: int = 2, rough: bool = True) -> Value:
    """Of any kind, mostly of one that a column has."""
    shown = [item for item in scope.own if item.kind == WIDE]
    if rough and shown and draw.chance(0.1):
        return draw.pick(shown)
    kinds = [item.kind for item in scope.own if item.kind != WIDE] or [INT]
    return value(draw, scope, draw.pick([*kinds, *kinds, *KINDS]), depth, rough)


def value(draw: Draw, scope: Scope, kind: str, depth: int = 2, rough: bool = False) -> Value:
    """An expression of a kind; ``rough`` allows what is rounded."""
    if depth <= 0 or draw.chance(0.35):
        return leaf(draw, scope, kind, rough)
    return _MAKERS[kind](draw, scope, depth - 1, rough)


def leaf(draw: Draw, scope: Scope, kind: str, rough: bool = False) -> Value:
    around = scope.around(kind)
    if around and draw.chance(0.15):
        return draw.pick(around)
    columns = [item for item in scope.own if item.kind == kind and (rough or not item.rough)]
    if columns and not draw.chance(0.1):
        return draw.pick(columns)
    return draw.literal(kind)


def _any_kind(draw: Draw, scope: Scope, kind: str, depth: int, rough: bool) -> Value | None:
    """What exists for every kind; None leaves the choice to the kind itself."""
    form = draw.pick(("case", "simple", "coalesce", "nullif", "extreme", "own", "own", "own", "own", "own"))
    if form == "own":
        return None
    left, right = (value(draw, scope, kind, depth, rough) for _ in range(2))
    is_rough = left.rough or right.rough
    match form:
        case "case":
            test = conditions.condition(draw, scope, depth)
            ends = draw.pick((f" ELSE {right.text}", f" ELSE {right.text}", "", " ELSE NULL"))
            return Value(f"CASE WHEN {test} THEN {left.text}{ends} END", kind, is_rough)
        case "simple":
            tested = value(draw, scope, INT, 0)
            return Value(f"CASE {tested.text} WHEN 1 THEN {left.text} ELSE {right.text} END", kind, is_rough)
        case "coalesce":
            return Value(f"COALESCE({left.text}, {right.text})", kind, is_rough)
        case "nullif" if not is_rough:
            return Value(f"NULLIF({left.text}, {right.text})", kind)
        case "extreme" if not is_rough:
            return Value(f"{draw.pick(('GREATEST', 'LEAST'))}({left.text}, {right.text})", kind)
        case _:
            return left


def _integer(draw: Draw, scope: Scope, depth: int, rough: bool) -> Value:
    found = _any_kind(draw, scope, INT, depth, rough)
    if found is not None:
        return found

    def part(kind: str) -> str:
        return value(draw, scope, kind, depth).text

    forms: tuple[Callable[[], str], ...] = (
        lambda: f"({part(INT)} {draw.pick('+-*')} {part(INT)})",
        lambda: f"({part(INT)} {draw.pick('+-')} {part(INT)})",
        lambda: f"({part(INT)} + {draw.pick((1, 2, -1))})",
        lambda: f"(- {part(INT)})",
        lambda: f"({part(INT)} % {draw.pick((2, 3, -2))})",
        lambda: f"({part(INT)} // {draw.pick((2, 3, -2))})",
        lambda: f"ABS({part(INT)})",
        lambda: f"SIGN({part(draw.pick(NUMBERS))})",
        lambda: f"EXTRACT({draw.pick(('YEAR', 'MONTH', 'DAY', 'DOW', 'DOY', 'QUARTER', 'WEEK'))} FROM {part(DATE)})",
        lambda: f"LENGTH({part(TEXT)})",
        lambda: f"POSITION('a' IN {part(TEXT)})",
        lambda: f"DATE_DIFF('day', {part(DATE)}, {part(DATE)})",
        lambda: f"CAST({part(DECIMAL)} AS {draw.pick(('INT', 'BIGINT'))})",
    )
    return Value(draw.pick(forms)(), INT)


def _decimal(draw: Draw, scope: Scope, depth: int, rough: bool) -> Value:
    found = _any_kind(draw, scope, DECIMAL, depth, rough)
    if found is not None:
        return found

    def part(kind: str = DECIMAL) -> str:
        return value(draw, scope, kind, depth).text

    forms: tuple[Callable[[], str], ...] = (
        lambda: f"({part()} {draw.pick('+-')} {part()})",
        lambda: f"({part()} * {leaf(draw, scope, INT).text})",
        lambda: f"({leaf(draw, scope, DECIMAL).text} * {leaf(draw, scope, DECIMAL).text})",
        lambda: f"({part(INT)} + {part()})",
        lambda: f"(- {part()})",
        lambda: f"ABS({part()})",
        lambda: f"ROUND({part()}, {draw.pick((0, 1, 2))})",
        lambda: f"{draw.pick(('FLOOR', 'CEIL', 'TRUNC'))}({part()})",
        lambda: f"CAST({part(INT)} AS DECIMAL(12,2))",
    )
    return Value(draw.pick(forms)(), DECIMAL)


def _double(draw: Draw, scope: Scope, depth: int, rough: bool) -> Value:
    found = _any_kind(draw, scope, DOUBLE, depth, rough)
    if found is not None:
        return found
    left = value(draw, scope, draw.pick((DOUBLE, DOUBLE, INT)), depth, rough)
    right = value(draw, scope, DOUBLE, depth, rough)
    is_rough = left.rough or right.rough
    if rough and draw.chance(0.4):
        divisor = value(draw, scope, draw.pick(NUMBERS), depth)
        forms = (
            f"({left.text} / {divisor.text})",
            f"SQRT(ABS({left.text}))",
            f"POWER({left.text}, 2)",
            f"LN(ABS({left.text}) + 1)",
            f"({value(draw, scope, DECIMAL, depth).text} / {divisor.text})",
        )
        return Value(draw.pick(forms), DOUBLE, rough=True)
    # Decimals turn into doubles in more than one way; what comes out cannot be compared.
    op = draw.pick(("+", "-", "*", "minus", "floor", "abs"))
    match op:
        case "minus":
            return Value(f"(- {right.text})", DOUBLE, right.rough)
        case "abs":
            return Value(f"ABS({right.text})", DOUBLE, right.rough)
        case "floor" if not right.rough:
            return Value(f"{draw.pick(('FLOOR', 'CEIL', 'ROUND', 'TRUNC'))}({right.text})", DOUBLE)
        case "floor":
            return right
        case _:
            return Value(f"({left.text} {op} {right.text})", DOUBLE, is_rough)


def _date(draw: Draw, scope: Scope, depth: int, rough: bool) -> Value:
    found = _any_kind(draw, scope, DATE, depth, rough)
    if found is not None:
        return found
    day = value(draw, scope, DATE, depth).text
    unit = draw.pick(("YEAR", "MONTH", "WEEK", "DAY", "QUARTER"))
    number = draw.pick((0, 1, 2, 13))
    # DuckDB calls a day that was moved or truncated a timestamp; the cast makes it a day again.
    forms = (
        f"CAST(DATE_TRUNC('{unit.lower()}', {day}) AS DATE)",
        f"CAST(LEAST({day}, {HIGH}) + INTERVAL '{number}' {unit} AS DATE)",
        f"CAST(GREATEST({day}, {LOW}) - INTERVAL '{number}' {unit} AS DATE)",
        f"(LEAST(GREATEST({day}, {LOW}), {HIGH}) + {draw.pick((0, 1, -1, 40))})",
    )
    return Value(draw.pick(forms), DATE)


def _text(draw: Draw, scope: Scope, depth: int, rough: bool) -> Value:
    found = _any_kind(draw, scope, TEXT, depth, rough)
    if found is not None:
        return found
    word, other = (value(draw, scope, TEXT, depth).text for _ in range(2))
    number = leaf(draw, scope, INT).text
    forms = (
        f"{draw.pick(('UPPER', 'LOWER', 'TRIM', 'LTRIM', 'RTRIM'))}({word})",
        f"SUBSTRING({word} FROM {draw.pick((1, 2, 0, -1))} FOR {draw.pick((0, 1, 2))})",
        f"{draw.pick(('LEFT', 'RIGHT'))}({word}, {number})",
        f"({word} || {other})",
        f"CONCAT({word}, {other})",
        f"REPLACE({word}, 'a', {other})",
        f"LPAD({word}, 3, 'xy')",
    )
    return Value(draw.pick(forms), TEXT)


def _bool(draw: Draw, scope: Scope, depth: int, rough: bool) -> Value:
    found = _any_kind(draw, scope, BOOL, depth, rough)
    return found or Value(f"({conditions.condition(draw, scope, depth)})", BOOL)


_MAKERS: dict[str, Callable[[Draw, Scope, int, bool], Value]] = {
    INT: _integer,
    DECIMAL: _decimal,
    DOUBLE: _double,
    DATE: _date,
    TEXT: _text,
    BOOL: _bool,
}
