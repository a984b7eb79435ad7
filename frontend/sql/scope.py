"""FROM: which relations and queries are read under which aliases, and what a column name means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from toastergen.errors import ResolveError, SqlSyntaxError, UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import Relation
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.sql.block import Block
from toastergen.frontend.sql.context import Context
from toastergen.frontend.sql.names import suggestion, variables_of
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.refuse import check_arguments
from toastergen.frontend.sql.resolved import Input
from toastergen.frontend.sql.sources import read_source

_INNER_KINDS: Final = ("", "INNER", "CROSS")


@dataclass(frozen=True, slots=True)
class Field:
    """One visible column: its spelling in the declaration and what it stands for."""

    alias: str
    name: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of FROM."""

    alias: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """The entries of FROM in order. ``where`` holds the conditions of the queries that were merged in."""

    inputs: tuple[Input, ...]
    where: tuple[Scalar, ...]
    entries: tuple[Entry, ...]
    places: Places

    def fields(self, entries: int | None = None) -> Iterator[Field]:
        for entry in self.entries[:entries]:
            yield from entry.fields

    def knows(self, node: exp.Column) -> bool:
        """Does a name mean anything here, perhaps too much?"""
        table = self._qualifier(node)
        if table is not None:
            return any(entry.alias.lower() == table.lower() for entry in self.entries)
        return any(item.name.lower() == node.name.lower() for item in self.fields())

    def lookup(self, node: exp.Column, entries: int | None = None) -> Field:
        """The column a name means among the first entries of FROM."""
        table, name = self._qualifier(node), node.name
        known = [item for item in self.fields(entries) if table is None or item.alias.lower() == table.lower()]
        if table is not None and not known:
            raise self._no_relation(table, node, entries)
        found = [item for item in known if item.name.lower() == name.lower()]
        if not found:
            whole = f"{table}.{name}" if table else name
            raise ResolveError(
                f"no column is called {whole}",
                span=self.places.span(node),
                hint=suggestion(name, dict.fromkeys(item.name for item in known)),
            )
        if len(found) > 1:
            choices = " or ".join(f"{item.alias}.{item.name}" for item in found)
            raise ResolveError(
                f"column {name} is ambiguous", span=self.places.span(node), hint=f"write {choices}"
            )
        return found[0]

    def star(self, node: exp.Expr) -> tuple[Field, ...]:
        """The columns of ``*`` or ``t.*``."""
        if isinstance(node, exp.Star):
            check_arguments(node, (), self.places, "*")
            return tuple(self.fields())
        assert isinstance(node, exp.Column)
        check_arguments(node.this, (), self.places, "*")
        table = self._qualifier(node) or ""
        found = tuple(item for item in self.fields() if item.alias.lower() == table.lower())
        if not found:
            raise self._no_relation(table, node)
        return found

    def _no_relation(self, table: str, node: exp.Expr, entries: int | None = None) -> ResolveError:
        return ResolveError(
            f"no relation in FROM is called {table}",
            span=self.places.span(node),
            hint=suggestion(table, [entry.alias for entry in self.entries[:entries]]),
        )

    def _qualifier(self, node: exp.Column) -> str | None:
        if node.args.get("db") or node.args.get("catalog"):
            raise UnsupportedSql(
                "a column name with a schema is not supported",
                span=self.places.span(node),
                hint="write alias.column",
            )
        return node.table or None


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """An ON condition and how many entries of FROM it may look at."""

    node: exp.Expr
    entries: int


Source = tuple[str, Relation | Block]


def read_from(
    select: exp.Select, context: Context, names: Names
) -> tuple[Scope, tuple[JoinCondition, ...]]:
    places = context.places
    first = select.args["from_"]
    check_arguments(first, ("this",), places, "FROM")
    joins = select.args.get("joins") or ()
    sources: list[Source] = []
    conditions: list[JoinCondition] = []
    for node in (first.this, *(join.this for join in joins)):
        alias, content = read_source(node, context)
        taken = {known.lower() for known, _ in sources}
        if alias is None:
            alias = _unnamed(taken)
        elif alias.lower() in taken:
            shown = content.name if isinstance(content, Relation) else "(SELECT …)"
            raise ResolveError(
                f"two entries of FROM are called {alias}",
                span=places.span(node),
                hint=f"give them different aliases: {shown} AS {alias}2",
            )
        if sources:
            condition = _join_condition(joins[len(sources) - 1], places)
            if condition is not None:
                conditions.append(JoinCondition(condition, len(sources) + 1))
        sources.append((alias, content))
    return _scope(sources, context, names), tuple(conditions)


def _unnamed(taken: set[str]) -> str:
    number = 1
    while f"subquery_{number}" in taken:
        number += 1
    return f"subquery_{number}"


def _scope(sources: list[Source], context: Context, names: Names) -> Scope:
    """Relations become inputs; a block is merged in: its own inputs, conditions, and values for its columns."""
    leaves: list[tuple[str, Relation]] = []
    for alias, content in sources:
        if isinstance(content, Relation):
            leaves.append((alias, content))
        else:
            leaves += [(item.alias, context.workspace.relation(item.relation)) for item in content.inputs]
    inputs = variables_of(leaves, names)
    where: list[Scalar] = []
    entries: list[Entry] = []
    rest = iter(inputs)
    for alias, content in sources:
        if isinstance(content, Relation):
            columns = zip(content.columns, next(rest).vars, strict=True)
            fields = tuple(Field(alias, column.name, var) for column, var in columns)
        else:
            renaming = _renaming(content, rest)
            where += [sc.substitute(term, renaming) for term in content.where]
            fields = tuple(
                Field(alias, item.name, sc.substitute(item.value, renaming)) for item in content.items
            )
        entries.append(Entry(alias, fields))
    return Scope(inputs, tuple(where), tuple(entries), context.places)


def _renaming(block: Block, fresh: Iterator[Input]) -> dict[Var, Scalar]:
    return {
        old: new
        for item in block.inputs
        for old, new in zip(item.vars, next(fresh).vars, strict=True)
    }


def _join_condition(join: exp.Join, places: Places) -> exp.Expr | None:
    """The ON condition; None for a comma or CROSS JOIN. Everything but inner joins is refused."""
    words = [join.args.get(part) or "" for part in ("method", "side", "kind")]
    if join.args.get("using"):
        raise UnsupportedSql(
            "JOIN … USING is not supported", span=places.join(join), hint="write JOIN … ON a.x = b.x"
        )
    if words[0] or words[1] or words[2] not in _INNER_KINDS:
        kind = " ".join(word for word in words if word).upper()
        raise UnsupportedSql(
            f"{kind} JOIN is not supported",
            span=places.join(join),
            hint="use JOIN … ON, which keeps matching rows",
        )
    check_arguments(join, ("this", "on", "kind"), places, "JOIN")
    condition: exp.Expr | None = join.args.get("on")
    before = places.token_before(join.this)
    is_comma = before is not None and before.token_type is TokenType.COMMA
    if condition is None and words[2] != "CROSS" and not is_comma:
        raise SqlSyntaxError(
            "JOIN has no ON condition", span=places.join(join), hint="add ON a.x = b.x, or write CROSS JOIN"
        )
    if condition is not None and words[2] == "CROSS":
        raise SqlSyntaxError(
            "CROSS JOIN takes no ON condition", span=places.span(condition), hint="write JOIN … ON instead"
        )
    return condition
