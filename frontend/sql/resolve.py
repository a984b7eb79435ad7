"""One query to a block: names become variables, expressions become typed scalars."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from toastergen.errors import ResolveError, SqlTypeError, UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.sql.aggregates import Aggregates
from toastergen.frontend.sql.block import Block, Stage, Tie, columns_of, reading, unique
from toastergen.frontend.sql.composed import BOOLEANS, VARIANCES, boolean, filtered, variance
from toastergen.frontend.sql.context import MEMBERS, ROWS, VALUE, Context, Outer
from toastergen.frontend.sql.expressions import AGGREGATES, Translator
from toastergen.frontend.sql.grouping import Grouped, block_of
from toastergen.frontend.sql.joins import JoinCondition, read_from
from toastergen.frontend.sql.names import RESERVED, OutputNames
from toastergen.frontend.sql.nested import Nested
from toastergen.frontend.sql.outer import OuterColumns
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.refuse import check_arguments, refuse
from toastergen.frontend.sql.resolved import Item
from toastergen.frontend.sql.scope import Scope
from toastergen.frontend.sql.select import check_select
from toastergen.frontend.types import INT


def resolve_select(select: exp.Select, context: Context, mode: str, outer: Outer | None) -> Block:
    check_select(select, context.places)
    names = Names(RESERVED)
    scope, conditions = read_from(select, context, names)
    resolver = _Resolver(select, context, scope, names, OuterColumns(outer, names, context.places))
    resolver.where(conditions)
    return resolver.block(mode)


@dataclass(frozen=True, slots=True)
class _SelectItem:
    """An item of the select list after ``*`` is spelled out; ``node`` is what to translate."""

    node: exp.Expr
    alias: str | None
    value: Scalar | None = None
    label: str | None = None


@dataclass(slots=True)
class _Resolver:
    """``rows`` are the joined rows of FROM and WHERE, ``late`` is what joins the groups made of them."""

    select: exp.Select
    context: Context
    scope: Scope
    names: Names
    outer: OuterColumns
    aggregates: Aggregates = field(init=False)
    rows: Stage = field(init=False)
    late: Stage = field(init=False)
    seen: dict[Var, exp.Column] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.aggregates = Aggregates(self.names)
        self.rows = Stage(self.names, list(self.scope.inputs), list(self.scope.where))
        self.late = Stage(self.names)

    @property
    def places(self) -> Places:
        return self.context.places

    # --- the whole ----------------------------------------------------------------------------------------

    def block(self, mode: str) -> Block:
        group_by = self.group_by()
        self.aggregates.over_nothing = group_by == ()
        items = self.items(group_by)
        having = self._having(group_by)
        if mode == VALUE:
            self._check_one_value(group_by, items)
        where, ties = self.outer.ties(self.rows.where)
        if mode == MEMBERS and group_by is None:
            items = tuple(item for item in items if not self.outer.inside(item.value))
        arguments = [item.argument for item in self.aggregates.found() if item.argument is not None]
        free = self.outer.free((*where, *arguments, *(item.value for item in items)))
        self.outer.refuse_in((*having, *self.late.where, *(group_by or ())))
        self.outer.refuse_in(item.argument for item in self.aggregates.distinct() if item.argument is not None)
        if group_by is None:
            block = Block(tuple(self.rows.inputs), where, None, (), items, ties, free)
        else:
            ends = any(item.kind in ("min", "max") for item in self.aggregates.found())
            if having or ends or self.late.inputs or self.aggregates.distinct():
                self.outer.refuse_in((*where, *arguments, *(item.value for item in items)))
            block = replace(self._grouped(group_by, where, items, having, ties), free=free)
        return self._distinct(block, group_by) if mode == ROWS and self.select.args.get("distinct") else block

    def _grouped(
        self,
        group_by: tuple[Scalar, ...],
        where: tuple[Scalar, ...],
        items: tuple[Item, ...],
        having: tuple[Scalar, ...],
        ties: tuple[Tie, ...],
    ) -> Block:
        found, distinct = self.aggregates.found(), self.aggregates.distinct()
        inputs = tuple(self.rows.inputs)
        grouped = Grouped(inputs, where, group_by, found, distinct, items, having, self.late, ties)
        return block_of(grouped, self.context)

    def _distinct(self, block: Block, group_by: tuple[Scalar, ...] | None) -> Block:
        """Each row once: grouped by all of its columns."""
        values = unique(item.value for item in block.items)
        if block.group_by is None:
            return replace(block, group_by=values)
        if group_by is not None and block.group_by == group_by and set(group_by) <= set(values):
            return block  # groups differ already
        workspace = self.context.workspace
        relation = workspace.derive((block,), "rows")
        source = reading(relation, Names(RESERVED))
        return Block((source,), (), tuple(source.vars), (), columns_of(source, block.items))

    def _check_one_value(self, group_by: tuple[Scalar, ...] | None, items: tuple[Item, ...]) -> None:
        """A scalar subquery is one aggregate over everything."""
        if len(items) != 1 or group_by != () or self.select.args.get("having"):
            what = "has more than one column" if len(items) != 1 else "may give more than one row, or none"
            raise UnsupportedSql(
                f"this subquery {what}, which is not supported as a value",
                span=self.places.select(self.select),
                hint="select one aggregate without GROUP BY: (SELECT SUM(a) FROM r)",
            )

    # --- WHERE, ON and HAVING -----------------------------------------------------------------------------

    def where(self, conditions: tuple[JoinCondition, ...]) -> None:
        """Conditions without subqueries first: they say which outer rows the subqueries are asked for."""
        found: list[tuple[exp.Expr, str, int | None]]
        found = [(node, "ON", item.entries) for item in conditions for node in _conjuncts(item.node)]
        clause = self.select.args.get("where")
        if clause is not None:
            check_arguments(clause, ("this",), self.places, "WHERE")
            found += [(node, "WHERE", None) for node in _conjuncts(clause.this)]
        for node, where, entries in sorted(found, key=lambda entry: _has_subquery(entry[0])):
            at = replace(self._row(where, entries), root=node)
            self.rows.where += sc.conjuncts(at.condition(node))

    def _row(self, where: str, entries: int | None = None) -> Translator:
        """For expressions over one joined row: no aggregates."""
        nested = Nested(self.context, self.rows, self.rows)
        return Translator(self.places, lambda node: self._column(node, entries), where, subquery=nested)

    def _column(self, node: exp.Column, entries: int | None = None) -> Scalar:
        if self.outer.is_meant(node, self.scope):
            return self.outer.column(node, self.scope)
        return self.scope.lookup(node, entries).value

    def _having(self, group_by: tuple[Scalar, ...] | None) -> tuple[Scalar, ...]:
        clause = self.select.args.get("having")
        if clause is None:
            return ()
        check_arguments(clause, ("this",), self.places, "HAVING")
        terms: list[Scalar] = []
        for node in _conjuncts(clause.this):
            at = replace(self._over_groups("HAVING", grouped=True), root=node)
            for term in sc.conjuncts(at.condition(node)):
                self._check_grouped(term, _SelectItem(node, None), frozenset(group_by or ()))
                terms.append(term)
        return tuple(terms)

    # --- GROUP BY -----------------------------------------------------------------------------------------

    def group_by(self) -> tuple[Scalar, ...] | None:
        clause = self.select.args.get("group")
        if clause is None:
            having = self.select.args.get("having")
            has_aggregate = any(self._has_aggregate(node) for node in self.select.expressions)
            return () if has_aggregate or having else None
        if clause.args.get("all"):
            raise UnsupportedSql(
                "GROUP BY ALL is not supported",
                span=self.places.keyword("GROUP", self.select),
                hint="list the columns",
            )
        check_arguments(clause, ("expressions",), self.places, "GROUP BY")
        return tuple(dict.fromkeys(map(self._group_expression, clause.expressions)))

    def _group_expression(self, node: exp.Expr) -> Scalar:
        if isinstance(node, exp.Literal) and not node.is_string:
            node = self._ordinal(node)
        elif isinstance(node, exp.Column) and not node.table:
            node = self._alias_target(node)
        return sc.typed_null(self._row("GROUP BY").scalar(node), INT)

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
                entries += [_SelectItem(node, None, item.value, item.name) for item in self.scope.star(node)]
            elif isinstance(node, exp.Alias):
                check_arguments(node, ("this", "alias"), self.places, "AS")
                entries.append(_SelectItem(node.this, node.alias))
            else:
                entries.append(_SelectItem(node, None))
        return entries

    def _item_value(self, entry: _SelectItem, group_by: tuple[Scalar, ...] | None) -> Scalar:
        value = entry.value
        if value is None:
            value = self._over_groups("the select list", group_by is not None).scalar(entry.node)
            value = sc.typed_null(value, INT)
        if group_by is not None:
            self._check_grouped(value, entry, frozenset(group_by))
        return value

    def _over_groups(self, where: str, grouped: bool) -> Translator:
        nested = Nested(self.context, self.rows, self.late if grouped else self.rows)
        aggregate = self._aggregate if grouped else None
        return Translator(self.places, self._seen_column, where, aggregate, nested)

    def _seen_column(self, node: exp.Column) -> Scalar:
        value = self._column(node)
        for var in sc.variables(value):
            self.seen.setdefault(var, node)
        return value

    def _check_grouped(self, value: Scalar, entry: _SelectItem, group: frozenset[Scalar]) -> None:
        """Every column in an item stands inside a group expression (or inside an aggregate)."""
        if value in group or self.aggregates.is_result(value) or self._is_late(value):
            return
        if isinstance(value, Var):
            node = entry.node if entry.value is not None else self.seen[value]
            shown = (item.name for item in self.scope.fields() if value in sc.variables(item.value))
            name = next(shown, value.name)
            raise ResolveError(
                f"column {name} is neither grouped nor aggregated",
                span=self.places.span(node),
                hint=f"add {name} to GROUP BY, or aggregate it: SUM({name})",
            )
        for child in sc.children(value):
            self._check_grouped(child, entry, group)

    def _is_late(self, value: Scalar) -> bool:
        return self.outer.inside(value) or any(value in item.vars for item in self.late.inputs)

    def _aggregate(self, node: exp.Expr) -> Scalar:
        condition = None
        if isinstance(node, exp.Filter):
            check_arguments(node.expression, ("this",), self.places, "FILTER")
            condition = self._row("FILTER").condition(node.expression.this)
            node = node.this
            if not isinstance(node, AGGREGATES):
                raise refuse(node, self.places)
        argument = node.this
        if isinstance(node, exp.Count) and type(argument) is exp.Star:
            check_arguments(argument, (), self.places, "COUNT(*)")
            if condition is None:
                return self.aggregates.count()
            return self.aggregates.over("count", filtered(sc.ONE, condition))
        if argument is None:
            raise UnsupportedSql(
                "COUNT() is not supported", span=self.places.span(node), hint="write COUNT(*)"
            )
        distinct = isinstance(argument, exp.Distinct)
        if distinct:
            argument = self._distinct_argument(argument)
        value = sc.typed_null(self._row("the argument of an aggregate").scalar(argument), INT)
        if condition is not None:
            value = filtered(value, condition)
        return self._aggregate_over(node, value, distinct)

    def _aggregate_over(self, node: exp.Expr, value: Scalar, distinct: bool) -> Scalar:
        """DISTINCT makes no difference to ends and conditions."""
        kind = type(node).__name__.lower()
        if isinstance(node, BOOLEANS):
            return boolean(node, value, self.aggregates.over)
        if isinstance(node, VARIANCES) and not distinct:
            return variance(node, value, self.aggregates.over)
        if kind not in ("min", "max", "count") and not sc.type_of(value).is_numeric:
            raise SqlTypeError(
                f"{kind.upper()} needs numbers, not {sc.type_of(value)}",
                span=self.places.span(node),
                hint="for a condition use COUNT(*) FILTER (WHERE …)",
            )
        if not distinct or kind in ("min", "max"):
            return self.aggregates.over(kind, value)
        if kind not in ("sum", "count", "avg"):
            raise UnsupportedSql(
                f"{kind.upper()} over DISTINCT is not supported",
                span=self.places.span(node),
                hint="select the different values in a subquery and aggregate those",
            )
        if any(other.argument != value for other in self.aggregates.distinct()):
            raise UnsupportedSql(
                "DISTINCT over two different arguments in one query is not supported",
                span=self.places.span(node),
                hint="declare one view per argument and join the views",
            )
        return self.aggregates.over_distinct(kind, value)

    def _distinct_argument(self, node: exp.Distinct) -> exp.Expr:
        check_arguments(node, ("expressions",), self.places, "DISTINCT")
        if len(node.expressions) != 1:
            raise UnsupportedSql(
                "DISTINCT over several values is not supported",
                span=self.places.span(node),
                hint="count the rows of SELECT DISTINCT a, b FROM …",
            )
        only: exp.Expr = node.expressions[0]
        return only

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
        """Not inside subqueries, which have their own, nor windows, which are refused with their own message."""
        found = node.find_all(*AGGREGATES)
        return any(item.find_ancestor(exp.Query, exp.Window) in (None, self.select) for item in found)


def _conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """The conditions that must all hold, in the order of the text."""
    inner = node.unnest()
    if not isinstance(inner, exp.And):
        return [node]
    return [part for child in inner.flatten(unnest=False) for part in _conjuncts(child)]


def _has_subquery(node: exp.Expr) -> bool:
    return node.find(exp.Query) is not None


def _is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


def _unalias(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Alias) else node
