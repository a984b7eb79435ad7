"""What a script declares and what it needs beside: its relations and queries, and those that nobody wrote.

A query that reads the rows of another one reads a *derived relation*. Each is added once, under a readable name, right
behind whatever it depends on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import DERIVED, Column, Crossing, Order, Relation, Window
from toastergen.frontend.sql.block import Block
from toastergen.frontend.sql.names import OutputNames
from toastergen.frontend.sql.resolved import Item, Query
from toastergen.frontend.types import Type


class Workspace:
    """Keys are in lower case: names do not depend on it."""

    def __init__(self, relations: Iterable[Relation], views: Iterable[str], taken: Iterable[str]) -> None:
        self.relations = list(relations)
        self.queries: list[Query] = []
        self.views: dict[str, tuple[str, Block]] = {}
        self.later = {name.lower(): name for name in views}
        self.cut: set[str] = set()  # views that show only some of their rows
        self.current = ""
        self._names = OutputNames(taken)
        self._declared = {item.name.lower(): item for item in self.relations}
        self._by_name = {item.name: item for item in self.relations}
        self._shown: dict[int, str] = {}  # the views, by the identity of their blocks
        self._hidden: dict[Block, str] = {}
        self._derived: dict[tuple[str, ...], Relation] = {}
        self._windows: dict[tuple[str, Window], Relation] = {}
        self._crossings: dict[tuple[str, str, Crossing], Relation] = {}

    def find(self, name: str) -> Relation | None:
        """A relation of the user's."""
        return self._declared.get(name.lower())

    def relation(self, name: str) -> Relation:
        """Any relation, the derived ones too, by its exact name."""
        return self._by_name[name]

    def known(self) -> list[str]:
        return [item.name for item in self._declared.values()] + [name for name, _ in self.views.values()]

    def show(self, name: str, block: Block, order: Order | None) -> None:
        """Add a view of the user's."""
        self.queries.append(replace(block.query(name, hidden=False), order=order))
        if order is not None and (order.limit is not None or order.offset):
            self.cut.add(name.lower())
        self.views[name.lower()] = (name, block)
        self._shown[id(block)] = name

    def derive(self, blocks: Sequence[Block], wish: str, end: str = "") -> Relation:
        """The derived relation with the rows of these blocks, which have the same types; or with their ends."""
        whole = f"{self.current}_{wish}"
        names = tuple(self._query(block, whole) for block in blocks)
        meaning = (*names, end)
        if meaning not in self._derived:
            name = names[0] if len(names) == 1 and not end else self._names.fresh(f"{whole}_{end}" if end else whole)
            unique = OutputNames()
            columns = tuple(
                Column(unique.fresh(items[0].name), _type(items))
                for items in zip(*(block.items for block in blocks), strict=True)
            )
            relation = Relation(name, columns, DERIVED, _key(blocks, columns, end), queries=names, end=end)
            self.relations.append(relation)
            self._by_name[name] = relation
            self._derived[meaning] = relation
        return self._derived[meaning]

    def derive_window(self, block: Block, window: Window, results: tuple[Column, ...]) -> Relation:
        """The rows of a block, whose columns have different names, with the results of a window behind them."""
        query = self._query(block, f"{self.current}_rows")
        meaning = (query, window)
        if meaning not in self._windows:
            name = self._names.fresh(f"{self.current}_window")
            columns = tuple(Column(item.name, sc.column_type(item.value)) for item in block.items)
            relation = Relation(name, (*columns, *results), DERIVED, queries=(query,), window=window)
            self.relations.append(relation)
            self._by_name[name] = relation
            self._windows[meaning] = relation
        return self._windows[meaning]

    def derive_crossing(self, weights: Block, threshold: Block, crossing: Crossing) -> Relation:
        """The intervals in which a running sum of weights by key passes a test against a threshold."""
        queries = (
            self._query(weights, f"{self.current}_weights"),
            self._query(threshold, f"{self.current}_threshold"),
        )
        meaning = (*queries, crossing)
        if meaning not in self._crossings:
            end = sc.type_of(weights.items[0].value).or_null()
            name = self._names.fresh(f"{self.current}_interval")
            columns = (Column("low", end), Column("high", end))
            relation = Relation(name, columns, DERIVED, queries=queries, crossing=crossing)
            self.relations.append(relation)
            self._by_name[name] = relation
            self._crossings[meaning] = relation
        return self._crossings[meaning]

    def _query(self, block: Block, wish: str) -> str:
        assert not block.ties, "a tied subquery has no rows of its own"
        name = self._shown.get(id(block)) or self._hidden.get(block)
        if name is None:
            name = self._hidden[block] = self._names.fresh(wish)
            self.queries.append(block.query(name, hidden=True))
        return name


def _key(blocks: Sequence[Block], columns: tuple[Column, ...], end: str) -> tuple[str, ...]:
    """The columns that tell all rows apart: of groups those they are grouped by, of ends all but the last."""
    if end:
        return tuple(column.name for column in columns[:-1])
    group_by = set(blocks[0].group_by or ()) if len(blocks) == 1 else set()
    keyed = [(item.value, column) for item, column in zip(blocks[0].items, columns, strict=True)]
    if not group_by <= {value for value, _ in keyed}:
        return ()
    return tuple(column.name for value, column in keyed if value in group_by)


def _type(items: tuple[Item, ...]) -> Type:
    """Of a column that several queries feed: NULL if one of them may give one."""
    return sc.type_of(items[0].value).or_null(any(sc.is_nullable(item.value) for item in items))
