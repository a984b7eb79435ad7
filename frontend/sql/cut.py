"""LIMIT and OFFSET in a subquery: its rows are numbered in their order, and those with the right numbers stay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from toastergen.errors import UnsupportedSql
from toastergen.frontend import m3
from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import Column
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Compare, Const, Scalar, Var
from toastergen.frontend.sql.block import Block, Stage, columns_of, reading
from toastergen.frontend.sql.context import VALUE, Context
from toastergen.frontend.sql.distinct import groups_of
from toastergen.frontend.sql.grouping import Grouped
from toastergen.frontend.sql.names import RESERVED, OutputNames
from toastergen.frontend.sql.order import read_order
from toastergen.frontend.sql.resolved import Aggregate, Item
from toastergen.frontend.types import LONG

Clauses = dict[str, exp.Expr]


def cut_rows(node: exp.Expr, clauses: Clauses, context: Context, mode: str, rows: Callable[[], Block]) -> Block:
    """``rows`` resolves the query without the clauses, all of its rows."""
    if "order" not in clauses:
        raise _refused("LIMIT without ORDER BY in a subquery", "say in which order rows are counted", clauses, context)
    added = _select_keys(node, clauses["order"])
    block = rows()
    if block.ties or block.free:
        hint = "number the rows of each key with ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) and join"
        raise _refused("LIMIT in a subquery that depends on the query around it", hint, clauses, context)
    order = read_order(clauses, node, block, context.places)
    assert order is not None
    number = Column(OutputNames(item.name for item in block.items).fresh("number"), LONG)
    window = m3.Window((), order.keys, (m3.Call(number.name, "row_number", (), None, None),))
    source = reading(context.workspace.derive_window(block, window, (number,)), Names(RESERVED))
    *columns, place = columns_of(source, (*block.items, Item(number.name, sc.ONE)))
    where: list[Scalar] = []
    if order.limit is not None:
        where.append(Compare("<=", place.value, Const(order.offset + order.limit, LONG)))
    if order.offset:
        where.append(Compare(">", place.value, Const(order.offset, LONG)))
    items = tuple(columns[: len(columns) - added])
    result = Block((source,), tuple(where), None, (), items)
    return _only_value(result, order.limit, clauses, context) if mode == VALUE else result


def _select_keys(node: exp.Expr, order: exp.Expr) -> int:
    """Select what the rows are ordered by as well, where that is possible and not done yet; how many were added."""
    if not isinstance(node, exp.Select) or node.args.get("distinct"):
        return 0
    names = {item.alias_or_name.lower() for item in node.expressions}
    plain = {item.this if isinstance(item, exp.Alias) else item for item in node.expressions}
    added = 0
    for item in order.expressions:
        key = item.this
        is_name = isinstance(key, exp.Column) and not key.table and key.name.lower() in names
        if isinstance(key, exp.Literal) or is_name or key in plain:
            continue
        added += 1
        node.append("expressions", exp.alias_(key.copy(), f"order_key_{added}"))
        item.set("this", exp.column(f"order_key_{added}"))
    return added


def _only_value(block: Block, limit: int | None, clauses: Clauses, context: Context) -> Block:
    """A value: that of the one row, NULL if there is none."""
    if len(block.items) != 1 or limit is None or limit > 1:
        hint = "select one column and write LIMIT 1"
        raise _refused("a subquery of several rows or columns as a value", hint, clauses, context)
    item = block.items[0]
    var = Var(Names([*RESERVED, *(var.name for var in block.inputs[0].vars)]).fresh("only"), sc.type_of(item.value))
    only = replace(var, type=var.type.or_null())
    late = Stage(Names(RESERVED))
    found = (Aggregate("min", item.value, only),)
    grouped = Grouped(block.inputs, block.where, (), found, (), (Item(item.name, only),), (), late, ())
    return groups_of(grouped, context)


def _refused(what: str, hint: str, clauses: Clauses, context: Context) -> UnsupportedSql:
    word = "LIMIT" if "limit" in clauses else "OFFSET"
    clause = clauses[word.lower()]
    return UnsupportedSql(f"{what} is not supported", span=context.places.keyword(word, clause.parent), hint=hint)
