"""One clause of a delta taken apart: which relations share a map, what is swallowed, what stays, what becomes a key."""

from __future__ import annotations

from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus.agca import Cond, Delta, Expr, Lift, Rel, Value
from toastergen.frontend.maintain.decompose import Clause, decompose, split_values
from toastergen.frontend.maintain.hypergraph import is_acyclic
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.types import LONG


def var(name: str) -> Var:
    return Var(name, LONG)


def rel(name: str, columns: str) -> Rel:
    return Rel(name, tuple(map(var, columns)))


def change(name: str, columns: str) -> Delta:
    return Delta(name, tuple(map(var, columns)))


def less(left: str, right: str) -> Cond:
    return Cond(sc.Compare("<", var(left), var(right)))


def apart(*factors: Expr, keys: str = "", values: tuple[Scalar, ...] = ()) -> Clause:
    return decompose(factors, tuple(map(var, keys)), [(values,)])


def maps(clause: Clause) -> list[tuple[str, str]]:
    """The relations and keys of every map."""
    return [
        (
            "".join(item.name for item in component.factors if isinstance(item, Rel)),
            "".join(sorted(key.name for key in keys)),
        )
        for component, keys in zip(clause.components, clause.keys, strict=True)
    ]


def test_relations_on_both_sides_of_the_change_are_two_maps() -> None:
    assert maps(apart(rel("r", "ab"), change("s", "bc"), rel("t", "cd"))) == [("r", "b"), ("t", "c")]


def test_relations_on_one_side_of_the_change_are_one_map() -> None:
    assert maps(apart(change("r", "ab"), rel("s", "bc"), rel("t", "cd"))) == [("st", "b")]


def test_outputs_become_keys() -> None:
    assert maps(apart(change("r", "ab"), rel("s", "bc"), rel("t", "cd"), keys="ad")) == [("st", "bd")]


def test_a_condition_inside_one_map_is_swallowed() -> None:
    clause = apart(change("r", "ab"), rel("s", "bc"), rel("t", "cd"), less("c", "d"))
    assert maps(clause) == [("st", "b")]
    assert clause.rest == ()
    assert less("c", "d") in clause.components[0].factors


def test_a_condition_on_the_event_guards_the_statement() -> None:
    clause = apart(change("r", "ab"), rel("s", "bc"), less("a", "b"))
    assert clause.rest == (less("a", "b"),)
    assert less("a", "b") not in clause.components[0].factors


def test_a_condition_the_event_and_the_map_both_see_filters_both() -> None:
    clause = apart(change("r", "ab"), rel("s", "ab"), less("a", "b"))
    assert clause.rest == (less("a", "b"),)
    assert less("a", "b") in clause.components[0].factors


def test_a_condition_between_event_and_map_makes_its_column_a_key() -> None:
    clause = apart(change("r", "ab"), rel("s", "bc"), less("a", "c"))
    assert maps(clause) == [("s", "bc")]
    assert clause.rest == (less("a", "c"),)


def test_a_condition_between_two_maps_makes_both_columns_keys() -> None:
    clause = apart(rel("r", "ab"), change("s", "bc"), rel("t", "cd"), less("a", "d"))
    assert maps(clause) == [("r", "ab"), ("t", "cd")]
    assert clause.rest == (less("a", "d"),)


def test_values_go_to_the_map_that_binds_them() -> None:
    a, c, d = var("a"), var("c"), var("d")
    product = sc.Arith("*", c, d, LONG)
    values: tuple[Scalar, ...] = (a, product)
    clause = apart(change("r", "ab"), rel("s", "bc"), rel("t", "cd"), values=values)
    assert maps(clause) == [("st", "b")]
    assert split_values(clause, values) == ([a], [[product]])


def test_a_value_over_event_and_map_keeps_its_column_as_a_key() -> None:
    total = sc.Arith("+", var("a"), var("c"), LONG)
    clause = apart(change("r", "ab"), rel("s", "bc"), values=(total,))
    assert maps(clause) == [("s", "bc")]
    assert split_values(clause, (total,)) == ([total], [[]])


def test_a_lift_follows_the_columns_it_reads() -> None:
    key = Lift(var("k"), Value(sc.Arith("+", var("c"), var("d"), LONG)))
    clause = apart(change("r", "ab"), rel("s", "bcd"), key, keys="k")
    assert maps(clause) == [("s", "bk")]
    assert clause.rest == ()


def test_a_lift_over_the_event_binds_for_the_maps() -> None:
    """r.a + 1 = s.k with r changed: the lifted key is known, so s is looked up by it."""
    key = Lift(var("k"), Value(sc.Arith("+", var("a"), sc.ONE, LONG)))
    clause = apart(change("r", "ab"), rel("s", "kc"), key)
    assert maps(clause) == [("s", "k")]
    assert key in clause.rest


def test_the_paths_of_a_cycle_are_not_joined() -> None:
    clause = apart(change("e", "ab"), rel("f", "bc"), rel("g", "ca"))
    assert maps(clause) == [("f", "bc"), ("g", "ac")]


def test_a_cycle_through_a_column_of_the_event_is_split() -> None:
    clause = apart(change("r", "xa"), rel("f", "ab"), rel("g", "bc"), rel("h", "ca"))
    assert maps(clause) == [("f", "ab"), ("g", "bc"), ("h", "ac")]


def test_a_cycle_beyond_the_event_stays_whole() -> None:
    clause = apart(change("r", "xa"), rel("s", "ab"), rel("f", "bc"), rel("g", "cd"), rel("h", "db"))
    assert maps(clause) == [("sfgh", "a")]


def test_several_changed_aliases_bind_together() -> None:
    clause = apart(change("e", "ab"), rel("e", "bc"), change("e", "cd"))
    assert maps(clause) == [("e", "bc")]
    assert len(clause.deltas) == 2


def test_acyclicity() -> None:
    def edges(*names: str) -> list[set[Var]]:
        return [set(map(var, name)) for name in names]

    assert is_acyclic(edges("ab", "bc", "cd"))
    assert is_acyclic(edges("abc", "ab", "bc", "ca"))
    assert is_acyclic(edges("ab", "cd"))
    assert not is_acyclic(edges("ab", "bc", "ca"))
    assert not is_acyclic(edges("ab", "bc", "cd", "da"))
    assert not is_acyclic(edges("ab", "bc", "ca", "xy"))
