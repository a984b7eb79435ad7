"""Subqueries in conditions and as values: tied to the query around them by equalities, otherwise, or not at all."""

from __future__ import annotations

from property.random_sql import aggregates, conditions, queries, scalars, sources
from property.random_sql.draw import COMPARISONS, Draw, Scope, Value, alike
from property.random_sql.schema import INT, NUMBERS


def condition(draw: Draw, scope: Scope) -> str:
    match draw.pick(("exists", "exists", "in", "in", "in", "row", "value", "value", "any")):
        case "exists":
            negated = draw.pick(("", "", "NOT "))
            return f"{negated}EXISTS ({queries.members(draw, scope, None)})"
        case "in":
            tested = scalars.any_value(draw, scope, 1, rough=False)
            negated = draw.pick(("", "", "NOT "))
            return f"{tested.text} {negated}IN ({queries.members(draw, scope, (tested.kind,))})"
        case "row":
            pair = [scalars.any_value(draw, scope, 0, rough=False) for _ in range(2)]
            wanted = tuple(item.kind for item in pair)
            return f"({pair[0].text}, {pair[1].text}) IN ({queries.members(draw, scope, wanted)})"
        case "any":
            tested = scalars.any_value(draw, scope, 1, rough=False)
            word = f"{draw.pick(COMPARISONS)} {draw.pick(('ANY', 'ALL'))}"
            return f"{tested.text} {word} ({queries.members(draw, scope, (tested.kind,))})"
        case _:
            found = single(draw, scope, rough=False)
            if draw.chance(0.2):
                return f"{found.text} IS {draw.pick(('', 'NOT '))}NULL"
            other = scalars.value(draw, scope, draw.pick(alike(found.kind)), 1)
            if draw.chance(0.15) and found.kind in NUMBERS:
                return f"{found.text} BETWEEN {other.text} AND {draw.literal(found.kind).text}"
            sides = draw.pick(((found.text, other.text), (other.text, found.text)))
            return f"{sides[0]} {draw.pick(COMPARISONS)} {sides[1]}"


def single(draw: Draw, scope: Scope, rough: bool) -> Value:
    """One aggregate over everything, which is one value."""
    with draw.inside():
        source, inner = sources.small_source(draw)
        inside = Scope(inner.own, scope.own)
        tests = ties(draw, inside)
        if draw.chance(0.4):
            tests.append(conditions.condition(draw, Scope(inner.own), 1, nested=True))
        found = aggregates.measure(draw, inside if draw.chance(0.2) else Scope(inner.own), rough)
    return Value(f"(SELECT {found.text} FROM {source}{sources.where(tests)})", found.kind, found.rough)


def ties(draw: Draw, scope: Scope) -> list[str]:
    """Conditions over a column of the subquery and one from outside."""
    return [_tie(draw, scope) for _ in range(draw.pick((0, 1, 1, 1, 1, 2)))] if scope.outer else []


def _tie(draw: Draw, scope: Scope) -> str:
    mine = draw.pick([item for item in scope.own if not item.rough] or [Value("1", INT)])
    others = scope.around(*alike(mine.kind)) or scope.around(INT)
    if not others:
        return "TRUE"
    other = draw.pick(others)
    if other.kind not in alike(mine.kind):
        mine = draw.pick(scope.of(INT) or [Value("1", INT)])
    number = mine.kind in NUMBERS and other.kind in NUMBERS
    match draw.pick(("=", "=", "=", "=", "=", "turned", "<", "<>", ">=", "shift", "sum", "same", "or")):
        case "turned":
            return f"{other.text} = {mine.text}"
        case "shift" if number:
            return f"{mine.text} = {other.text} + 1"
        case "sum" if number:
            return f"{mine.text} + {other.text} {draw.pick(COMPARISONS)} {draw.literal(INT).text}"
        case "same":
            return f"{mine.text} IS {draw.pick(('', 'NOT '))}DISTINCT FROM {other.text}"
        case "or":
            return f"({mine.text} = {other.text} OR {conditions.condition(draw, Scope(scope.own), 0)})"
        case "<" | "<>" | ">=" as op:
            return f"{mine.text} {op} {other.text}"
        case _:
            return f"{mine.text} = {other.text}"

