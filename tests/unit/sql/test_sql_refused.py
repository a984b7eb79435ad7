"""Every refusal: its kind, what it says, and where it points."""

from __future__ import annotations

import pytest

from toastergen.errors import ResolveError, Span, SqlSyntaxError, SqlTypeError, ToastergenError, UnsupportedSql
from toastergen.frontend.sql import read_script

SCHEMA = """CREATE STREAM r (a INT, b BIGINT, d DATE, s VARCHAR, ok BOOLEAN, w DOUBLE);
CREATE TABLE u (a INT, name TEXT);
CREATE VIEW v AS SELECT a FROM r;
"""
FIRST_LINE = SCHEMA.count("\n") + 1

# «mark» shows where the error must point; it is removed before the text is read.
UNSUPPORTED = [
    ("SELECT a FROM r ORDER BY «b", "ORDER BY of something that is not selected"),
    ("SELECT a FROM r «LIMIT 3 * 2", "LIMIT by anything but a literal number"),
    ("SELECT a FROM (SELECT a FROM r «OFFSET 3) x", "LIMIT without ORDER BY"),
    ("SELECT a FROM u WHERE a IN (SELECT b FROM r WHERE r.a = u.a ORDER BY b «LIMIT 2)", "depends on the query"),
    ("SELECT (SELECT b FROM r ORDER BY b «LIMIT 2) FROM u", "several rows or columns as a value"),
    ("SELECT «LOG(3, w) FROM r", "LOG to this base"),
    ("CREATE VIEW few AS SELECT a FROM r LIMIT 1; SELECT a FROM «few", "reading the view few, which has LIMIT"),
    ("SELECT SUM(«a ORDER BY a) FROM r", "ORDER BY inside an aggregate"),
    ("SELECT «COUNT(a, b) FROM r", "COUNT with more than one argument"),
    ("SELECT «COUNT() FROM r", "COUNT()"),
    ("SELECT «my_function(s) FROM r", "function MY_FUNCTION"),
    ("SELECT «current_date FROM r", "CURRENT_DATE"),
    ("SELECT «CAST(d AS TIMESTAMPTZ) FROM r", "a timestamp with a time zone, is not supported"),
    ("SELECT d - d < «INTERVAL '1' DAY FROM r", "INTERVAL away from a date"),
    ("SELECT d + INTERVAL '1' HOUR - d < «INTERVAL '1' MONTH FROM r", "an INTERVAL of months"),
    ("SELECT «TIME_BUCKET(INTERVAL '1' MONTH, d) FROM r", "TIME_BUCKET of this width"),
    ("SELECT «DATE_DIFF('week', d, d) FROM r", "DATE_DIFF in WEEK"),
    ("SELECT «current_timestamp FROM r", "CURRENT_TIMESTAMP"),
    ("SELECT «EPOCH_MS(b) FROM r", "a timestamp from a number"),
    ("SELECT d + «INTERVAL '1' FORTNIGHT FROM r", "INTERVAL"),
    ("SELECT d + «INTERVAL '1.5' DAY FROM r", "INTERVAL"),
    ("SELECT a FROM r WHERE «INTERVAL '1' DAY = d", "INTERVAL away from a date"),
    ("SELECT «EXTRACT(ERA FROM d) FROM r", "part ERA of a date"),
    ("SELECT «DATE_TRUNC('decade', d) FROM r", "DATE_TRUNC to DECADE"),
    ("SELECT «REVERSE(s) FROM r", "REVERSE"),
    ("SELECT «ROUND(w, a) FROM r", "ROUND to anything but a literal"),
    ("SELECT «LPAD(s, a, 'x') FROM r", "LPAD to a length"),
    ("SELECT «RPAD(s, 3, '') FROM r", "RPAD with a filling that may be empty"),
    ("SELECT «DISTINCT ON (a) b FROM r", "DISTINCT ON"),
    ("SELECT COUNT(«DISTINCT a, b) FROM r", "DISTINCT over several values"),
    ("SELECT SUM(DISTINCT («a, b)) FROM r", "a row of values here"),
    ("«WITH RECURSIVE x AS (SELECT a FROM r) SELECT a FROM x", "WITH RECURSIVE"),
    ("WITH x AS («SELECT 1) SELECT a FROM r", "SELECT without FROM"),
    ("SELECT a FROM (SELECT a FROM r «LIMIT 1) x", "LIMIT without ORDER BY"),
    ("SELECT a FROM r WHERE a = («SELECT a FROM u)", "may give more than one row"),
    ("SELECT a FROM r WHERE a = («SELECT SUM(a) FROM u GROUP BY name)", "may give more than one row"),
    ("SELECT a FROM r WHERE a = («SELECT SUM(a), COUNT(*) FROM u)", "more than one column"),
    ("SELECT a FROM r WHERE «a IN (SELECT SUM(a) FROM u WHERE u.a = r.a HAVING SUM(a) > 1)", "IN or EXISTS over"),
    ("SELECT a FROM r, «LATERAL (SELECT 1)", "LATERAL"),
    ("SELECT r.a FROM r «SEMI JOIN u ON r.a = u.a", "SEMI JOIN"),
    ("SELECT r.a FROM r «ASOF JOIN u ON r.a >= u.a", "ASOF JOIN"),
    ("SELECT a FROM «main.r", "relation name with a schema"),
    ("SELECT «main.r.a FROM r", "column name with a schema"),
    ("SELECT a FROM «range(3)", "function in FROM"),
    ("SELECT a FROM r «x(p, q)", "alias with a column list"),
    ("SELECT a FROM «r TABLESAMPLE 10%", "SAMPLE"),
    ("SELECT a FROM r WHERE s ~ «s", "a regular expression that is no literal"),
    ("SELECT a FROM r WHERE REGEXP_MATCHES(s, «'a(?=b)')", "a group of this kind is not supported (at character 2)"),
    ("SELECT a FROM r WHERE REGEXP_MATCHES(s, 'a', «'g')", "this option of a regular expression"),
    ("SELECT «REGEXP_REPLACE(s, 'a', 'b') FROM r", "REGEXP_REPLACE"),
    ("SELECT a FROM r WHERE s LIKE «name", "LIKE with anything but a literal"),
    ("SELECT a FROM r WHERE s ILIKE «name", "LIKE with anything but a literal"),
    ("SELECT a FROM r WHERE s ILIKE 'x' ESCAPE «'E'", "ILIKE with a capital letter as ESCAPE"),
    ("SELECT a FROM r WHERE «a BETWEEN SYMMETRIC 1 AND 2", "SYMMETRIC"),
    ("SELECT a FROM r WHERE («a, b) = (1, 2)", "row value"),
    ("SELECT a FROM r WHERE a = «?", "parameter"),
    ("SELECT «CAST(d AS TIME) FROM r", "type TIME is not supported"),
    ("SELECT «CAST(a AS DATE) FROM r", "CAST of int to date"),
    ("SELECT «TRY_CAST(d AS DOUBLE) FROM r", "CAST of date to double"),
    ("SELECT «DATE(a) FROM r", "anything but a timestamp or a string"),
    ("SELECT * FROM r GROUP BY «1", "a position in GROUP BY beside *"),
    ("SELECT «* EXCLUDE (a) FROM r", "* with EXCLUDE"),
    ("SELECT r.«* REPLACE (1 AS a) FROM r", "* with REPLACE"),
    ("SELECT a FROM r «FOR UPDATE", "row lock"),
    ("«SELECT 1", "SELECT without FROM"),
    ("«FROM r", "FROM before SELECT"),
    ("«(SELECT a FROM r)", "parentheses"),
    ("«VALUES (1)", "VALUES"),
    ("«INSERT INTO r VALUES (1)", "INSERT"),
]

WRONG_NAMES = [
    ("SELECT a FROM «ordrs", "no stream or table is called ordrs", "known are r, u, v"),
    ("SELECT a FROM «w; CREATE VIEW w AS SELECT a FROM r", "view w is declared later", "move its CREATE VIEW"),
    ("WITH x AS (SELECT a FROM r), «x AS (SELECT a FROM u) SELECT a FROM x", "two queries of WITH", "rename"),
    ("WITH x(«p, q) AS (SELECT a FROM r) SELECT p FROM x", "2 names for the 1 columns", "one name per column"),
    ("SELECT «b FROM (SELECT a FROM r) x", "no column is called b", "known are a"),
    ("SELECT a FROM r WHERE EXISTS (SELECT 1 FROM u WHERE u.a = «r.x)", "no relation in FROM", "known are u"),
    ("SELECT a FROM r GROUP BY a HAVING «b > 1", "column b is neither", "add b to GROUP BY"),
    ("SELECT «nam FROM u", "no column is called nam", "did you mean name?"),
    ("SELECT «u.nam FROM u", "no column is called u.nam", "did you mean name?"),
    ("SELECT «x.a FROM r", "no relation in FROM is called x", "known are r"),
    ("SELECT «x.* FROM r", "no relation in FROM is called x", "known are r"),
    ("SELECT «a FROM r, u", "column a is ambiguous", "write r.a or u.a"),
    ("SELECT r.a FROM r, «r", "two entries of FROM are called r", "different aliases"),
    ("SELECT R.a FROM r, «u R", "two entries of FROM are called R", "different aliases"),
    ("SELECT x.a FROM r x JOIN u y ON x.a = «z.a JOIN u z ON z.a = x.a", "is called z", "known are x, y"),
    ("SELECT «b, SUM(a) FROM r", "column b is neither grouped nor aggregated", "add b to GROUP BY"),
    ("SELECT a + «b, SUM(a) FROM r GROUP BY a", "column b is neither", "add b to GROUP BY"),
    ("SELECT «*, SUM(a) FROM u GROUP BY name", "column a is neither", "add a to GROUP BY"),
    ("SELECT a FROM r WHERE «SUM(a) > 1", "an aggregate cannot stand in WHERE", "select list"),
    ("SELECT r.a FROM r JOIN u ON «SUM(a) > 1", "an aggregate cannot stand in ON", "select list"),
    ("SELECT COUNT(*) FROM r GROUP BY «SUM(a)", "an aggregate cannot stand in GROUP BY", "select list"),
    ("SELECT «SUM(a) AS x FROM r GROUP BY x", "an aggregate cannot stand in GROUP BY", "select list"),
    ("SELECT SUM(«SUM(a)) FROM r", "an aggregate cannot stand in the argument", "one level deep"),
    ("SELECT a FROM r GROUP BY «2", "GROUP BY 2", "positions"),
    ("SELECT a FROM r ORDER BY «2", "ORDER BY 2", "positions"),
    ("SELECT a FROM r GROUP BY «0", "GROUP BY 0", "positions"),
    ("CREATE TABLE «R (a INT)", "the name R is taken", "different names"),
    ("CREATE VIEW «V AS SELECT a FROM r", "the name V is taken", "different names"),
]

WRONG_TYPES = [
    ("SELECT a FROM r WHERE «s = 5", "comparison = does not apply to string and int"),
    ("SELECT «a + s FROM r", "operator + does not apply to int and string"),
    ("SELECT «d + 1.5 FROM r", "operator + does not apply to date and decimal(2,1)"),
    ("SELECT «d + TIMESTAMP '2000-01-01 00:00:00' FROM r", "operator + does not apply to date and timestamp"),
    ("SELECT TIMESTAMP «'2000-01-01 00:00:00' + a FROM r", "operator + does not apply to timestamp and int"),
    ("SELECT a FROM r WHERE d < «TIMESTAMP '2000-01-01 00:00:00+02'", "is not a timestamp"),
    ("SELECT «d + d FROM r", "operator + does not apply to date and date"),
    ("SELECT «1 - d FROM r", "operator - does not apply to int and date"),
    ("SELECT «a + INTERVAL '1' DAY FROM r", "operator + does not apply to int and an INTERVAL"),
    ("SELECT «YEAR(s) FROM r", "cannot convert string to date"),
    ("SELECT «UPPER(a) FROM r", "UPPER does not apply to int"),
    ("SELECT «LEFT(s, 1.5) FROM r", "LEFT does not apply to string and decimal(2,1)"),
    ("SELECT «GREATEST(a, s) FROM r", "GREATEST does not apply to int and string"),
    ("SELECT a FROM r WHERE d < DATE «'9999-12-31' + 1", "ADD_DAYS of these values has no value of type date"),
    ("SELECT «-ok FROM r", "operator - does not apply to bool"),
    ("SELECT «w % 2 FROM r", "operator % does not apply"),
    ("SELECT a FROM r WHERE «a", "WHERE needs a condition, not a value of type int"),
    ("SELECT a FROM r WHERE «a AND ok", "needs a condition"),
    ("SELECT a FROM r WHERE «NOT a", "needs a condition"),
    ("SELECT r.a FROM r JOIN u ON «1", "ON needs a condition"),
    ("SELECT a FROM r WHERE «a ~ 'x'", "MATCHES does not apply to int"),
    ("SELECT a FROM r WHERE «a LIKE 'x'", "LIKE does not apply to int"),
    ("SELECT a FROM r WHERE «d = 'tomorrow'", "'tomorrow' is not a date"),
    ("SELECT a FROM r WHERE «a IN (SELECT name FROM u)", "IN does not apply to string and int"),
    ("SELECT a FROM r WHERE «a IN (SELECT a, name FROM u)", "IN compares 1 values with 2 columns"),
    ("SELECT a FROM r «UNION SELECT name FROM u", "column a of UNION is int on one side and string"),
    ("SELECT a, b FROM r «EXCEPT SELECT a FROM u", "EXCEPT of 2 and 1 columns"),
    ("SELECT a FROM r WHERE «a IN ('x')", "IN does not apply"),
    ("SELECT «CASE WHEN ok THEN 1 ELSE 'x' END FROM r", "CASE does not apply"),
    ("SELECT «SUM(s) FROM r", "SUM needs numbers, not string"),
    ("SELECT «AVG(d) FROM r", "AVG needs numbers, not date"),
    ("SELECT «9223372036854775808 FROM r", "does not fit 64 bits"),
    ("SELECT «1e999 FROM r", "does not fit a DOUBLE"),
    ("SELECT «CAST('x' AS INT) FROM r", "'x' has no value of type int"),
    ("SELECT «TRY_CAST('inf' AS DOUBLE) FROM r", "'inf' is no value of type double here"),
    ("SELECT «CAST(3000000000 AS INT) FROM r", "3000000000 does not fit int"),
    ("SELECT «CAST(1e300 AS DECIMAL(10,2)) FROM r", "does not fit decimal(10,2)"),
    ("SELECT «CAST(a AS DECIMAL(39,2)) FROM r", "DECIMAL(39,2) does not exist"),
    ("SELECT a FROM r WHERE s LIKE «'a!' ESCAPE '!'", "ends with its escape character"),
    ("SELECT a FROM r WHERE s LIKE 'a' ESCAPE «'!!'", "ESCAPE needs one character"),
]

NOT_SQL = [
    ("SELECT a FROM r «WHERE", "not valid SQL near 'WHERE'"),
    ("SELECT a b «c FROM r", "not valid SQL near 'c'"),
    ("«SELECT FROM r", "SELECT lists no columns"),
    ("SELECT a,«, b FROM r", "between two commas"),
    ("SELECT a«, FROM r", "between the comma and FROM"),
    ("SELECT a FROM r«, WHERE a = 1", "between the comma and WHERE"),
    ("SELECT a FROM r WHERE a IN (1«,)", "between the comma and )"),
    ("SELECT a, b FROM r GROUP BY a, b«,", "the end"),
    ("SELECT a FROM r WHERE a «IN ()", "IN () lists no value"),
    ("SELECT «0x1F FROM r", "neither a number nor a name"),
    ("SELECT a FROM r «`x`", "unexpected character"),
    ("SELECT a FROM r WHERE s = «'abc", "not closed"),
    ('SELECT «"abc FROM r', "not closed"),
    ("SELECT a FROM r «/* abc", "comment is not closed"),
    ('SELECT «"" FROM r', "a name is empty"),
    ("SELECT a «\0 FROM r", "character '\\x00'"),
    ("SELECT a «\ud800 FROM r", "character '\\ud800'"),
    ("SELECT r.a FROM r «JOIN u", "JOIN has no ON condition"),
    ("«SELEC a FROM r", "expected CREATE or SELECT but found 'SELEC'"),
]


def refused(marked: str, lead: str = "") -> ToastergenError:
    """Read a text with a mark; check that the error points at the mark, below other statements too."""
    before, _, _ = marked.partition("«")
    with pytest.raises(ToastergenError) as caught:
        read_script(SCHEMA + lead + marked.replace("«", ""), "q.sql")
    error = caught.value
    assert error.span is not None
    assert (error.span.line, error.span.column) == (FIRST_LINE + lead.count("\n"), len(before) + 1), str(
        error
    )
    assert error.hint
    assert str(error).startswith(f"q.sql:{error.span.line}:{error.span.column}: ")
    return error


@pytest.mark.parametrize(("sql", "message"), UNSUPPORTED, ids=[sql for sql, _ in UNSUPPORTED])
def test_unsupported(sql: str, message: str) -> None:
    error = refused(sql, "SELECT 'a;\n--b' AS x FROM r; -- c;\n")
    assert type(error) is UnsupportedSql
    assert message in error.message


@pytest.mark.parametrize(("sql", "message", "hint"), WRONG_NAMES, ids=[case[0] for case in WRONG_NAMES])
def test_names(sql: str, message: str, hint: str) -> None:
    error = refused(sql)
    assert type(error) is ResolveError
    assert message in error.message
    assert hint in str(error.hint)


@pytest.mark.parametrize(("sql", "message"), WRONG_TYPES, ids=[sql for sql, _ in WRONG_TYPES])
def test_types(sql: str, message: str) -> None:
    error = refused(sql)
    assert type(error) is SqlTypeError
    assert message in error.message


@pytest.mark.parametrize(("sql", "message"), NOT_SQL, ids=[repr(sql) for sql, _ in NOT_SQL])
def test_syntax(sql: str, message: str) -> None:
    error = refused(sql)
    assert type(error) is SqlSyntaxError
    assert message in error.message


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    with pytest.raises(SqlSyntaxError, match="nested too deeply") as caught:
        read_script(f"{SCHEMA} SELECT a + 1, {'(' * 5000}a{')' * 5000} FROM r")
    assert caught.value.span == Span(FIRST_LINE, 16)


def test_the_message_shows_the_line_and_a_caret() -> None:
    with pytest.raises(ResolveError) as caught:
        read_script(SCHEMA + "SELECT a,\n  nam\nFROM u", "q.sql")
    assert str(caught.value) == (
        f"q.sql:{FIRST_LINE + 1}:3: no column is called nam\n      nam\n      ^^^\n  next: did you mean name?"
    )


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", "\u2028"])
def test_lines_count_as_editors_and_excerpts_count_them(newline: str) -> None:
    text = newline.join(["CREATE STREAM r (a INT);", "", "SELECT a,", " x FROM r"])
    with pytest.raises(ResolveError) as caught:
        read_script(text)
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (4, 2)
    assert " x FROM r" in str(caught.value)
