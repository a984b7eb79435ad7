"""A query of any form to a block: WITH, parentheses, SELECT, UNION and its kin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from toastergen.errors import ResolveError, UnsupportedSql
from toastergen.frontend.m3 import Order, Relation
from toastergen.frontend.scalar import Scalar
from toastergen.frontend.sql.block import Block
from toastergen.frontend.sql.context import ROWS, Context, Outer
from toastergen.frontend.sql.cut import cut_rows
from toastergen.frontend.sql.grouping_sets import has_grouping_sets, selects_of_sets
from toastergen.frontend.sql.order import read_order, take_order
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.refuse import check_arguments, refuse
from toastergen.frontend.sql.resolve import resolve_select
from toastergen.frontend.sql.select import check_select, parse_select
from toastergen.frontend.sql.set_operations import resolve_set_operation, union_all
from toastergen.frontend.sql.source import Statement
from toastergen.frontend.sql.sources import with_columns
from toastergen.frontend.sql.workspace import Workspace


def add_view(name: str, statement: Statement, workspace: Workspace, columns: tuple[Token, ...] = ()) -> None:
    """Resolve one statement and all that it needs into the workspace. ``columns`` rename what it selects."""
    workspace.current = name
    places = Places(statement)
    node = parse_select(statement)
    clauses = take_order(node)
    block = resolve_rows(node, Context(workspace, places, resolve_rows))
    order = read_order(clauses, node, block, places)
    if columns:
        block, order = _renamed(block, order, columns, statement)
    workspace.show(name, block, order)


def _renamed(
    block: Block, order: Order | None, columns: tuple[Token, ...], statement: Statement
) -> tuple[Block, Order | None]:
    if len(columns) != len(block.items):
        raise ResolveError(
            f"{len(columns)} names for the {len(block.items)} columns of the query",
            span=statement.span(columns[0]),
            hint="give one name per column of the select list",
        )
    names = {item.name: token.text for item, token in zip(block.items, columns, strict=True)}
    if order is not None:
        order = replace(order, keys=tuple(replace(key, column=names[key.column]) for key in order.keys))
    return block.renamed(list(names.values())), order


def resolve_rows(node: exp.Expr, context: Context, mode: str = ROWS, outer: Outer | None = None) -> Block:
    """The rows of a query that others read; its order matters only where LIMIT or OFFSET cut by it."""
    clauses = take_order(node)
    if clauses.keys() & {"limit", "offset"}:
        return cut_rows(node, clauses, context, mode, lambda: _resolve(node, context, ROWS, outer))
    return _resolve(node, context, mode, outer)


def _resolve(node: exp.Expr, context: Context, mode: str, outer: Outer | None) -> Block:
    context = _with_queries(node, context)
    match node:
        case exp.Subquery():
            check_arguments(node, ("this", "alias", "with_", "order"), context.places, "a subquery")
            return resolve_rows(node.this, context, mode, outer)
        case exp.Select() if has_grouping_sets(node):
            check_select(node, context.places)
            selects = selects_of_sets(node, context.places)
            around = _without_outer(outer, "GROUP BY of several sets", context)
            return union_all(node, [resolve_select(item, context, ROWS, around) for item in selects], context)
        case exp.Select():
            return resolve_select(node, context, mode, outer)
        case exp.SetOperation():
            around = _without_outer(outer, "UNION, INTERSECT or EXCEPT", context)
            return resolve_set_operation(node, context, around)
        case _:
            raise refuse(node, context.places)


@dataclass(frozen=True, slots=True)
class _WithoutOuter:
    """The query around a subquery that cannot be tied to it: a column of it is known, and refused."""

    outer: Outer
    what: str
    context: Context

    def __call__(self, node: exp.Column) -> Scalar:
        self.outer(node)
        raise UnsupportedSql(
            f"{node.sql()} of the query around it cannot stand in a subquery with {self.what}",
            span=self.context.places.span(node),
            hint="write the condition outside, or one subquery per part",
        )

    def values(self, outers: Sequence[Scalar]) -> Relation:
        raise AssertionError("no column from outside was given away")


def _without_outer(outer: Outer | None, what: str, context: Context) -> Outer | None:
    return _WithoutOuter(outer, what, context) if outer is not None else None


def _with_queries(node: exp.Expr, context: Context) -> Context:
    clause = node.args.get("with_")
    if not clause:
        return context
    if clause.args.get("recursive"):
        raise UnsupportedSql(
            "WITH RECURSIVE is not supported",
            span=context.places.keyword("WITH"),
            hint="only queries that end by themselves are maintained: leave RECURSIVE out",
        )
    names: set[str] = set()
    for item in clause.expressions:
        check_arguments(item, ("this", "alias", "materialized"), context.places, "WITH")
        name = item.alias.lower()
        if name in names:
            raise ResolveError(
                f"two queries of WITH are called {item.alias}",
                span=context.places.span(item.args["alias"]),
                hint="rename one of the two",
            )
        names.add(name)
        block = with_columns(resolve_rows(item.this, context), item.args["alias"], context)
        context = replace(context, with_queries={**context.with_queries, name: block})
    return context
