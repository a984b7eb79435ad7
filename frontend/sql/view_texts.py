"""The text of each view of a script: what another database is asked to compute, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from toastergen.errors import Span
from toastergen.frontend.sql.source import Statement, keyword, statements

_CUTS: Final = ("LIMIT", "OFFSET", "FETCH")


@dataclass(frozen=True, slots=True)
class ViewText:
    """``uncut`` is the query without its own LIMIT and OFFSET; ``span`` is its head, CREATE VIEW name or SELECT.

    ``columns`` is the list of names between the head and AS, with its parentheses, or nothing.
    """

    select: str
    uncut: str
    span: Span
    columns: str = ""


def view_texts(sql: str) -> tuple[ViewText, ...]:
    """One entry per view that is shown, in the order of the script."""
    found = (_view_text(sql, statement) for statement in statements(sql))
    return tuple(text for text in found if text is not None)


def _view_text(sql: str, statement: Statement) -> ViewText | None:
    words = [keyword(token) for token in statement.tokens]
    starts = [at for at, word in enumerate(words) if word in ("SELECT", "WITH", "(")]
    if words[0] == "CREATE":
        if "VIEW" not in words[1:4]:
            return None
        head = words.index("AS")
        first = next(at for at in starts if at > head)
        columns = _columns(sql, statement.tokens[:head])
    else:
        head, first, columns = 1, starts[0], ""
    begin, end = statement.tokens[first].start, statement.tokens[-1].end + 1
    span = statement.span(statement.tokens[0], statement.tokens[head - 1])
    return ViewText(sql[begin:end], sql[begin : _cut(statement.tokens[first:], end)], span, columns)


def _columns(sql: str, head: tuple[Token, ...]) -> str:
    opened = [token for token in head if token.token_type is TokenType.L_PAREN]
    return sql[opened[0].start : head[-1].end + 1] if opened else ""


def _cut(tokens: tuple[Token, ...], end: int) -> int:
    """Where the query's own LIMIT begins: outside all parentheses, behind everything else."""
    depth = 0
    for token in tokens:
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth == 0 and keyword(token) in _CUTS:
            return token.start
    return end
