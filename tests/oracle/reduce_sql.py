"""Make a script small: leave out views, clauses and parts of expressions while a failure stays the same one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import sqlglot
from sqlglot import exp

_VIEW = re.compile(r"CREATE VIEW (\w+) AS (.*);$")
_CLAUSES = ("where", "having", "order", "limit", "offset", "distinct", "group", "with_")
_LISTS = ("joins", "expressions", "ifs")


def smallest_script(sql: str, fails: Callable[[str], bool]) -> str:
    """A script of one statement per line, with views as ``CREATE VIEW name AS …;``, as short as still fails."""
    lines = sql.split("\n")
    lines = _fewer_lines(lines, fails)
    again = True
    while again:
        again = False
        for place, line in enumerate(lines):
            match = _VIEW.match(line)
            if match is None:
                continue
            shorter = _shorter(match, lambda text, place=place: fails("\n".join([*lines[:place], text, *lines[place + 1 :]])))
            if shorter is not None:
                lines[place] = shorter
                again = True
        fewer = _fewer_lines(lines, fails)
        again = again or fewer != lines
        lines = fewer
    return "\n".join(lines)


def _fewer_lines(lines: list[str], fails: Callable[[str], bool]) -> list[str]:
    for place in reversed(range(len(lines))):
        fewer = lines[:place] + lines[place + 1 :]
        if fails("\n".join(fewer)):
            lines = fewer
    return lines


def _shorter(view: re.Match[str], fails: Callable[[str], bool]) -> str | None:
    """Take steps that make the view's text shorter until none is left; None if there was none."""
    best: str | None = None
    text = view[2]
    found = True
    while found:
        found = False
        for candidate in _variants(text):
            if len(candidate) < len(text) and fails(f"CREATE VIEW {view[1]} AS {candidate};"):
                text, found = candidate, True
                best = f"CREATE VIEW {view[1]} AS {text};"
                break
    return best


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
    options: list[Callable[[], exp.Expr]] = []

    def without(name: str) -> exp.Expr:
        node.set(name, None)
        return tree

    def without_item(name: str, place: int) -> exp.Expr:
        items = list(node.args[name])
        del items[place]
        node.set(name, items)
        return tree

    def instead(other: exp.Expr) -> exp.Expr:
        if node.parent is None:
            return other
        node.replace(other)
        return tree

    options += [lambda name=name: without(name) for name in _CLAUSES if node.args.get(name)]
    for name in _LISTS:
        items = node.args.get(name)
        if isinstance(items, list) and (len(items) > 1 or name == "joins"):
            options += [lambda name=name, place=place: without_item(name, place) for place in range(len(items))]
    children = [child for child in node.iter_expressions()]
    if isinstance(node, exp.Query):
        options += [lambda child=child: instead(child.copy()) for child in children if isinstance(child, exp.Query)]
    elif not isinstance(node, exp.Identifier | exp.Table | exp.TableAlias | exp.From | exp.Join):
        options += [lambda child=child: instead(child.copy()) for child in children if _is_value(child)]
        if _is_value(node) and not isinstance(node, exp.Column | exp.Literal | exp.Boolean | exp.Null):
            options += [lambda other=other: instead(other) for other in (exp.Literal.number(1), exp.true(), exp.null())]
    return options[number]() if number < len(options) else None


def _is_value(node: exp.Expr) -> bool:
    return isinstance(node, exp.Condition | exp.Subquery | exp.Paren) and not isinstance(node, exp.Identifier)
