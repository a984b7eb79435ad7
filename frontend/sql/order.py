"""ORDER BY, LIMIT and OFFSET of a view: how its rows are shown. They change nothing that is maintained.

In a subquery ORDER BY alone has no meaning and is dropped; with LIMIT it chooses rows (``cut.py``).
"""

from __future__ import annotations

from sqlglot import exp

from toastergen.errors import ResolveError, SqlTypeError, UnsupportedSql
from toastergen.frontend.m3 import Order, OrderKey
from toastergen.frontend.sql.block import Block
from toastergen.frontend.sql.names import suggestion
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.refuse import check_arguments


def take_order(node: exp.Expr) -> dict[str, exp.Expr]:
    """Cut the clauses off a query, so that what is left says which rows there are."""
    clauses = {name: node.args[name] for name in ("order", "limit", "offset") if node.args.get(name)}
    for name in clauses:
        node.args[name] = None
    return clauses


def read_order(
    clauses: dict[str, exp.Expr], node: exp.Expr, block: Block, places: Places
) -> Order | None:
    if not clauses:
        return None
    keys: list[OrderKey] = []
    if "order" in clauses:
        check_arguments(clauses["order"], ("expressions",), places, "ORDER BY")
        keys = [_key(item, node, block, places) for item in clauses["order"].expressions]
    limit = _number(clauses["limit"], "LIMIT", places) if "limit" in clauses else None
    offset = _number(clauses["offset"], "OFFSET", places) if "offset" in clauses else 0
    return Order(tuple(keys), limit, offset)


def _key(item: exp.Expr, node: exp.Expr, block: Block, places: Places) -> OrderKey:
    check_arguments(item, ("this", "desc", "nulls_first"), places, "ORDER BY")
    column = _column(item.this, node, block, places)
    return OrderKey(column, bool(item.args.get("desc")), bool(item.args.get("nulls_first")))


def _column(wanted: exp.Expr, node: exp.Expr, block: Block, places: Places) -> str:
    """The selected column that is meant: by position, by name, or by writing the same expression again."""
    names = [item.name for item in block.items]
    if isinstance(wanted, exp.Literal) and not wanted.is_string:
        text = str(wanted.this)
        if text.isdecimal() and 1 <= int(text) <= len(names):
            return names[int(text) - 1]
        raise ResolveError(
            f"ORDER BY {text}: the select list has positions 1 to {len(names)}",
            span=places.span(wanted),
            hint="use one of these positions or a name",
        )
    if isinstance(wanted, exp.Column) and not wanted.table:
        for name in names:
            if name.lower() == wanted.name.lower():
                return name
    selected = node.expressions if isinstance(node, exp.Select) else []
    if len(selected) == len(names):  # not so where * stands for several
        for name, other in zip(names, selected, strict=True):
            if (other.this if isinstance(other, exp.Alias) else other) == wanted:
                return name
    if isinstance(wanted, exp.Column) and wanted.name.lower() in (name.lower() for name in names):
        return next(name for name in names if name.lower() == wanted.name.lower())
    raise UnsupportedSql(
        "ORDER BY of something that is not selected is not supported",
        span=places.span(wanted),
        hint=f"select it as well, or order by its position; {suggestion(wanted.name, names)}",
    )


def _number(clause: exp.Expr, word: str, places: Places) -> int:
    value = clause.args.get("expression")
    if type(clause) not in (exp.Limit, exp.Offset) or not isinstance(value, exp.Literal):
        raise UnsupportedSql(
            f"{word} by anything but a literal number is not supported",
            span=places.keyword(word if type(clause) is not exp.Fetch else "FETCH"),
            hint=f"write {word} 10",
        )
    check_arguments(clause, ("expression",), places, word)
    if value.is_string or not str(value.this).isdecimal():
        raise SqlTypeError(f"{word} needs a whole number", span=places.span(value), hint=f"write {word} 10")
    return int(str(value.this))
