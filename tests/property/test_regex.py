"""Regular expressions against DuckDB's: where we read a pattern, it reads it too and finds the same."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from toastergen.frontend.regex import PatternError, compiled, matches

ATOMS = (
    "a", "b", "k", "S", "é", "ſ", "1", " ", "\\n", ".", "^", "$", "[ab]", "[^a]", "[a-c1]", "[é-ü]", "[[:alpha:]]",
    "[^[:digit:]x]",     "\\d", "\\W", "\\s", "[\\w-]", "\\.", "\\x61", "\\x{e9}", "\\A", "\\z",
    "[]a]", "[^]a]", "{", "a{,2}", "-", "(?i)k",
    "(?i)[r-t]",     "(?s).", "(?i:a)", "()", "(?P<n>a)", "🍞", "(?i)[^k]", "(?i)\\w",
)  # fmt: skip
REPEATS = ("", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,1}", "{2,}", "*?", "+?")
LETTERS = "abkKsSſ\u212aéÉü1 \n.x{},2-🍞"

pieces = st.tuples(st.sampled_from(ATOMS), st.sampled_from(REPEATS)).map("".join)
branches = st.lists(pieces, max_size=4).map("".join)
patterns = st.recursive(
    branches,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("|".join),
        st.tuples(inner, st.sampled_from(REPEATS)).map(lambda pair: f"({pair[0]}){pair[1]}"),
        st.tuples(inner, inner).map("".join),
    ),
    max_leaves=4,
)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@example(pattern="(?i)k|\\W", texts=["ſ", "\u212a", "s"])  # without regard to case they are letters
@given(pattern=patterns, texts=st.lists(st.text(st.sampled_from(LETTERS), max_size=6), min_size=1, max_size=8))
def test_the_same_is_found(pattern: str, texts: list[str]) -> None:
    try:
        compiled(pattern)
    except PatternError:
        return
    for text in texts:
        row = duckdb.execute("SELECT regexp_matches(?, ?)", [text, pattern]).fetchone()
        assert row is not None
        assert matches(pattern, text) == row[0], (pattern, text)


@pytest.mark.parametrize(
    ("pattern", "message", "place"),
    [
        ("a(b", "a missing )", 1), ("a)", "an unmatched )", 1), ("a\\", "ends too early", 2),
        ("[ab", "a missing ]", 0),
        ("a**", "a repetition of a repetition", 2), ("*a", "a repetition of nothing", 0),
        ("a{1001}", "more than 1000", 0),
        ("ab(?=c)", "a group of this kind", 2), ("(a)\\1", "\\1 is not supported", 3),
        ("\\bx", "\\b is not supported", 0),
        ("[z-a]", "runs backwards", 0), ("\\pL", "\\p is not supported", 0), ("(?i)é", "beyond ASCII", 4),
        ("(?m)^a", "a group of this kind", 0), ("[[:foo:]]", "not known", 0),
        ("(.*a){20}.{12}", "too many states", 0),
        ("((a{100}){100}){100}", "too large", 0), ("(" * 200 + ")" * 200, "more groups in groups", 100),
    ],
)  # fmt: skip
def test_what_is_refused_has_a_place(pattern: str, message: str, place: int) -> None:
    with pytest.raises(PatternError) as caught:
        compiled(pattern)
    assert message in str(caught.value)
    assert caught.value.place == place


def test_edges_meet_only_in_an_empty_text() -> None:
    assert matches("$^", "") and not matches("$^", "a")
    assert matches("(^|a)b$", "b") and matches("(^|a)b$", "xab") and not matches("(^|a)b$", "xb")
