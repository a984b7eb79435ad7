"""Where a node of the syntax tree stands in the text.

The SQL reader marks names, literals and most function calls with their offsets and leaves operators, keywords
and clauses unmarked. Those are found from the marked nodes below them and from the tokens of the statement.
"""

from __future__ import annotations

import bisect
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from toastergen.errors import Span
from toastergen.frontend.sql.source import Statement, keyword, span_of

# Nodes that start with a word of their own, before the first marked node in them.
_LEADING_WORDS: Final[dict[type[exp.Expr], tuple[str, ...]]] = {
    exp.Case: ("CASE",),
    exp.Cast: ("CAST", "DATE", "TIMESTAMP", "TIME"),
    exp.TryCast: ("TRY_CAST",),
    exp.Not: ("NOT",),
    exp.Exists: ("EXISTS",),
    exp.Any: ("ANY",),
    exp.All: ("ALL",),
    exp.Subquery: ("SELECT",),
    exp.Select: ("SELECT",),
    exp.Interval: ("INTERVAL",),
    exp.Extract: ("EXTRACT",),
    exp.Distinct: ("DISTINCT",),
    exp.Rollup: ("ROLLUP",),
    exp.Cube: ("CUBE",),
    exp.GroupingSets: ("GROUPING SETS",),
    exp.Lateral: ("LATERAL",),
    exp.Neg: ("-",),
}
_SUBQUERIES: Final = (exp.Exists, exp.Lateral, exp.Any, exp.All, exp.Subquery, exp.Select)
_BOUNDARIES: Final = frozenset((",", "SELECT", "WHERE", "AND", "OR", "ON", "THEN", "ELSE", "BY"))
_JOIN_WORDS: Final = frozenset(
    (
        "JOIN",
        "LEFT",
        "RIGHT",
        "FULL",
        "INNER",
        "OUTER",
        "CROSS",
        "NATURAL",
        "SEMI",
        "ANTI",
        "ASOF",
        "POSITIONAL",
    )
)
# Nodes with no marked node in them.
_LONE_WORDS: Final[dict[type[exp.Expr], tuple[str, ...]]] = {
    exp.Null: ("NULL",),
    exp.Interval: ("INTERVAL",),
    exp.Boolean: ("TRUE", "FALSE"),
    exp.CurrentDate: ("CURRENT_DATE", "TODAY"),
    exp.CurrentTimestamp: ("CURRENT_TIMESTAMP", "NOW"),
    exp.Placeholder: ("?", ":", "$"),
    exp.Parameter: ("$", "@"),
    exp.Tuple: ("(",),
}


class Places:
    """Finds spans in one statement."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self._starts = [token.start for token in statement.tokens]

    def span(self, node: exp.Expr) -> Span:
        offsets = self._offsets(node)
        if offsets is None:
            token = self._lone(node)
            return self.statement.span(token)
        start, end = offsets
        first = self._leading(node, start)
        return span_of(self.statement.text, min(first, start), end)

    def select(self, node: exp.Expr) -> Span:
        """The word SELECT that begins a query."""
        offsets = self._offsets(node)
        if node.parent is None or offsets is None:
            return self.keyword("SELECT")
        for token in reversed(self.statement.tokens[: self._index(offsets[0])]):
            if keyword(token) == "SELECT":
                return self.statement.span(token)
        return self.statement.start

    def keyword(self, word: str, within: exp.Expr | None = None) -> Span:
        """The first token that starts with a word, outside parentheses if possible; in a subquery, behind its start."""
        depth, fallback = 0, None
        offsets = self._offsets(within) if within is not None and within.parent is not None else None
        first = self._index(offsets[0]) if offsets is not None else 0
        for token in self.statement.tokens[max(0, first - 2) :]:
            depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
            if keyword(token).split(" ")[0] == word:
                if depth == 0:
                    return self.statement.span(token)
                fallback = fallback or token
        return self.statement.span(fallback) if fallback else self.statement.start

    def is_behind_comma(self, node: exp.Expr) -> bool:
        """Does a comma part an entry of FROM from the one before it? A query stands inside parentheses."""
        offsets = self._offsets(node)
        tokens = self.statement.tokens
        index = self._index(offsets[0]) if offsets is not None else 0
        depth = 0
        for place in range(index, 0, -1):
            depth += (tokens[place].token_type is TokenType.R_PAREN) - (tokens[place].token_type is TokenType.L_PAREN)
            if depth < 0 or not isinstance(node, exp.Subquery):
                before = tokens[place - 1]
                if before.token_type is TokenType.COMMA or keyword(before) in _JOIN_WORDS or depth == 0:
                    return before.token_type is TokenType.COMMA
                depth = 0
        return False

    def join(self, node: exp.Join) -> Span:
        """A join from its first word: LEFT, NATURAL …"""
        offsets = self._offsets(node.this)
        index = self._index(offsets[0]) if offsets else 0
        first = index
        while first > 0 and keyword(self.statement.tokens[first - 1]) in _JOIN_WORDS:
            first -= 1
        return self.statement.span(self.statement.tokens[first], self.statement.tokens[index])

    def at(self, line: int, column: int) -> Span:
        """The token that ends at a line and column as the SQL reader counts them."""
        for token in self.statement.tokens:
            if (token.line, token.col) == (line, column):
                return self.statement.span(token)
        return self.statement.end

    def _offsets(self, node: exp.Expr) -> tuple[int, int] | None:
        marks = [item.meta for item in node.walk() if "start" in item.meta]
        if not marks:
            return None
        return min(mark["start"] for mark in marks), max(mark["end"] for mark in marks)

    def _index(self, offset: int) -> int:
        return max(0, bisect.bisect_right(self._starts, offset) - 1)

    def _leading(self, node: exp.Expr, start: int) -> int:
        words = _LEADING_WORDS.get(type(node))
        index = self._index(start)
        if words is None:
            return self._called(index) if isinstance(node, exp.Func) and "start" not in node.meta else start
        # Little stands between a word and its first marked node: parentheses, signs, one more word.
        for token in reversed(self.statement.tokens[max(0, index - 4) : index]):
            word = keyword(token)
            if word in words:
                return token.start
            if word in _BOUNDARIES and not (word == "SELECT" and isinstance(node, _SUBQUERIES)):
                break
        return start

    def _called(self, index: int) -> int:
        """The name in ``name(…`` before the first token inside the parentheses, or that token itself."""
        tokens = self.statement.tokens
        is_call = index >= 2 and tokens[index - 1].token_type is TokenType.L_PAREN
        return (
            tokens[index - 2].start
            if is_call and tokens[index - 2].text.isidentifier()
            else tokens[index].start
        )

    def _lone(self, node: exp.Expr) -> Token:
        """The first token with the node's word behind the start of what surrounds the node."""
        outer = node.parent
        while outer is not None and self._offsets(outer) is None:
            outer = outer.parent
        offsets = self._offsets(outer) if outer is not None else None
        tokens = self.statement.tokens
        index = 0 if offsets is None or isinstance(outer, exp.Select) else self._index(offsets[0])
        words = _LONE_WORDS.get(type(node), ())
        # One token earlier: the node may be the first thing in what surrounds it.
        for token in (*tokens[index:], *reversed(tokens[:index])):
            if keyword(token) in words:
                return token
        return tokens[index]
