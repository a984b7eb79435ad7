"""M3 text as pieces that a page can colour: words of the language, literals, and names that lead to what they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toastergen.drawing.graph import anchor
from toastergen.frontend.m3 import Map, Program, Relation, Trigger, View
from toastergen.frontend.m3_text import program_parts
from toastergen.frontend.m3_text.tokens import name_text

# fmt: off
_WORDS: Final = frozenset((
    "AND", "APPEND", "AS", "BAG", "BATCH", "BY", "CASE", "CAST", "CREATE", "DECLARE", "DELIMITED", "DELTA", "DERIVED",
    "DESC", "ELSE", "END", "EXISTS", "FALSE", "FILE", "FIRST", "FROM", "GROUPS", "HIDDEN", "IN", "IS", "ISNULL", "KEY",
    "KNOWN", "LAST", "LIKE", "LIMIT", "LINE", "LOCAL", "MAP", "NOT", "NULL", "NULLS", "OF", "OFFSET", "ON", "ONLY",
    "OR", "ORDER", "PRIMARY", "QUERY", "SINGLE", "STREAM", "TABLE", "THEN", "TRUE", "UPDATE", "WHEN",
))
# fmt: on
_PIECE: Final = re.compile(
    r"""(?P<text>'(?:[^']|'')*')|(?P<name>[A-Za-z_][A-Za-z0-9_]*|"(?:[^"]|"")*")|(?P<number>[0-9][0-9.]*(?:e[+-]?[0-9]+)?L?)"""
    r"""|(?P<space>\s+)|(?P<sign>.)""",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """``kind`` is a class of the style sheet; ``target`` the place a name leads to."""

    kind: str
    text: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One declaration or trigger: its place, and the node of the graph it belongs to."""

    anchor: str
    node: str
    kind: str
    lines: tuple[tuple[Piece, ...], ...]


def sections(program: Program) -> tuple[Section, ...]:
    targets = _targets(program)
    shown = {anchor(view, program) for view in program.views if not view.hidden}
    found = []
    for part in program_parts(program):
        place = anchor(part.item, program)
        node = place
        if isinstance(part.item, Trigger):
            node = anchor(program.relation(part.item.relation), program)
        elif isinstance(part.item, View) and place not in shown:
            node = anchor(program.map(part.item.map), program)
        kind = type(part.item).__name__.lower()
        lines = [tuple(_joined(_pieces(line, targets))) for line in part.text.splitlines()]
        found.append(Section(place, node, kind, tuple(lines)))
    return tuple(found)


def _targets(program: Program) -> dict[tuple[str, type], str]:
    """Where names lead. Relations and maps may be called alike."""
    items: tuple[Relation | Map, ...] = (*program.relations, *program.maps)
    return {(name_text(item.name), type(item)): anchor(item, program) for item in items}


def _pieces(text: str, targets: dict[tuple[str, type], str]) -> Iterator[Piece]:
    before = ("", "")
    for found in _PIECE.finditer(text):
        kind, word = found.lastgroup or "", found.group()
        if kind == "name":
            named = _named(before, text[found.end() : found.end() + 1])
            target = targets.get((word, named)) if named else None
            is_word = word == "AggSum" or (word.isupper() and word in _WORDS)
            yield Piece("link", word, target) if target else Piece("word" if is_word else "", word)
        else:
            yield Piece(kind if kind in ("text", "number") else "", word)
        if kind != "space":
            before = (before[1], word)


def _named(before: tuple[str, str], behind: str) -> type | None:
    """What a name stands for, by the two words before it and the sign behind it."""
    if behind in (".", "[") or before[1] == "MAP" or before in (("GROUPS", "OF"), ("BAG", "OF"), ("SINGLE", "OF")):
        return Map
    declared = before[1] in ("STREAM", "TABLE", "DERIVED", "DELTA")
    is_event = before in (("ON", "+"), ("ON", "-"), ("UPDATE", "OF"))
    return Relation if declared or is_event or behind == "(" else None


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Plain neighbours in one piece: the page is smaller."""
    plain = ""
    for piece in pieces:
        if not piece.kind:
            plain += piece.text
            continue
        if plain:
            yield Piece("", plain)
            plain = ""
        yield piece
    if plain:
        yield Piece("", plain)
