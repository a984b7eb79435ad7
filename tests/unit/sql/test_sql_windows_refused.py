"""Every refusal of window functions: its kind, what it says, and where it points."""

from __future__ import annotations

import pytest

from toastergen.errors import ResolveError, SqlTypeError, ToastergenError, UnsupportedSql
from toastergen.frontend.sql import read_script

SCHEMA = """CREATE STREAM r (a INT, b BIGINT, d DATE, s VARCHAR, w DOUBLE);
CREATE STREAM u (a INT, c INT);
"""
LINE = SCHEMA.count("\n") + 1

# «mark» shows where the error must point; it is removed before the text is read.
UNSUPPORTED = [
    ("SELECT «SUM(a IGNORE NULLS) OVER (ORDER BY b) FROM r", "IGNORE NULLS of this function"),
    ("SELECT «LAG(a, 0 IGNORE NULLS) OVER (ORDER BY b) FROM r", "IGNORE NULLS with an offset of 0"),
    ("SELECT «COUNT(DISTINCT a) OVER () FROM r", "DISTINCT in a window function"),
    ("SELECT «LAG(a) FILTER (WHERE a > 1) OVER (ORDER BY b) FROM r", "FILTER of a function that is no aggregate"),
    ("SELECT SUM(a) OVER (ORDER BY b ROWS BETWEEN «1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM r", "EXCLUDE"),
    ("SELECT SUM(a) OVER (ORDER BY d RANGE «INTERVAL 1 MONTH PRECEDING) FROM r", "this INTERVAL in a RANGE over date"),
    ("SELECT SUM(a) OVER (ORDER BY d RANGE «INTERVAL 1 HOUR PRECEDING) FROM r", "this INTERVAL in a RANGE over date"),
    ("SELECT SUM(«a ORDER BY b) OVER () FROM r", "ORDER BY inside an aggregate"),
    ("SELECT «MEDIAN(a) OVER () FROM r", "MEDIAN"),
    ("SELECT «LENGTH(s) OVER () FROM r", "LENGTH"),
    ("SELECT a, «SUM(SUM(b)) OVER () AS t FROM r GROUP BY ROLLUP (a)", "window functions over ROLLUP"),
    (
        "SELECT c FROM u WHERE c IN (SELECT ROW_NUMBER() OVER (ORDER BY b) FROM r WHERE r.a = «u.a)",
        "a subquery with window functions that uses u.a",
    ),
]

WRONG = [
    ("SELECT a FROM r WHERE «ROW_NUMBER() OVER (ORDER BY a) = 1", "cannot stand in WHERE", "QUALIFY"),
    ("SELECT COUNT(*) FROM r GROUP BY «RANK() OVER (ORDER BY a)", "cannot stand in GROUP BY", "subquery"),
    ("SELECT SUM(«RANK() OVER (ORDER BY a)) FROM r", "cannot stand in the argument", "subquery"),
    ("SELECT SUM(«RANK() OVER (ORDER BY a)) OVER () FROM r", "cannot stand in a window", "subquery"),
    ("SELECT a FROM r GROUP BY a HAVING «RANK() OVER (ORDER BY a) = 1", "cannot stand in HAVING", "QUALIFY"),
    ("SELECT a FROM r «QUALIFY a > 1", "QUALIFY without a window function", "WHERE"),
    ("SELECT a FROM r QUALIFY RANK() OVER (ORDER BY a) < «x", "no column is called x", "known are"),
    ("SELECT SUM(a) OVER «w FROM r", "no window is called w", "declare it"),
    ("SELECT SUM(a) OVER «v FROM r WINDOW vv AS ()", "no window is called v", "did you mean vv"),
    ("SELECT SUM(a) OVER (w) FROM r WINDOW w AS («w ORDER BY a)", "names itself", "w"),
    ("SELECT SUM(a) OVER («w ORDER BY b) FROM r WINDOW w AS (ORDER BY a)", "ORDER BY beside the window w", "whole"),
    ("SELECT SUM(a) OVER («w PARTITION BY b) FROM r WINDOW w AS (ORDER BY a)", "PARTITION BY beside", "whole"),
    ("SELECT a, SUM(«b) OVER () FROM r GROUP BY a", "column b is neither grouped nor aggregated", "GROUP BY"),
    ("SELECT a, RANK() OVER (ORDER BY «b) FROM r GROUP BY a", "column b is neither grouped", "GROUP BY"),
    (
        "SELECT «SUM(a) OVER (ORDER BY b ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM r",
        "cannot start with UNBOUNDED FOLLOWING",
        "earlier end",
    ),
    (
        "SELECT «SUM(a) OVER (ORDER BY b ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM r",
        "cannot start with CURRENT ROW and end with PRECEDING",
        "earlier end",
    ),
    ("SELECT SUM(a) OVER (ORDER BY a, b RANGE «1 PRECEDING) FROM r", "exactly one ORDER BY key", "ROWS"),
    ("SELECT SUM(a) OVER (RANGE «1 PRECEDING) FROM r", "exactly one ORDER BY key", "ROWS"),
]

WRONG_TYPES = [
    ("SELECT «SUM(s) OVER () FROM r", "SUM needs numbers, not string"),
    ("SELECT «AVG(d) OVER () FROM r", "AVG needs numbers, not date"),
    ("SELECT LAG(a, «b) OVER (ORDER BY a) FROM r", "LAG needs a whole number as a literal"),
    ("SELECT LAG(a, 1, «'x') OVER (ORDER BY a) FROM r", "the default of LAG is string, its value int"),
    ("SELECT LAG(a, 1, «0.5) OVER (ORDER BY a) FROM r", "the default of LAG is decimal(2,1), its value int"),
    ("SELECT NTILE(«0) OVER (ORDER BY a) FROM r", "NTILE needs a whole number as a literal, 1 or more"),
    ("SELECT NTH_VALUE(a, «b) OVER (ORDER BY a) FROM r", "NTH_VALUE needs a whole number"),
    ("SELECT SUM(a) OVER (ORDER BY a ROWS «b PRECEDING) FROM r", "a frame of ROWS needs a whole number"),
    ("SELECT SUM(a) OVER (ORDER BY s RANGE «1 PRECEDING) FROM r", "does not fit a RANGE over string"),
    ("SELECT SUM(a) OVER (ORDER BY a RANGE «0.5 PRECEDING) FROM r", "does not fit a RANGE over int"),
    ("SELECT SUM(a) OVER (ORDER BY a RANGE «-1 PRECEDING) FROM r", "does not fit a RANGE over int"),
    ("SELECT SUM(a) OVER (ORDER BY w RANGE «a PRECEDING) FROM r", "does not fit a RANGE over double"),
]


def refused(marked: str) -> ToastergenError:
    before, _, _ = marked.partition("«")
    with pytest.raises(ToastergenError) as caught:
        read_script(SCHEMA + marked.replace("«", ""), "q.sql")
    error = caught.value
    assert error.span is not None
    assert (error.span.line, error.span.column) == (LINE, len(before) + 1), str(error)
    assert error.hint
    return error


@pytest.mark.parametrize(("sql", "message"), UNSUPPORTED, ids=[sql for sql, _ in UNSUPPORTED])
def test_unsupported(sql: str, message: str) -> None:
    error = refused(sql)
    assert type(error) is UnsupportedSql
    assert message in error.message


@pytest.mark.parametrize(("sql", "message", "hint"), WRONG, ids=[case[0] for case in WRONG])
def test_out_of_place(sql: str, message: str, hint: str) -> None:
    error = refused(sql)
    assert type(error) is ResolveError
    assert message in error.message
    assert hint in str(error.hint)


@pytest.mark.parametrize(("sql", "message"), WRONG_TYPES, ids=[sql for sql, _ in WRONG_TYPES])
def test_types(sql: str, message: str) -> None:
    error = refused(sql)
    assert type(error) is SqlTypeError
    assert message in error.message
