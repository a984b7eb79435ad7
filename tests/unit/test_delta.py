"""The law of deltas: q after a change, minus q before it, is Δq; for flat and nested expressions alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Add, AggSum, Cond, Exists, Expr, Lift, Product, Rel, Value, outputs
from toastergen.frontend.calculus.delta import delta
from toastergen.frontend.calculus.simplify import clauses
from toastergen.frontend.interpret.agca import evaluate
from toastergen.frontend.m3 import Column, Relation
from toastergen.frontend.m3_text import Scope, read_expr
from toastergen.frontend.scalar import Var
from toastergen.frontend.types import LONG

NAMES = "wxyz"
Bag = dict[tuple[int, int], int]


def var(name: str) -> Var:
    return Var(name, LONG)


@st.composite
def relations(draw: st.DrawFn) -> Expr:
    return Rel(draw(st.sampled_from("rs")), tuple(var(draw(st.sampled_from(NAMES))) for _ in range(2)))


@st.composite
def exprs(draw: st.DrawFn, bound: frozenset[Var], depth: int, nested: bool) -> Expr:
    """An expression that can be evaluated with ``bound``; with lifts and Exists if ``nested``."""
    leaves = ["relation", "relation", *(["value", "test"] if bound else [])]
    inner = ["product", "product", "sum", "add", *(["lift", "group", "exists"] if nested else [])]
    kind = draw(st.sampled_from(inner if depth else leaves))
    match kind:
        case "relation":
            return draw(relations())
        case "value":
            return Value(draw(st.sampled_from(sorted(bound, key=str))))
        case "test":
            names = st.sampled_from(sorted(bound, key=str))
            return Cond(sc.Compare(draw(st.sampled_from(["=", "<", "<>"])), draw(names), draw(names)))
        case "product":
            return draw(_products(bound, depth, nested))
        case "add":
            return draw(_sums(bound, depth, nested))
        case "lift":
            body = AggSum((), draw(exprs(bound, depth - 1, nested)))
            return Lift(var(draw(st.sampled_from("mn"))), body)
        case "group":
            body = draw(relations())
            return Lift(var(draw(st.sampled_from("mn"))), body)
        case "exists":
            return Exists(draw(exprs(bound, depth - 1, nested)))
        case _:
            body = draw(exprs(bound, depth - 1, nested))
            kept = draw(st.lists(st.sampled_from(outputs(body)), unique=True)) if outputs(body) else []
            return AggSum(tuple(kept), body)


@st.composite
def _products(draw: st.DrawFn, bound: frozenset[Var], depth: int, nested: bool) -> Expr:
    terms: list[Expr] = []
    for _ in range(draw(st.integers(2, 3))):
        terms.append(draw(exprs(bound, depth - 1, nested)))
        bound |= set(outputs(terms[-1]))
    return Product(tuple(terms))


@st.composite
def _sums(draw: st.DrawFn, bound: frozenset[Var], depth: int, nested: bool) -> Expr:
    """Terms of a sum have the same columns: what they do not share is summed away."""
    terms = [draw(exprs(bound, depth - 1, nested)) for _ in range(2)]
    shared = tuple(column for column in outputs(terms[0]) if column in outputs(terms[1]))
    return Add(tuple(AggSum(shared, term) for term in terms))


def bags() -> st.SearchStrategy[Bag]:
    row = st.tuples(st.integers(0, 2), st.integers(0, 2))
    return st.dictionaries(row, st.integers(1, 2), max_size=4)


def changes() -> st.SearchStrategy[Bag]:
    row = st.tuples(st.integers(0, 2), st.integers(0, 2))
    return st.dictionaries(row, st.sampled_from([-2, -1, 1, 2]), max_size=3)


def check_law(query: Expr, database: Mapping[str, Bag], relation: str, change: Bag) -> None:
    after = {**database, relation: {**database[relation]}}
    for row, weight in change.items():
        after[relation][row] = after[relation].get(row, 0) + weight
    derived = delta(query, relation)
    found: Counter[object] = Counter()
    order = [outputs(derived).index(column) for column in outputs(query)] if not agca.is_zero(derived) else []
    for row, payload in evaluate(derived, database, deltas={relation: change}).items():
        found[tuple(row[index] for index in order)] += payload  # type: ignore[assignment]
    expected: Counter[object] = Counter()
    for row, payload in evaluate(query, after).items():
        expected[row] += payload  # type: ignore[assignment]
    for row, payload in evaluate(query, database).items():
        expected[row] -= payload  # type: ignore[assignment]
    assert {row: n for row, n in found.items() if n} == {row: n for row, n in expected.items() if n}


@settings(max_examples=150, deadline=None, derandomize=True)
@given(exprs(frozenset(), 3, nested=False), bags(), bags(), st.sampled_from("rs"), changes())
def test_flat_expressions(query: Expr, r: Bag, s: Bag, relation: str, change: Bag) -> None:
    check_law(query, {"r": r, "s": s}, relation, change)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(exprs(frozenset(), 3, nested=True), bags(), bags(), st.sampled_from("rs"), changes())
def test_nested_expressions(query: Expr, r: Bag, s: Bag, relation: str, change: Bag) -> None:
    check_law(query, {"r": r, "s": s}, relation, change)


SCOPE = Scope({name: Relation(name, (Column("a", LONG), Column("b", LONG))) for name in "rs"})

RULES = [
    ("s(x, y)", "[0L]"),
    ("r(x, y)", "(DELTA r)(x, y)"),
    ("r(x, y) * s(y, z)", "(DELTA r)(x, y) * s(y, z)"),
    ("r(x, y) * r(y, z)", "(DELTA r)(x, y) * r(y, z) + r(x, y) * (DELTA r)(y, z) + (DELTA r)(x, y) * (DELTA r)(y, z)"),
    ("AggSum([x], r(x, y) * [y])", "AggSum([x], (DELTA r)(x, y) * [y])"),
    ("AggSum([], s(x, y))", "[0L]"),
    ("(x := AggSum([], s(y, z)))", "[0L]"),
    ("Exists(r(x, y))", "Exists(r(x, y) + (DELTA r)(x, y)) + [-1L] * Exists(r(x, y))"),
]


@pytest.mark.parametrize(("text", "expected"), RULES, ids=[text for text, _ in RULES])
def test_rules(text: str, expected: str) -> None:
    assert delta(read_expr(text, SCOPE), "r") == read_expr(expected, SCOPE)


@pytest.mark.parametrize("aliases", [1, 2, 3, 4])
def test_a_self_join_has_a_clause_for_every_set_of_changed_aliases(aliases: int) -> None:
    join = Product(tuple(Rel("r", (var(f"x{i}"), var(f"x{i + 1}"))) for i in range(aliases)))
    found = clauses(delta(join, "r"))
    assert len(found) == len(set(found)) == 2**aliases - 1
