"""LIKE and regular expressions. Patterns are literals: they are made into code when the query is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from toastergen.errors import SqlTypeError, UnsupportedSql
from toastergen.frontend import regex
from toastergen.frontend import scalar as sc
from toastergen.frontend.function_values import lower
from toastergen.frontend.functions import call
from toastergen.frontend.scalar import Const, Scalar
from toastergen.frontend.sql.refuse import check_arguments, refuse
from toastergen.frontend.types import STRING

if TYPE_CHECKING:
    from toastergen.frontend.sql.expressions import Translator

_WHOLE: Final = (exp.SimilarTo, exp.RegexpFullMatch)  # the whole text, not a part of it
_OPTIONS: Final = {"c": "", "i": "(?i)", "s": "(?s)"}


def _regexp(at: Translator, node: exp.Expr) -> Scalar:
    literal = node.expression
    if not (isinstance(literal, exp.Literal) and literal.is_string):
        raise UnsupportedSql(
            "a regular expression that is no literal is not supported",
            span=at.places.span(literal),
            hint="write the pattern as a string: REGEXP_MATCHES(a, '^x[0-9]+')",
        )
    options = _options(at, node)
    if isinstance(node, exp.RegexpILike):
        options += "(?i)"
    pattern = str(literal.this)
    try:
        regex.compiled(options + pattern)
    except regex.PatternError as error:
        place = max(error.place - len(options), 0) + 1
        raise UnsupportedSql(
            f"this regular expression is not supported: {error} (at character {place})",
            span=at.places.span(literal),
            hint="use characters, sets, groups, repetition, ^ and $; or LIKE",
        ) from None
    whole = f"{options}^(?:{pattern})$" if isinstance(node, _WHOLE) else options + pattern
    return call("MATCHES", sc.typed_null(at.scalar(node.this), STRING), Const(whole, STRING))


def _options(at: Translator, node: exp.Expr) -> str:
    given = node.args.get("flag") or node.args.get("options")
    if given is None:
        return ""
    text = str(given.this) if isinstance(given, exp.Literal) and given.is_string else "?"
    if any(letter not in _OPTIONS for letter in text):
        raise UnsupportedSql(
            "this option of a regular expression is not supported", span=at.places.span(given), hint="known are c, i, s"
        )
    return "".join(_OPTIONS[letter] for letter in text)


def _like(at: Translator, node: exp.Expr, escape: str = "") -> Scalar:
    pattern = node.expression
    if not (isinstance(pattern, exp.Literal) and pattern.is_string):
        raise UnsupportedSql(
            "LIKE with anything but a literal pattern is not supported",
            span=at.places.span(pattern),
            hint="write the pattern as a string: a LIKE 'x%'",
        )
    text = str(pattern.this)
    if escape and _ends_in_escape(text, escape):
        raise SqlTypeError(
            "the pattern ends with its escape character",
            span=at.places.span(pattern),
            hint=f"write {escape + escape} for the character itself",
        )
    subject = at.scalar(node.this)
    if isinstance(node, exp.ILike):
        subject, text = call("LOWER", subject), lower(text)
    test = sc.like(subject, text, escape)
    return sc.negation(test) if node.args.get("negate") else test


def _escape(at: Translator, node: exp.Expr) -> Scalar:
    test, escape = node.this, node.expression
    if type(test) not in (exp.Like, exp.ILike):
        raise refuse(test, at.places)
    check_arguments(test, _LIKE_PARTS, at.places, "LIKE")
    if isinstance(test, exp.ILike) and lower(escape.name) != escape.name:
        raise UnsupportedSql(
            "ILIKE with a capital letter as ESCAPE is not supported",
            span=at.places.span(escape),
            hint="escape with a character that is no letter: ESCAPE '!'",
        )
    if not (isinstance(escape, exp.Literal) and escape.is_string and len(str(escape.this)) <= 1):
        raise SqlTypeError(
            "ESCAPE needs one character", span=at.places.span(escape), hint="write for example ESCAPE '!'"
        )
    return _like(at, test, str(escape.this))


def _ends_in_escape(pattern: str, escape: str) -> bool:
    place = 0
    while place < len(pattern):
        if pattern[place] == escape:
            place += 1
            if place == len(pattern):
                return True
        place += 1
    return False


_LIKE_PARTS: Final = ("this", "expression", "negate")
PATTERN_HANDLERS: Final[dict[type[exp.Expr], tuple[tuple[str, ...], Callable[[Translator, exp.Expr], Scalar]]]] = {
    exp.Like: (_LIKE_PARTS, _like),
    exp.ILike: (_LIKE_PARTS, _like),
    exp.Escape: (("this", "expression"), _escape),
    exp.SimilarTo: (("this", "expression"), _regexp),
    exp.RegexpLike: (("this", "expression", "flag"), _regexp),
    exp.RegexpILike: (("this", "expression"), _regexp),
    exp.RegexpFullMatch: (("this", "expression", "options"), _regexp),
}
