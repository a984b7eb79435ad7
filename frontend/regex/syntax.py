"""The regular part of RE2's syntax, which DuckDB uses.

    pattern ::= branch | branch | …          branch ::= piece*          piece ::= atom [* + ? {n} {n,} {n,m}] [?]
    atom    ::= character | . | ^ | $ | [set] | \\d \\w \\s \\A \\z … | (pattern) | (?flags) | (?flags:pattern)

Flags are i (letters of both cases; ASCII letters only) and s (. takes line ends too). Lazy repetition is the same as
greedy where only the answer counts. Word boundaries, lookaround, backreferences and classes of Unicode are refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

LAST: Final = 0x10FFFF
_MOST: Final = 1000  # repetitions, as in RE2
_DEEPEST: Final = 100

Ranges: TypeAlias = tuple[tuple[int, int], ...]


class PatternError(ValueError):
    """``place`` counts characters of the pattern, from 0."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True, slots=True)
class Characters:
    """One of these code points."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Edge:
    """The beginning of the text, or its end."""

    at_end: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """``most`` is None for any number."""

    part: Node
    least: int
    most: int | None


Node: TypeAlias = Characters | Edge | Sequence | Choice | Repeat

_DIGITS: Final[Ranges] = ((48, 57),)
_WORD: Final[Ranges] = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE: Final[Ranges] = ((9, 10), (12, 13), (32, 32))
_PERL: Final = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_POSIX: Final[dict[str, Ranges]] = {
    "alnum": ((48, 57), (65, 90), (97, 122)), "alpha": ((65, 90), (97, 122)), "ascii": ((0, 127),),
    "blank": ((9, 9), (32, 32)), "cntrl": ((0, 31), (127, 127)), "digit": _DIGITS, "graph": ((33, 126),),
    "lower": ((97, 122),), "print": ((32, 126),), "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)), "upper": ((65, 90),), "word": _WORD,
    "xdigit": ((48, 57), (65, 70), (97, 102)),
}  # fmt: skip
_CONTROL: Final = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}
_FOLDED: Final = {ord("k"): (0x212A,), ord("s"): (0x017F,)}  # beside the other case, what else folds to it


@dataclass(frozen=True, slots=True)
class _Flags:
    fold: bool = False
    dot_all: bool = False


def parse(pattern: str) -> Node:
    return _Parser(pattern).whole()


def _merged(ranges: Ranges) -> Ranges:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def _others(ranges: Ranges) -> Ranges:
    found: list[tuple[int, int]] = []
    start = 0
    for first, last in _merged(ranges):
        if start < first:
            found.append((start, first - 1))
        start = last + 1
    return (*found, (start, LAST)) if start <= LAST else tuple(found)


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.place = 0
        self.depth = 0
        self.flags = _Flags()

    def whole(self) -> Node:
        node = self._choice()
        if self.place < len(self.text):
            raise self._error("an unmatched )")
        return node

    def _error(self, message: str, place: int | None = None) -> PatternError:
        return PatternError(message, self.place if place is None else place)

    def _peek(self, text: str) -> bool:
        return self.text.startswith(text, self.place)

    def _accept(self, text: str) -> bool:
        found = self._peek(text)
        self.place += len(text) if found else 0
        return found

    def _next(self) -> str:
        if self.place >= len(self.text):
            raise self._error("the pattern ends too early")
        self.place += 1
        return self.text[self.place - 1]

    # --- structure ----------------------------------------------------------------------------------------

    def _choice(self) -> Node:
        parts = [self._sequence()]
        while self._accept("|"):
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self.place < len(self.text) and not self._peek("|") and not self._peek(")"):
            start = self.place
            atom = self._atom()
            if atom is not None:
                parts.append(self._repeated(atom, start))
        return Sequence(tuple(parts))

    def _repeated(self, atom: Node, start: int) -> Node:
        bounds = self._bounds()
        if bounds is None:
            return atom
        least, most = bounds
        if (most is not None and (most < least or most > _MOST)) or least > _MOST:
            raise self._error(f"a repetition of more than {_MOST}, or backwards", start)
        self._accept("?")  # lazy
        place = self.place
        if self._bounds() is not None:
            raise self._error("a repetition of a repetition", place)
        return Repeat(atom, least, most)

    def _bounds(self) -> tuple[int, int | None] | None:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._accept(sign):
                return bounds
        close = self.text.find("}", self.place) if self._peek("{") else -1
        least, comma, most = self.text[self.place + 1 : max(close, self.place + 1)].partition(",")
        if close < 0 or not (least.isascii() and least.isdecimal()) or not (most == "" or most.isdecimal()):
            return None  # a brace that stands for itself
        self.place = close + 1
        return int(least), int(most) if most else None if comma else int(least)

    # --- atoms --------------------------------------------------------------------------------------------

    def _atom(self) -> Node | None:
        start = self.place
        char = self._next()
        match char:
            case "(":
                return self._group(start)
            case "[":
                return self._set(start)
            case ".":
                return Characters(((0, LAST),) if self.flags.dot_all else ((0, 9), (11, LAST)))
            case "^" | "$":
                return Edge(char == "$")
            case "\\":
                return self._escape(start)
            case "*" | "+" | "?":
                raise self._error("a repetition of nothing", start)
            case _:
                return self._characters(((ord(char), ord(char)),), start)

    def _group(self, start: int) -> Node | None:
        before = self.flags
        if self._accept("?"):
            if self._peek("P<") or (self._peek("<") and not self._peek("<=") and not self._peek("<!")):
                self.place = self.text.find(">", self.place) + 1
                if self.place == 0:
                    raise self._error("a name without an end", start)
            elif not self._read_flags(start):
                return None  # (?i): from here on
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._error("more groups in groups than are read", start)
        node = self._choice()
        self.depth -= 1
        if not self._accept(")"):
            raise self._error("a missing )", start)
        self.flags = before
        return node

    def _read_flags(self, start: int) -> bool:
        """Is there a pattern behind them?"""
        value = True
        while True:
            match self._next():
                case "i":
                    self.flags = replace(self.flags, fold=value)
                case "s":
                    self.flags = replace(self.flags, dot_all=value)
                case "-":
                    value = False
                case ":":
                    return True
                case ")":
                    return False
                case _:
                    raise self._error("a group of this kind is not supported", start)

    def _escape(self, start: int) -> Node:
        char = self._next()
        if char in "Az":
            return Edge(char == "z")
        if char.lower() in _PERL:
            return Characters(self._class(_PERL[char.lower()], char.isupper(), start))
        code = self._escaped(char, start)
        return self._characters(((code, code),), start)

    def _class(self, ranges: Ranges, negated: bool, start: int) -> Ranges:
        """Letters of both cases first, then all others: without regard to case, W leaves out what w takes in."""
        found = self._folded(ranges, start)
        return _others(found) if negated else found

    def _escaped(self, char: str, start: int) -> int:
        if char in _CONTROL:
            return _CONTROL[char]
        if char == "x":
            return self._hexadecimal(start)
        if char.isascii() and not char.isalnum() and char.isprintable():
            return ord(char)
        raise self._error(f"\\{char} is not supported", start)

    def _hexadecimal(self, start: int) -> int:
        if self._accept("{"):
            close = self.text.find("}", self.place)
            digits = self.text[self.place : max(close, self.place)]
            self.place = close + 1
        else:
            digits = self.text[self.place : self.place + 2]
            self.place += 2
        if not digits or (len(digits) < 2 and self.text[self.place - 1] != "}"):
            raise self._error("a character in hexadecimal has two digits", start)
        try:
            code = int(digits, 16)
        except ValueError:
            raise self._error("a character in hexadecimal has other digits", start) from None
        if code > LAST:
            raise self._error("there is no such character", start)
        return code

    def _set(self, start: int) -> Node:
        negated = self._accept("^")
        ranges: list[tuple[int, int]] = []
        first = True
        while first or not self._peek("]"):
            if self.place >= len(self.text):
                raise self._error("a missing ]", start)
            ranges += self._member(start)
            first = False
        self._next()
        found = _merged(tuple(ranges))
        return Characters(_others(found) if negated else found)

    def _member(self, start: int) -> Ranges:
        """Of a set, with both cases where case does not matter."""
        if self._accept("[:"):
            close = self.text.find(":]", self.place)
            name = self.text[self.place : max(close, self.place)]
            if close < 0 or name.removeprefix("^") not in _POSIX:
                raise self._error("a class of characters that is not known", start)
            self.place = close + 2
            return self._class(_POSIX[name.removeprefix("^")], name.startswith("^"), start)
        if self._peek("\\") and self.text[self.place + 1 : self.place + 2].lower() in tuple(_PERL):
            self.place += 2
            char = self.text[self.place - 1]
            return self._class(_PERL[char.lower()], char.isupper(), start)
        low = self._single(start)
        if self._peek("-") and self.text[self.place + 1 : self.place + 2] not in ("]", ""):
            self.place += 1
            high = self._single(start)
            if high < low:
                raise self._error("a range that runs backwards", start)
            return self._folded(((low, high),), start)
        return self._folded(((low, low),), start)

    def _single(self, start: int) -> int:
        char = self._next()
        return self._escaped(self._next(), start) if char == "\\" else ord(char)

    def _characters(self, ranges: Ranges, start: int) -> Node:
        return Characters(self._folded(ranges, start))

    def _folded(self, ranges: Ranges, start: int) -> Ranges:
        """With the letters of the other case. Of other alphabets that would take tables of Unicode."""
        if not self.flags.fold:
            return ranges
        if any(first > 127 and (first, last) != (128, LAST) for first, last in ranges):
            raise self._error("letters beyond ASCII without regard to case are not supported", start)
        more: list[tuple[int, int]] = []
        for letter in range(ord("a"), ord("z") + 1):
            cases = (letter, letter - 32)
            if any(first <= code <= last for first, last in ranges for code in cases):
                more += [(code, code) for code in (*cases, *_FOLDED.get(letter, ()))]
        return _merged((*ranges, *more))
