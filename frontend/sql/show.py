"""Resolved SQL as text, for ``--emit`` and for tests. It is for people: nothing reads it back."""

from __future__ import annotations

from toastergen.frontend.m3 import Order, Relation
from toastergen.frontend.m3_text.print_scalar import print_scalar
from toastergen.frontend.m3_text.windows import print_window
from toastergen.frontend.scalar import Var
from toastergen.frontend.sql.resolved import Aggregate, Input, Query, Script


def show_script(script: Script) -> str:
    parts = [*map(show_relation, script.relations), *map(show_query, script.queries)]
    return "\n".join(parts) + "\n"


def show_relation(relation: Relation) -> str:
    columns = ", ".join(f"{column.name} {column.type}" for column in relation.columns)
    key = f" key({', '.join(relation.primary_key)})" if relation.primary_key else ""
    source = relation.source
    if relation.queries:
        window = f" {print_window(relation.window)}" if relation.window else ""
        return f"derived {relation.name}({columns}) from {', '.join(relation.queries)}{window}"
    key += " append only" if relation.append_only else ""
    if source is None:
        return f"{relation.kind} {relation.name}({columns}){key}"
    options = "".join(f" {name}={value!r}" for name, value in source.options)
    return f"{relation.kind} {relation.name}({columns}){key} from {source.format} {source.path!r}{options}"


def show_query(query: Query) -> str:
    lines = [f"{'hidden ' if query.hidden else ''}query {query.name}"]
    lines += [f"  from {_input(item)}" for item in query.inputs]
    lines += [f"  where {print_scalar(term)}" for term in query.where]
    if query.group_by is not None:
        lines.append(f"  group by ({', '.join(print_scalar(term) for term in query.group_by)})")
    lines += [f"  let {_var(item.var)} = {_aggregate(item)}" for item in query.aggregates]
    lines += [f"  item {item.name} = {print_scalar(item.value)}" for item in query.items]
    if query.order is not None:
        lines.append(f"  {_order(query.order)}")
    return "\n".join(lines)


def _order(order: Order) -> str:
    keys = [
        key.column + (" desc" if key.descending else "") + (" nulls first" if key.nulls_first else "")
        for key in order.keys
    ]
    limit = "" if order.limit is None else f" limit {order.limit}"
    return f"order by ({', '.join(keys)}){limit}" + (f" offset {order.offset}" if order.offset else "")


def _input(item: Input) -> str:
    alias = "" if item.alias == item.relation else f" as {item.alias}"
    return f"{item.relation}({', '.join(map(_var, item.vars))}){alias}"


def _var(var: Var) -> str:
    return f"{var.name}: {var.type}"


def _aggregate(item: Aggregate) -> str:
    return f"{item.kind}({'*' if item.argument is None else print_scalar(item.argument)})"
