"""A walk over the tokens of one declaration, with errors that name the place."""

from __future__ import annotations

from typing import Final, NoReturn

from sqlglot.tokenizer_core import Token, TokenType

from toastergen.errors import SqlSyntaxError, UnsupportedSql
from toastergen.frontend.sql.source import Statement, keyword

_EXAMPLE: Final = "CREATE STREAM r (a INT, b DATE) FROM FILE 'r.csv' LINE DELIMITED CSV;"


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
    return token.token_type is TokenType.IDENTIFIER or is_word(keyword(token))


def is_word(text: str) -> bool:
    return text.replace("_", "a").isalnum() and not text[0].isdigit()
