"""The one family of errors. Each says what is wrong, where, and what to do next.

The command line prints them without a traceback: ``str(error)`` is the whole message, with
``file:line:column`` and a caret under the offending text where a place is known.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source text. Lines and columns count from 1, ``end`` is exclusive."""

    line: int
    column: int
    length: int = 1


class ToastergenError(Exception):
    """Base of everything toastergen raises on purpose. ``exit_code`` is the command line's."""

    exit_code = 1

    def __init__(
        self,
        message: str,
        *,
        span: Span | None = None,
        hint: str | None = None,
        source: str | None = None,
        file: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint
        self.source = source
        self.file = file

    def located(self, *, source: str, file: str | None) -> ToastergenError:
        """Fill in the text and file a span refers to, where the raiser did not know them."""
        if self.source is None:
            self.source = source
        if self.file is None:
            self.file = file
        return self

    def __str__(self) -> str:
        lines = [f"{self._place()}{self.message}"]
        lines += self._excerpt()
        if self.hint:
            lines.append(f"  next: {self.hint}")
        return "\n".join(lines)

    def _place(self) -> str:
        if self.span is None:
            return f"{self.file}: " if self.file else ""
        return f"{self.file or '<query>'}:{self.span.line}:{self.span.column}: "

    def _excerpt(self) -> list[str]:
        if self.span is None or self.source is None:
            return []
        rows = self.source.splitlines()
        if not 1 <= self.span.line <= len(rows):
            return []
        text = rows[self.span.line - 1].replace("\t", " ")
        caret = " " * (self.span.column - 1) + "^" * max(1, min(self.span.length, len(text) - self.span.column + 1))
        return [f"    {text}", f"    {caret}"]


class SqlSyntaxError(ToastergenError):
    """The text is not SQL."""


class ResolveError(ToastergenError):
    """A name is unknown, ambiguous or declared twice."""


class SqlTypeError(ToastergenError):
    """Operands do not fit their operator, or a literal does not fit its column."""


class UnsupportedSql(ToastergenError):
    """Valid SQL that toastergen does not maintain (yet); refused, never approximated."""


class StrictError(ToastergenError):
    """A view that ``--strict`` refuses: it would be computed anew, or its events grow with what is stored."""


class M3Error(ToastergenError):
    """An M3 text or program breaks the rules of the language.

    ``about`` names the part of the program that does, for whoever knows where it is written: its kind, and its name
    or number.
    """

    about: tuple[str | int, ...] | None = None


@contextlib.contextmanager
def about(*part: str | int) -> Iterator[None]:
    """What goes wrong inside is about this part of the program, unless a smaller one is named already."""
    try:
        yield
    except M3Error as error:
        if error.about is None:
            error.about = part
        raise


class DataError(ToastergenError):
    """Input rows do not fit their relation. The engine is as it was before the call."""


class SourceError(ToastergenError):
    """An input file is missing or unreadable."""


class EngineError(ToastergenError):
    """A running engine refused a call, for example because a sum left the range of its type."""


class EnvironmentProblem(ToastergenError):
    """The machine lacks something: a compiler, CMake, Java …"""

    exit_code = 2


class BuildError(ToastergenError):
    """The native compiler refused a generated engine. The full log is kept."""

    exit_code = 2


def counted(number: int, what: str) -> str:
    """``1 row``, ``2 rows``: the number with its noun."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
