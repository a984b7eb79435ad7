"""GROUP BY: by expressions, by sets, with HAVING, with aggregates of every kind."""

from __future__ import annotations

from collections.abc import Sequence

from property.random_sql import aggregates, conditions, scalars, subqueries
from property.random_sql.draw import COMPARISONS, Draw, Scope, Value
from property.random_sql.schema import DECIMAL, NUMBERS


def grouped(
    draw: Draw, scope: Scope, body: str, wanted: Sequence[str] | None, rough: bool
) -> tuple[str, list[Value], str]:
    """The beginning of a SELECT, its items, and all that follows them."""
    keys = _keys(draw, scope)
    clause, marks = _clause(draw, keys)
    plain = tuple(key for key in keys if "GROUPING" not in clause and "ROLLUP" not in clause and "CUBE" not in clause)
    groups = Scope(plain)
    distinct = scalars.any_value(draw, scope, 0, rough=False).text
    if wanted is None:
        items = [key for key in keys if draw.chance(0.85)]
        items += [_over_groups(draw, scope, groups, rough, distinct) for _ in range(draw.pick((1, 1, 2, 3)))]
        items += marks
    else:
        items = [_of_kind(draw, scope, groups, kind, rough) for kind in wanted]
    tail = f" {body} GROUP BY {clause}"
    if draw.chance(0.3):
        tail += f" HAVING {having(draw, scope, groups)}"
    return "SELECT ", items, tail


def _keys(draw: Draw, scope: Scope) -> list[Value]:
    """Mostly columns; no literals, which GROUP BY would read as positions."""
    found: dict[str, Value] = {}
    for _ in range(draw.pick((1, 1, 2, 2, 3))):
        key = scalars.any_value(draw, scope, draw.pick((0, 0, 1, 2)), rough=False)
        if any(column.text in key.text for column in scope.own):
            found[key.text] = key
    columns = [item for item in scope.own if not item.rough]
    if not found and columns:
        key = draw.pick(columns)
        found[key.text] = key
    return list(found.values()) or [Value("COALESCE(NULL, 1)", "int")]


def _clause(draw: Draw, keys: Sequence[Value]) -> tuple[str, list[Value]]:
    texts = [key.text for key in keys]
    listed = ", ".join(texts)
    marks = [Value(f"GROUPING({draw.pick(texts)})", "int")] if draw.chance(0.3) else []
    match draw.pick(("plain",) * 7 + ("rollup", "cube", "sets")):
        case "rollup":
            return f"ROLLUP ({listed})", marks
        case "cube":
            return f"CUBE ({listed})", marks
        case "sets":
            sets = [f"({listed})", *(f"({text})" for text in texts[1:]), *draw.pick(((), ("()",)))]
            return f"GROUPING SETS ({', '.join(sets)})", marks
        case _:
            return listed, []


def _over_groups(draw: Draw, scope: Scope, groups: Scope, rough: bool, distinct: str) -> Value:
    form = draw.pick(("measure",) * 8 + ("key", "subquery"))
    if form == "key" and groups.own:
        key = draw.pick(groups.own)
        return Value(f"COALESCE({key.text}, {draw.literal(key.kind).text})", key.kind)
    if form == "subquery" and draw.may_nest():
        columns = tuple(key for key in groups.own if key in scope.own)
        return subqueries.single(draw, Scope(columns), rough)
    return aggregates.measure(draw, scope, rough, distinct)


def _of_kind(draw: Draw, scope: Scope, groups: Scope, kind: str, rough: bool) -> Value:
    """A column of a kind that somebody waits for."""
    keys = groups.of(kind)
    if keys and draw.chance(0.6):
        return draw.pick(keys)
    if kind in NUMBERS and kind != DECIMAL and draw.chance(0.5):
        return Value(f"SUM({scalars.value(draw, scope, kind, 1).text})", kind)
    return Value(f"{draw.pick(('MIN', 'MAX'))}({scalars.value(draw, scope, kind, 1).text})", kind)


def having(draw: Draw, scope: Scope, groups: Scope | None = None) -> str:
    """Over exact values: whether a rounded one passes a limit may depend on the order of events."""
    if groups is not None and groups.own and draw.chance(0.25):
        return conditions.condition(draw, groups, 1)
    found = aggregates.measure(draw, scope, rough=False)
    if draw.chance(0.2) and draw.may_nest():
        other = subqueries.single(draw, Scope(()), rough=False)
        if other.kind == found.kind:
            return f"{found.text} {draw.pick(COMPARISONS)} {other.text}"
    if draw.chance(0.15):
        return f"{found.text} IS {draw.pick(('', 'NOT '))}NULL"
    return f"{found.text} {draw.pick(COMPARISONS)} {draw.literal(found.kind).text}"
