"""What each strategy keeps, and that the number of maps stays in hand as joins grow."""

from __future__ import annotations

import pytest

from toastergen.errors import UnsupportedSql
from toastergen.frontend import m3
from toastergen.frontend.calculus.agca import relations
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.check import check_program
from toastergen.frontend.maintain import STRATEGIES
from toastergen.frontend.sql import read_script


def compiled(sql: str, mode: str = "hoivm") -> m3.Program:
    program = STRATEGIES[mode](translate(read_script(sql)))
    check_program(program)
    return program


def star(dimensions: int) -> str:
    keys = range(dimensions)
    fact = f"CREATE STREAM f ({', '.join(f'k{i} INT' for i in keys)}, v INT);"
    tables = "".join(f"CREATE STREAM d{i} (k{i} INT, x{i} INT);" for i in keys)
    joins = " AND ".join(f"f.k{i} = d{i}.k{i} AND d{i}.x{i} > {i}" for i in keys)
    return f"{fact}{tables} SELECT x0, SUM(v * x1) FROM f, {', '.join(f'd{i}' for i in keys)} WHERE {joins} GROUP BY x0"


def chain(length: int) -> str:
    tables = "".join(f"CREATE STREAM r{i} (a{i} INT, a{i + 1} INT);" for i in range(length))
    joins = " AND ".join(f"r{i}.a{i + 1} = r{i + 1}.a{i + 1}" for i in range(length - 1))
    return f"{tables} SELECT COUNT(*) FROM {', '.join(f'r{i}' for i in range(length))} WHERE {joins}"


def aliases(count: int) -> str:
    joins = " AND ".join(f"r{i}.b = r{i + 1}.a" for i in range(count - 1))
    sources = ", ".join(f"r r{i}" for i in range(count))
    return f"CREATE STREAM r (a INT, b INT); SELECT COUNT(*) FROM {sources} WHERE {joins}"


def joined(program: m3.Program) -> list[str]:
    """Maps over more than one relation, the views aside."""
    shown = {view.map for view in program.views}
    return [
        item.name
        for item in program.maps
        if item.name not in shown and len(relations(item.slots[0].definition)) > 1
    ]


@pytest.mark.parametrize("dimensions", [4, 6, 8, 11])
def test_maps_of_a_star_grow_with_its_dimensions_not_their_subsets(dimensions: int) -> None:
    assert len(compiled(star(dimensions)).maps) <= 2 * (dimensions + 1) + 2


@pytest.mark.parametrize("length", [3, 6, 12])
def test_a_chain_keeps_one_map_per_stretch(length: int) -> None:
    assert len(compiled(chain(length)).maps) == length * (length + 1) // 2


def test_ivm_keeps_single_relations_beside_the_views() -> None:
    assert joined(compiled(star(4), "ivm")) == []
    assert joined(compiled(star(4))) != []


def test_reeval_replaces_the_view_after_the_base_maps_have_changed() -> None:
    program = compiled(chain(3), "reeval")
    trigger = program.trigger(m3.INSERT, "r0")
    assert trigger is not None
    assert [statement.op for statement in trigger.statements] == ["+=", ":="]


def test_too_many_aliases_are_refused() -> None:
    compiled(aliases(6))
    with pytest.raises(UnsupportedSql, match="reads r 9 times"):
        compiled(aliases(9))


# -- viewlets ----------------------------------------------------------------------------------------------------------


def test_viewlets_store_what_is_left_of_a_delta_whole() -> None:
    """The middle of a chain leaves two relations that have nothing in common: hoivm keeps two maps, viewlets one."""
    program = compiled(chain(3), "viewlet")
    definitions = {frozenset(relations(item.slots[0].definition)) for item in program.maps}
    assert frozenset(("r0", "r2")) in definitions
    assert frozenset(("r0", "r2")) not in {
        frozenset(relations(item.slots[0].definition)) for item in compiled(chain(3)).maps
    }


def test_viewlets_of_a_chain_are_its_subsets() -> None:
    assert len(compiled(chain(4), "viewlet").maps) == 2**4 - 1


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("SELECT COUNT(*) FROM r, s WHERE r.b < s.b", "{r_b < s_b} depends on r_b"),
        ("SELECT SUM(CASE WHEN r.a > s.c THEN 1 ELSE 2 END) FROM r, s WHERE r.b = s.b", "depends on "),
        ("SELECT r.a + s.c, COUNT(*) FROM r, s WHERE r.b = s.b GROUP BY r.a + s.c", "depends on "),
    ],
)
def test_deltas_with_input_variables_have_no_viewlets(query: str, part: str) -> None:
    with pytest.raises(UnsupportedSql, match="view q has no viewlets: on a change of r") as caught:
        compiled(f"CREATE STREAM r (a INT, b INT); CREATE STREAM s (b INT, c INT); {query}", "viewlet")
    assert part in str(caught.value)
    assert "hoivm" in (caught.value.hint or "")


def test_too_many_viewlets_are_refused() -> None:
    with pytest.raises(UnsupportedSql, match="more than 600 viewlets"):
        compiled(chain(12), "viewlet")
