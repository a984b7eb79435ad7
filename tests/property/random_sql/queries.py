"""Whole queries: bags, groups, single rows, set operations, WITH."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from property.random_sql import aggregates, conditions, grouping, scalars, sources, subqueries, windows
from property.random_sql.draw import Draw, Scope, Value
from property.random_sql.schema import KINDS, WIDE, Column, Readable


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    columns: tuple[Column, ...]

    @property
    def is_rough(self) -> bool:
        return any(column.rough for column in self.columns)


def query(draw: Draw, wanted: Sequence[str] | None) -> Query:
    """A SELECT, or several; ``wanted`` are the kinds of the columns, if that matters."""
    if draw.nesting > 0 and draw.chance(0.1):
        return _with(draw, wanted)
    if draw.nesting > 0 and draw.chance(0.12):
        return _sets(draw, wanted)
    return select(draw, wanted)


def _with(draw: Draw, wanted: Sequence[str] | None) -> Query:
    """The queries of WITH can be read like relations, more than once and by each other."""
    before = list(draw.readable)
    parts = []
    with draw.inside():
        for _ in range(draw.pick((1, 1, 2))):
            name = f"w{draw.alias()}"
            found = select(draw, None)
            parts.append(f"{name} AS ({found.text})")
            draw.readable += [Readable(name, found.columns)] * 3
        last = _sets(draw, wanted) if draw.chance(0.2) else select(draw, wanted)
    draw.readable[:] = before
    return Query(f"WITH {', '.join(parts)} {last.text}", last.columns)


def _sets(draw: Draw, wanted: Sequence[str] | None) -> Query:
    kinds = tuple(wanted) if wanted else tuple(draw.pick(KINDS) for _ in range(draw.pick((1, 2, 3))))
    word = draw.pick(("UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT"))
    with draw.inside():
        rough = word == "UNION ALL"
        parts = [select(draw, kinds, rough) for _ in range(draw.pick((2, 2, 3)) if "UNION" in word else 2)]
    columns = tuple(
        Column(mine[0].name, mine[0].kind, any(item.rough for item in mine))
        for mine in zip(*(part.columns for part in parts), strict=True)
    )
    return Query(f" {word} ".join(part.text for part in parts), columns)


def select(draw: Draw, wanted: Sequence[str] | None, rough: bool = True) -> Query:
    text, scope = sources.source(draw, draw.pick((1, 2, 2, 3) if draw.nesting > 1 else (1, 1, 2)))
    tests = sources.comma_tests(draw, text, scope)
    tests += [conditions.condition(draw, scope, 2, nested=True) for _ in range(draw.pick((0, 0, 1, 1, 2)))]
    body = f"FROM {text}{sources.where(tests)}"
    match draw.pick(("bag", "bag", "groups", "groups", "groups", "single", "distinct", "windows")):
        case "windows" if wanted is None:
            return _named(*windows.windowed(draw, scope, body, rough))
        case "groups":
            return _named(*grouping.grouped(draw, scope, body, wanted, rough))
        case "single" if wanted is None:
            return _single(draw, scope, body, rough)
        case "distinct":
            return _bag(draw, scope, body, wanted, False, "DISTINCT ")
        case _:
            return _bag(draw, scope, body, wanted, rough)


def _bag(
    draw: Draw, scope: Scope, body: str, wanted: Sequence[str] | None, rough: bool, word: str = ""
) -> Query:
    if wanted is not None:
        items = [scalars.value(draw, scope, kind, 1, rough) for kind in wanted]
    else:
        items = [item(draw, scope, rough) for _ in range(draw.pick((1, 2, 2, 3)))]
    return _named(f"SELECT {word}", items, f" {body}")


def item(draw: Draw, scope: Scope, rough: bool) -> Value:
    """An item of the select list: an expression or, at times, a subquery."""
    if draw.chance(0.1) and draw.may_nest():
        found = subqueries.single(draw, scope, rough)
        if found.kind != WIDE and draw.chance(0.3):
            return Value(f"COALESCE({found.text}, {draw.literal(found.kind).text})", found.kind, found.rough)
        return found
    return scalars.any_value(draw, scope, 2, rough)


def _single(draw: Draw, scope: Scope, body: str, rough: bool) -> Query:
    distinct = scalars.any_value(draw, scope, 0, rough=False).text
    items = [aggregates.measure(draw, scope, rough, distinct) for _ in range(draw.pick((1, 2, 3)))]
    having = f" HAVING {grouping.having(draw, scope)}" if draw.chance(0.1) else ""
    return _named("SELECT ", items, f" {body}{having}")


def _named(head: str, items: Sequence[Value], tail: str) -> Query:
    """Every item gets a name; the first keeps ``a`` alive for joins by name where it is an integer."""
    names = [_name(place, value) for place, value in enumerate(items)]
    listed = ", ".join(f"{value.text} AS {name}" for name, value in zip(names, items, strict=True))
    columns = [Column(name, value.kind, value.rough) for name, value in zip(names, items, strict=True)]
    return Query(f"{head}{listed}{tail}", tuple(columns))


def _name(place: int, value: Value) -> str:
    return "a" if place == 0 and value.kind == "int" else f"c{place}"


def members(draw: Draw, around: Scope, wanted: Sequence[str] | None) -> str:
    """A subquery for EXISTS, IN, ANY and ALL. Rows tied to the query around it, or any query at all."""
    with draw.inside():
        if draw.chance(0.12):
            return query(draw, wanted or ("int",)).text
        text, scope = sources.small_source(draw)
        inside = Scope(scope.own, around.own)
        tests = [*sources.comma_tests(draw, text, scope), *subqueries.ties(draw, inside)]
        if draw.chance(0.4):
            tests.append(conditions.condition(draw, scope, 1, nested=True))
        body = f"FROM {text}{sources.where(tests)}"
        kinds = wanted or ("int",)
        if draw.chance(0.15):
            head, items, tail = grouping.grouped(draw, scope, body, kinds, rough=False)
            return f"{head}{', '.join(found.text for found in items)}{tail}"
        if wanted is None and draw.chance(0.6):
            return f"SELECT {draw.pick(('1', '*'))} {body}"
        items = [scalars.value(draw, inside if draw.chance(0.1) else scope, kind, 1) for kind in kinds]
        word = draw.pick(("", "", "", "DISTINCT "))
        return f"SELECT {word}{', '.join(found.text for found in items)} {body}"
