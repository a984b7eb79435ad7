"""What a column name means: the entries of FROM under their aliases, and their columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from toastergen.errors import ResolveError, UnsupportedSql
from toastergen.frontend.scalar import Scalar
from toastergen.frontend.sql.names import suggestion
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.refuse import check_arguments
from toastergen.frontend.sql.resolved import Input


@dataclass(frozen=True, slots=True)
class Field:
    """One visible column: its spelling in the declaration and what it stands for.

    A column of USING has one more meaning without its alias: ``merged``. The same column of the other side is
    ``shadowed``: only its alias finds it.
    """

    alias: str
    name: str
    value: Scalar
    merged: Scalar | None = None
    shadowed: bool = False

    def alone(self) -> Field:
        """What the name means without an alias."""
        return self if self.merged is None else replace(self, value=self.merged)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of FROM."""

    alias: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """The entries of FROM in order. ``where`` holds the conditions of the queries that were read into it."""

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
        if table is None:
            known = [item.alone() for item in self.fields(entries) if not item.shadowed]
        else:
            known = [item for item in self.fields(entries) if item.alias.lower() == table.lower()]
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
            return tuple(item.alone() for item in self.fields() if not item.shadowed)
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
