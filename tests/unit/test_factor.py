"""Factors that share no variable are summed side by side instead of inside each other."""

from __future__ import annotations

from oracle.fourway import FourWay
from oracle.streams import Stream, wishes_of
from toastergen.codegen.lower import lower
from toastergen.codegen.plan import LOOPS, Block, Node, Total
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.m3 import INSERT, Program
from toastergen.frontend.m3_text import print_statement
from toastergen.frontend.maintain import STRATEGIES
from toastergen.frontend.sql import read_script

# Every fact leads on to a dimension of its own, so that no map of a fact alone can be kept under the film's key.
FILMS = """
CREATE STREAM film (id INT, year INT);
CREATE STREAM actor (film INT, person INT, pay DECIMAL(8,2));
CREATE STREAM person (id INT);
CREATE STREAM tag (film INT, word INT);
CREATE STREAM word (id INT);
CREATE STREAM maker (film INT, company INT, share DOUBLE);
CREATE STREAM company (id INT);
SELECT COUNT(*) AS n, SUM(a.pay) AS pay, SUM(m.share) AS share
FROM film f, actor a, person p, tag t, word w, maker m, company c
WHERE f.id = a.film AND a.person = p.id AND f.id = t.film AND t.word = w.id AND f.id = m.film AND m.company = c.id;
"""


def compiled(sql: str, mode: str) -> Program:
    return STRATEGIES[mode](translate(read_script(sql)))


def depth(body: tuple[Node, ...]) -> int:
    """How many loops stand inside each other."""
    found = 0
    for node in body:
        match node:
            case Block():
                found = max(found, isinstance(node.step, LOOPS) + depth(node.body))
            case Total():
                found = max(found, depth(node.body))
    return found


def test_the_facts_of_a_film_are_summed_one_after_the_other() -> None:
    program = compiled(FILMS, "ivm")
    trigger = program.trigger(INSERT, "film")
    assert trigger is not None
    assert [len(item.slots) for item in trigger.locals] == [2, 1, 2]  # counts, and the two values that are summed
    fills = [print_statement(statement) for statement in trigger.statements if statement.op == ":="]
    assert len(fills) == 5
    plan = lower(program)
    (function,) = (item for item in plan.functions if (item.event, item.relation) == (INSERT, "film"))
    assert depth(function.body) == 1


def test_two_slices_stay_inside_each_other() -> None:
    sql = FILMS.replace(", maker m, company c", "").replace(" AND f.id = m.film AND m.company = c.id", "")
    program = compiled(sql.replace(", SUM(m.share) AS share", ""), "ivm")
    assert not [trigger for trigger in program.triggers if trigger.event == INSERT and trigger.locals]


def test_the_answer_is_the_same() -> None:
    engines = FourWay(FILMS, native=False, mode="ivm")
    stream = Stream(engines.script.relations, 5, 0.1, wishes=wishes_of(engines.script), limit=5)
    seen = set()
    for step in range(60):
        if step % 3:
            engines.change(*stream.event())
        else:
            engines.batch(*stream.batch(3))
        engines.check()
        seen.add(engines.m3.view("q")[0][0])
    assert len(seen) > 2
