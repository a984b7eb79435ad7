"""The syntax of one SELECT: read by sqlglot, checked to hold nothing but the clauses that are maintained."""

from __future__ import annotations

from typing import ClassVar, Final

from sqlglot import ErrorLevel, exp
from sqlglot.errors import ParseError
from sqlglot.parsers.duckdb import DuckDBParser

from toastergen.errors import SqlSyntaxError, ToastergenError, UnsupportedSql
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.refuse import refuse_clause
from toastergen.frontend.sql.source import DIALECT, Statement, keyword

_CLAUSES: Final = (
    "expressions", "from_", "joins", "where", "group", "having", "distinct", "with_", "windows", "qualify",
)  # fmt: skip


class _Parser(DuckDBParser):
    """DuckDB's SQL, and DBToaster's names for two of its functions."""

    FUNCTIONS: ClassVar = {
        **DuckDBParser.FUNCTIONS,
        "LISTMAX": DuckDBParser.FUNCTIONS["GREATEST"],
        "LISTMIN": DuckDBParser.FUNCTIONS["LEAST"],
    }


def parse_select(statement: Statement) -> exp.Expr:
    """A SELECT, or several joined by UNION and its kin."""
    places = Places(statement)
    first = keyword(statement.tokens[0])
    if first not in ("SELECT", "WITH"):
        raise _not_a_select(statement, first)
    node = _parse(statement, places)
    if not isinstance(node, exp.Select | exp.SetOperation):
        raise SqlSyntaxError("this is not a SELECT", span=statement.start, hint="write SELECT … FROM …")
    return node


def check_select(node: exp.Select, places: Places) -> None:
    for argument, value in node.args.items():
        if value and argument not in _CLAUSES:
            raise refuse_clause(argument, places, node)
    distinct = node.args.get("distinct")
    if distinct and distinct.args.get("on"):
        raise UnsupportedSql(
            "DISTINCT ON is not supported",
            span=places.keyword("DISTINCT", node),
            hint="number the rows and keep the first: QUALIFY ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) = 1",
        )
    start = places.select(node)
    if not node.expressions:
        raise SqlSyntaxError("SELECT lists no columns", span=start, hint="name columns, or write SELECT *")
    if not node.args.get("from_"):
        raise UnsupportedSql(
            "SELECT without FROM is not supported", span=start, hint="there is nothing to maintain: add FROM"
        )


def _parse(statement: Statement, places: Places) -> exp.Expr | None:
    """The tokens keep the offsets of the whole script, so every place found later is right for the file."""
    try:
        parser = _Parser(dialect=DIALECT, error_level=ErrorLevel.IMMEDIATE)
        nodes = parser.parse(list(statement.tokens), statement.text)
    except ParseError as error:
        raise _syntax_error(error, places) from None
    node = nodes[0] if len(nodes) == 1 else None
    return node if isinstance(node, exp.Expr) else None


def _syntax_error(error: ParseError, places: Places) -> ToastergenError:
    first = error.errors[0] if error.errors else {}
    line, column = first.get("line"), first.get("col")
    span = places.at(line, column) if line is not None and column is not None else places.statement.start
    found = str(first.get("highlight") or "").strip()
    near = f" near {found!r}" if found else ""
    return SqlSyntaxError(
        f"the statement is not valid SQL{near}", span=span, hint="look at this word and the one before it"
    )


def _not_a_select(statement: Statement, first: str) -> ToastergenError:
    if first in (
        "(",
        "VALUES",
        "FROM",
        "INSERT",
        "UPDATE",
        "DELETE",
        "DROP",
        "ALTER",
        "COPY",
        "SET",
    ):
        shown = {"(": "a SELECT in parentheses", "FROM": "FROM before SELECT"}.get(first, first)
        return UnsupportedSql(
            f"{shown} is not supported",
            span=statement.start,
            hint="a script holds CREATE STREAM, CREATE TABLE, CREATE VIEW and SELECT statements",
        )
    return SqlSyntaxError(
        f"expected CREATE or SELECT but found {statement.tokens[0].text!r}",
        span=statement.start,
        hint="a script holds CREATE STREAM, CREATE TABLE, CREATE VIEW and SELECT statements",
    )
