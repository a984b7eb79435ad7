"""One entry of FROM: a stream, a table, a view, a query of WITH, or a subquery.

A query that only selects, projects and joins is merged into the one that reads it, since one flat join is
maintained better; anything else is read through its derived relation.
"""

from __future__ import annotations

from sqlglot import exp

from toastergen.errors import ResolveError, UnsupportedSql
from toastergen.frontend.m3 import Relation
from toastergen.frontend.sql.block import Block
from toastergen.frontend.sql.context import Context
from toastergen.frontend.sql.names import suggestion
from toastergen.frontend.sql.refuse import check_arguments, refuse


def read_source(node: exp.Expr, context: Context) -> tuple[str | None, Relation | Block]:
    """The alias, which a subquery need not have, and what is read."""
    if isinstance(node, exp.Subquery):
        return _subquery(node, context)
    if not isinstance(node, exp.Table):
        raise refuse(node, context.places)
    return _table(node, context)


def readable(block: Block, wish: str, context: Context) -> Relation | Block:
    if block.group_by is None:
        return block
    return context.workspace.derive((block,), wish)


def with_columns(block: Block, alias: exp.TableAlias | None, context: Context) -> Block:
    """Rename the columns of a query by the list behind its alias: ``t(a, b)``."""
    columns = alias.args.get("columns") if alias is not None else None
    if not columns:
        return block
    names = [column.name for column in columns]
    if len(names) != len(block.items):
        raise ResolveError(
            f"{len(names)} names for the {len(block.items)} columns of the query",
            span=context.places.span(columns[0]),
            hint="give one name per column of the select list",
        )
    return block.renamed(names)


def _subquery(node: exp.Subquery, context: Context) -> tuple[str | None, Relation | Block]:
    if isinstance(node.this, exp.Table):
        raise UnsupportedSql(
            "a nested join is not supported",
            span=context.places.span(node),
            hint="write a JOIN b ON … JOIN c ON …",
        )
    check_arguments(node, ("this", "alias", "with_"), context.places, "a subquery")
    alias = node.args.get("alias")
    block = with_columns(context.resolve(node, context), alias, context)
    name = alias.name if alias is not None and alias.name else None
    return name, readable(block, name or "subquery", context)


def _table(node: exp.Table, context: Context) -> tuple[str, Relation | Block]:
    places = context.places
    if not isinstance(node.this, exp.Identifier):
        raise UnsupportedSql(
            "a function in FROM is not supported",
            span=places.span(node),
            hint="read a declared stream or table",
        )
    if node.args.get("db") or node.args.get("catalog"):
        raise UnsupportedSql(
            "a relation name with a schema is not supported",
            span=places.span(node),
            hint="use the plain name",
        )
    if node.args.get("joins"):
        raise UnsupportedSql(
            "a nested join is not supported", span=places.span(node), hint="write a JOIN b ON … JOIN c ON …"
        )
    check_arguments(node, ("this", "alias"), places, "FROM")
    alias = node.args.get("alias")
    if alias is not None:
        if alias.args.get("columns"):
            raise UnsupportedSql(
                "an alias with a column list is not supported",
                span=places.span(alias),
                hint="name the columns in the select list",
            )
        check_arguments(alias, ("this",), places, "AS")
    name, content = _named(node, context)
    return (alias.name if alias is not None else name), content


def _named(node: exp.Table, context: Context) -> tuple[str, Relation | Block]:
    """The nearest meaning of a name: a query of WITH, a stream or table, a view declared before."""
    name, workspace = node.name, context.workspace
    block = context.with_queries.get(name.lower())
    if block is not None:
        return name, readable(block, name, context)
    relation = workspace.find(name)
    if relation is not None:
        return relation.name, relation
    if name.lower() in workspace.views:
        if name.lower() in workspace.cut:
            raise UnsupportedSql(
                f"reading the view {name}, which has LIMIT or OFFSET, is not supported",
                span=context.places.span(node.this),
                hint="declare a view without LIMIT, read that one, and cut its rows in a view of its own",
            )
        shown, block = workspace.views[name.lower()]
        return shown, readable(block, shown, context)
    span = context.places.span(node.this)
    if name.lower() in workspace.later:
        raise ResolveError(
            f"view {name} is declared later", span=span, hint="move its CREATE VIEW before this statement"
        )
    raise ResolveError(
        f"no stream or table is called {name}", span=span, hint=suggestion(name, workspace.known())
    )
