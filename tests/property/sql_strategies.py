"""Random schemas, queries of the supported SQL and legal streams, drawn from domains small enough that rows meet.

Numbers stay small so that no product overflows; overflow has tests of its own. Doubles are short binary fractions,
which add up exactly in any order, except 0.1; nothing divides by a sum of doubles, whose zero may be a rounding error.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from toastergen.changes import Step

TYPES = ("INT", "BIGINT", "DOUBLE", "DECIMAL(10,2)", "DECIMAL(8,3)", "DATE", "TIMESTAMP", "VARCHAR", "BOOLEAN")
INTEGERS, NUMBERS = TYPES[:2], TYPES[:5]
EXACT = ("INT", "BIGINT", "DECIMAL(10,2)", "DECIMAL(8,3)")
VALUES: dict[str, list[Any]] = {
    "INT": [0, 1, 2, -1, 3],
    "BIGINT": [0, 1, 2, -2, 5],
    "DOUBLE": [0.0, 1.0, 0.5, -0.25, 0.1, -2.5],
    "DECIMAL(10,2)": [Decimal("0.00"), Decimal("1.00"), Decimal("0.05"), Decimal("-2.50"), Decimal("2.00")],
    "DECIMAL(8,3)": [Decimal("0.000"), Decimal("1.000"), Decimal("0.050"), Decimal("-0.125"), Decimal("2.000")],
    "DATE": [datetime.date(1, 1, 1), datetime.date(1969, 12, 31), datetime.date(2000, 2, 29), datetime.date.max],
    "TIMESTAMP": [
        datetime.datetime(1, 1, 1),
        datetime.datetime(1969, 12, 31, 23, 59, 59, 999999),
        datetime.datetime(2000, 2, 29),
        datetime.datetime(2000, 2, 29, 7, 30),
    ],
    "VARCHAR": ["", "a", "ab", "it's", "ünï", "a string longer than twelve bytes"],
    "BOOLEAN": [False, True],
}
PATTERNS = ["%", "a%", "%b", "_", "__", "%'%", "", "a_%"]

_PLAIN = settings(
    database=None, phases=[Phase.generate], deadline=None, suppress_health_check=list(HealthCheck)
)

Row = tuple[Any, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[tuple[str, str], ...]  # name and SQL type
    nullable: frozenset[str] = frozenset()

    def declaration(self) -> str:
        nulls = {name: " NULL" if name in self.nullable else "" for name, _ in self.columns}
        columns = ", ".join(f"{name} {type_}{nulls[name]}" for name, type_ in self.columns)
        return f"CREATE STREAM {self.name} ({columns});"


@st.composite
def schemas(draw: st.DrawFn) -> tuple[Table, ...]:
    """Two or three relations; the first column is an integer, so that there is something to join on."""
    found = []
    for name in ("r", "s", "t")[: draw(st.integers(2, 3))]:
        types = ["INT", *draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3))]
        nullable = draw(st.frozensets(st.sampled_from("abcd")))
        found.append(Table(name, tuple(zip("abcd", types, strict=False)), nullable))
    return tuple(found)


# --- streams ----------------------------------------------------------------------------------------------


@st.composite
def streams(draw: st.DrawFn, tables: Sequence[Table], most: int = 12) -> tuple[Step, ...]:
    """Inserts, repeated rows and deletes of rows that are there, in rows and batches; at times down to nothing."""
    live: dict[str, list[Row]] = {table.name: [] for table in tables}
    steps = [draw(_step(tables, live)) for _ in range(draw(st.integers(3, most)))]
    if draw(st.booleans()):
        for name, rows in live.items():
            if rows:
                steps.append(Step(name, tuple(rows), (-1,) * len(rows), True))
    return tuple(steps)


@st.composite
def _step(draw: st.DrawFn, tables: Sequence[Table], live: dict[str, list[Row]]) -> Step:
    table = draw(st.sampled_from(tables))
    batch = draw(st.booleans())
    changes = [draw(_change(table, live[table.name])) for _ in range(draw(st.integers(1, 5)) if batch else 1)]
    return Step(table.name, tuple(row for row, _ in changes), tuple(weight for _, weight in changes), batch)


@st.composite
def _change(draw: st.DrawFn, table: Table, rows: list[Row]) -> tuple[Row, int]:
    kind = draw(st.sampled_from(["new", "new", "new", "again", "delete", "delete"])) if rows else "new"
    if kind == "delete":
        return rows.pop(draw(st.integers(0, len(rows) - 1))), -1
    row = draw(st.sampled_from(rows) if kind == "again" else _rows(table))
    rows.append(row)
    return row, 1


def _rows(table: Table) -> st.SearchStrategy[Row]:
    return st.tuples(
        *(st.sampled_from(VALUES[type_] + [None] * (2 * (name in table.nullable))) for name, type_ in table.columns)
    )


# --- queries ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Columns:
    """What a query sees: alias, column and type of everything in FROM."""

    items: tuple[tuple[str, str, str], ...]

    def of(self, types: Sequence[str], alias: str | None = None) -> list[str]:
        return [f"{a}.{c}" for a, c, t in self.items if t in types and alias in (None, a)]

    def type_of(self, name: str) -> str:
        return next(t for a, c, t in self.items if f"{a}.{c}" == name)


@st.composite
def queries(draw: st.DrawFn, tables: Sequence[Table], most: int = 4) -> str:
    """A SELECT over one to ``most`` aliases."""
    count = draw(st.sampled_from([1, 2, 2, 3, 3, *range(1, most + 1)]))
    chosen = [draw(st.sampled_from(tables)) for _ in range(count)]
    aliases = [f"x{index}" for index in range(1, count + 1)]
    columns = Columns(
        tuple((alias, name, t) for alias, table in zip(aliases, chosen, strict=True) for name, t in table.columns)
    )
    joins = [draw(_join(columns, aliases[:index], alias)) for index, alias in enumerate(aliases) if index]
    names = [f"{table.name} AS {alias}" for table, alias in zip(chosen, aliases, strict=True)]
    tests = draw(st.lists(conditions(columns), max_size=2))
    if draw(st.integers(0, 3)) == 0:
        tests.append(draw(subqueries(columns, tables)))
    if draw(st.booleans()):
        kinds = [draw(st.sampled_from(["JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])) for _ in joins]
        parts = zip(kinds, names[1:], joins, strict=True)
        source = " ".join([names[0], *(f"{kind} {name} ON {test}" for kind, name, test in parts)])
    else:
        source = ", ".join(names)
        tests = joins + tests
    where = f" WHERE {' AND '.join(f'({test})' for test in tests)}" if tests else ""
    head, tail = draw(_shape(columns))
    return f"SELECT {head} FROM {source}{where}{tail}"


@st.composite
def subqueries(draw: st.DrawFn, columns: Columns, tables: Sequence[Table]) -> str:
    """A condition that asks another query, at times beside another condition or negated."""
    table = draw(st.sampled_from(tables))
    inner = Columns(tuple(("y", name, type_) for name, type_ in table.columns))
    tests = draw(st.lists(conditions(inner, 1), max_size=1))
    outer = draw(st.sampled_from(columns.of(INTEGERS)))
    mine = draw(st.sampled_from(inner.of(INTEGERS)))
    if draw(st.booleans()):
        tied = draw(st.sampled_from(columns.of(INTEGERS)))
        tests.append(f"{mine} {draw(st.sampled_from(['=', '=', '=', '<', '<>']))} {tied}")
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    column = draw(st.sampled_from(inner.of(INTEGERS)))
    match draw(st.sampled_from(["exists", "in", "value", "any"])):
        case "exists":
            test = f"EXISTS (SELECT 1 FROM {table.name} AS y{where})"
        case "in":
            test = f"{outer} IN (SELECT {column} FROM {table.name} AS y{where})"
        case "any":
            word = draw(st.sampled_from(["ANY", "ALL"]))
            test = f"{outer} {draw(_comparisons())} {word} (SELECT {column} FROM {table.name} AS y{where})"
        case _:
            value = draw(st.sampled_from(["SUM", "COUNT", "MIN", "MAX"]))
            test = f"{outer} {draw(_comparisons())} (SELECT {value}({column}) FROM {table.name} AS y{where})"
    match draw(st.sampled_from(["", "", "NOT", "OR"])):
        case "NOT":
            return f"NOT ({test})"
        case "OR":
            return f"({test}) OR {draw(conditions(columns, 1))}"
        case _:
            return test


@st.composite
def _join(draw: st.DrawFn, columns: Columns, earlier: Sequence[str], alias: str) -> str:
    """Mostly an equality; at times of expressions, across types, an inequality, or nothing at all."""
    left = draw(st.sampled_from(columns.of(TYPES, alias)))
    kinds = NUMBERS if columns.type_of(left) in NUMBERS else (columns.type_of(left),)
    partners = [name for other in earlier for name in columns.of(kinds, other)]
    if not partners:
        left, kinds = columns.of(INTEGERS, alias)[0], INTEGERS
        partners = [name for other in earlier for name in columns.of(kinds, other)]
    right = draw(st.sampled_from(partners))
    form = draw(st.sampled_from(["=", "=", "=", "=", "<", "<>", "shift", "band", "cross"]))
    if form in ("shift", "band") and kinds[0] not in NUMBERS:
        form = "="
    match form:
        case "shift":
            return f"{left} + 1 = {right}"
        case "band":
            return f"{left} BETWEEN {right} - 1 AND {right} + 1"
        case "cross":
            return "TRUE"
        case _:
            return f"{left} {form} {right}"


@st.composite
def _shape(draw: st.DrawFn, columns: Columns) -> tuple[str, str]:
    """The select list, and GROUP BY if there is one."""
    kind = draw(st.sampled_from(["bag", "groups", "groups", "single"]))
    if kind == "bag":
        items = draw(st.lists(values(columns), min_size=1, max_size=3))
        return ", ".join(f"{item} AS c{index}" for index, item in enumerate(items)), ""
    measures = draw(st.lists(aggregates(columns), min_size=1, max_size=3))
    keys = draw(st.lists(values(columns, depth=1), min_size=1, max_size=2, unique=True)) if kind == "groups" else []
    items = [f"{item} AS k{index}" for index, item in enumerate(keys)]
    items += [f"{item} AS m{index}" for index, item in enumerate(measures)]
    positions = ", ".join(str(index) for index in range(1, len(keys) + 1))
    having = draw(st.sampled_from(["", "", "", f" HAVING {draw(_having(columns))}"])) if keys else ""
    return ", ".join(items), f" GROUP BY {positions}{having}" if keys else ""


@st.composite
def _having(draw: st.DrawFn, columns: Columns) -> str:
    """Over exact numbers: whether a sum of doubles passes a limit may depend on their order."""
    exact = draw(numbers(columns, 1, EXACT))
    function = draw(st.sampled_from(["COUNT(*)", f"SUM({exact})", f"MIN({exact})", f"COUNT({exact})"]))
    return f"{function} {draw(_comparisons())} {draw(st.sampled_from([0, 1, 2]))}"


@st.composite
def aggregates(draw: st.DrawFn, columns: Columns) -> str:
    kinds = ["count", "sum", "sum", "avg", "ratio", "mixed", "min", "max", "values", "different", "filter", "every"]
    match draw(st.sampled_from(kinds)):
        case "min" | "max" as end:
            return f"{end.upper()}({draw(values(columns, 1))})"
        case "values":
            return f"COUNT({draw(values(columns, 1))})"
        case "different":
            return f"COUNT(DISTINCT {columns.of(TYPES)[0]})"
        case "filter":
            return f"SUM({draw(numbers(columns, 1))}) FILTER (WHERE {draw(conditions(columns, 1))})"
        case "every":
            return f"BOOL_AND({draw(conditions(columns, 1))})"
        case "count":
            return "COUNT(*)"
        case "avg":
            return f"AVG({draw(numbers(columns))})"
        case "ratio":
            return f"SUM({draw(numbers(columns))}) / SUM({draw(numbers(columns, types=EXACT))})"
        case "mixed":
            return f"SUM({draw(numbers(columns, 1))}) * 2 - COUNT(*) + SUM({draw(numbers(columns, 1))})"
        case _:
            return f"SUM({draw(numbers(columns))})"


@st.composite
def values(draw: st.DrawFn, columns: Columns, depth: int = 2) -> str:
    kind = draw(st.sampled_from(["column", "column", "number", "text", "condition"]))
    if kind == "column":
        return draw(st.sampled_from(columns.of(TYPES)))
    if kind == "number":
        return draw(numbers(columns, depth))
    texts = columns.of(("VARCHAR",))
    if kind == "text" and texts:
        test, text = draw(conditions(columns, 0)), draw(st.sampled_from(texts))
        return f"CASE WHEN {test} THEN {text} ELSE {literal('VARCHAR', draw(_value('VARCHAR')))} END"
    return f"({draw(conditions(columns, 1))})"


@st.composite
def numbers(draw: st.DrawFn, columns: Columns, depth: int = 2, types: Sequence[str] = NUMBERS) -> str:
    """A numeric expression that reads at least one column."""
    names = columns.of(types)
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(names))
    part = numbers(columns, depth - 1, types)
    left = draw(part)
    match draw(st.sampled_from(["+", "-", "*", "minus", "case", "literal", "rest", "quotient", "instead"])):
        case "instead":
            return f"COALESCE({left}, {draw(part)})"
        case "minus":
            return f"(-{left})"
        case "case":
            return f"CASE WHEN {draw(conditions(columns, depth - 1))} THEN {left} ELSE {draw(part)} END"
        case "literal":
            type_ = draw(st.sampled_from(types))
            return f"({left} {draw(st.sampled_from('+-*'))} {literal(type_, draw(_value(type_)))})"
        case "rest":
            return f"({draw(st.sampled_from(columns.of(INTEGERS)))} % {draw(st.sampled_from([2, 3, -2]))})"
        case "quotient" if types == NUMBERS:
            return f"({left} / {draw(st.sampled_from([2, 4, -8]))})"
        case "quotient":
            return left
        case operator:
            return f"({left} {operator} {draw(part)})"


@st.composite
def conditions(draw: st.DrawFn, columns: Columns, depth: int = 2) -> str:
    if depth and draw(st.booleans()):
        part = conditions(columns, depth - 1)
        match draw(st.sampled_from(["AND", "OR", "NOT"])):
            case "NOT":
                return f"NOT ({draw(part)})"
            case word:
                return f"({draw(part)} {word} {draw(part)})"
    name = draw(st.sampled_from(columns.of(TYPES)))
    type_ = columns.type_of(name)
    forms = ["compare", "compare", "between", "in", "columns", "missing"]
    forms += {"BOOLEAN": ["flag"] * 3, "VARCHAR": ["like"] * 3}.get(type_, [])
    negated = draw(st.sampled_from(["", "", "NOT "]))
    match draw(st.sampled_from(forms)):
        case "missing":
            return f"{name} IS {negated}NULL"
        case "between":
            return f"{name} {negated}BETWEEN {draw(_literals(type_))} AND {draw(_literals(type_))}"
        case "in":
            return f"{name} {negated}IN ({', '.join(draw(st.lists(_literals(type_), min_size=1, max_size=3)))})"
        case "columns":
            others = columns.of(NUMBERS if type_ in NUMBERS else (type_,))
            return f"{name} {draw(_comparisons())} {draw(st.sampled_from(others))}"
        case "flag":
            return f"{negated}{name}"
        case "like":
            return f"{name} {negated}LIKE {literal('VARCHAR', draw(st.sampled_from(PATTERNS)))}"
        case _:
            return f"{name} {draw(_comparisons())} {draw(_literals(type_))}"


def _comparisons() -> st.SearchStrategy[str]:
    return st.sampled_from(["=", "<>", "<", "<=", ">", ">="])


def _value(type_: str) -> st.SearchStrategy[Any]:
    return st.sampled_from(VALUES[type_])


def _literals(type_: str) -> st.SearchStrategy[str]:
    return _value(type_).map(lambda value: literal(type_, value))


def literal(type_: str, value: Any) -> str:
    match type_:
        case "VARCHAR":
            quoted = value.replace("'", "''")
            return f"'{quoted}'"
        case "DATE":
            return f"DATE '{value.isoformat()}'"
        case "TIMESTAMP":
            return f"TIMESTAMP '{value.isoformat(' ')}'"
        case "BOOLEAN":
            return "TRUE" if value else "FALSE"
        case "DOUBLE":
            return f"{value!r}e0"
        case _:
            return str(value)


def draw_many(strategy: st.SearchStrategy[T], count: int, number: int) -> list[T]:
    """So many examples of a strategy, the same for the same seed, for tests that need them all at once."""
    found: list[T] = []

    @seed(number)
    @settings(_PLAIN, max_examples=count)
    @given(strategy)
    def collect(example: T) -> None:
        found.append(example)

    run: Callable[[], None] = collect
    run()
    return found[:count]
