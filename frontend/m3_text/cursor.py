"""The reader's place in a text: look ahead, take a token, complain about one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from toastergen.errors import M3Error
from toastergen.frontend.m3_text.tokens import RESERVED, Token, tokenize
from toastergen.frontend.types import Type, parse_type

Item = TypeVar("Item")

_SPELLINGS: Final = {"float": "double", "char": "string", "varchar": "string"}
_SIZED: Final = ("char", "varchar")


class Cursor:
    def __init__(self, text: str, file: str | None) -> None:
        self._text = text
        self._file = file
        self._tokens = tokenize(text, file)
        self._at = 0

    def peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def take(self) -> Token:
        token = self.peek()
        self._at += 1
        return token

    def error(self, message: str, hint: str, token: Token | None = None) -> M3Error:
        span = (token or self.peek()).span
        return M3Error(message, span=span, hint=hint, source=self._text, file=self._file)

    def is_op(self, *texts: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token.kind == "op" and token.text in texts

    def is_word(self, *words: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token.kind == "name" and token.text.upper() in words

    def accept_op(self, text: str) -> bool:
        found = self.is_op(text)
        self._at += found
        return found

    def accept_word(self, word: str) -> bool:
        found = self.is_word(word)
        self._at += found
        return found

    def expect_op(self, text: str) -> Token:
        if not self.is_op(text):
            raise self.expected(f"{text!r}")
        return self.take()

    def expect_words(self, words: str) -> None:
        for word in words.split():
            if not self.accept_word(word):
                raise self.expected(word)

    def expected(self, what: str) -> M3Error:
        found = self.peek()
        shown = "the end of the text" if found.kind == "end" else ascii(found.text)
        return self.error(f"expected {what}, found {shown}", "docs/m3.md has the grammar of M3")

    def is_name(self, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token.kind == "quoted" or (token.kind == "name" and token.text.upper() not in RESERVED)

    def name(self, what: str) -> Token:
        if not self.is_name():
            error = self.expected(what)
            if self.peek().kind == "name":
                error.hint = "a name that is also a word of M3 is written between double quotes"
            raise error
        return self.take()

    def string(self, what: str) -> str:
        if self.peek().kind != "string":
            raise self.expected(what)
        return self.take().text

    def number(self) -> int:
        token = self.peek()
        if token.kind != "number" or not token.text.isdecimal():
            raise self.expected("a whole number")
        return int(self.take().text)

    def type(self) -> Type:
        start = self.peek()
        if start.kind != "name":
            raise self.expected("a type")
        text = self.take().text
        if text.lower() == "decimal" and self.is_op("("):
            text += "".join(self.take().text for _ in range(5))
        elif text.lower() in _SPELLINGS:
            text = self._spelling(text.lower())
        if self.accept_op("?"):
            text += "?"
        found = parse_type(text)
        if found is None:
            hint = "types are int, long, double, decimal(p,s) with s <= p <= 38, date, timestamp, string, bool; with ?"
            raise self.error(f"{text} is not a type", hint, start)
        return found

    def _spelling(self, word: str) -> str:
        """A type as DBToaster writes it; how long a text may be is not kept."""
        if word in _SIZED and self.accept_op("("):
            self.number()
            self.expect_op(")")
        return _SPELLINGS[word]

    def declared_type(self, token: Token, known: Type | None) -> Type:
        """The type behind a colon. It says nothing new where the type is known; int and long are one kind there."""
        declared = self.type()
        if known is None or known.plain == declared.plain or (known.is_integer and declared.is_integer):
            return known or declared
        hint = "leave out the type, or rename the variable"
        raise self.error(f"{token.text} is of type {known} here, not {declared}", hint, token)

    def type_behind(self, ahead: int) -> int | None:
        """Where a type that stands ``ahead`` tokens from here ends, if there is one."""
        token = self.peek(ahead)
        word = token.text.lower() if token.kind == "name" else ""
        if word == "decimal" and self.is_op("(", ahead=ahead + 1):
            return ahead + 6
        if word in _SIZED and self.is_op("(", ahead=ahead + 1):
            return ahead + 4
        return ahead + 1 if word in _SPELLINGS or parse_type(word) is not None else None

    def list_of(self, item: Callable[[], Item], opening: str, closing: str) -> tuple[Item, ...]:
        """``opening item, item … closing``, possibly empty."""
        self.expect_op(opening)
        items: list[Item] = []
        if not self.is_op(closing):
            items.append(item())
            while self.accept_op(","):
                items.append(item())
        self.expect_op(closing)
        return tuple(items)
