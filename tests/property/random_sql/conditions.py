"""Conditions, with and without subqueries, and the ways two relations are joined by one."""

from __future__ import annotations

from property.random_sql import scalars, subqueries
from property.random_sql.draw import COMPARISONS, Draw, Scope, Value, alike
from property.random_sql.schema import BOOL, INT, NUMBERS, TEXT, literal

PATTERNS = ("%", "a%", "%b", "_", "__", "%'%", "", "a_%", "A%")


def condition(draw: Draw, scope: Scope, depth: int = 2, nested: bool = False) -> str:
    """``nested`` allows subqueries."""
    if nested and draw.chance(0.3) and draw.may_nest():
        return _connected(draw, scope, subqueries.condition(draw, scope))
    if depth > 0 and draw.chance(0.4):
        left = condition(draw, scope, depth - 1, nested)
        match draw.pick(("AND", "OR", "NOT", "TRUTH")):
            case "NOT":
                return f"NOT ({left})"
            case "TRUTH":
                return f"({left}) IS {draw.pick(('', 'NOT '))}{draw.pick(('TRUE', 'FALSE', 'NULL'))}"
            case word:
                return f"({left} {word} {condition(draw, scope, depth - 1, nested)})"
    return _test(draw, scope, depth)


def _connected(draw: Draw, scope: Scope, test: str) -> str:
    """A subquery as a condition of its own, negated, or inside another condition."""
    match draw.pick(("", "", "NOT", "OR", "AND", "IS")):
        case "NOT":
            return f"NOT ({test})"
        case "OR" | "AND" as word:
            return f"(({test}) {word} {condition(draw, scope, 1)})"
        case "IS":
            return f"({test}) IS {draw.pick(('TRUE', 'NOT TRUE', 'NULL', 'NOT NULL', 'FALSE'))}"
        case _:
            return test


def _test(draw: Draw, scope: Scope, depth: int) -> str:
    tested = _subject(draw, scope, depth)
    kind, name = tested.kind, tested.text
    negated = draw.pick(("", "", "NOT "))
    forms = ["compare", "compare", "values", "between", "in", "missing", "same"]
    forms += {BOOL: ["flag"] * 3, TEXT: ["like", "like", "begins"]}.get(kind, [])
    match draw.pick(forms):
        case "missing":
            return f"{name} IS {negated}NULL"
        case "same":
            other = scalars.value(draw, scope, kind, depth - 1)
            return f"{name} IS {draw.pick(('', 'NOT '))}DISTINCT FROM {other.text}"
        case "between":
            return f"{name} {negated}BETWEEN {draw.literal(kind).text} AND {draw.literal(kind).text}"
        case "in":
            items = [draw.literal(kind).text for _ in range(draw.pick((1, 2, 3)))]
            items += draw.pick(((), (), ("NULL",), (scalars.leaf(draw, scope, kind).text,)))
            return f"{name} {negated}IN ({', '.join(items)})"
        case "values":
            other = scalars.value(draw, scope, draw.pick(alike(kind)), depth - 1)
            return f"{name} {draw.pick(COMPARISONS)} {other.text}"
        case "flag":
            return f"{negated}{name}"
        case "like":
            pattern = literal("VARCHAR", draw.pick(PATTERNS))
            return f"{name} {negated}{draw.pick(('LIKE', 'LIKE', 'ILIKE'))} {pattern}"
        case "begins":
            word = draw.pick(("STARTS_WITH", "ENDS_WITH", "CONTAINS"))
            return f"{negated}{word}({name}, {scalars.leaf(draw, scope, TEXT).text})"
        case _:
            return f"{name} {draw.pick(COMPARISONS)} {draw.literal(kind).text}"


def _subject(draw: Draw, scope: Scope, depth: int) -> Value:
    columns = [item for item in scope.own if not item.rough]
    if columns and (depth <= 0 or draw.chance(0.7)):
        return draw.pick(columns)
    return scalars.any_value(draw, scope, depth - 1, rough=False)


def joining(draw: Draw, left: Scope, right: Scope) -> str:
    """Mostly an equality; at times of expressions, across types, an inequality, more than one, or nothing at all."""
    both = Scope(left.own + right.own)
    mine = draw.pick([item for item in right.own if not item.rough] or [Value("1", INT)])
    partners = left.of(*alike(mine.kind))
    if not partners:
        mine = draw.pick(right.of(INT) or [Value("1", INT)])
        partners = left.of(*NUMBERS) or [Value("1", INT)]
    other = draw.pick(partners)
    form = draw.pick(("=", "=", "=", "=", "=", "=", "<", "<>", ">=", "shift", "band", "cross", "same", "and", "more"))
    if form in ("shift", "band") and not (mine.kind in NUMBERS and other.kind in NUMBERS):
        form = "="
    equal = f"{mine.text} = {other.text}"
    match form:
        case "shift":
            return f"{mine.text} + 1 = {other.text}"
        case "band":
            return f"{mine.text} BETWEEN {other.text} - 1 AND {other.text} + 1"
        case "cross":
            return draw.pick(("TRUE", "TRUE", "1 = 0", "NULL"))
        case "same":
            return f"{mine.text} IS NOT DISTINCT FROM {other.text}"
        case "and":
            return f"{equal} AND {condition(draw, both, 1)}"
        case "more":
            return f"({equal} OR {condition(draw, both, 0)})"
        case _:
            return f"{mine.text} {form} {other.text}"
