"""Make a script small: leave out views, clauses and parts of expressions while a failure stays the same one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import sqlglot
from sqlglot import exp

_VIEW = re.compile(r"CREATE VIEW (\w+) AS (.*);$")
_CLAUSES = ("where", "having", "order", "limit", "offset", "distinct", "group", "with_")
Fails = Callable[[str], bool]
_LISTS = ("joins", "expressions", "ifs")


def smallest_script(sql: str, fails: Fails) -> str:
    """A script of one statement per line, with views as ``CREATE VIEW name AS …;``, as short as still fails."""
    lines = _fewer_lines(sql.split("\n"), fails)
    while True:
        shorter = _fewer_lines(_shorter_lines(lines, fails), fails)
        if shorter == lines:
            return "\n".join(lines)
        lines = shorter


def _shorter_lines(lines: list[str], fails: Fails) -> list[str]:
    for place, line in enumerate(lines):
        view = _VIEW.match(line)
        if view is not None:
            before, after = lines[:place], lines[place + 1 :]
            shorter = _shorter(view, lambda text: fails("\n".join([*before, text, *after])))  # noqa: B023
            lines = [*before, shorter, *after]
    return lines


def _fewer_lines(lines: list[str], fails: Fails) -> list[str]:
    for place in reversed(range(len(lines))):
        fewer = lines[:place] + lines[place + 1 :]
        if fails("\n".join(fewer)):
            lines = fewer
    return lines


def _shorter(view: re.Match[str], fails: Fails) -> str:
    """Take steps that make the view's text shorter until none is left."""
    text = view[2]
    while True:
        candidates = (variant for variant in _variants(text) if len(variant) < len(text))
        found = next((item for item in candidates if fails(f"CREATE VIEW {view[1]} AS {item};")), None)
        if found is None:
            return f"CREATE VIEW {view[1]} AS {text};"
        text = found


def _variants(text: str) -> Iterator[str]:
    """All scripts one step away, those with the largest part left out first."""
    tree = sqlglot.parse_one(text, dialect="duckdb")
    count = sum(1 for _ in tree.walk(bfs=True))
    for place in range(count):
        for change in range(40):
            copy = tree.copy()
            node = next(item for index, item in enumerate(copy.walk(bfs=True)) if index == place)
            changed = _change(copy, node, change)
            if changed is None:
                break
            try:
                yield changed.sql(dialect="duckdb")
            except Exception:  # a tree the printer cannot print is no variant
                continue


def _change(tree: exp.Expr, node: exp.Expr, number: int) -> exp.Expr | None:
    """The tree after the so-manyth change of one node; None when there is no further one."""
    clauses = [name for name in _CLAUSES if node.args.get(name)]
    if number < len(clauses):
        node.set(clauses[number], None)
        return tree
    number -= len(clauses)
    items = [(name, place) for name in _LISTS for place in range(_spare(node, name))]
    if number < len(items):
        name, place = items[number]
        node.set(name, [item for index, item in enumerate(node.args[name]) if index != place])
        return tree
    number -= len(items)
    others = _simpler(node)
    if number >= len(others):
        return None
    if node.parent is None:
        return others[number]
    node.replace(others[number])
    return tree


def _spare(node: exp.Expr, name: str) -> int:
    """How many items a list has of which one may go."""
    items = node.args.get(name)
    return len(items) if isinstance(items, list) and (len(items) > 1 or name == "joins") else 0


def _simpler(node: exp.Expr) -> list[exp.Expr]:
    """What can stand in the place of a node: what it is made of, or a literal."""
    children = list(node.iter_expressions())
    if isinstance(node, exp.Query):
        return [child.copy() for child in children if isinstance(child, exp.Query)]
    if isinstance(node, exp.Identifier | exp.Table | exp.TableAlias | exp.From | exp.Join):
        return []
    found = [child.copy() for child in children if _is_value(child)]
    if _is_value(node) and not isinstance(node, exp.Column | exp.Literal | exp.Boolean | exp.Null):
        found += [exp.Literal.number(1), exp.true(), exp.null()]
    return found


def _is_value(node: exp.Expr) -> bool:
    return isinstance(node, exp.Condition | exp.Subquery | exp.Paren) and not isinstance(node, exp.Identifier)
