"""FROM: which relations a query reads under which aliases, and which variable a column name means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from toastergen.errors import ResolveError, SqlSyntaxError, UnsupportedSql
from toastergen.frontend.m3 import Relation
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Var
from toastergen.frontend.sql.names import suggestion, variables_of
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.refuse import check_arguments, refuse
from toastergen.frontend.sql.resolved import Input

_INNER_KINDS: Final = ("", "INNER", "CROSS")


@dataclass(frozen=True, slots=True)
class Catalog:
    """What a query may read. Keys are in lower case: names do not depend on it."""

    relations: dict[str, Relation]
    views: dict[str, str]

    @classmethod
    def of(cls, relations: tuple[Relation, ...], views: tuple[str, ...] = ()) -> Catalog:
        return cls({item.name.lower(): item for item in relations}, {name.lower(): name for name in views})


@dataclass(frozen=True, slots=True)
class Field:
    """One visible column: its spelling in the declaration and its variable."""

    alias: str
    name: str
    var: Var


@dataclass(frozen=True, slots=True)
class Scope:
    """The inputs of a query, in the order of FROM."""

    inputs: tuple[Input, ...]
    relations: tuple[Relation, ...]
    places: Places

    def fields(self, inputs: int | None = None) -> Iterator[Field]:
        for item, relation in list(zip(self.inputs, self.relations, strict=True))[:inputs]:
            for column, var in zip(relation.columns, item.vars, strict=True):
                yield Field(item.alias, column.name, var)

    def lookup(self, node: exp.Column, inputs: int | None = None) -> Field:
        """The column a name means among the first ``inputs`` entries of FROM."""
        table, name = self._qualifier(node), node.name
        known = [item for item in self.fields(inputs) if table is None or item.alias.lower() == table.lower()]
        if table is not None and not known:
            raise ResolveError(
                f"no relation in FROM is called {table}",
                span=self.places.span(node),
                hint=suggestion(table, [item.alias for item in self.inputs[:inputs]]),
            )
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
            raise ResolveError(
                f"no relation in FROM is called {table}",
                span=self.places.span(node),
                hint=suggestion(table, [item.alias for item in self.inputs]),
            )
        return found

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
    inputs: int


def read_from(
    select: exp.Select, catalog: Catalog, places: Places, names: Names
) -> tuple[Scope, tuple[JoinCondition, ...]]:
    first = select.args["from_"]
    check_arguments(first, ("this",), places, "FROM")
    sources = [_source(first.this, catalog, places)]
    conditions: list[JoinCondition] = []
    aliases = {sources[0][0].lower()}
    for join in select.args.get("joins") or ():
        alias, relation = _source(join.this, catalog, places)
        condition = _join_condition(join, places)
        if alias.lower() in aliases:
            raise ResolveError(
                f"two entries of FROM are called {alias}",
                span=places.span(join.this),
                hint=f"give them different aliases: {relation.name} AS {alias}2",
            )
        aliases.add(alias.lower())
        sources.append((alias, relation))
        if condition is not None:
            conditions.append(JoinCondition(condition, len(sources)))
    scope = Scope(variables_of(sources, names), tuple(relation for _, relation in sources), places)
    return scope, tuple(conditions)


def _source(node: exp.Expr, catalog: Catalog, places: Places) -> tuple[str, Relation]:
    """The alias and relation of one entry of FROM."""
    if not isinstance(node, exp.Table):
        raise refuse(node, places)
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
    relation = _relation(node, catalog, places)
    return (alias.name if alias is not None else relation.name), relation


def _relation(node: exp.Table, catalog: Catalog, places: Places) -> Relation:
    name = node.name
    relation = catalog.relations.get(name.lower())
    if relation is not None:
        return relation
    if name.lower() in catalog.views:
        raise UnsupportedSql(
            f"reading the view {name} in another view is not supported",
            span=places.span(node.this),
            hint="write its definition out over the streams and tables",
        )
    known = [item.name for item in catalog.relations.values()]
    raise ResolveError(
        f"no stream or table is called {name}", span=places.span(node.this), hint=suggestion(name, known)
    )


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
