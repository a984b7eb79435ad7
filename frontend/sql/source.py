"""The text of a script as tokens: where each one stands, and which of them make up a statement."""

from __future__ import annotations

import bisect
import functools
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from toastergen.errors import Span, SqlSyntaxError

DIALECT = DuckDB()

# What can only stand behind a whole list: a comma before it is one too many.
_BEHIND_A_LIST = frozenset(
    (")", ";", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "UNION", "EXCEPT", "INTERSECT")
)
# Where one expression ends and the next one may start.
_PARTS_END = frozenset((",", ";", "SELECT", "AS", *_BEHIND_A_LIST)) - {")"}
_DEEP = 50  # parentheses

_MISSING_START = re.compile(r"Missing .* from \d+:(\d+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its tokens, and the text of the whole file they stand in.

    ``folder`` is where that file lies, seen from the script: empty unless the file was included from elsewhere.
    """

    text: str
    tokens: tuple[Token, ...]
    file: str | None = None
    folder: str = ""

    def span(self, first: Token, last: Token | None = None) -> Span:
        return span_of(self.text, first.start, (last or first).end)

    @property
    def start(self) -> Span:
        return self.span(self.tokens[0])

    @property
    def end(self) -> Span:
        """The place right behind the statement, where something may be missing."""
        last = self.tokens[-1]
        return span_of(self.text, last.end + 1, last.end + 1)


def span_of(text: str, start: int, end: int) -> Span:
    """Offsets as line and column. Lines break where ``str.splitlines`` breaks them, as in error excerpts."""
    starts = _line_starts(text)
    line = bisect.bisect_right(starts, start)
    return Span(line, start - starts[line - 1] + 1, max(1, end + 1 - start))


@functools.lru_cache(maxsize=8)
def _line_starts(text: str) -> tuple[int, ...]:
    ends = itertools.accumulate(map(len, text.splitlines(keepends=True)), initial=0)
    starts = tuple(ends)
    return starts[:-1] if len(starts) > 1 and not text.endswith(("\n", "\r")) else starts


def is_quoted(token: Token) -> bool:
    return token.token_type in (TokenType.IDENTIFIER, TokenType.STRING)


def keyword(token: Token) -> str:
    """The token's word in capitals with single blanks; empty for quoted text, which is never a keyword."""
    return "" if is_quoted(token) else " ".join(token.text.upper().split())


def statements(text: str) -> tuple[Statement, ...]:
    """Split at semicolons that are not inside strings, comments or quoted names."""
    return tuple(Statement(text, tokens) for tokens in _split(tokenize(text)) if tokens)


def tokenize(text: str) -> list[Token]:
    _check_characters(text)
    try:
        tokens = list(DIALECT.tokenize(text))
    except SqlglotError as error:
        raise _unfinished(text, error) from None
    _refuse_lenient_tokens(text, tokens)
    return tokens


def _check_characters(text: str) -> None:
    for place, character in enumerate(text):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise SqlSyntaxError(
                f"the text holds the character {character!r}",
                span=span_of(text, place, place),
                hint="save the file as plain UTF-8 text",
            )


def _split(tokens: Iterable[Token]) -> Iterator[tuple[Token, ...]]:
    current: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            yield tuple(current)
            current = []
        else:
            current.append(token)
    yield tuple(current)


def _unfinished(text: str, error: SqlglotError) -> SqlSyntaxError:
    found = _MISSING_START.match(str(error.__cause__))
    if found:
        start = int(found.group(1))
        return SqlSyntaxError(
            "a quoted text or name is not closed",
            span=span_of(text, start, start),
            hint=f"add the closing {text[start : start + 1]}",
        )
    start = text.rfind("/*")
    if start >= 0:
        return SqlSyntaxError(
            "a comment is not closed", span=span_of(text, start, start + 1), hint="add the closing */"
        )
    return SqlSyntaxError(
        "the text cannot be read as SQL", span=Span(1, 1), hint="look for an unclosed quote or comment"
    )


def too_deep(text: str) -> SqlSyntaxError:
    """An expression that recursion cannot walk: the longest of the text, or the one deepest in parentheses."""
    depth = deepest = length = 0
    outermost = deep = long = start = None
    for token in tokenize(text):
        if token.token_type is TokenType.L_PAREN:
            outermost = outermost or token
            depth += 1
            if depth > deepest:
                deepest, deep = depth, outermost
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
        if not depth:
            outermost = None
        if keyword(token) in _PARTS_END:
            start = None
        else:
            start = start or token
            if token.end - start.start > length:
                length, long = token.end - start.start, start
    place = deep if deepest > _DEEP else long
    return SqlSyntaxError(
        "an expression is nested too deeply",
        span=span_of(text, place.start, place.end) if place else None,
        hint="split it: compute a part in a subquery or before the rows arrive, or use fewer parentheses",
    )


def _refuse_lenient_tokens(text: str, tokens: list[Token]) -> None:
    """Refuse what the SQL reader would quietly accept: stray characters, ``a,,b``, ``a, FROM``, ``IN ()``, ``1a``."""
    for token in tokens:
        if token.token_type is TokenType.UNKNOWN:
            raise SqlSyntaxError(
                f"unexpected character {token.text!r}",
                span=span_of(text, token.start, token.end),
                hint='names with special characters are written in double quotes: "a b"',
            )
        if token.token_type is TokenType.IDENTIFIER and not token.text:
            raise SqlSyntaxError(
                "a name is empty",
                span=span_of(text, token.start, token.end),
                hint="give it a character or more",
            )
    if tokens and tokens[-1].token_type is TokenType.COMMA:
        raise _trailing_comma(text, tokens[-1], "the end")
    for place in range(len(tokens) - 2):
        if tuple(map(keyword, tokens[place : place + 3])) == ("IN", "(", ")"):
            raise SqlSyntaxError(
                "IN () lists no value",
                span=span_of(text, tokens[place].start, tokens[place + 2].end),
                hint="list at least one value, or write FALSE",
            )
    for before, token in itertools.pairwise(tokens):
        if before.token_type is TokenType.COMMA and token.token_type is TokenType.COMMA:
            raise SqlSyntaxError(
                "nothing stands between two commas",
                span=span_of(text, token.start, token.end),
                hint="remove a comma or add the missing part",
            )
        if before.token_type is TokenType.COMMA and keyword(token) in _BEHIND_A_LIST:
            raise _trailing_comma(text, before, keyword(token))
        glued = before.end + 1 == token.start and (token.text[:1].isalnum() or token.text[:1] == "_")
        if before.token_type is TokenType.NUMBER and glued and not is_quoted(token):
            raise SqlSyntaxError(
                f"{text[before.start : token.end + 1]!r} is neither a number nor a name",
                span=span_of(text, before.start, token.end),
                hint="write numbers in decimal; put a blank between a number and the next word",
            )


def _trailing_comma(text: str, comma: Token, behind: str) -> SqlSyntaxError:
    return SqlSyntaxError(
        f"nothing stands between the comma and {behind}",
        span=span_of(text, comma.start, comma.end),
        hint="remove the comma or add the missing part",
    )
