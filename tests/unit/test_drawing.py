"""``explain --html``: the page is well formed, complete, self-contained, the same every time, and text stays text."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from test_hostile import TEXTS

import toastergen as tg
from toastergen import cli, driver
from toastergen.drawing import html_page, html_picture
from toastergen.drawing.graph import Graph, graph_of
from toastergen.drawing.layout import Box, lay_out
from toastergen.drawing.picture import picture_of
from toastergen.frontend.m3_text import print_program

QUERIES = Path(__file__).parents[1] / "queries"
SVG = "{http://www.w3.org/2000/svg}"
XHTML = "{http://www.w3.org/1999/xhtml}"
SCRIPTS = ("joins", "nested_tpch_parts", "ends", "outer_joins", "grouping_sets", "inequalities", "windows")


def job_of(name: str) -> driver.Job:
    return driver.read_job(str(QUERIES / f"{name}.sql"))


def page_of(job: driver.Job) -> ElementTree.Element:
    text = html_page(job.program, job.plan, job.name)
    assert text.startswith("<!DOCTYPE html>\n")
    return ElementTree.fromstring(text)


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_node_and_edge_is_drawn(name: str) -> None:
    job = job_of(name)
    program, page = job.program, page_of(job)
    nodes = {node.get("data-node"): node for node in page.iter(f"{SVG}a")}
    names = [re.sub(r"\n.*", "", node.findtext(f"{SVG}title") or "") for node in nodes.values()]
    assert [text.split(" ")[-1] for text in names] == [
        *(item.name for item in program.relations),
        *(item.name for item in program.maps),
        *(item.name for item in program.views if not item.hidden),
    ]
    edges = [(edge.get("data-source"), edge.get("data-target")) for edge in page.iter(f"{SVG}path") if edge.get("d")]
    drawn = [edge for edge in edges if edge[0]]
    graph = graph_of(program, job.plan)
    assert drawn == [(edge.source, edge.target) for edge in graph.edges]
    assert {end for edge in drawn for end in edge} <= set(nodes)
    for trigger in program.triggers:
        source = f"relation-{program.relations.index(program.relation(trigger.relation))}"
        local = {item.name for item in trigger.locals}
        for statement in trigger.statements:
            if statement.target not in local:
                assert (source, f"map-{program.maps.index(program.map(statement.target))}") in drawn


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_program_stands_beside_it_and_every_link_leads_somewhere(name: str) -> None:
    job = job_of(name)
    page = page_of(job)
    text = next(item for item in page.iter(f"{XHTML}pre"))
    lines = [line for line in "".join(text.itertext()).split("\n") if line]
    assert lines == [line for line in print_program(job.program).split("\n") if line]
    ids = [item.get("id") for item in page.iter() if item.get("id")]
    assert len(ids) == len(set(ids))
    links = {item.get("href") for item in page.iter() if item.get("href")}
    assert {link[1:] for link in links if link} <= set(ids)


def test_costs_are_a_table_of_views_and_relations() -> None:
    job = job_of("inequalities")
    table = next(item for item in page_of(job).iter(f"{XHTML}table") if item.get("class") == "costs")
    rows = [["".join(cell.itertext()) for cell in row] for row in table.iter(f"{XHTML}tr")]
    assert rows[0] == ["view", "bid", "ask"]
    assert ["unequal", "O(map)", "O(map)"] in rows
    assert ["below", "O(log n)", "O(log n)"] in rows


def test_the_page_needs_nothing_from_outside_and_is_the_same_every_time() -> None:
    one, two = (html_page(job.program, job.plan, "q") for job in (job_of("ends"), job_of("ends")))
    assert one == two
    outside = re.sub(r"http://www\.w3\.org/(2000/svg|1999/xhtml)", "", one)
    for word in ("http:", "https:", "//cdn", "@import", "src=", "<link", "url(" + "h"):
        assert word not in outside


def test_hostile_names_stay_text() -> None:
    hostile = [*TEXTS, "<script>alert(1)</script>", "</style></script><b>", "a&amp;b", '"onload="x', "]]>", "\u202e<i>"]
    columns, relation = ", ".join(f"{quoted(text)} INT" for text in hostile), quoted("r <b>")
    views = "".join(
        f"CREATE VIEW {quoted(text)} AS SELECT {quoted(text)}, COUNT(*) AS {quoted('n' + text)} FROM {relation}"
        f" WHERE '{text.replace(chr(39), chr(39) * 2)}' <> 'x' GROUP BY {quoted(text)};\n"
        for text in hostile
    )
    job = driver.Job(f"CREATE STREAM {relation} ({columns});{views}", "<title></title>")
    clean = {element.tag for element in page_of(job_of("joins")).iter()} | {f"{XHTML}br"}
    page = page_of(job)
    assert {element.tag for element in page.iter()} <= clean
    assert len(list(page.iter(f"{XHTML}script"))) == 1
    titles = "".join("".join(item.itertext()) for item in page.iter(f"{SVG}title"))
    assert "<script>alert(1)</script>" in titles
    ElementTree.fromstring(html_picture(job.program, job.plan, job.name))


# -- layout ------------------------------------------------------------------------------------------------------------


def graphs() -> list[Graph]:
    return [graph_of(job.program, job.plan) for job in map(job_of, SCRIPTS)]


def test_boxes_do_not_overlap_and_edges_go_right() -> None:
    for graph in graphs():
        picture = picture_of(graph)
        boxes = {drawn.node.id: drawn for drawn in picture.nodes}
        columns: dict[float, list[tuple[float, float]]] = {}
        for box in boxes.values():
            columns.setdefault(box.x, []).append((box.y, box.y + box.height))
            assert 0 <= box.x <= box.x + box.width <= picture.width
            assert 0 <= box.y <= box.y + box.height <= picture.height
        for column in columns.values():
            assert all(above[1] < below[0] for above, below in pairwise(sorted(column)))
        for edge in graph.edges:
            assert boxes[edge.source].x + boxes[edge.source].width < boxes[edge.target].x


def test_a_layout_of_a_crossing_has_none() -> None:
    names = ("a", "b", "c", "d")
    layout = lay_out({name: Box(10, 10) for name in names}, [("a", "d"), ("b", "c")])
    placed = layout.boxes
    assert (placed["a"].y < placed["b"].y) == (placed["d"].y < placed["c"].y)


def test_a_cycle_is_laid_out_too() -> None:
    """Programs written by hand may read in a circle; some edge then goes to the left."""
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "c")]
    layout = lay_out({name: Box(10, 10) for name in "abc"}, edges)
    assert len({box.x for box in layout.boxes.values()}) == 3
    assert set(layout.paths) == set(edges[:3])
    for (source, target), path in layout.paths.items():
        ends = layout.boxes[source], layout.boxes[target]
        assert [path[0][0], path[-1][0]] in ([ends[0].x + 10, ends[1].x], [ends[0].x, ends[1].x + 10])


def test_nothing_at_all_is_laid_out() -> None:
    assert lay_out({}, []).boxes == {}


# -- command and notebooks ---------------------------------------------------------------------------------------------


def test_the_command_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, page = tmp_path / "q.sql", tmp_path / "q.html"
    script.write_text("CREATE STREAM r (a INT); SELECT COUNT(*) AS n FROM r;")
    assert cli.main(["explain", str(script), "--html", str(page)]) == 0
    assert capsys.readouterr().out == ""
    assert cli.main(["explain", str(script), "--html"]) == 0
    assert capsys.readouterr().out == page.read_text()
    assert cli.main(["explain", str(script), "--html", "-o", str(tmp_path / "again.html")]) == 0
    assert (tmp_path / "again.html").read_text() == page.read_text()
    assert cli.main(["explain", str(script), "-o", str(tmp_path / "q.txt")]) == 0
    assert (tmp_path / "q.txt").read_text().startswith("1 map, 1 view")


def test_no_program_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "q.sql"
    script.write_text("CREATE STREAM r (a INT); SELECT COUNT(*) AS n FROM r;")
    assert cli.main(["explain", str(script), "--html", str(script)]) == 1
    assert "would be overwritten" in capsys.readouterr().err
    assert cli.main(["explain", str(script), "--html", str(tmp_path / "no" / "q.html")]) == 2
    assert "next: choose another file" in capsys.readouterr().err


def test_notebooks_show_programs() -> None:
    program = tg.compile("SELECT a, COUNT(*) AS n FROM r GROUP BY a", {"r": {"a": "INT"}})
    assert ElementTree.fromstring(program._repr_html_()).tag == "div"
    assert program.explain_html() == program.explain_html()
