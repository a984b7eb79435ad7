"""Shapes that differ in names and order only share one map; shapes that differ in meaning never do."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Cond, Rel
from toastergen.frontend.calculus.program import Shape
from toastergen.frontend.maintain.canonical import canonical
from toastergen.frontend.scalar import Compare, Const, Var
from toastergen.frontend.types import INT


def var(name: str) -> Var:
    return Var(name, INT)


def shape(keys: str, *atoms: str, less: str = "") -> Shape:
    """``shape("x", "r:xy", "s:yz", less="xz")`` is r(x,y) * s(y,z) * {x < z} by x."""
    factors: list[agca.Rel | agca.Cond] = []
    for atom in atoms:
        name, variables = atom.split(":")
        factors.append(Rel(name, tuple(map(var, variables))))
    if less:
        factors.append(Cond(Compare("<", var(less[0]), var(less[1]))))
    return Shape(tuple(map(var, keys)), tuple(factors))


EQUAL = [
    (shape("x", "r:xy", "s:yz"), shape("p", "s:qw", "r:pq")),
    (shape("", "e:xy", "e:yz", "e:zx"), shape("", "e:bc", "e:ca", "e:ab")),
    (shape("x", "e:xy", "e:xz"), shape("x", "e:xz", "e:xy")),
    (shape("xz", "e:xy", "e:yz", less="xz"), shape("ac", "e:bc", "e:ab", less="ac")),
    (shape("", "r:xy", "r:zw"), shape("", "r:ab", "r:cd")),
]
DIFFERENT = [
    (shape("x", "r:xy"), shape("y", "r:xy")),
    (shape("x", "r:xy", "s:yz"), shape("x", "r:xy", "s:xz")),
    (shape("", "e:xy", "e:yz"), shape("", "e:xy", "e:zy")),
    (shape("xz", "e:xy", "e:yz", less="xz"), shape("xz", "e:xy", "e:yz", less="zx")),
    (shape("", "r:xx"), shape("", "r:xy")),
    (shape("x", "r:xy"), shape("xy", "r:xy")),
    (shape("", "r:xy"), shape("", "r:xy", "r:xy")),
    (shape("", "e:xy", "e:yx"), shape("", "e:xy", "e:xy")),
]


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_renamed_shapes_are_one(left: Shape, right: Shape) -> None:
    assert canonical(left)[0] == canonical(right)[0]


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_other_shapes_are_others(left: Shape, right: Shape) -> None:
    assert canonical(left)[0] != canonical(right)[0]


def test_constants_count() -> None:
    def only(value: int) -> Shape:
        return Shape((), (Rel("r", (var("x"),)), Cond(Compare("=", var("x"), Const(value, INT)))))

    assert canonical(only(1))[0] != canonical(only(2))[0]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.data())
def test_renaming_and_shuffling_never_split_a_shape(data: st.DataObject) -> None:
    names = "abcde"
    atoms = data.draw(st.lists(st.tuples(*[st.sampled_from(names)] * 2), min_size=1, max_size=4))
    used = sorted({name for atom in atoms for name in atom})
    keys = data.draw(st.lists(st.sampled_from(used), unique=True, max_size=2))
    first = shape("".join(keys), *(f"e:{x}{y}" for x, y in atoms))
    rng = random.Random(data.draw(st.integers(0, 1000)))
    other = dict(zip(used, rng.sample("pqrstu", len(used)), strict=True))
    mixed = rng.sample(atoms, len(atoms))
    second = shape(
        "".join(other[key] for key in rng.sample(keys, len(keys))), *(f"e:{other[x]}{other[y]}" for x, y in mixed)
    )
    text, order = canonical(first)
    other_text, other_order = canonical(second)
    assert text == other_text
    # The orders must describe an isomorphism, not just have the same length.
    mapping = dict(zip(order, other_order, strict=True))
    assert sorted(map(repr, (agca.rename(item, mapping) for item in first.factors))) == sorted(
        map(repr, second.factors)
    )
    assert {mapping[key] for key in first.keys} == set(second.keys)
