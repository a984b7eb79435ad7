"""How views are kept, event by event, and what --strict makes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import toastergen as tg
from toastergen import cli, driver
from toastergen.codegen.cost import event_costs
from toastergen.codegen.upkeep import EventUpkeep, view_upkeep
from toastergen.errors import StrictError
from toastergen.frontend.sql.view_texts import view_texts

TABLES = """\
CREATE STREAM r (a INT, b INT);
CREATE STREAM s (b INT, c INT);
CREATE STREAM t (c INT, d INT);
"""
CHAIN = "CREATE VIEW v AS SELECT r.a, SUM(d) AS x FROM r, s, t WHERE r.b = s.b AND s.c = t.c GROUP BY r.a;"
BELOW = "CREATE VIEW w AS SELECT COUNT(*) AS n FROM r, s WHERE r.b < s.b;"
UNLIKE = "CREATE VIEW w AS SELECT COUNT(*) AS n FROM r, s WHERE r.b <> s.b;"
EXISTS = "CREATE VIEW e AS SELECT a FROM r WHERE EXISTS (SELECT 1 FROM s WHERE s.b = r.b);"
ABOVE_SUM = "CREATE VIEW g AS SELECT b FROM r WHERE a > (SELECT SUM(d) FROM t);"


def job(*views: str, mode: str = "hoivm") -> driver.Job:
    return driver.Job(TABLES + "\n".join(views), "q", "q.sql", mode)


def upkeep(view: str, *, mode: str = "hoivm", beside: tuple[str, ...] = ()) -> dict[tuple[str, str], EventUpkeep]:
    found = view_upkeep(job(view, *beside, mode=mode).plan)[0]
    return {(event.event, event.relation): event for event in found.events}


def test_a_chain_visits_slices_and_says_for_which_map() -> None:
    events = upkeep(CHAIN)
    assert {event.how for event in events.values()} == {"incremental"}
    assert {event.cost for event in events.values()} == {"O(slice)"}
    first = events["insert", "r"]
    assert first.reads == ("s_t_by_r_b", "s_by_r_b_s_c")
    assert first.reason == "visits the matching records of s_by_r_b_s_c by r_b (to keep r_s_by_a_s_c)"


def test_a_threshold_costs_a_path() -> None:
    events = upkeep(BELOW)
    assert {event.cost for event in events.values()} == {"O(log n)"}
    assert events["insert", "r"].reason == "finds its place in the order of s_by_s_b by s_b"


def test_a_view_pays_only_for_its_own_maps() -> None:
    """Beside a view that scans, a cheap one stays cheap: the event as a whole does not."""
    alone, beside = upkeep(EXISTS), upkeep(EXISTS, beside=(UNLIKE,))
    assert alone["insert", "r"].cost == beside["insert", "r"].cost == "O(1)"
    assert event_costs(job(EXISTS, UNLIKE).plan)[0].cost == "O(map)"


def test_an_event_that_changes_nothing_for_a_view_says_so() -> None:
    event = upkeep(UNLIKE, beside=(CHAIN,))["insert", "t"]
    assert (event.how, event.cost, event.reads) == ("unaffected", "O(1)", ())


def test_what_a_derived_relation_sets_off_counts() -> None:
    """The trigger of t only adds to a sum. What follows from a new sum looks at every row of r."""
    events = upkeep(ABOVE_SUM)
    assert events["insert", "t"].cost == "O(map)"
    assert events["insert", "t"].reason.startswith("a change of g_value scans all of r_by_a_b:")
    costs = {(cost.event, cost.relation): cost for cost in event_costs(job(ABOVE_SUM).plan)}
    assert costs["insert", "t"].cost == costs["batch", "t"].cost == "O(map)"
    assert upkeep(EXISTS)["delete", "s"].cost == "O(slice)"


def test_the_one_row_of_a_scalar_subquery_is_no_scan() -> None:
    event = upkeep(ABOVE_SUM)["insert", "r"]
    assert event.cost == "O(1)"
    assert event.reason == "only lookups, and one record at most of g_value_by_sum_d"


def test_the_ends_of_groups_are_found_in_an_ordered_index() -> None:
    event = upkeep("CREATE VIEW m AS SELECT a, MIN(b) AS low FROM r GROUP BY a;")["delete", "r"]
    assert (event.how, event.cost) == ("incremental", "O(log n)")
    assert event.reason.startswith("keeps an ordered index to find the first of m_values_first")


def test_the_end_of_everything_is_one_row() -> None:
    """MIN without groups is joined with nothing but one row: no scan, and --strict takes it."""
    events = upkeep("CREATE VIEW m AS SELECT MIN(b) AS low, MAX(a) AS high, COUNT(*) AS n FROM r;")
    assert {event.cost for event in events.values()} == {"O(log n)"}


def test_a_view_pays_for_the_ends_that_it_shows_only() -> None:
    """Both views keep one map of b by a; only one of them looks for its least."""
    least = "CREATE VIEW m AS SELECT a, MIN(b) AS low FROM r GROUP BY a;"
    assert upkeep("CREATE VIEW d AS SELECT DISTINCT a, b FROM r;", beside=(least,))["insert", "r"].cost == "O(1)"


def test_rows_and_batches_read_the_same_maps_in_the_same_order() -> None:
    events = upkeep("CREATE VIEW l AS SELECT r.a, s.c FROM r LEFT JOIN s ON r.b = s.b AND s.c > r.a;")
    assert events["insert", "r"].reads == events["batch", "r"].reads
    assert events["insert", "r"].reason == events["batch", "r"].reason


def test_a_view_that_is_computed_anew_is_called_re_evaluated() -> None:
    event = upkeep(CHAIN, mode="reeval")["delete", "s"]
    assert (event.how, event.cost) == ("re-evaluated", "O(map)")
    assert event.reason.startswith("v is emptied and computed anew from ")


# -- strict ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "q.sql"


@pytest.mark.parametrize("command", ["build", "run", "explain"])
def test_strict_names_view_event_relation_and_reason(
    command: str, script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text(f"{TABLES}{CHAIN}\n{UNLIKE}\n")
    assert cli.main([command, str(script), "--strict"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"{script}:5:1: --strict refuses the view w: an event costs more the more is stored\n"
        "  on + - batch r: O(map), scans all of s_by_s_b: no column of it is known from the event\n"
        "  on + - batch s: O(map), scans all of r_by_r_b: no column of it is known from the event\n"
        f"    {UNLIKE}\n"
        "    ^^^^^^^^^^^^^\n"
        "  next: join by equality or compare with a constant instead, or leave out --strict\n"
    )


def test_strict_takes_slices(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text(f"{TABLES}{CHAIN}\n{EXISTS}\n")
    assert cli.main(["explain", str(script), "--strict", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    views = {view["name"]: view for view in data["views"] if not view["hidden"]}
    assert [event["cost"] for event in views["e"]["events"] if event["relation"] == "s"] == ["O(slice)"] * 3


def test_strict_refuses_re_evaluation(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text(f"{TABLES}SELECT COUNT(*) AS n FROM r, s WHERE r.b = s.b;")
    assert cli.main(["explain", str(script), "--strict", "--mode=reeval"]) == 1
    err = capsys.readouterr().err
    assert "refuses the view q" in err
    assert "re-evaluated, q is emptied and computed anew from r_by_r_b, s_by_r_b" in err
    assert cli.main(["explain", str(script), "--strict"]) == 0


def test_strict_in_python() -> None:
    with pytest.raises(StrictError, match="refuses the view w"):
        tg.compile(TABLES + UNLIKE).build(strict=True)


def test_strict_reads_programs_in_m3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "q.m3"
    program.write_text(driver.show(job(UNLIKE), "m3"))
    assert cli.main(["explain", str(program), "--strict"]) == 1
    assert f"{program}: --strict refuses the view w" in capsys.readouterr().err


# -- the text of views -------------------------------------------------------------------------------------------------


def test_the_text_of_a_view_is_its_query() -> None:
    texts = view_texts(
        "CREATE STREAM r (a INT);\nCREATE VIEW \"as\" AS WITH x AS (SELECT a FROM r LIMIT 1) SELECT a FROM x"
        " ORDER BY a LIMIT 3 OFFSET 1;\nSELECT 'LIMIT 2;' AS a FROM r; (SELECT a FROM r) UNION ALL (SELECT a FROM r)"
    )
    assert [text.select for text in texts] == [
        "WITH x AS (SELECT a FROM r LIMIT 1) SELECT a FROM x ORDER BY a LIMIT 3 OFFSET 1",
        "SELECT 'LIMIT 2;' AS a FROM r",
        "(SELECT a FROM r) UNION ALL (SELECT a FROM r)",
    ]
    assert texts[0].uncut == "WITH x AS (SELECT a FROM r LIMIT 1) SELECT a FROM x ORDER BY a "
    assert [text.uncut for text in texts[1:]] == [text.select for text in texts[1:]]
    assert [(text.span.line, text.span.column) for text in texts] == [(2, 1), (3, 1), (3, 32)]


def test_a_window_costs_its_partition() -> None:
    event = upkeep("CREATE VIEW v AS SELECT a, RANK() OVER (PARTITION BY a ORDER BY b) AS n FROM r;")["insert", "r"]
    assert (event.how, event.cost) == ("incremental", "O(partition)")
    expected = "re-evaluates the partition of v_window by a, from the first row that can differ (to keep v_rows)"
    assert event.reason == expected
    assert not event.grows


def test_strict_refuses_a_window_of_everything() -> None:
    whole = "CREATE VIEW v AS SELECT a, RANK() OVER (ORDER BY b) AS n FROM r;"
    assert upkeep(whole)["insert", "r"].cost == "O(map)"
    with pytest.raises(StrictError, match="it has no PARTITION BY") as caught:
        tg.compile(TABLES + whole).build(strict=True)
    assert caught.value.hint == "add PARTITION BY to the window, or leave out --strict"


def test_a_window_over_the_one_row_of_a_query_is_no_scan() -> None:
    event = upkeep("CREATE VIEW v AS SELECT SUM(a) AS t, COUNT(*) OVER () AS n FROM r;")["insert", "r"]
    assert event.cost == "O(1)"
