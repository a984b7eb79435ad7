"""One query to a block: names become variables, expressions become typed scalars."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from toastergen.errors import ResolveError, UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.interpret.scalars import evaluate
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Const, Scalar, Var
from toastergen.frontend.sql.aggregate_calls import AggregateReader
from toastergen.frontend.sql.aggregates import Aggregates
from toastergen.frontend.sql.block import Block, Stage, Tie, columns_of, reading, unique
from toastergen.frontend.sql.context import FOUND, ROWS, VALUE, Context, Outer
from toastergen.frontend.sql.distinct import groups_of
from toastergen.frontend.sql.expressions import AGGREGATES, Translator
from toastergen.frontend.sql.grouping import Grouped
from toastergen.frontend.sql.joins import JoinCondition, read_from
from toastergen.frontend.sql.names import RESERVED, OutputNames
from toastergen.frontend.sql.nested import Nested
from toastergen.frontend.sql.one_row import is_one_row
from toastergen.frontend.sql.outer import OuterColumns
from toastergen.frontend.sql.places import Places
from toastergen.frontend.sql.refuse import check_arguments
from toastergen.frontend.sql.resolved import Item
from toastergen.frontend.sql.running import read_running
from toastergen.frontend.sql.scope import Scope
from toastergen.frontend.sql.select import check_select
from toastergen.frontend.sql.window_calls import WindowReader, is_windowed
from toastergen.frontend.sql.windows import Windows, over_windows
from toastergen.frontend.types import INT


def resolve_select(select: exp.Select, context: Context, mode: str, outer: Outer | None) -> Block:
    check_select(select, context.places)
    names = Names(RESERVED)
    scope, conditions = read_from(select, context, names)
    resolver = _Resolver(select, context, scope, names, OuterColumns(outer, names))
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
    windows: Windows = field(init=False)
    reader: WindowReader = field(init=False)
    seen: dict[Var, exp.Column] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.aggregates = Aggregates(self.names)
        self.windows = Windows(self.names)
        self.rows = Stage(self.names, list(self.scope.inputs), list(self.scope.where))
        self.late = Stage(self.names)

    @property
    def places(self) -> Places:
        return self.context.places

    # --- the whole ----------------------------------------------------------------------------------------

    def block(self, mode: str) -> Block:
        group_by = self.group_by()
        self.aggregates.over_nothing = group_by == ()
        self.reader = self._window_reader(group_by)
        items = self.items(group_by)
        having = self._having(group_by)
        qualify = self._qualify(group_by)
        if mode == VALUE and group_by is None and len(items) == 1 and self._is_keyed():
            group_by, items = (), self._only(items[0])
        if mode == VALUE:
            self._check_one_value(group_by, items)
        if self.windows.found():
            self._check_alone()
            block = over_windows(
                lambda columns: self._rows(group_by, columns, having, ROWS), self.windows, items, qualify, self.context
            )
        else:
            block = self._rows(group_by, items, having, mode)
        return self._distinct(block, group_by) if mode == ROWS and self.select.args.get("distinct") else block

    def _rows(
        self, group_by: tuple[Scalar, ...] | None, items: tuple[Item, ...], having: tuple[Scalar, ...], mode: str
    ) -> Block:
        """The query without its windows."""
        where, ties = self.outer.ties(self.rows.where)
        if mode == FOUND and group_by is None:
            items = tuple(item for item in items if not self.outer.inside(item.value))
        arguments = [item.argument for item in self.aggregates.found() if item.argument is not None]
        shown = (*where, *arguments, *(item.value for item in items))
        free = self.outer.free(shown)
        if group_by is None:
            return Block(tuple(self.rows.inputs), where, None, (), items, ties, free)
        if self._in_steps(group_by, having):
            ties += self._bound((*shown, *having, *self.late.where, *group_by))
            free = ()
        block = replace(self._grouped(group_by, where, items, having, ties), free=free)
        return replace(block, nothing=self._of_nothing(items[0].value)) if mode == VALUE else block

    def _in_steps(self, group_by: tuple[Scalar, ...], having: tuple[Scalar, ...]) -> bool:
        """Are there queries between the rows and the result? Columns from outside cannot wait until those are made."""
        ends = any(item.kind in ("min", "max") for item in self.aggregates.found())
        distinct = self.aggregates.distinct()
        return bool(having or ends or distinct or self.late.inputs or any(map(self.outer.inside, group_by)))

    def _bound(self, values: tuple[Scalar, ...]) -> tuple[Tie, ...]:
        arguments = [item.argument for item in self.aggregates.distinct() if item.argument is not None]
        free = self.outer.free((*values, *arguments))
        if not free:
            return ()
        source, ties = self.outer.bound(free)
        self.rows.inputs.append(source)
        return ties

    def _of_nothing(self, value: Scalar) -> Scalar | None:
        """What a value over aggregates is where there is nothing to aggregate; None for NULL."""
        found = (*self.aggregates.found(), *self.aggregates.distinct())
        empty = {item.var: sc.ZERO if item.kind == "count" else Const(None, item.var.type.plain) for item in found}
        if sc.variables(value) <= set(empty):
            result = evaluate(value, {var.name: const.value for var, const in empty.items()})
            return Const(result, sc.type_of(value)) if result is not None else None
        return self.outer.from_outside(sc.substitute(value, dict(empty)))

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
        return groups_of(grouped, self.context)

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

    def _is_keyed(self) -> bool:
        where, ties = self.outer.ties(self.rows.where)
        return not self.windows.found() and is_one_row(self.rows.inputs, where, ties, self.context.workspace)

    def _only(self, item: Item) -> tuple[Item, ...]:
        """The least of one value is that value, and of none NULL."""
        self.aggregates.over_nothing = True
        return (Item(item.name, self.aggregates.over("min", item.value)),)

    def _check_one_value(self, group_by: tuple[Scalar, ...] | None, items: tuple[Item, ...]) -> None:
        """A scalar subquery is one aggregate over everything."""
        if len(items) != 1 or group_by != () or self.select.args.get("having"):
            what = "has more than one column" if len(items) != 1 else "may give more than one row, or none"
            raise UnsupportedSql(
                f"this subquery {what}, which is not supported as a value",
                span=self.places.select(self.select),
                hint="select one aggregate, (SELECT SUM(a) FROM r), a row by its PRIMARY KEY, or ORDER BY … LIMIT 1",
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
            running = read_running(node, at, Nested(self.context, self.rows, self.rows))
            self.rows.where += running if running is not None else sc.conjuncts(at.condition(node))

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

    # --- windows and QUALIFY ------------------------------------------------------------------------------

    def _window_reader(self, group_by: tuple[Scalar, ...] | None) -> WindowReader:
        at = self._over_groups("a window", group_by is not None)

        def checked(node: exp.Expr, value: Scalar) -> Scalar:
            if group_by is not None:
                self._check_grouped(value, _SelectItem(node, None), frozenset(group_by))
            return value

        return WindowReader(
            self.select,
            self.places,
            self.windows,
            lambda node: checked(node, sc.typed_null(at.scalar(node), INT)),
            lambda node: checked(node, replace(at, where="FILTER").condition(node)),
        )

    def _qualify(self, group_by: tuple[Scalar, ...] | None) -> tuple[Scalar, ...]:
        clause = self.select.args.get("qualify")
        if clause is None:
            return ()
        check_arguments(clause, ("this",), self.places, "QUALIFY")
        at = self._over_groups("QUALIFY", group_by is not None)
        at = replace(at, column=lambda node: self._column_or_alias(node, at), window=self.reader.read, subquery=None)
        terms = sc.conjuncts(at.condition(clause.this))
        if not self.windows.found():
            raise ResolveError(
                "QUALIFY without a window function",
                span=self.places.keyword("QUALIFY", self.select),
                hint="use WHERE or HAVING",
            )
        if group_by is not None:
            for term in terms:
                self._check_grouped(term, _SelectItem(clause.this, None), frozenset(group_by))
        return terms

    def _column_or_alias(self, node: exp.Column, at: Translator) -> Scalar:
        """As in DuckDB a column of FROM wins over an alias of the select list."""
        target = self._alias_target(node) if not node.table else node
        return self._seen_column(node) if target is node else replace(at, window=self.reader.read).scalar(target)

    def _check_alone(self) -> None:
        """A window is computed once, not for every row of the query around it."""
        outside = self.outer.first()
        if outside is not None:
            raise UnsupportedSql(
                f"a subquery with window functions that uses {outside.sql()} of the query around it is not supported",
                span=self.places.span(outside),
                hint="compute the windows in a view of their own, and join that",
            )

    # --- GROUP BY -----------------------------------------------------------------------------------------

    def group_by(self) -> tuple[Scalar, ...] | None:
        clause = self.select.args.get("group")
        if clause is None:
            having = self.select.args.get("having")
            beside = [self.select.args.get("qualify"), *(self.select.args.get("windows") or ())]
            parts = [*self.select.expressions, *(node for node in beside if node is not None)]
            has_aggregate = any(self._has_aggregate(node) for node in parts)
            return () if has_aggregate or having else None
        if clause.args.get("all"):
            return self._group_by_all(clause)
        check_arguments(clause, ("expressions",), self.places, "GROUP BY")
        return tuple(dict.fromkeys(map(self._group_expression, clause.expressions)))

    def _group_by_all(self, clause: exp.Expr) -> tuple[Scalar, ...]:
        """Everything that is selected and is no aggregate."""
        check_arguments(clause, ("all",), self.places, "GROUP BY ALL")
        found: list[Scalar] = []
        for entry in self._entries():
            if entry.value is not None:
                found.append(entry.value)
            elif not self._has_aggregate(entry.node):
                found.append(sc.typed_null(self._row("GROUP BY").scalar(entry.node), INT))
        return tuple(dict.fromkeys(found))

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
            at = replace(self._over_groups("the select list", group_by is not None), window=self.reader.read)
            value = sc.typed_null(at.scalar(entry.node), INT)
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
        if value in group or self.aggregates.is_result(value) or self._is_late(value) or self.windows.is_result(value):
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
        value = AggregateReader(self.places, self.aggregates, self._row).read(node)
        columns = list(node.find_all(exp.Column))
        if columns and all(self.outer.is_meant(column, self.scope) for column in columns):
            raise UnsupportedSql(
                "an aggregate over columns of the query around a subquery belongs to that query, "
                "which is not supported",
                span=self.places.span(node),
                hint="compute it in the query around, or aggregate a column of the subquery",
            )
        return value

    def _label(self, entry: _SelectItem, value: Scalar, position: int) -> str:
        """A readable name for an item without alias."""
        if entry.label is not None:
            return entry.label
        node = entry.node.unnest()
        if isinstance(node, exp.Column):
            return self.scope.lookup(node).name if self.scope.knows(node) else node.name
        if isinstance(node, AGGREGATES) and isinstance(value, Var):
            inner = node.this.unnest() if node.this is not None else None
            if isinstance(inner, exp.Column) and not isinstance(node, exp.Count) and self.scope.knows(inner):
                return f"{type(node).__name__.lower()}_{self.scope.lookup(inner).name}"
            return value.name
        return f"col_{position}"

    def _has_aggregate(self, node: exp.Expr) -> bool:
        """Not inside subqueries, which have their own. SUM(…) OVER is no aggregate, but its argument may hold one."""
        found = (item for item in node.find_all(*AGGREGATES) if not is_windowed(item))
        return any(item.find_ancestor(exp.Query) in (None, self.select) for item in found)


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
