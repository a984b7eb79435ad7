"""Valid SQL that is not maintained: what it is called, and what to do instead.

Everything not listed as allowed is refused, so a construct the SQL reader learns later cannot slip through.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from toastergen.errors import UnsupportedSql
from toastergen.frontend.sql.places import Places

_FLAT: Final = "write it as a join, with IN, with EXISTS, or compare with an aggregate (SELECT SUM(…) …)"
_ORDER: Final = "sort or cut the view's rows when you read them"

# Clauses of a SELECT: argument of the syntax tree -> (name, first word, next step).
_CLAUSES: Final[Mapping[str, tuple[str, str, str]]] = {
    "order": ("ORDER BY", "ORDER", _ORDER),
    "limit": ("LIMIT", "LIMIT", _ORDER),
    "offset": ("OFFSET", "OFFSET", _ORDER),
    "laterals": ("LATERAL", "LATERAL", _FLAT),
    "into": ("SELECT INTO", "INTO", "use CREATE VIEW name AS SELECT …"),
    "sample": ("sampling", "USING", "leave it out"),
    "pivots": ("PIVOT", "PIVOT", "use SUM(CASE WHEN … THEN … ELSE 0 END)"),
    "locks": ("a row lock", "FOR", "leave it out"),
}

# Expressions and relations: node -> (name, next step).
_NODES: Final[Mapping[type[exp.Expr], tuple[str, str]]] = {
    exp.Select: ("a subquery", _FLAT),
    exp.Values: ("VALUES", "declare a stream or table and feed it the rows"),
    exp.Lateral: ("LATERAL", _FLAT),
    exp.Distinct: ("DISTINCT inside an aggregate", "group by the column and count the rows of the view"),
    exp.Order: (
        "ORDER BY inside an aggregate",
        "leave it out: the order does not matter for SUM, COUNT and AVG",
    ),
    exp.Interval: (
        "INTERVAL away from a date or timestamp",
        "add it to one, d + INTERVAL '1' MONTH, or compare a difference with it, t - u < INTERVAL '1' HOUR",
    ),
    exp.CurrentTimestamp: ("CURRENT_TIMESTAMP", "views depend on rows alone: put the time into the rows"),
    exp.CurrentDate: ("CURRENT_DATE", "views depend on rows alone: put the time into the rows"),
    exp.Reverse: ("REVERSE", "characters of several code points would fall apart; compute it before the rows arrive"),
    exp.RegexpReplace: ("REGEXP_REPLACE", "use REPLACE, or compute it before the rows reach the engine"),
    exp.RegexpExtract: ("REGEXP_EXTRACT", "test with REGEXP_MATCHES, or compute it before the rows reach the engine"),
    exp.Tuple: ("a row value (a, b)", "write the columns one by one, without parentheses"),
    exp.Placeholder: ("a parameter", "write the value itself"),
    exp.Parameter: ("a parameter", "write the value itself"),
    exp.ByteString: ("an escape string e'…'", "write a plain string '…'"),
    exp.RawString: ("a dollar-quoted string", "write a plain string '…'"),
    exp.Collate: ("COLLATE", "strings compare by their bytes; leave it out"),
}

_PARTS: Final = {"expressions": "more than one argument", "except_": "EXCLUDE", "this": "an argument"}


def refuse_clause(argument: str, places: Places, within: exp.Expr | None = None) -> UnsupportedSql:
    name, word, hint = _CLAUSES.get(
        argument, (f"the clause {argument.strip('_').upper()}", "", "leave it out")
    )
    span = places.keyword(word or argument.strip("_").upper(), within)
    return UnsupportedSql(f"{name} is not supported", span=span, hint=hint)


def refuse(node: exp.Expr, places: Places) -> UnsupportedSql:
    name, hint = describe(node)
    return UnsupportedSql(f"{name} is not supported", span=places.span(node), hint=hint)


def describe(node: exp.Expr) -> tuple[str, str]:
    if isinstance(node, exp.Is):
        return f"IS {node.expression.sql().upper()}", "write IS NULL, IS TRUE or IS FALSE"
    known = _NODES.get(type(node))
    if known:
        return known
    if isinstance(node, exp.AggFunc):
        hint = "maintained are SUM, COUNT, AVG, MIN, MAX, BOOL_AND, BOOL_OR, VARIANCE and STDDEV"
        return f"the aggregate {_function_name(node)}", hint
    if isinstance(node, exp.Func):
        return f"the function {_function_name(node)}", "compute it before the rows reach the engine"
    return (
        f"the expression {node.key.upper()}",
        "use + - * / %, comparisons, AND, OR, NOT, IN, LIKE, CASE, CAST and the functions of docs/sql.md",
    )


def check_arguments(node: exp.Expr, allowed: tuple[str, ...], places: Places, what: str) -> None:
    """Refuse every part of a node nobody here looks at: nothing is silently ignored."""
    for argument, value in node.args.items():
        if argument not in allowed and value:
            part = _PARTS.get(argument, argument.strip("_").upper().replace("_", " "))
            raise UnsupportedSql(
                f"{what} with {part} is not supported",
                span=places.span(node),
                hint="leave that part out",
            )


def _function_name(node: exp.Func) -> str:
    name = node.name if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc) else node.sql_name()
    return name.upper()
