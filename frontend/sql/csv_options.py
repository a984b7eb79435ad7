"""The options of a CSV source and what may be said in them."""

from __future__ import annotations

from typing import Final

from toastergen.errors import ResolveError, Span, SqlTypeError, UnsupportedSql
from toastergen.frontend.sql.names import suggestion

KNOWN_OPTIONS: Final = ("delimiter", "header", "quote", "escape", "null", "deletions", "operation", "weight")
_PLANNED: Final = ("fields", "schema")


def check_option(name: str, value: str, name_span: Span, value_span: Span) -> str:
    """The option's value in its normal form: one character, ``true``/``false``, a text, or the name of a column."""
    if name in _PLANNED:
        raise UnsupportedSql(
            f"option {name} is not supported yet",
            span=name_span,
            hint=f"the options are {', '.join(KNOWN_OPTIONS)}",
        )
    if name not in KNOWN_OPTIONS:
        raise ResolveError(
            f"no CSV option is called {name}", span=name_span, hint=suggestion(name, KNOWN_OPTIONS)
        )
    if name in ("header", "deletions"):
        if value.lower() not in ("true", "false"):
            raise SqlTypeError(
                f"option {name} is {value!r}",
                span=value_span,
                hint=f"write {name} := 'true' or {name} := 'false'",
            )
        return value.lower()
    if name in ("operation", "weight"):
        if not value:
            raise SqlTypeError(f"option {name} is empty", span=value_span, hint=f"name a column: {name} := '{name}'")
        return value
    if name == "null":
        return value
    character = "\t" if value == "\\t" else value
    if len(character) != 1 or not character.isascii() or character in "\r\n":
        raise SqlTypeError(
            f"option {name} is {value!r}, which is not one ASCII character",
            span=value_span,
            hint=f"write for example {name} := '|'; a tab is written '\\t'",
        )
    return character
