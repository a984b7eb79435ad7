"""CREATE STREAM, TABLE and VIEW: what is read, and what is refused where."""

from __future__ import annotations

from pathlib import Path

import pytest

from toastergen.errors import ResolveError, SqlSyntaxError, SqlTypeError, ToastergenError, UnsupportedSql
from toastergen.frontend.sql import read_script
from toastergen.frontend.sql.show import show_relation

SOURCE = "CREATE STREAM r (a INT) FROM FILE 'r' LINE DELIMITED CSV"
BOOK = "CREATE STREAM bids (id INT, price INT) FROM FILE 'r' LINE DELIMITED ORDERBOOK"

ACCEPTED = [
    ("CREATE STREAM r (a INT)", "stream r(a int)"),
    ("create table R (\n A integer not null -- c\n)", "table R(A int)"),
    ("CREATE STREAM r (a INT PRIMARY KEY, b INT)", "stream r(a int, b int) key(a)"),
    ("CREATE STREAM r (a INT NOT NULL, b INT, PRIMARY KEY (B, a))", "stream r(a int, b int) key(b, a)"),
    ("CREATE STREAM r (date DATE, value INT, key INT)", "stream r(date date, value int, key int)"),
    ('CREATE STREAM "a ;b" ("x ""y" INT)', 'stream a ;b(x "y int)'),
    (
        "CREATE STREAM r (a INT4, b SMALLINT, c TINYINT, d BIGINT, e INT8, f LONG)",
        "stream r(a int, b int, c int, d long, e long, f long)",
    ),
    (
        "CREATE STREAM r (a DOUBLE, b FLOAT, c REAL, d DOUBLE PRECISION)",
        "stream r(a double, b double, c double, d double)",
    ),
    (
        "CREATE STREAM r (a DECIMAL, b DECIMAL(10), c NUMERIC(12,2))",
        "stream r(a decimal(18,3), b decimal(10,0), c decimal(12,2))",
    ),
    (
        "CREATE STREAM r (a VARCHAR(10), b CHAR(1), c TEXT, d STRING, e CHARACTER VARYING(3), f BOOLEAN)",
        "stream r(a string, b string, c string, d string, e string, f bool)",
    ),
    (
        "CREATE STREAM r (a INT) FROM FILE 'd/r.csv' LINE DELIMITED CSV",
        "stream r(a int) from csv 'd/r.csv'",
    ),
    ("CREATE STREAM r (a INT) FROM FILE 'r' LINE DELIMITED CSV ()", "stream r(a int) from csv 'r'"),
    (
        "CREATE STREAM r (a INT) FROM FILE 'it''s' LINE DELIMITED csv (Delimiter := '|', header := 'TRUE')",
        "stream r(a int) from csv \"it's\" delimiter='|' header='true'",
    ),
    (
        SOURCE + r" (delimiter := '\t', quote := '''', escape := '!')",
        "stream r(a int) from csv 'r' delimiter='\\t' quote=\"'\" escape='!'",
    ),
    ("CREATE STREAM r (a INT PRIMARY KEY) append only", "stream r(a int) key(a) append only"),
    (
        "CREATE STREAM r (a INT) APPEND ONLY FROM FILE 'r' LINE DELIMITED CSV",
        "stream r(a int) append only from csv 'r'",
    ),
    (
        SOURCE + " (delimiter := '|', deletions := 'TRUE')",
        "stream r(a int) from csv 'r' delimiter='|' deletions='true'",
    ),
    (
        "CREATE STREAM b (price FLOAT, ID INT) FROM FILE 'm' LINE DELIMITED orderbook (book := 'BIDS', brokers := '9')",
        "stream b(price double, ID int) from orderbook 'm' book='bids' brokers='9'",
    ),
]


@pytest.mark.parametrize(("sql", "expected"), ACCEPTED, ids=[sql for sql, _ in ACCEPTED])
def test_relations(sql: str, expected: str) -> None:
    (relation,) = read_script(sql).relations
    assert show_relation(relation) == expected


# «mark» shows where the error must point; it is removed before the text is read.
REFUSED: list[tuple[str, type[ToastergenError], str]] = [
    ("CREATE «DATABASE x", SqlSyntaxError, "expected STREAM, TABLE or VIEW but found 'DATABASE'"),
    ("CREATE«", SqlSyntaxError, "but the statement ends"),
    ("CREATE «OR REPLACE VIEW v AS SELECT 1", UnsupportedSql, "CREATE OR"),
    ("CREATE «MATERIALIZED VIEW v AS SELECT 1", UnsupportedSql, "CREATE MATERIALIZED"),
    ("CREATE TABLE «IF NOT EXISTS r (a INT)", UnsupportedSql, "IF NOT EXISTS"),
    ("CREATE TABLE «main.r (a INT)", UnsupportedSql, "a name with a schema"),
    ("CREATE TABLE r «AS SELECT 1", UnsupportedSql, "AS SELECT"),
    ("CREATE STREAM «'r' (a INT)", SqlSyntaxError, "the name of the stream"),
    ("CREATE STREAM r«;", SqlSyntaxError, "expected ( but the statement ends"),
    ("CREATE STREAM r («)", SqlSyntaxError, "the name of a column"),
    ("CREATE STREAM r (a«)", SqlSyntaxError, "expected a type but found ')'"),
    ("CREATE STREAM r (a INT«", SqlSyntaxError, "expected , or ) but the statement ends"),
    ("CREATE STREAM r (a INT «b INT)", SqlSyntaxError, "expected , or ) but found 'b'"),
    ("CREATE STREAM r (a INT, «A INT)", ResolveError, "column A is declared twice"),
    ("CREATE STREAM r (a «TIME)", UnsupportedSql, "type TIME is not supported"),
    ("CREATE STREAM r (a «TIMESTAMP WITH TIME ZONE)", UnsupportedSql, "a timestamp with a time zone"),
    ("CREATE STREAM r (a «TIMESTAMPTZ)", UnsupportedSql, "a timestamp with a time zone"),
    ("CREATE STREAM r (a «BLOB)", UnsupportedSql, "type BLOB"),
    ("CREATE STREAM r (a INT«[])", SqlSyntaxError, "expected , or )"),
    ("CREATE STREAM r (a «INT(4))", SqlTypeError, "takes no numbers"),
    ("CREATE STREAM r (a «DECIMAL(39,2))", SqlTypeError, "DECIMAL(39,2) does not exist"),
    ("CREATE STREAM r (a «DECIMAL(2,3))", SqlTypeError, "DECIMAL(2,3) does not exist"),
    ("CREATE STREAM r (a DECIMAL(«x))", SqlSyntaxError, "a whole number"),
    ("CREATE STREAM r (a INT «UNIQUE)", UnsupportedSql, "UNIQUE on a column"),
    ("CREATE STREAM r (a INT «DEFAULT 3)", UnsupportedSql, "DEFAULT on a column"),
    ("CREATE STREAM r (a INT «REFERENCES u (a))", UnsupportedSql, "REFERENCES on a column"),
    ("CREATE STREAM r (a INT, «FOREIGN KEY (a) REFERENCES u (a))", UnsupportedSql, "FOREIGN KEY"),
    ("CREATE STREAM r (a INT, PRIMARY KEY («x))", ResolveError, "names column x"),
    ("CREATE STREAM r (a INT, PRIMARY KEY (a, «A))", ResolveError, "names column A twice"),
    ("CREATE STREAM r (a INT PRIMARY KEY, «PRIMARY KEY (a))", ResolveError, "PRIMARY KEY is declared twice"),
    ("CREATE STREAM r (a INT) FROM «SOCKET '127.0.0.1' 5555", UnsupportedSql, "FROM SOCKET"),
    ("CREATE STREAM r (a INT) FROM «'r.csv'", SqlSyntaxError, "expected FILE"),
    ("CREATE STREAM r (a INT) FROM FILE «r", SqlSyntaxError, "the path in single quotes"),
    ("CREATE STREAM r (a INT) FROM FILE «'' LINE DELIMITED CSV", SqlSyntaxError, "path of the file is empty"),
    ("CREATE STREAM r (a INT) FROM FILE 'r' «FIXEDWIDTH 10 CSV", UnsupportedSql, "fixed-width"),
    ("CREATE STREAM r (a INT) FROM FILE 'r'«", SqlSyntaxError, "expected LINE"),
    ("CREATE STREAM r (a INT) FROM FILE 'r' LINE DELIMITED «XML", UnsupportedSql, "format XML"),
    ("CREATE STREAM r (t INT) FROM FILE 'r' LINE DELIMITED «ORDERBOOK", ResolveError, "which side of the book"),
    (f"{BOOK} («depth := '1')", ResolveError, "no ORDERBOOK option is called depth"),
    (f"{BOOK} (book := «'both')", SqlTypeError, "option book is 'both'"),
    (f"{BOOK} (brokers := «'0')", SqlTypeError, "option brokers is '0'"),
    (f"{BOOK} (deterministic := «'1')", SqlTypeError, "option deterministic is '1'"),
    (
        "CREATE STREAM r (id INT, size INT) FROM FILE 'r' LINE DELIMITED «ORDERBOOK (book := 'bids')",
        ResolveError,
        "an order book has no column size",
    ),
    (
        "CREATE STREAM r (t DATE) FROM FILE 'r' LINE DELIMITED «ORDERBOOK (book := 'bids')",
        SqlTypeError,
        "column t of an order book is declared date",
    ),
    ("CREATE STREAM r (a INT) «WITH (x)", SqlSyntaxError, "expected ; or FROM FILE"),
    (f"{SOURCE} «x", SqlSyntaxError, "but found 'x'"),
    (f"{SOURCE} («delimitr := '|')", ResolveError, "no CSV option is called delimitr"),
    ("CREATE TABLE r (a INT) «APPEND ONLY", UnsupportedSql, "a table that is APPEND ONLY"),
    ("CREATE STREAM r (a INT) APPEND «FROM", SqlSyntaxError, "expected ONLY"),
    (
        "CREATE STREAM «r (a INT) APPEND ONLY FROM FILE 'r' LINE DELIMITED CSV (deletions := 'true')",
        ResolveError,
        "the source of r deletes rows, but the stream is APPEND ONLY",
    ),
    (f"{SOURCE} («schema := 'int')", UnsupportedSql, "option schema is not supported yet"),
    (f"{SOURCE} (deletions := «'yes')", SqlTypeError, "option deletions is 'yes'"),
    (
        "CREATE STREAM r (a INT) FROM FILE 'r' LINE DELIMITED «CSV (deletions := 'true', header := 'true')",
        ResolveError,
        "has no header",
    ),
    (f"{SOURCE} (delimiter := «'||')", SqlTypeError, "not one ASCII character"),
    (f"{SOURCE} (delimiter := «'é')", SqlTypeError, "not one ASCII character"),
    (f"{SOURCE} (header := «'yes')", SqlTypeError, "option header is 'yes'"),
    (f"{SOURCE} (header «= 'true')", SqlSyntaxError, "expected :="),
    (f"{SOURCE} (header := «true)", SqlSyntaxError, "in single quotes"),
    (f"{SOURCE} (quote := 'x', «QUOTE := 'y')", ResolveError, "option quote is given twice"),
    ("CREATE STREAM r (a INT); CREATE VIEW v («x, y) AS SELECT a FROM r", ResolveError, "2 names for the 1 columns"),
    ("CREATE VIEW v (x, «X) AS SELECT 1", ResolveError, "column X is named twice"),
    ("CREATE VIEW v («1) AS SELECT 1", SqlSyntaxError, "the name of a column"),
    ("CREATE VIEW v AS«", SqlSyntaxError, "expected SELECT"),
    ("CREATE VIEW v AS «TABLE r", SqlSyntaxError, "expected CREATE or SELECT"),
    ("CREATE VIEW v AS «(SELECT 1)", UnsupportedSql, "parentheses"),
]


@pytest.mark.parametrize(("sql", "kind", "message"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refused(sql: str, kind: type[ToastergenError], message: str) -> None:
    before = sql.partition("«")[0]
    with pytest.raises(ToastergenError) as caught:
        read_script("CREATE STREAM first (x INT); -- ;\n" + sql.replace("«", ""))
    error = caught.value
    assert type(error) is kind, str(error)
    assert message in error.message
    assert error.hint
    assert error.span is not None
    assert (error.span.line, error.span.column) == (2, len(before) + 1)


def test_an_unknown_option_lists_the_known_ones() -> None:
    with pytest.raises(ResolveError) as caught:
        read_script(f"{SOURCE} (colour := 'x')")
    assert caught.value.hint == "known are delimiter, header, quote, escape, null, deletions, operation, weight"


def test_relative_paths_start_at_the_base() -> None:
    sql = "CREATE STREAM r (a INT) FROM FILE 'r.csv' LINE DELIMITED CSV; " + SOURCE.replace(" r ", " t ")
    paths = [item.source.path for item in read_script(sql, base=Path("data")).relations if item.source]
    assert paths == [str(Path("data/r.csv")), str(Path("data/r"))]
    absolute = str(Path("/tmp/x.csv"))
    (relation,) = read_script(SOURCE.replace("'r'", f"'{absolute}'"), base=Path("data")).relations
    assert relation.source is not None
    assert relation.source.path == absolute


def names(sql: str) -> list[str]:
    return [query.name for query in read_script("CREATE STREAM r (a INT);" + sql).queries]


def test_view_names() -> None:
    assert names("SELECT a FROM r") == ["q"]
    assert names("SELECT a FROM r; CREATE VIEW V AS SELECT a FROM r;;") == ["q", "V"]
    assert names("SELECT a FROM r; SELECT a FROM r") == ["q1", "q2"]
    assert names("SELECT a FROM r; CREATE VIEW Q AS SELECT a FROM r") == ["q_1", "Q"]
    assert names("") == []


def test_a_query_may_stand_before_its_relation() -> None:
    script = read_script("CREATE VIEW v AS SELECT a FROM r; CREATE STREAM r (a INT)")
    assert [item.relation for item in script.queries[0].inputs] == ["r"]
