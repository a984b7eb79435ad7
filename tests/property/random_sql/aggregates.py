"""Aggregates, filtered and not, and arithmetic over them."""

from __future__ import annotations

from property.random_sql import conditions, scalars
from property.random_sql.draw import Draw, Scope, Value
from property.random_sql.schema import BOOL, DECIMAL, DOUBLE, INT, NUMBERS, WIDE

VARIANCES = ("VAR_POP", "VAR_SAMP", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "STDDEV")
_FILTERED = ("COUNT", "SUM", "MIN", "MAX", "AVG", "BOOL", *VARIANCES)


def measure(draw: Draw, scope: Scope, rough: bool, distinct: str | None = None) -> Value:
    """An aggregate or an expression over some. ``distinct`` is the one argument DISTINCT may have in this query."""
    form = draw.pick(("plain",) * 6 + ("sum", "case", "coalesce", "ratio"))
    left = aggregate(draw, scope, rough, distinct)
    if form == "plain" or left.kind not in NUMBERS:
        return left
    right = aggregate(draw, scope, rough, distinct)
    while right.kind not in NUMBERS:
        right = aggregate(draw, scope, rough, distinct)
    kind = wider(left.kind, right.kind)
    is_rough = left.rough or right.rough or {left.kind, right.kind} == {DECIMAL, DOUBLE}
    if is_rough and not rough:
        return left
    match form:
        case "case" if not left.rough:
            test = f"{left.text} > {draw.literal(INT).text}"
            return Value(f"CASE WHEN {test} THEN {right.text} END", right.kind, right.rough)
        case "coalesce":
            return Value(f"COALESCE({left.text}, {right.text})", kind, is_rough)
        case "ratio" if rough and not right.rough:
            return Value(f"{left.text} / {right.text}", DOUBLE, rough=True)
        case _:
            return Value(f"{left.text} {draw.pick('+-')} {right.text}", kind, is_rough)


def aggregate(draw: Draw, scope: Scope, rough: bool, distinct: str | None = None) -> Value:
    kinds = ["rows", "count", "sum", "sum", "sum", "min", "max", "min", "max", "bool"]
    kinds += ["avg", "avg", "variance"] if rough else []
    kinds += ["distinct", "distinct"] if distinct else []
    found = _plain(draw, scope, draw.pick(kinds), rough, distinct)
    if draw.chance(0.15) and found.text.startswith(_FILTERED) and "DISTINCT" not in found.text:
        return Value(
            f"{found.text} FILTER (WHERE {conditions.condition(draw, scope, 1)})", found.kind, found.rough
        )
    return found


def _plain(draw: Draw, scope: Scope, form: str, rough: bool, distinct: str | None) -> Value:
    match form:
        case "rows":
            return Value("COUNT(*)", INT)
        case "count":
            return Value(f"COUNT({scalars.any_value(draw, scope, 1).text})", INT)
        case "min" | "max":
            found = scalars.any_value(draw, scope, 1, rough=False)
            return Value(f"{form.upper()}({found.text})", found.kind)
        case "bool":
            word = draw.pick(("BOOL_AND", "BOOL_OR"))
            return Value(f"{word}({conditions.condition(draw, scope, 1)})", BOOL)
        case "avg":
            return Value(f"AVG({_number(draw, scope, rough=True).text})", DOUBLE, rough=True)
        case "variance":
            found = scalars.value(draw, scope, draw.pick((INT, DECIMAL)), 1)
            return Value(f"{draw.pick(VARIANCES)}({found.text})", DOUBLE, rough=True)
        case "distinct":
            return Value(f"COUNT(DISTINCT {distinct})", INT)
        case _:
            found = _number(draw, scope, rough=False)
            if found.kind == DECIMAL:
                if rough and draw.chance(0.5):
                    return Value(f"SUM({found.text})", WIDE, rough=True)
                return Value(f"CAST(SUM({found.text}) AS DECIMAL(20,3))", DECIMAL)
            return Value(f"SUM({found.text})", found.kind, found.rough)


def _number(draw: Draw, scope: Scope, rough: bool) -> Value:
    kinds = [item.kind for item in scope.own if item.kind in NUMBERS and (rough or not item.rough)] or [INT]
    return scalars.value(draw, scope, draw.pick(kinds), draw.pick((0, 0, 1, 2)), rough)


def wider(left: str, right: str) -> str:
    return left if NUMBERS.index(left) >= NUMBERS.index(right) else right
