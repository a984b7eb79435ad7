"""Names and texts that want to become C++: the engine compiles without a warning and answers what DuckDB answers."""

from __future__ import annotations

import json
import re
import subprocess
from itertools import combinations
from pathlib import Path

import pytest

from oracle.duck import quoted
from oracle.fourway import FourWay
from oracle.streams import Stream
from toastergen.codegen import cpp_names, names
from toastergen.codegen.build import BuildOptions, build_engine, runtime_include
from toastergen.codegen.emit import emit
from toastergen.codegen.lower import lower
from toastergen.codegen.toolchain import find_compiler
from toastergen.errors import M3Error, ResolveError
from toastergen.frontend.m3_text import read_program

TEXTS = (
    'a"b',
    '*/ system("x"); /*',
    "line\nbreak",
    "ends in a backslash\\",
    "??/",
    "%s%n",
    "größe 表 🍞",
    "{{ x }} {% raw %}",
    "'; DROP TABLE r; --",
    "// comment \\",
    "#include <nowhere>",
    "\t",
    "${HOME} `id`",
)


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def exercise(four: FourWay, steps: int = 30) -> None:
    """Single rows, batches and deleting everything, compared all the way."""
    stream = Stream(four.program.relations, seed=7)
    for _ in range(steps):
        four.change(*stream.event())
    four.check()
    for _ in range(4):
        four.batch(*stream.batch(6))
        four.check()
    for relation, row in stream.drain():
        four.change(relation, row, -1)
    four.check()
    four.check_empty()


def test_words_of_cpp_and_of_the_generated_code_are_plain_columns() -> None:
    columns = [
        "int", "int_", "int__", "class", "template", "errno", "std", "tg", "record", "row", "rows", "count", "weight",
        "m_q", "m_overflow", "xm_q", "total_of_count", "total_of_t", "at", "left", "entry", "links", "vacant", "delta",
        "overflow", "engine", "values", "propagate", "touched",
        "sched_priority", "linux", "this", "q_record", "q_map", "x0", "value", "copy",
    ]  # fmt: skip
    declared = ", ".join(f"{quoted(name)} INT" for name in columns)
    keys = ", ".join(f"engine.{quoted(name)}" for name in ("int", "int_", "m_q", "total_of_count", "q_record", "this"))
    product = " + ".join(f"engine.{quoted(name)} * rows.{quoted(name)}" for name in ("errno", "m_overflow", "at"))
    four = FourWay(
        f"CREATE STREAM engine ({declared}); CREATE STREAM rows ({declared});"
        f'CREATE VIEW q AS SELECT {keys}, SUM({product}) AS t, COUNT(*) AS "count" FROM engine, rows'
        f' WHERE engine."int" = rows."int__" GROUP BY {keys};'
        'CREATE VIEW m_q AS SELECT SUM(rows."total_of_t") AS t, SUM(rows."record" * engine."row") AS "record"'
        ' FROM engine, rows WHERE engine."left" < rows."links" AND engine."vacant" <> rows."m_q";'
        'CREATE VIEW overflow AS SELECT "overflow", SUM("values" + "delta") AS "int" FROM rows GROUP BY "overflow";'
        'CREATE VIEW "at" AS SELECT engine."at", COUNT(*) AS n FROM engine, rows'
        ' WHERE engine."at" = rows."row" GROUP BY engine."at";'
        'CREATE VIEW "view" AS SELECT COUNT(*) AS "template", AVG("weight") AS "weight" FROM engine;',
        name="hostile_words",
    )
    exercise(four)


def test_texts_are_names_of_everything() -> None:
    columns = ", ".join(f"{quoted(text)} INT" for text in TEXTS)
    relation, other, view = TEXTS[1], TEXTS[2], TEXTS[8]
    keys = ", ".join(f'"a*/".{quoted(text)} AS {quoted(text + " alias")}' for text in TEXTS[:4])
    grouped = ", ".join(f'"a*/".{quoted(text)}' for text in TEXTS[:4])
    sums = ", ".join(
        f'SUM("a*/".{quoted(text)} * "b\\".{quoted(text)}) AS {quoted("sum of " + text)}' for text in TEXTS[4:]
    )
    four = FourWay(
        f"CREATE STREAM {quoted(relation)} ({columns}); CREATE STREAM {quoted(other)} ({columns});"
        f'CREATE VIEW {quoted(view)} AS SELECT {keys}, {sums} FROM {quoted(relation)} AS "a*/",'
        f' {quoted(other)} AS "b\\" WHERE "a*/".{quoted(TEXTS[0])} = "b\\".{quoted(TEXTS[3])} GROUP BY {grouped};',
        name="hostile_texts",
    )
    exercise(four)


def test_texts_are_values_and_literals() -> None:
    tests = [f"WHEN t = {literal(text)} THEN {place}" for place, text in enumerate(TEXTS)]
    likes = " OR ".join(f"t LIKE {literal('%' + text[-3:])}" for text in TEXTS if not set(text[-3:]) & set("%_"))
    listed = ", ".join(map(literal, TEXTS[::2]))
    four = FourWay(
        "CREATE STREAM r (t VARCHAR, n INT);"
        "CREATE VIEW by_text AS SELECT t, SUM(n) AS n FROM r GROUP BY t;"
        f"CREATE VIEW chosen AS SELECT SUM(CASE {' '.join(tests)} ELSE -1 END) AS places, COUNT(*) AS n FROM r;"
        f"CREATE VIEW listed AS SELECT t FROM r WHERE t IN ({listed});"
        f"CREATE VIEW alike AS SELECT COUNT(*) AS n FROM r WHERE {likes};"
        f"CREATE VIEW shown AS SELECT {literal(TEXTS[1])} AS c, n, {literal(TEXTS[3])} AS d FROM r WHERE n > 3;",
        name="hostile_values",
    )
    for place, text in enumerate(TEXTS):
        four.change("r", (text, place), 1)
        four.check()
    four.batch("r", [(text * 3, 1) for text in TEXTS], [2] * len(TEXTS))
    four.check()
    for place, text in enumerate(TEXTS):
        four.change("r", (text, place), -1)
    four.batch("r", [(text * 3, 1) for text in TEXTS], [-2] * len(TEXTS))
    four.check()
    four.check_empty()


def test_names_that_sanitise_to_one_word_stay_apart() -> None:
    long = "x" * 3000
    four = FourWay(
        f'CREATE STREAM "r 1" ("a b" INT, "a-b" INT, a_b INT, column_1 INT, "Ünï" INT, {long} INT, {long}y INT);'
        f'CREATE STREAM "r-1" ("a b" INT, "a-b" INT, a_b INT, column_2 INT, "Ünï" INT, {long} INT, {long}y INT);'
        f"CREATE STREAM relation ({long} INT);"
        f'CREATE VIEW "v 1" AS SELECT x."a b", x."a-b", x.a_b, SUM(y.{long}) AS "s 1", SUM(y.{long}y) AS "s-1"'
        ' FROM "r 1" AS x, "r-1" AS y WHERE x.column_1 = y.column_2 GROUP BY x."a b", x."a-b", x.a_b;'
        'CREATE VIEW "v-1" AS SELECT "Ünï", SUM("a b" - "a-b") AS s FROM "r-1" GROUP BY "Ünï";'
        f'CREATE VIEW "view" AS SELECT {long}, COUNT(*) AS {long}z FROM relation GROUP BY {long};',
        name="hostile_alike",
    )
    exercise(four)


@pytest.mark.parametrize(
    "sql",
    [
        'CREATE STREAM r (a INT, "A" INT);',
        'CREATE STREAM r (a INT); CREATE STREAM "R" (a INT);',
        'CREATE STREAM r (a INT); CREATE VIEW v AS SELECT a FROM r; CREATE VIEW "V" AS SELECT a FROM r;',
    ],
)
def test_names_that_differ_by_case_only_are_refused(sql: str) -> None:
    with pytest.raises(ResolveError):
        FourWay(sql + "SELECT COUNT(*) FROM r;", native=False)


def test_constants_of_relations_and_views_do_not_meet_in_the_header(tmp_path: Path) -> None:
    program = FourWay(
        'CREATE STREAM view_q (a INT); CREATE STREAM "view q" (a INT); CREATE STREAM "*/" (a INT);'
        "CREATE VIEW q AS SELECT SUM(a) AS s FROM view_q;",
        native=False,
    ).program
    built = build_engine(emit(program, lower(program), "h"), "h", BuildOptions(debug=True, werror=True))
    source = tmp_path / "use.c"
    source.write_text('#include "h.h"\nint main(void) { return 0; }\n')
    command = [str(find_compiler().path), "-x", "c", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([*command, f"-I{built.header.parent}", str(source)], check=True)


def test_an_engine_cannot_be_called_like_the_c_interface() -> None:
    with pytest.raises(ResolveError, match="tg"):
        names.module_name("tg")


HAND_WRITTEN = """
CREATE STREAM r ("a b" int, "*/" int);
DECLARE MAP {map}({slot}: long)[][{key}: int] := {slot}: AggSum([{key}], r({key}, b));
DECLARE MAP total(n: long)[][] := n: AggSum([], r(a, b));
DECLARE QUERY "q; */" SINGLE OF total (n := n);
ON + r ({param}, b) {{
    {map}.{slot}[][{param}] += [1L];
    total.n[][] += ({lift} := [{param} + b]) * [{lift}];
}}
"""
PLAIN = {"map": "m", "slot": "s", "key": "k", "param": "p", "lift": "x"}


@pytest.mark.parametrize("place", PLAIN)
@pytest.mark.parametrize("name", ['"; */ bad("', '"a b"', '"__x"', '"_X"', '"x.y"', '"été"'])
def test_quoted_names_of_hand_written_m3_do_not_reach_cpp(place: str, name: str) -> None:
    program = read_program(HAND_WRITTEN.format(**PLAIN | {place: name}))
    with pytest.raises(M3Error, match="cannot stand in an engine"):
        lower(program)


def test_hand_written_m3_may_name_relations_and_views_as_it_likes() -> None:
    program = read_program(HAND_WRITTEN.format(**PLAIN))
    sources = emit(program, lower(program), "hand")
    assert "*/" not in sources["engine.hpp"].replace("/*b*/", "")
    assert json.loads(sources["schema.json"])["views"][0]["name"] == "q; */"


def test_macros_of_the_headers_are_dodged() -> None:
    """A column called like a macro would be replaced by its text."""
    headers = sorted(path.name for path in (runtime_include() / "toastergen").iterdir())
    text = "".join(f"#include <toastergen/{name}>\n" for name in headers)
    command = [str(find_compiler().path), "-std=c++20", "-xc++", "-dM", "-E", f"-I{runtime_include()}", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    macros = re.findall(r"^#define ([a-z]\w*)", run.stdout, re.MULTILINE)
    assert "errno" in macros
    assert [macro for macro in macros if cpp_names.safe(macro) == macro] == []


def test_different_names_stay_different_in_cpp() -> None:
    words = ["int", "int_", "int__", "q", "q_", "m_q", "m_q_", "xm_q", "xxm_q", "overflow", "overflow_", "EOF", "EOF_"]
    words += ["total_of_s", "xtotal_of_s", "m_", "_", "A", "a"]
    words += ["journal_of_q", "xjournal_of_q", "journal"]
    spelled = [cpp_names.safe(word) for word in words]
    totals = [cpp_names.total(f"total of {word}") for word in words]
    members = {"m_overflow", *map(cpp_names.member, words), *map(cpp_names.journal, words), *totals}
    assert len(members) == 3 * len(words) + 1
    assert len(set(spelled)) == len(words)
    assert not members & set(spelled)
    for one, two in combinations(words, 2):
        assert cpp_names.record_type(one) != cpp_names.map_type(two)
