"""The SQL stage: a script to relations and resolved queries.

read_script      a whole file: CREATE STREAM, CREATE TABLE, CREATE VIEW, INCLUDE and bare SELECT statements
read_query       queries over relations that are declared elsewhere

There is no NULL in rows: columns always hold a value, and engines refuse input rows with a NULL. So every SQL
construct that makes or tests one inside a row is refused here; a view's output may still be NULL (SUM over
nothing, a division of aggregates by zero).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlglot.tokenizer_core import Token

from toastergen.errors import ResolveError
from toastergen.frontend.m3 import Relation
from toastergen.frontend.sql.ddl import Declared, ViewHead, read_create
from toastergen.frontend.sql.include import located, read_statements
from toastergen.frontend.sql.names import OutputNames
from toastergen.frontend.sql.resolved import Script
from toastergen.frontend.sql.rows import add_view
from toastergen.frontend.sql.source import Statement, keyword
from toastergen.frontend.sql.workspace import Workspace


@dataclass(frozen=True, slots=True)
class _Select:
    """A query of the script: the name of its view if it has one, and the names of its columns if they are listed."""

    name: str | None
    statement: Statement
    columns: tuple[Token, ...] = ()


def read_script(text: str, file: str | None = None, base: Path | None = None) -> Script:
    """Read a script. Relative paths of sources are taken from ``base`` where it is given."""
    return _read(text, (), file, base)


def read_query(text: str, relations: tuple[Relation, ...], file: str | None = None) -> Script:
    """Read one or more queries over given relations (see ``relations_from_schema``)."""
    return _read(text, relations, file, None)


def _read(text: str, given: tuple[Relation, ...], file: str | None, base: Path | None) -> Script:
    """Declarations first, so that a query may stand before what it reads."""
    relations = list(given)
    taken = {item.name.lower() for item in given}
    selects: list[_Select] = []
    for statement in read_statements(text, file):
        if keyword(statement.tokens[0]) != "CREATE":
            selects.append(_Select(None, statement))
            continue
        with located(statement.text, statement.file):
            declared = read_create(statement, base)
            name = declared.name.text if isinstance(declared, Declared) else declared.name
            _claim(name, taken, declared, statement)
        if isinstance(declared, Declared):
            relations.append(declared.relation)
        else:
            selects.append(_Select(name, declared.select, declared.columns))
    names = _view_names(selects, taken)
    views = [select.name for select in selects if select.name is not None]
    workspace = Workspace(relations, views, (*taken, *names))
    for name, select in zip(names, selects, strict=True):
        with located(select.statement.text, select.statement.file):
            add_view(name, select.statement, workspace, select.columns)
    return Script(tuple(workspace.relations), tuple(workspace.queries))


def _claim(name: str, taken: set[str], declared: Declared | ViewHead, statement: Statement) -> None:
    if name.lower() in taken:
        token = declared.name if isinstance(declared, Declared) else declared.token
        raise ResolveError(
            f"the name {name} is taken already",
            span=statement.span(token),
            hint="streams, tables and views need different names; case does not tell them apart",
        )
    taken.add(name.lower())


def _view_names(selects: list[_Select], taken: set[str]) -> list[str]:
    """A single bare SELECT is the view ``q``; several are ``q1``, ``q2`` …"""
    names = OutputNames(taken)
    bare = sum(select.name is None for select in selects)
    found: list[str] = []
    number = 0
    for select in selects:
        if select.name is None:
            number += 1
            found.append(names.fresh("q" if bare == 1 else f"q{number}"))
        else:
            found.append(select.name)
    return found
