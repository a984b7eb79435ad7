"""What every stage makes of a few tiny queries, word for word: a change of the compiler shows itself in a diff.

``pytest tests/unit/test_golden.py --update-golden`` rewrites the files; read the diff before committing it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from toastergen import driver

FOLDER = Path(__file__).parents[1] / "golden"
QUERIES = sorted(path.stem for path in FOLDER.glob("*.sql"))
SUFFIXES = {"resolved": "resolved.txt", "agca": "agca.txt", "m3": "m3", "plan": "plan.txt", "cpp": "cpp"}


def stage_text(job: driver.Job, stage: str) -> str:
    if stage != "cpp":
        return driver.show(job, stage)
    # The rest of the file is the same frame for every query; it is compiled and run by other tests.
    source = job.sources["engine.cpp"]
    return source[: source.index("void engine::apply_row(")].rstrip() + "\n"


def golden_file(query: str, stage: str) -> Path:
    return FOLDER / f"{query}.{SUFFIXES[stage]}"


@pytest.mark.parametrize("stage", driver.STAGE_NAMES)
@pytest.mark.parametrize("query", QUERIES)
def test_stage_is_as_before(query: str, stage: str, update_golden: bool) -> None:
    # The file's name stays out of the job: no stage may depend on where a query lies.
    job = driver.Job((FOLDER / f"{query}.sql").read_text(), query)
    found = stage_text(job, stage)
    path = golden_file(query, stage)
    if update_golden:
        path.write_text(found)
    assert found == path.read_text(), f"{path.name} differs; look at it, then run pytest with --update-golden"


def test_no_golden_file_is_left_over() -> None:
    expected = {golden_file(query, stage) for query in QUERIES for stage in driver.STAGE_NAMES}
    assert {path for path in FOLDER.iterdir() if path.suffix != ".sql"} == expected


@pytest.mark.parametrize("query", QUERIES)
def test_m3_text_of_a_golden_file_is_a_program_of_its_own(query: str) -> None:
    """The second half of the compiler takes the golden text and makes the same plan of it."""
    text = golden_file(query, "m3").read_text()
    from_text = driver.Job(text, query, f"{query}.m3")
    assert driver.show(from_text, "plan") == golden_file(query, "plan").read_text()
