"""FROM: relations, views and subqueries, joined in every way there is."""

from __future__ import annotations

from collections.abc import Sequence

from property.random_sql import conditions, queries
from property.random_sql.draw import Draw, Scope, Value
from property.random_sql.schema import Readable

KINDS = ("JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "FULL OUTER JOIN", "INNER JOIN")


def where(tests: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(f'({test})' for test in tests)}" if tests else ""


def small_source(draw: Draw) -> tuple[str, Scope]:
    """One relation, or two joined: what most subqueries read."""
    return source(draw, draw.pick((1, 1, 1, 2)))


def source(draw: Draw, count: int) -> tuple[str, Scope]:
    """So many entries, joined by commas, by ON, or by the names of their columns."""
    form = draw.pick(("comma", "on", "on", "on", "using", "natural", "mixed")) if count > 1 else "comma"
    match form:
        case "using":
            return _using(draw, count)
        case "natural":
            return _natural(draw, count)
    text, scope = entry(draw)
    for _ in range(count - 1):
        other, right = entry(draw)
        both = Scope(scope.own + right.own)
        if form == "comma" or (form == "mixed" and draw.chance(0.4)):
            text = f"{text}, {other}" if form == "comma" else f"{text} CROSS JOIN {other}"
        else:
            text = f"{text} {draw.pick(KINDS)} {other} ON {conditions.joining(draw, scope, right)}"
        scope = both
    return text, scope


def comma_tests(draw: Draw, text: str, scope: Scope) -> list[str]:
    """What joins entries that only commas part: an equality per entry, mostly."""
    if ", " not in text:
        return []
    aliases = list(dict.fromkeys(item.text.partition(".")[0] for item in scope.own))
    found = []
    for place, alias in enumerate(aliases[1:], 1):
        left = Scope(tuple(item for item in scope.own if item.text.partition(".")[0] in aliases[:place]))
        right = Scope(tuple(item for item in scope.own if item.text.partition(".")[0] == alias))
        if not draw.chance(0.1):
            found.append(conditions.joining(draw, left, right))
    return found


def entry(draw: Draw) -> tuple[str, Scope]:
    """A relation, or at times a query in parentheses."""
    alias = draw.alias()
    if draw.chance(0.12) and draw.may_nest():
        with draw.inside():
            found = queries.query(draw, None)
        text = f"({found.text})"
        columns = found.columns
    else:
        chosen = draw.pick(draw.readable)
        text, columns = chosen.name, chosen.columns
    own = tuple(Value(f"{alias}.{column.name}", column.kind, column.rough) for column in columns)
    return f"{text} AS {alias}", Scope(own)


# --- joins by the names of columns --------------------------------------------------------------------------


def _using(draw: Draw, count: int) -> tuple[str, Scope]:
    """All by one column: under its own name it is the first that is not NULL."""
    name, kind = "a", "int"
    chosen = [_reading(draw, [item for item in draw.readable if _has(item, name, kind)]) for _ in range(count)]
    text = chosen[0][0]
    for other, _ in chosen[1:]:
        text = f"{text} {draw.pick(KINDS)} {other} USING ({name})"
    own = tuple(item for _, scope in chosen for item in scope.own)
    return text, Scope((Value(name, kind), Value(name, kind), *own))


def _natural(draw: Draw, count: int) -> tuple[str, Scope]:
    """By all names that the sides share; they have to be of one kind."""
    first = draw.pick([item for item in draw.readable if _has(item, "a", "int")])
    chosen = [first]
    shared: set[str] = set()
    for _ in range(min(count, 3) - 1):
        known = {column.name: column for item in chosen for column in item.columns}
        fitting = [item for item in draw.readable if _fits(item, known)]
        chosen.append(draw.pick(fitting or [first]))
        shared |= {column.name for column in chosen[-1].columns if column.name in known}
    parts = [_named(draw, item) for item in chosen]
    text = parts[0][0]
    for other, _ in parts[1:]:
        text = f"{text} NATURAL {draw.pick(KINDS)} {other}"
    merged = {column.name: Value(column.name, column.kind) for item in chosen for column in item.columns}
    own = tuple(item for _, scope in parts for item in scope.own)
    return text, Scope((*(item for name, item in merged.items() if name in shared), *own))


def _fits(item: Readable, known: dict[str, object]) -> bool:
    common = [column for column in item.columns if column.name in known]
    return bool(common) and all(known[column.name] == column and not column.rough for column in common)


def _has(item: Readable, name: str, kind: str) -> bool:
    return any(column.name == name and column.kind == kind for column in item.columns)


def _reading(draw: Draw, options: Sequence[Readable]) -> tuple[str, Scope]:
    return _named(draw, draw.pick(options))


def _named(draw: Draw, chosen: Readable) -> tuple[str, Scope]:
    alias = draw.alias()
    own = tuple(Value(f"{alias}.{column.name}", column.kind, column.rough) for column in chosen.columns)
    return f"{chosen.name} AS {alias}", Scope(own)
