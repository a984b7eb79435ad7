"""The words of M3 text: how names and strings are written, and the split of a text into tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toastergen.errors import M3Error, Span

# Words that begin or join something in an expression. A name that looks like one of them is quoted.
# fmt: off
RESERVED: Final = frozenset((
    "ADD", "AGGSUM", "AND", "AS", "CASE", "CAST", "DECLARE", "DELTA",
    "ELSE", "END", "ESCAPE", "EXISTS", "FALSE", "IN", "IS", "LIKE", "NOT",
    "NULL", "OR", "PRIMARY", "PRODUCT", "THEN", "TRUE", "WHEN",
))
# fmt: on

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|--[^\n]*)
      | (?P<number>[0-9]+L|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<quoted>"(?:[^"]|"")*")
      | (?P<string>'(?:[^']|'')*')
      | (?P<op>:=|\+=|\^=|::|<>|<=|>=|/!|[-+*/%=<>()\[\]{},;:.?])
    """,
    re.VERBOSE,
)

_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.?))", re.DOTALL)
_SHORT: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
_SHORT_OF: Final = {char: letter for letter, char in _SHORT.items()}


@dataclass(frozen=True, slots=True)
class Token:
    """``kind`` is ``name``, ``quoted``, ``string``, ``number``, ``op`` or ``end``; ``text`` is unescaped."""

    kind: str
    text: str
    span: Span


def name_text(name: str) -> str:
    """A name as M3 writes it: plain where it can be, otherwise between double quotes."""
    if _PLAIN.match(name) and name.upper() not in RESERVED:
        return name
    return quoted_text(name)


def quoted_text(name: str) -> str:
    return f'"{_escaped(name, chr(34))}"'


def string_text(value: str) -> str:
    return f"'{_escaped(value, chr(39))}'"


def _escaped(value: str, quote: str) -> str:
    """ASCII on one line, whatever the value: the text also becomes comments of generated code."""
    return "".join(_escaped_char(char, quote) for char in value)


def _escaped_char(char: str, quote: str) -> str:
    if char == quote:
        return quote * 2
    if char in _SHORT_OF:
        return "\\" + _SHORT_OF[char]
    if " " <= char <= "~":
        return char
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


def tokenize(text: str, file: str | None) -> tuple[Token, ...]:
    """Split a text; the last token is ``end``."""
    tokens: list[Token] = []
    position, line, line_start = 0, 1, 0
    while position < len(text):
        span = Span(line, position - line_start + 1)
        found = _TOKEN.match(text, position)
        if found is None:
            raise _stray(text, position, span, file)
        kind, word = found.lastgroup or "", found.group()
        if kind != "space":
            span = Span(span.line, span.column, len(word))
            tokens.append(Token(kind, _unquoted(kind, word, span, text, file), span))
        if newlines := word.count("\n"):
            line += newlines
            line_start = position + word.rindex("\n") + 1
        position = found.end()
    tokens.append(Token("end", "", Span(line, position - line_start + 1)))
    return tuple(tokens)


def _stray(text: str, position: int, span: Span, file: str | None) -> M3Error:
    char = text[position]
    if char in "'\"":
        hint = f"close the text with another {char}"
        return M3Error("a quoted text does not end", span=span, hint=hint, source=text, file=file)
    hint = "names with special characters are written between double quotes"
    return M3Error(f"unexpected character {char!a}", span=span, hint=hint, source=text, file=file)


def _unquoted(kind: str, word: str, span: Span, text: str, file: str | None) -> str:
    if kind not in ("quoted", "string"):
        return word

    def plain(found: re.Match[str]) -> str:
        code = found.group(1) or found.group(2)
        if code is not None and int(code, 16) <= 0x10FFFF:
            return chr(int(code, 16))
        if code is None and found.group(3) in _SHORT:
            return _SHORT[found.group(3)]
        hint = "known escapes are \\\\ \\n \\t \\r \\uXXXX \\UXXXXXXXX"
        raise M3Error(f"unknown escape {found.group()!a}", span=span, hint=hint, source=text, file=file)

    return _ESCAPE.sub(plain, word[1:-1].replace(word[0] * 2, word[0]))
