"""Declarations: CREATE STREAM and CREATE TABLE with their columns, key and source; the head of CREATE VIEW.

stream ::= CREATE (STREAM | TABLE) name ( part, … ) [ APPEND ONLY ] [ FROM source ]      see declared_source.py
part   ::= column type [NULL | NOT NULL] [PRIMARY KEY]  |  PRIMARY KEY ( column, … )
view   ::= CREATE VIEW name [ ( column, … ) ] AS select
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sqlglot.tokenizer_core import Token

from toastergen.errors import ResolveError
from toastergen.frontend.m3 import Column, Relation
from toastergen.frontend.sql.column_types import type_from_sql
from toastergen.frontend.sql.cursor import Cursor, is_word
from toastergen.frontend.sql.declared_source import read_source
from toastergen.frontend.sql.names import suggestion
from toastergen.frontend.sql.source import Statement
from toastergen.frontend.types import Type

_CONSTRAINTS: Final = (
    "UNIQUE", "CHECK", "DEFAULT", "REFERENCES", "FOREIGN KEY", "CONSTRAINT", "COLLATE", "GENERATED", "AS",
)  # fmt: skip
_REFUSED_KINDS: Final = (
    "OR", "TEMP", "TEMPORARY", "MATERIALIZED", "RECURSIVE", "INDEX", "FUNCTION", "TYPE", "SCHEMA",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared relation, with the token of its name for error places."""

    relation: Relation
    name: Token


@dataclass(frozen=True, slots=True)
class ViewHead:
    """``CREATE VIEW name (columns) AS``: what remains of the statement is the SELECT."""

    name: str
    token: Token
    columns: tuple[Token, ...]
    select: Statement


def read_create(statement: Statement, base: Path | None) -> Declared | ViewHead:
    cursor = Cursor(statement)
    cursor.expect("CREATE")
    if cursor.word in ("STREAM", "TABLE"):
        return _relation(cursor, cursor.advance().text.lower(), base)
    if cursor.word in _REFUSED_KINDS:
        cursor.unsupported(f"CREATE {cursor.word}", "use CREATE STREAM, CREATE TABLE or CREATE VIEW")
    if not cursor.accept("VIEW"):
        cursor.fail("STREAM, TABLE or VIEW")
    return _view(cursor)


def _relation_name(cursor: Cursor, what: str) -> Token:
    if cursor.word == "IF":
        cursor.unsupported("IF NOT EXISTS", "a script starts from nothing: leave it out")
    token = cursor.name(what)
    if cursor.word == ".":
        cursor.unsupported("a name with a schema", "use the plain name", token)
    return token


def _view(cursor: Cursor) -> ViewHead:
    token = _relation_name(cursor, "the name of the view")
    columns = _view_columns(cursor) if cursor.accept("(") else ()
    cursor.expect("AS")
    rest = cursor.statement.tokens[cursor.index :]
    if not rest:
        cursor.fail("SELECT")
    return ViewHead(token.text, token, columns, replace(cursor.statement, tokens=rest))


def _view_columns(cursor: Cursor) -> tuple[Token, ...]:
    columns: list[Token] = []
    while True:
        token = cursor.name("the name of a column")
        if token.text.lower() in (other.text.lower() for other in columns):
            raise ResolveError(
                f"column {token.text} is named twice",
                span=cursor.statement.span(token),
                hint="rename one of the two",
            )
        columns.append(token)
        if cursor.accept(")"):
            return tuple(columns)
        if not cursor.accept(","):
            cursor.fail(", or )")


def _relation(cursor: Cursor, kind: str, base: Path | None) -> Declared:
    name = _relation_name(cursor, f"the name of the {kind}")
    if cursor.word == "AS":
        cursor.unsupported(f"CREATE {kind.upper()} … AS SELECT", "use CREATE VIEW name AS SELECT …")
    columns, primary_key = _Columns(cursor).read()
    append_only = _append_only(cursor, kind)
    source = read_source(cursor, columns, base) if cursor.accept("FROM") else None
    if cursor.token is not None:
        cursor.fail("; or FROM FILE" if source is None else ";")
    if append_only and source is not None and source.has_deletes:
        raise ResolveError(
            f"the source of {name.text} deletes rows, but the stream is APPEND ONLY",
            span=cursor.statement.span(name),
            hint="leave out APPEND ONLY",
        )
    return Declared(Relation(name.text, columns, kind, primary_key, source, append_only=append_only), name)


def _append_only(cursor: Cursor, kind: str) -> bool:
    if cursor.word == "APPEND" and kind != "stream":
        cursor.unsupported("a table that is APPEND ONLY", "declare a stream, or leave APPEND ONLY out")
    found = cursor.accept("APPEND")
    if found:
        cursor.expect("ONLY")
    return found


class _Columns:
    """The parenthesised list of columns and the key."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.columns: dict[str, Column] = {}
        self.key: tuple[str, ...] = ()

    def read(self) -> tuple[tuple[Column, ...], tuple[str, ...]]:
        cursor = self.cursor
        cursor.expect("(")
        while True:
            self._part()
            if cursor.accept(")"):
                break
            if not cursor.accept(","):
                cursor.fail(", or )")
        if not self.columns:
            cursor.fail("a column before the key")
        for name in self.key:
            if self.columns[name.lower()].type.nullable:
                raise ResolveError(
                    f"the key column {name} is declared NULL",
                    span=cursor.statement.span(cursor.statement.tokens[0]),
                    hint="a key has a value: leave NULL out",
                )
        return tuple(self.columns.values()), self.key

    def _part(self) -> None:
        cursor = self.cursor
        if cursor.word == "PRIMARY KEY":
            token = cursor.advance()
            cursor.expect("(")
            self._set_key(self._key_columns(), token)
        elif cursor.word in ("FOREIGN KEY", "CONSTRAINT", "UNIQUE", "CHECK"):
            cursor.unsupported(cursor.word, "declare columns and PRIMARY KEY (…) only")
        else:
            self._column()

    def _column(self) -> None:
        cursor = self.cursor
        token = cursor.name("the name of a column")
        if token.text.lower() in self.columns:
            raise ResolveError(
                f"column {token.text} is declared twice",
                span=cursor.statement.span(token),
                hint="rename one of the two",
            )
        self.columns[token.text.lower()] = Column(token.text, read_type(cursor))
        while True:
            if cursor.accept("NOT", "NULL"):
                continue
            if cursor.word == "PRIMARY KEY":
                self._set_key((token.text,), cursor.advance())
            elif cursor.accept("NULL"):
                column = self.columns[token.text.lower()]
                self.columns[token.text.lower()] = replace(column, type=column.type.or_null())
            elif cursor.word in _CONSTRAINTS:
                cursor.unsupported(
                    f"{cursor.word} on a column", "only NULL, NOT NULL and PRIMARY KEY may follow the type"
                )
            else:
                return

    def _set_key(self, key: tuple[str, ...], token: Token) -> None:
        if self.key:
            raise ResolveError(
                "PRIMARY KEY is declared twice",
                span=self.cursor.statement.span(token),
                hint="list all key columns once: PRIMARY KEY (a, b)",
            )
        self.key = key

    def _key_columns(self) -> tuple[str, ...]:
        cursor = self.cursor
        key: list[str] = []
        while True:
            token = cursor.name("the name of a key column")
            column = self.columns.get(token.text.lower())
            if column is None:
                raise ResolveError(
                    f"the key names column {token.text}, which is not declared before it",
                    span=cursor.statement.span(token),
                    hint=suggestion(token.text, [item.name for item in self.columns.values()]),
                )
            if column.name in key:
                raise ResolveError(
                    f"the key names column {token.text} twice",
                    span=cursor.statement.span(token),
                    hint="name each key column once",
                )
            key.append(column.name)
            if cursor.accept(")"):
                return tuple(key)
            if not cursor.accept(","):
                cursor.fail(", or )")


def read_type(cursor: Cursor) -> Type:
    """A type's name and its numbers in parentheses."""
    token = cursor.token
    word = cursor.word
    if token is None or not is_word(word.replace(" ", "_")):
        cursor.fail("a type")
    cursor.advance()
    for tail in ("PRECISION", "VARYING"):
        if cursor.accept(tail):
            word = f"{word} {tail}"
    for tail in ("WITH", "WITHOUT"):
        if word == "TIMESTAMP" and cursor.accept(tail, "TIME", "ZONE"):
            word = f"{word} {tail} TIME ZONE"
    arguments: list[int] = []
    if cursor.accept("("):
        while True:
            number = cursor.token
            if number is None or not number.text.isdecimal():
                cursor.fail("a whole number")
            arguments.append(int(cursor.advance().text))
            if cursor.accept(")"):
                break
            if not cursor.accept(","):
                cursor.fail(", or )")
    return type_from_sql(word, tuple(arguments), cursor.statement.span(token))
