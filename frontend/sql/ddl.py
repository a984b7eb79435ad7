"""Declarations: CREATE STREAM and CREATE TABLE with their columns, key and source; the head of CREATE VIEW.

stream ::= CREATE (STREAM | TABLE) name ( part, … ) [ FROM FILE 'path' LINE DELIMITED CSV [ ( option, … ) ] ]
part   ::= column type [NOT NULL] [PRIMARY KEY]  |  PRIMARY KEY ( column, … )
option ::= key := 'value'
view   ::= CREATE VIEW name AS select
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NoReturn

from sqlglot.tokenizer_core import Token, TokenType

from toastergen.errors import ResolveError, SqlSyntaxError, UnsupportedSql
from toastergen.frontend.m3 import Column, Relation, Source
from toastergen.frontend.sql.column_types import type_from_sql
from toastergen.frontend.sql.csv_options import check_option
from toastergen.frontend.sql.names import suggestion
from toastergen.frontend.sql.source import Statement, keyword
from toastergen.frontend.types import Type

_CONSTRAINTS: Final = (
    "UNIQUE", "CHECK", "DEFAULT", "REFERENCES", "FOREIGN KEY", "CONSTRAINT", "COLLATE", "GENERATED", "AS",
)  # fmt: skip
_REFUSED_KINDS: Final = (
    "OR", "TEMP", "TEMPORARY", "MATERIALIZED", "RECURSIVE", "INDEX", "FUNCTION", "TYPE", "SCHEMA",
)  # fmt: skip
_EXAMPLE: Final = "CREATE STREAM r (a INT, b DATE) FROM FILE 'r.csv' LINE DELIMITED CSV;"


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared relation, with the token of its name for error places."""

    relation: Relation
    name: Token


@dataclass(frozen=True, slots=True)
class ViewHead:
    """``CREATE VIEW name AS``: what remains of the statement is the SELECT."""

    name: str
    token: Token
    select: Statement


class Cursor:
    """A position in the tokens of one statement."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.index = 0

    @property
    def token(self) -> Token | None:
        tokens = self.statement.tokens
        return tokens[self.index] if self.index < len(tokens) else None

    @property
    def word(self) -> str:
        return keyword(self.token) if self.token else ""

    def advance(self) -> Token:
        token = self.token
        if token is None:
            self.fail("more text")
        self.index += 1
        return token

    def accept(self, *words: str) -> bool:
        """Consume these keywords if all of them come next."""
        mark = self.index
        for word in words:
            if self.word != word:
                self.index = mark
                return False
            self.index += 1
        return True

    def expect(self, *words: str) -> None:
        for word in words:
            if not self.accept(word):
                self.fail(word)

    def name(self, what: str) -> Token:
        token = self.token
        if token is None or not is_name(token):
            self.fail(what)
        return self.advance()

    def string(self, what: str) -> Token:
        token = self.token
        if token is None or token.token_type is not TokenType.STRING:
            self.fail(what)
        return self.advance()

    def fail(self, expected: str) -> NoReturn:
        token = self.token
        found = f"but found {token.text!r}" if token else "but the statement ends"
        span = self.statement.span(token) if token else self.statement.end
        raise SqlSyntaxError(
            f"expected {expected} {found}",
            span=span,
            hint=f"a declaration looks like {_EXAMPLE}",
        )

    def unsupported(self, what: str, hint: str, token: Token | None = None) -> NoReturn:
        place = token or self.token
        span = self.statement.span(place) if place else self.statement.end
        raise UnsupportedSql(f"{what} is not supported", span=span, hint=hint)


def is_name(token: Token) -> bool:
    """Quoted names, and words: a column may be called ``date`` or ``value``."""
    return token.token_type is TokenType.IDENTIFIER or _is_word(keyword(token))


def _is_word(text: str) -> bool:
    return text.replace("_", "a").isalnum() and not text[0].isdigit()


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
    if cursor.word == "(":
        cursor.unsupported("a column list of a view", "name the columns in the SELECT: SELECT a AS x, …")
    cursor.expect("AS")
    rest = cursor.statement.tokens[cursor.index :]
    if not rest:
        cursor.fail("SELECT")
    return ViewHead(token.text, token, replace(cursor.statement, tokens=rest))


def _relation(cursor: Cursor, kind: str, base: Path | None) -> Declared:
    name = _relation_name(cursor, f"the name of the {kind}")
    if cursor.word == "AS":
        cursor.unsupported(f"CREATE {kind.upper()} … AS SELECT", "use CREATE VIEW name AS SELECT …")
    columns, primary_key = _Columns(cursor).read()
    source = _source(cursor, base) if cursor.accept("FROM") else None
    if cursor.token is not None:
        cursor.fail("; or FROM FILE" if source is None else ";")
    return Declared(Relation(name.text, columns, kind, primary_key, source), name)


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
            elif cursor.word == "NULL":
                cursor.unsupported("a column that may be NULL", "leave NULL out: columns always hold a value")
            elif cursor.word in _CONSTRAINTS:
                cursor.unsupported(
                    f"{cursor.word} on a column", "only NOT NULL and PRIMARY KEY may follow the type"
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
    if token is None or not _is_word(word.replace(" ", "_")):
        cursor.fail("a type")
    cursor.advance()
    for tail in ("PRECISION", "VARYING"):
        if cursor.accept(tail):
            word = f"{word} {tail}"
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


def _source(cursor: Cursor, base: Path | None) -> Source:
    if cursor.word != "FILE":
        if cursor.token is None or cursor.token.token_type is TokenType.STRING:
            cursor.fail("FILE")
        cursor.unsupported(
            f"FROM {cursor.word or cursor.token.text}",
            "use FROM FILE 'path' LINE DELIMITED CSV, or no FROM and push the events yourself",
        )
    cursor.advance()
    path = cursor.string("the path in single quotes")
    if not path.text:
        raise SqlSyntaxError(
            "the path of the file is empty",
            span=cursor.statement.span(path),
            hint="write FROM FILE 'data.csv'",
        )
    if cursor.word == "FIXEDWIDTH" or cursor.word == "FIXED":
        cursor.unsupported("a file of fixed-width rows", "use LINE DELIMITED CSV")
    cursor.expect("LINE", "DELIMITED")
    if cursor.word != "CSV":
        if cursor.token is None:
            cursor.fail("CSV")
        cursor.unsupported(f"format {cursor.token.text}", "use LINE DELIMITED CSV (delimiter := '|')")
    cursor.advance()
    place = Path(path.text)
    located = place if base is None or place.is_absolute() else base / place
    return Source(str(located), "csv", _options(cursor) if cursor.accept("(") else ())


def _options(cursor: Cursor) -> tuple[tuple[str, str], ...]:
    options: dict[str, str] = {}
    while not cursor.accept(")"):
        if options and not cursor.accept(","):
            cursor.fail(", or )")
        key = cursor.name("the name of an option")
        name = key.text.lower()
        if name in options:
            raise ResolveError(
                f"option {name} is given twice", span=cursor.statement.span(key), hint="keep one of the two"
            )
        cursor.expect(":=")
        value = cursor.string("the option's value in single quotes")
        options[name] = check_option(
            name, value.text, cursor.statement.span(key), cursor.statement.span(value)
        )
    return tuple(options.items())
