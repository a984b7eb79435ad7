"""INCLUDE 'file.sql': the statements of a script and of all the files it includes, in order.

A path is meant from the folder of the file that names it, and so are the paths of the sources an included file
declares. Each file may be included once: a second time it would declare everything again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sqlglot.tokenizer_core import TokenType

from toastergen.errors import ResolveError, SourceError, SqlSyntaxError, ToastergenError
from toastergen.frontend.sql.source import Statement, keyword, statements, too_deep


def read_statements(text: str, file: str | None) -> tuple[Statement, ...]:
    """``file`` is the path of the script; a text without a file includes from the current folder."""
    reader = _Reader()
    chain = () if file is None else (Path(file),)
    return tuple(reader.read(text, file, "", chain))


@contextlib.contextmanager
def located(text: str, file: str | None) -> Iterator[None]:
    """Errors from inside name this file and show its text."""
    try:
        yield
    except ToastergenError as error:
        raise error.located(source=text, file=file) from None
    except RecursionError:
        raise too_deep(text).located(source=text, file=file) from None


class _Reader:
    def __init__(self) -> None:
        self._seen: set[Path] = set()

    def read(self, text: str, file: str | None, folder: str, chain: tuple[Path, ...]) -> Iterator[Statement]:
        """``folder`` is where the file lies, seen from the script; ``chain`` who included whom, down to it."""
        with located(text, file):
            found = [replace(item, file=file, folder=folder) for item in statements(text)]
        for statement in found:
            if keyword(statement.tokens[0]) == "INCLUDE":
                with located(text, file):
                    path = _path(statement)
                yield from self._include(statement, path, chain)
            else:
                yield statement

    def _include(self, statement: Statement, path: str, chain: tuple[Path, ...]) -> Iterator[Statement]:
        place = Path(path) if not chain else chain[-1].parent / path
        with located(statement.text, statement.file):
            self._claim(statement, place, chain)
            text = _text(statement, place)
        yield from self.read(text, str(place), str((Path(statement.folder) / path).parent), (*chain, place))

    def _claim(self, statement: Statement, place: Path, chain: tuple[Path, ...]) -> None:
        span = statement.span(statement.tokens[1])
        if place.resolve() in {item.resolve() for item in chain}:
            way = " → ".join(item.name for item in (*chain, place))
            raise ResolveError(
                f"{place.name} includes itself: {way}", span=span, hint="remove one INCLUDE of the circle"
            )
        if place.resolve() in self._seen:
            raise ResolveError(
                f"{place.name} is included twice",
                span=span,
                hint="include it once: what it declares is known in the whole script",
            )
        self._seen.add(place.resolve())


def _path(statement: Statement) -> str:
    tokens = statement.tokens
    if len(tokens) < 2 or tokens[1].token_type is not TokenType.STRING or not tokens[1].text:
        span = statement.end if len(tokens) < 2 else statement.span(tokens[1])
        raise SqlSyntaxError("INCLUDE names no file", span=span, hint="write INCLUDE 'schema.sql';")
    if len(tokens) > 2:
        raise SqlSyntaxError(
            f"expected ; but found {tokens[2].text!r}",
            span=statement.span(tokens[2]),
            hint="write INCLUDE 'schema.sql'; as a statement of its own",
        )
    return tokens[1].text


def _text(statement: Statement, place: Path) -> str:
    span = statement.span(statement.tokens[1])
    try:
        return place.read_text(encoding="utf-8-sig")
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
        hint = "the path is meant from the folder of the file that includes it"
        raise SourceError(f"cannot include {place}: {problem}", span=span, hint=hint) from None
    except UnicodeDecodeError as error:
        message = f"cannot include {place}: it is not UTF-8 text, see byte {error.start}"
        raise SourceError(message, span=span, hint="save the file in UTF-8") from None
