"""INCLUDE: paths, circles, and errors that name the right file."""

from __future__ import annotations

from pathlib import Path

import pytest

from toastergen.errors import ResolveError, SourceError, SqlSyntaxError, ToastergenError
from toastergen.frontend.sql import read_script


def script(folder: Path, text: str, **files: str) -> str:
    """Write ``files`` (``__`` stands for a folder), then read ``text`` as main.sql; what it declares."""
    for name, content in files.items():
        path = folder / f"{name.replace('__', '/')}.sql"
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    found = read_script(text, str(folder / "main.sql"))
    names = [f"{item.name}={item.source.path if item.source else None}" for item in found.relations]
    return " ".join([*names, *(query.name for query in found.queries)])


CSV = "FROM FILE '{}' LINE DELIMITED CSV"


def test_paths_are_meant_from_the_file_that_names_them(tmp_path: Path) -> None:
    found = script(
        tmp_path,
        "INCLUDE 'sub/r.sql'; SELECT a FROM r; include 's.sql';",
        sub__r=f"CREATE STREAM r (a INT) {CSV.format('../r.csv')}; INCLUDE 'deep.sql'",
        sub__deep=f"CREATE STREAM d (a INT) {CSV.format('d.csv')}; CREATE TABLE x (a INT) {CSV.format('/x.csv')};",
        s=f"CREATE STREAM s (a INT) {CSV.format('s.csv')};",
    )
    assert found == "r=sub/../r.csv d=sub/d.csv x=/x.csv s=s.csv q"


@pytest.mark.parametrize(
    ("sql", "broken", "kind", "message"),
    [
        ("INCLUDE 'b.sql';", "\n SELECT nope FROM r;", ResolveError, "b.sql:2:9: no column is called nope"),
        ("INCLUDE 'b.sql';", "CREATE STREAM s (a INT, a INT)", ResolveError, "b.sql:1:25: column a is declared twice"),
        ("INCLUDE 'b.sql';", "SELECT 'x", SqlSyntaxError, "b.sql:1:8: a quoted text or name is not closed"),
        ("INCLUDE 'b.sql'; SELECT nope FROM r", "", ResolveError, "main.sql:1:25: no column is called nope"),
        ("\nINCLUDE 'c.sql';", "", SourceError, "main.sql:2:9: cannot include"),
        ("INCLUDE;", "", SqlSyntaxError, "main.sql:1:8: INCLUDE names no file"),
        ("INCLUDE b;", "", SqlSyntaxError, "main.sql:1:9: INCLUDE names no file"),
        ("INCLUDE 'b.sql' x;", "", SqlSyntaxError, "main.sql:1:17: expected ; but found 'x'"),
        ("INCLUDE 'b.sql';", "INCLUDE 'main.sql'", ResolveError, "b.sql:1:9: main.sql includes itself: "),
        ("INCLUDE 'b.sql';", "INCLUDE 'b.sql'", ResolveError, "b.sql includes itself: main.sql → b.sql → b.sql"),
        ("INCLUDE 'b.sql'; INCLUDE './b.sql'", "", ResolveError, "main.sql:1:26: b.sql is included twice"),
    ],
)
def test_errors_name_their_file(
    tmp_path: Path, sql: str, broken: str, kind: type[ToastergenError], message: str
) -> None:
    (tmp_path / "main.sql").write_text(sql)
    with pytest.raises(ToastergenError) as caught:
        script(tmp_path, sql + "; CREATE STREAM r (a INT)", b=broken)
    assert type(caught.value) is kind
    assert message in str(caught.value)
    assert caught.value.hint


def test_text_that_is_not_utf8_cannot_be_included(tmp_path: Path) -> None:
    (tmp_path / "b.sql").write_bytes(b"-- \xff")
    with pytest.raises(SourceError, match="it is not UTF-8 text, see byte 3"):
        script(tmp_path, "INCLUDE 'b.sql'")
