"""What random search has found, made small: each script answered right after every step of its stream.

A find is ``found/NAME.sql``, whose first line says what was wrong, and ``found/NAME.stream``. Where the generated code
was to blame the line begins with ``-- native:``. ``tests/property/hunt.py --to`` writes such files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from oracle.fourway import FourWay
from oracle.reduce import apply, run
from toastergen.changes import Step, parse_stream

FOUND = Path(__file__).parent / "found"
NAMES = sorted(path.stem for path in FOUND.glob("*.sql"))


@pytest.mark.parametrize("name", NAMES)
def test_what_was_found_stays_mended(name: str) -> None:
    sql = (FOUND / f"{name}.sql").read_text()
    engines = FourWay(sql, name=f"found_{name}", native=sql.startswith("-- native:"))
    file = FOUND / f"{name}.stream"
    steps = parse_stream(file.read_text(), file.name, {item.name: item for item in engines.script.relations})
    engines.check()
    found = run(engines, steps)
    assert found is None, f"{found}\n{sql}"
    if "APPEND ONLY" in sql or "CREATE TABLE" in sql:
        return
    for relation in dict.fromkeys(step.relation for step in steps):
        rows = tuple(engines.duckdb.rows(relation))
        apply(engines, Step(relation, rows, (-1,) * len(rows), True))
        engines.check()
    engines.check_empty()


def test_every_find_has_its_stream() -> None:
    assert sorted(path.stem for path in FOUND.glob("*.stream")) == NAMES
