"""One SELECT to a resolved query: names become variables, expressions become typed scalars."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from toastergen.errors import ResolveError, SqlTypeError, UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.sql.aggregates import Aggregates
from toastergen.frontend.sql.expressions import AGGREGATES, Translator
from toastergen.frontend.sql.names import RESERVED, OutputNames
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.refuse import check_arguments, refuse
from toastergen.frontend.sql.resolved import Item, Query
from toastergen.frontend.sql.scope import Catalog, JoinCondition, Scope, read_from
from toastergen.frontend.sql.select import parse_select
from toastergen.frontend.sql.source import Statement


def resolve_select(name: str, statement: Statement, catalog: Catalog) -> Query:
    select = parse_select(statement)
    places = Places(statement)
    names = Names(RESERVED)
    scope, conditions = read_from(select, catalog, places, names)
    resolver = _Resolver(select, places, scope, Aggregates(names))
    where = resolver.where(conditions)
    group_by = resolver.group_by()
    items = resolver.items(group_by)
    return Query(name, scope.inputs, where, group_by, resolver.aggregates.found(), items)


@dataclass(frozen=True, slots=True)
class _SelectItem:
    """An item of the select list after ``*`` is spelled out; ``node`` is what to translate."""

    node: exp.Expr
    alias: str | None
    var: Var | None = None
    label: str | None = None


@dataclass(slots=True)
class _Resolver:
    select: exp.Select
    places: Places
    scope: Scope
    aggregates: Aggregates
    seen: dict[Var, exp.Column] = field(default_factory=dict)

    # --- WHERE and ON -------------------------------------------------------------------------------------

    def where(self, conditions: tuple[JoinCondition, ...]) -> tuple[Scalar, ...]:
        terms: list[Scalar] = []
        for item in conditions:
            terms += sc.conjuncts(self._row("ON", item.inputs).condition(item.node))
        clause = self.select.args.get("where")
        if clause is not None:
            check_arguments(clause, ("this",), self.places, "WHERE")
            terms += sc.conjuncts(self._row("WHERE").condition(clause.this))
        return tuple(terms)

    def _row(self, where: str, inputs: int | None = None) -> Translator:
        """For expressions over one joined row: no aggregates, no division that may be NULL."""
        return Translator(self.places, lambda node: self.scope.lookup(node, inputs).var, where)

    # --- GROUP BY -----------------------------------------------------------------------------------------

    def group_by(self) -> tuple[Scalar, ...] | None:
        clause = self.select.args.get("group")
        if clause is None:
            has_aggregate = any(self._has_aggregate(node) for node in self.select.expressions)
            return () if has_aggregate else None
        if clause.args.get("all"):
            raise UnsupportedSql(
                "GROUP BY ALL is not supported", span=self.places.keyword("GROUP"), hint="list the columns"
            )
        for part in ("grouping_sets", "cube", "rollup"):
            for node in clause.args.get(part) or ():
                raise refuse(node, self.places)
        check_arguments(clause, ("expressions",), self.places, "GROUP BY")
        return tuple(dict.fromkeys(map(self._group_expression, clause.expressions)))

    def _group_expression(self, node: exp.Expr) -> Scalar:
        if isinstance(node, exp.Literal) and not node.is_string:
            node = self._ordinal(node)
        elif isinstance(node, exp.Column) and not node.table:
            node = self._alias_target(node)
        return self._row("GROUP BY").scalar(node)

    def _ordinal(self, node: exp.Literal) -> exp.Expr:
        items = self.select.expressions
        if any(_is_star(item) for item in items):
            raise UnsupportedSql(
                "a position in GROUP BY beside * is not supported",
                span=self.places.span(node),
                hint="write the column's name",
            )
        text = str(node.this)
        if not text.isdecimal() or not 1 <= int(text) <= len(items):
            raise ResolveError(
                f"GROUP BY {text}: the select list has positions 1 to {len(items)}",
                span=self.places.span(node),
                hint="use one of these positions or a name",
            )
        return _unalias(items[int(text) - 1])

    def _alias_target(self, node: exp.Column) -> exp.Expr:
        """As in DuckDB a column of FROM wins over an alias of the select list."""
        wanted = node.name.lower()
        if any(item.name.lower() == wanted for item in self.scope.fields()):
            return node
        for item in self.select.expressions:
            if isinstance(item, exp.Alias) and item.alias.lower() == wanted:
                return _unalias(item)
        return node

    # --- the select list ----------------------------------------------------------------------------------

    def items(self, group_by: tuple[Scalar, ...] | None) -> tuple[Item, ...]:
        names = OutputNames()
        found: list[Item] = []
        for entry in self._entries():
            value = self._item_value(entry, group_by)
            wish = entry.alias or self._label(entry, value, len(found) + 1)
            found.append(Item(names.fresh(wish), value))
        return tuple(found)

    def _entries(self) -> list[_SelectItem]:
        entries: list[_SelectItem] = []
        for node in self.select.expressions:
            if _is_star(node):
                entries += [_SelectItem(node, None, item.var, item.name) for item in self.scope.star(node)]
            elif isinstance(node, exp.Alias):
                check_arguments(node, ("this", "alias"), self.places, "AS")
                entries.append(_SelectItem(node.this, node.alias))
            else:
                entries.append(_SelectItem(node, None))
        return entries

    def _item_value(self, entry: _SelectItem, group_by: tuple[Scalar, ...] | None) -> Scalar:
        grouped = group_by is not None
        if entry.var is not None:
            value: Scalar = entry.var
        else:
            where = "the select list"
            aggregate = self._aggregate if grouped else None
            translator = Translator(self.places, self._seen_column, where, aggregate, may_divide=grouped)
            value = translator.scalar(entry.node)
        if group_by is not None:
            self._check_grouped(value, entry, frozenset(group_by))
        return value

    def _seen_column(self, node: exp.Column) -> Var:
        var = self.scope.lookup(node).var
        self.seen.setdefault(var, node)
        return var

    def _check_grouped(self, value: Scalar, entry: _SelectItem, group: frozenset[Scalar]) -> None:
        """Every column in an item stands inside a group expression (or inside an aggregate)."""
        if value in group or self.aggregates.is_result(value):
            return
        if isinstance(value, Var):
            field_ = next(item for item in self.scope.fields() if item.var == value)
            raise ResolveError(
                f"column {field_.name} is neither grouped nor aggregated",
                span=self.places.span(entry.node if entry.var else self.seen[value]),
                hint=f"add {field_.name} to GROUP BY, or aggregate it: SUM({field_.name})",
            )
        for child in sc.children(value):
            self._check_grouped(child, entry, group)

    def _aggregate(self, node: exp.Expr) -> Var:
        kind, argument = type(node).__name__.lower(), node.this
        if kind == "count" and type(argument) is exp.Star:
            check_arguments(argument, (), self.places, "COUNT(*)")
            return self.aggregates.count()
        if argument is None:
            raise UnsupportedSql(
                "COUNT() is not supported", span=self.places.span(node), hint="write COUNT(*)"
            )
        value = self._row("the argument of an aggregate").scalar(argument)
        if kind == "count":
            return self.aggregates.count()  # columns always hold a value
        if not sc.type_of(value).is_numeric:
            raise SqlTypeError(
                f"{kind.upper()} needs numbers, not {sc.type_of(value)}",
                span=self.places.span(node),
                hint="for a condition use SUM(CASE WHEN … THEN 1 ELSE 0 END)",
            )
        return self.aggregates.over(kind, value)

    def _label(self, entry: _SelectItem, value: Scalar, position: int) -> str:
        """A readable name for an item without alias."""
        if entry.label is not None:
            return entry.label
        node = entry.node.unnest()
        if isinstance(node, exp.Column):
            return self.scope.lookup(node).name
        if isinstance(node, AGGREGATES) and isinstance(value, Var):
            inner = node.this.unnest() if node.this is not None else None
            if isinstance(inner, exp.Column) and not isinstance(node, exp.Count):
                return f"{type(node).__name__.lower()}_{self.scope.lookup(inner).name}"
            return value.name
        return f"col_{position}"

    def _has_aggregate(self, node: exp.Expr) -> bool:
        """Not inside subqueries or windows: those are refused with their own message."""
        found = node.find(exp.Sum, exp.Count, exp.Avg)
        return found is not None and found.find_ancestor(exp.Subquery, exp.Window) is None


def _is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


def _unalias(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Alias) else node
