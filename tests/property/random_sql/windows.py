"""Window functions. Where ties would leave the answer open, ORDER BY ends with every column in sight.

Rows that are equal in all of them still differ in what depends on their place; which of two such results stand side by
side is open again, so a query has one at most.
"""

from __future__ import annotations

from property.random_sql import aggregates, grouping, scalars
from property.random_sql.draw import Draw, Scope, Value
from property.random_sql.schema import DATE, DECIMAL, DOUBLE, INT

_OFFSETS = {
    INT: ("0", "1", "3"),
    DOUBLE: ("0.5", "2"),
    DECIMAL: ("0.05", "1"),
    DATE: ("INTERVAL 0 DAY", "INTERVAL 2 WEEK"),
}


def windowed(draw: Draw, scope: Scope, body: str, rough: bool) -> tuple[str, list[Value], str]:
    """The beginning of a SELECT, its items, and all that follows them."""
    if draw.chance(0.2):
        return _over_groups(draw, scope, body)
    items = [scalars.any_value(draw, scope, 1, rough)]
    by_place = _is_exact(scope)
    for _ in range(draw.pick((1, 1, 2, 3))):
        found = call(draw, scope, rough, by_place)
        by_place = by_place and " ROWS " not in found.text
        items.append(found)
    if draw.chance(0.2):
        items.append(Value(f"COALESCE({_rank(draw, scope).text}, 0) * 2 - 1", INT))
    tail = f" QUALIFY {_rank(draw, scope).text} <= {draw.pick((1, 2, 3))}" if draw.chance(0.25) else ""
    return "SELECT ", items, f" {body}{tail}"


def _over_groups(draw: Draw, scope: Scope, body: str) -> tuple[str, list[Value], str]:
    keys = [item for item in scope.own if not item.rough] or [Value("1", INT)]
    key = draw.pick(keys)
    measure = scalars.value(draw, scope, INT, 1).text
    inner = draw.pick((f"SUM({measure})", "COUNT(*)", f"MAX({measure})", f"COUNT(DISTINCT {measure})"))
    found = draw.pick(
        (
            f"SUM({inner}) OVER (ORDER BY {key.text})",
            f"RANK() OVER (ORDER BY {inner} DESC)",
            f"LAG({inner}) OVER (ORDER BY {key.text} DESC)",
            f"COUNT(*) OVER (PARTITION BY {inner})",
            f"{inner} - MIN({inner}) OVER ()",
        )
    )
    having = f" HAVING {grouping.having(draw, scope)}" if draw.chance(0.2) else ""
    return "SELECT ", [key, Value(inner, INT), Value(found, INT)], f" {body} GROUP BY {key.text}{having}"


def call(draw: Draw, scope: Scope, rough: bool, by_place: bool) -> Value:
    """``by_place``: may it depend on the place of a row?"""
    match draw.pick(("rank", "row", "row", "aggregate", "aggregate", "aggregate")):
        case "rank":
            return _rank(draw, scope)
        case "row" if by_place:
            return _row(draw, scope)
        case _:
            return _aggregate(draw, scope, rough, by_place)


def _is_exact(scope: Scope) -> bool:
    """Can rows be told apart? Rounded doubles may differ in their last digit."""
    return not any(item.rough for item in scope.own)


def _rank(draw: Draw, scope: Scope) -> Value:
    name = draw.pick(("RANK()", "DENSE_RANK()"))
    return Value(f"{name} OVER ({_partition(draw, scope)}ORDER BY {', '.join(_keys(draw, scope))})", INT)


def _row(draw: Draw, scope: Scope) -> Value:
    """What depends on the place of a row."""
    found, number = scalars.any_value(draw, scope, 1, rough=False), draw.pick((1, 2, 3))
    over = f"OVER ({_partition(draw, scope)}{_total(draw, scope)}{_rows(draw)})"
    if draw.chance(0.4):
        name = draw.pick(("ROW_NUMBER()", f"NTILE({number})"))
        return Value(f"{name} {over}", INT)
    forms = ("LAG({0})", "LEAD({0}, {1})", "LAG({0}, {1}, {0})", "FIRST_VALUE({0})", "LAST_VALUE({0})")
    name = draw.pick((*forms, "NTH_VALUE({0}, {1})")).format(found.text, number)
    ignoring = " IGNORE NULLS" if draw.chance(0.4) else ""
    return Value(f"{name[:-1]}{ignoring}) {over}", found.kind)


def _aggregate(draw: Draw, scope: Scope, rough: bool, by_place: bool) -> Value:
    if rough and draw.chance(0.1):
        name = draw.pick(("PERCENT_RANK()", "CUME_DIST()"))
        text = f"{name} OVER ({_partition(draw, scope)}ORDER BY {', '.join(_keys(draw, scope))})"
        return Value(text, DOUBLE, rough=True)
    found = aggregates.aggregate(draw, scope, rough)
    if found.text.startswith("CAST("):  # around a sum of decimals
        inner = found.text.removeprefix("CAST(").removesuffix(" AS DECIMAL(20,3))")
        return Value(f"CAST({inner} OVER ({_framed(draw, scope, by_place)}) AS DECIMAL(20,3))", found.kind)
    return Value(f"{found.text} OVER ({_framed(draw, scope, by_place)})", found.kind, found.rough)


def _framed(draw: Draw, scope: Scope, by_place: bool) -> str:
    partition = _partition(draw, scope)
    ranged = scope.of(*_OFFSETS)
    match draw.pick(("whole", "peers", "rows", "rows", "range", "range", "groups")):
        case "groups":
            bounds = _bounds(draw, ("0", "1", "2"))
            return f"{partition}ORDER BY {', '.join(_keys(draw, scope))} GROUPS BETWEEN {bounds}"
        case "peers":
            bounds = draw.pick(("", " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"))
            return f"{partition}ORDER BY {', '.join(_keys(draw, scope))}{bounds}"
        case "rows" if by_place:
            return f"{partition}{_total(draw, scope)}{_rows(draw)}"
        case "range" if ranged:
            key = draw.pick(ranged)
            bounds = _bounds(draw, _OFFSETS[key.kind])
            return f"{partition}ORDER BY {key.text}{_direction(draw)} RANGE BETWEEN {bounds}"
        case _:
            return partition


def _partition(draw: Draw, scope: Scope) -> str:
    count = draw.pick((0, 1, 1, 2))
    keys = [scalars.any_value(draw, scope, draw.pick((0, 0, 1)), rough=False).text for _ in range(count)]
    return f"PARTITION BY {', '.join(keys)} " if keys else ""


def _keys(draw: Draw, scope: Scope) -> list[str]:
    found = [scalars.any_value(draw, scope, 1, rough=False).text for _ in range(draw.pick((1, 1, 2)))]
    return [f"{key}{_direction(draw)}" for key in found]


def _total(draw: Draw, scope: Scope) -> str:
    keys = [*_keys(draw, scope), *(f"{item.text}{_direction(draw)}" for item in scope.own)]
    return f"ORDER BY {', '.join(keys)}"


def _direction(draw: Draw) -> str:
    return draw.pick(("", " DESC", " NULLS FIRST", " DESC NULLS FIRST", " DESC NULLS LAST"))


def _rows(draw: Draw) -> str:
    if draw.chance(0.4):
        return draw.pick((" ROWS UNBOUNDED PRECEDING", " ROWS 1 PRECEDING"))
    return f" ROWS BETWEEN {_bounds(draw, ('0', '1', '2', '3'))}"


def _bounds(draw: Draw, offsets: tuple[str, ...]) -> str:
    start, end = draw.pick(offsets), draw.pick(offsets)
    starts = ("UNBOUNDED PRECEDING", f"{start} PRECEDING", "CURRENT ROW", f"{start} FOLLOWING")
    ends = (f"{end} PRECEDING", "CURRENT ROW", f"{end} FOLLOWING", "UNBOUNDED FOLLOWING")
    place = draw.pick(range(4))
    return f"{starts[place]} AND {draw.pick(ends[max(0, place - 1) :])}"
