"""Expanding a value keeps its meaning, separates relations, and leaves alone what gains nothing."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus.polynomial import MAX_PRODUCTS, expand
from toastergen.frontend.calculus.program import Polynomial
from toastergen.frontend.interpret.scalars import evaluate
from toastergen.frontend.m3_text import Scope, print_scalar, read_scalar
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.types import LONG

# Two relations: a and b belong to one, x and y to the other.
TYPES = dict.fromkeys("abxy", LONG)


def is_local(scalar: Scalar) -> bool:
    names = {var.name for var in sc.variables(scalar)}
    return names <= set("ab") or names <= set("xy")


def show(polynomial: Polynomial) -> list[str]:
    return [" * ".join(map(print_scalar, monomial)) for monomial in polynomial]


CASES = [
    ("a * b + a", ["a * b + a"]),
    ("a + x", ["a", "x"]),
    ("a - x", ["a", "-1L * x"]),
    ("a * x", ["a * x"]),
    ("a * (1L - x)", ["a * 1L - x"]),
    ("(a + x) * (b - y)", ["a * b", "a * -1L * y", "x * b", "x * -1L * y"]),
    (
        "CASE WHEN a > 0L THEN x ELSE 0L END",
        ["CASE WHEN a > 0L THEN 1L ELSE 0L END * x"],
    ),
    ("CASE WHEN a > x THEN 1L ELSE 0L END", ["CASE WHEN a > x THEN 1L ELSE 0L END"]),
    ("a % 2L", ["a % 2L"]),
    ("(a + x) % 2L", ["(a + x) % 2L"]),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_expanded(text: str, expected: list[str]) -> None:
    assert show(expand(read_scalar(text, Scope(vars=TYPES)), is_local)) == expected


@st.composite
def values(draw: st.DrawFn, depth: int = 3) -> Scalar:
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from([Var(name, LONG) for name in "abxy"]) | st.integers(-2, 2).map(_constant))
    part = values(depth - 1)
    match draw(st.sampled_from(["+", "-", "*", "case"])):
        case "case":
            branches = draw(st.lists(st.tuples(_tests(depth - 1), part), min_size=1, max_size=2))
            return sc.case(branches, draw(part))
        case op:
            return sc.arith(op, draw(part), draw(part))


@st.composite
def _tests(draw: st.DrawFn, depth: int) -> Scalar:
    test = sc.compare(draw(st.sampled_from(["=", "<", ">="])), draw(values(depth)), draw(values(depth)))
    other = sc.compare("<", draw(values(0)), draw(values(0)))
    both, either = sc.conjunction((test, other)), sc.disjunction((test, other))
    return draw(st.sampled_from([test, sc.negation(test), both, either]))


def _constant(value: int) -> Scalar:
    return sc.Const(value, LONG)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(values(), st.tuples(*[st.integers(-2, 2)] * 4))
def test_expansion_keeps_the_value(value: Scalar, numbers: tuple[int, ...]) -> None:
    env = dict(zip("abxy", numbers, strict=True))
    terms = expand(value, is_local)
    total = sum(
        reduce(lambda product, factor: product * Fraction(evaluate(factor, env)), monomial, Fraction(1))  # type: ignore[arg-type]
        for monomial in terms
    )
    assert total == evaluate(value, env)
    assert 0 < len(terms) <= MAX_PRODUCTS


@settings(max_examples=50, deadline=None, derandomize=True)
@given(values())
def test_local_values_stay_whole(value: Scalar) -> None:
    terms = expand(value, lambda _: True)
    assert terms in (((value,),), ((),))


def test_a_product_of_many_sums_stays_whole() -> None:
    factor = read_scalar("a + x", Scope(vars=TYPES))
    value = reduce(lambda left, right: sc.arith("*", left, right), [factor] * 8)
    assert expand(value, is_local) == ((value,),)
