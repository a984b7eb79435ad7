"""Which maps and statements well-known queries compile to: the numbers that decide what an event costs."""

from __future__ import annotations

import pytest

from toastergen.codegen.cost import event_costs
from toastergen.codegen.lower import lower
from toastergen.codegen.passes.walk import nodes
from toastergen.codegen.plan import LOOPS, Block, ForEach, Slice
from toastergen.frontend.calculus.agca import Rel, children
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.m3 import DELETE, INSERT, Map, Program
from toastergen.frontend.m3_text import print_statement
from toastergen.frontend.maintain.hoivm import maintain
from toastergen.frontend.sql import read_script

THREE_WAY = """
CREATE STREAM r (a INT, b INT);
CREATE STREAM s (b INT, c INT);
CREATE STREAM t (c INT, d INT);
CREATE VIEW q AS SELECT r.b, COUNT(*) AS n FROM r, s, t WHERE r.b = s.b AND s.c = t.c GROUP BY r.b;
"""


def compiled(sql: str) -> Program:
    return maintain(translate(read_script(sql)))


def statements(program: Program, event: str, relation: str) -> list[str]:
    trigger = program.trigger(event, relation)
    assert trigger is not None
    return [print_statement(statement) for statement in trigger.statements]


def joined(item: Map) -> tuple[str, ...]:
    """The relations of a map's definition, once per occurrence."""

    def names(expr: object) -> list[str]:
        if isinstance(expr, Rel):
            return [expr.name]
        return [name for child in children(expr) for name in names(child)]  # type: ignore[arg-type]

    return tuple(sorted(names(item.slots[0].definition)))


def test_the_three_way_join_keeps_the_six_maps_of_the_recursive_example() -> None:
    program = compiled(THREE_WAY)
    shapes = {(joined(item), len(item.keys)) for item in program.maps}
    assert shapes == {
        (("r", "s", "t"), 1),  # Q by b
        (("s", "t"), 1),  # by b
        (("r", "s"), 2),  # by b, c
        (("r",), 1),  # by b
        (("s",), 2),  # by b, c
        (("t",), 1),  # by c
    }
    assert len(program.maps) == 6
    assert [slot.name for item in program.maps for slot in item.slots] == ["count"] * 6


def test_an_insert_into_r_is_the_listing_of_the_recursive_example() -> None:
    program = compiled(THREE_WAY)
    assert statements(program, INSERT, "r") == [
        "q.count[][b] += s_t_by_r_b.count[][b];",
        "r_s_by_r_b_s_c.count[][b, s_c] += s_by_r_b_s_c.count[][b, s_c];",
        "r_by_r_b.count[][b] += [1L];",
    ]
    assert len(statements(program, DELETE, "r")) == 3


def test_an_insert_into_the_middle_multiplies_two_lookups() -> None:
    program = compiled(THREE_WAY)
    assert statements(program, INSERT, "s") == [
        "q.count[][b] += r_by_r_b.count[][b] * t_by_s_c.count[][c];",
        "s_t_by_r_b.count[][b] += t_by_s_c.count[][c];",
        "r_s_by_r_b_s_c.count[][b, c] += r_by_r_b.count[][b];",
        "s_by_r_b_s_c.count[][b, c] += [1L];",
    ]


def chain(length: int) -> str:
    aliases = ", ".join(f"follower f{i}" for i in range(1, length + 1))
    links = [f"f{i}.followee = f{i + 1}.follower" for i in range(1, length)]
    where = " AND ".join([*links, f"f{length}.followee = t.author"])
    return f"""
        CREATE STREAM follower (follower INT, followee INT);
        CREATE STREAM tweet (tweetid INT, author INT);
        SELECT f1.follower, t.tweetid FROM {aliases}, tweet t WHERE {where};
    """


@pytest.mark.parametrize("length", [2, 3, 4, 5])
def test_a_chain_of_followers_needs_maps_in_proportion_to_its_length(length: int) -> None:
    program = compiled(chain(length))
    assert len(program.maps) == 2 * length + 1
    trigger = program.trigger(INSERT, "tweet")
    assert trigger is not None
    assert len({statement.target for statement in trigger.statements}) == length + 1


def test_a_long_chain_does_not_explode() -> None:
    assert len(compiled(chain(7)).maps) == 15


@pytest.mark.parametrize("length", [3, 4, 5])
def test_cycles_materialize_no_paths(length: int) -> None:
    aliases = ", ".join(f"e e{i}" for i in range(length))
    where = " AND ".join(f"e{i}.dst = e{(i + 1) % length}.src" for i in range(length))
    program = compiled(f"CREATE STREAM e (src INT, dst INT); SELECT COUNT(*) FROM {aliases} WHERE {where};")
    view, *others = program.maps
    assert joined(view) == ("e",) * length
    assert [joined(item) for item in others] == [("e",)]


def test_views_share_maps_and_slots() -> None:
    tables = "CREATE STREAM r (a INT, b INT); CREATE STREAM s (b INT, c INT);"
    alone = compiled(f"{tables} SELECT r.a, SUM(s.c) FROM r, s WHERE r.b = s.b GROUP BY r.a;")
    both = compiled(
        f"{tables} SELECT r.a, SUM(s.c) FROM r, s WHERE r.b = s.b GROUP BY r.a;"
        "SELECT y.a, COUNT(*), AVG(x.c) FROM s x, r y WHERE y.b = x.b GROUP BY y.a;"
    )
    assert len(both.maps) == len(alone.maps)
    assert len({view.map for view in both.views}) == 1


def test_constant_filters_move_into_every_map_that_sees_the_column() -> None:
    program = compiled(
        "CREATE STREAM r (a INT, b INT); CREATE STREAM s (b INT, c INT);"
        "SELECT COUNT(*) FROM r, s WHERE r.b = s.b AND r.b > 3 AND s.c = 1;"
    )
    for item in program.maps:
        assert "op='>'" in repr(item.slots[0].definition)


def test_a_cross_product_is_two_counters() -> None:
    program = compiled("CREATE STREAM r (a INT); CREATE STREAM s (b INT); SELECT COUNT(*) FROM r, s;")
    assert [len(item.keys) for item in program.maps] == [0, 0, 0]


ORDER_LINES = """
CREATE STREAM c (ck INT, seg VARCHAR);
CREATE STREAM o (ok INT, ck INT, day DATE);
CREATE STREAM l (ok INT, price DECIMAL(12,2));
SELECT l.ok, o.day, SUM(l.price) FROM c, o, l WHERE c.ck = o.ck AND o.ok = l.ok AND c.seg = 'B' GROUP BY l.ok, o.day;
"""


@pytest.mark.parametrize(("relation", "loops"), [("l", {Slice}), ("o", set()), ("c", {Slice})])
def test_no_event_of_a_chain_of_keys_scans_a_map(relation: str, loops: set[type]) -> None:
    """TPC-H's Q3: an order is lookups only, an order line walks the days of its order, a customer their orders."""
    plan = lower(compiled(ORDER_LINES))
    function = next(item for item in plan.functions if (item.event, item.relation) == (INSERT, relation))
    steps = [node.step for node in nodes(function.body) if isinstance(node, Block)]
    assert {type(step) for step in steps if isinstance(step, LOOPS)} == loops


# --- two programs of the thesis on DBToaster ----------------------------------------------------------------

LARGE_ORDERS = """
CREATE STREAM c (ck INT);
CREATE STREAM o (ck INT, ok INT);
CREATE STREAM li (ok INT, qty INT);
SELECT c.ck, SUM(li.qty) AS qty FROM c, o, li
WHERE c.ck = o.ck AND o.ok = li.ok AND 100 < (SELECT SUM(li1.qty) FROM li AS li1 WHERE li.ok = li1.ok) GROUP BY c.ck;
"""
PRICE_SPREAD = """
CREATE STREAM b (p DOUBLE, v DOUBLE);
CREATE STREAM a (p DOUBLE, v DOUBLE);
SELECT SUM(a.p - b.p) AS spread FROM a, b
WHERE b.v > (SELECT SUM(b1.v * 0.0001) FROM b b1) AND a.v > (SELECT SUM(a1.v * 0.0001) FROM a a1);
"""


def targets(program: Program, relation: str) -> set[tuple[tuple[str, ...], int]]:
    """The maps that an insert writes, by what they join and how many keys they have."""
    trigger = program.trigger(INSERT, relation)
    assert trigger is not None
    written = {statement.target for statement in trigger.statements}
    return {(joined(item), len(item.keys)) for item in program.maps if item.name in written}


def costs(program: Program) -> dict[str, str]:
    return {item.relation: item.cost for item in event_costs(lower(program)) if item.event == INSERT}


def test_the_simplified_q18_has_the_program_of_figure_3_3() -> None:
    """The six maps of the figure, with the same statements per event at the same cost; and one more map.

    The figure tests ``100 < x`` wherever it has looked x up in QO2. Here a subquery is a derived relation, whose rows
    come and go when a sum changes, and the test stands where they arrive: ``q_value_by_ok`` holds the orders that
    pass. It has at most as many records as QO2, replaces the second lookup in QO2 by one in a smaller map, and is
    written only when the sum of an order changes: no event has another class of cost than in the figure.
    """
    program = compiled(LARGE_ORDERS)
    total = (("c", "li", "o", "q_value"), 1)  # Q[CK]
    by_customer = (("li", "o", "q_value"), 1)  # QC[CK]
    customers, sums = (("c",), 1), (("li",), 1)  # QO1[CK], QO2[OK]
    pairs, orders = (("c", "o"), 2), (("o",), 2)  # QLI[CK,OK], QLI,C[CK,OK]
    passing = (("q_value",), 1)
    assert sorted((joined(item), len(item.keys)) for item in program.maps) == sorted(
        [total, by_customer, customers, sums, pairs, orders, passing]
    )
    assert targets(program, "c") == {total, pairs, customers}
    assert targets(program, "o") == {total, by_customer, pairs, orders}
    assert targets(program, "li") == {total, by_customer, sums}
    assert targets(program, "q_value") == {total, by_customer, passing}
    # An order is lookups; a customer walks their orders, a line the customers of its order: the loops of the figure.
    assert costs(program) == {"c": "O(slice)", "o": "O(1)", "li": "O(slice)", "q_value": "O(slice)"}


def test_psp_is_better_than_the_program_of_figure_3_4() -> None:
    """As many maps as in the figure, and a path through an ordered index where the figure scans four maps.

    Per book the figure keeps QB1 (prices by volume), QB2 (the total volume) and QB3 (orders by volume). QB1 and QB3
    are here two slots of one map; the third map holds the threshold as a row, because an event must know the one it
    replaces. The figure evaluates Q anew from all volumes, O(n) per event. Here the sums over volumes above a
    threshold are range sums, O(log n): one for the new order, and two each for the old and the new threshold.
    """
    program = compiled(PRICE_SPREAD)
    assert len(program.maps) == 7  # the result, and three for each book
    assert sorted((joined(item), len(item.keys)) for item in program.maps if len(joined(item)) == 1) == [
        (("a",), 0), (("a",), 1), (("b",), 0), (("b",), 1), (("q_value",), 1), (("q_value_1",), 1),
    ]  # fmt: skip
    by_volume = next(item for item in program.maps if joined(item) == ("b",) and item.keys)
    assert len(by_volume.slots) == 2
    assert set(costs(program).values()) == {"O(log n)"}
    plan = lower(program)
    steps = [node.step for function in plan.functions for node in nodes(function.body) if isinstance(node, Block)]
    scanned = {step.map for step in steps if isinstance(step, ForEach) and not plan.map(step.map).local}
    assert scanned == {item.name for item in program.maps if joined(item)[0].startswith("q_value")}  # of one row each
