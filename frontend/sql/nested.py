"""Subqueries in conditions and values, each turned into a join with a derived relation.

    EXISTS, IN    as a whole conjunct    join with the different keys of the subquery
                  anywhere else          join with a flag per key of the outer query: 1 if the key is found, else 0
    (SELECT …)    uncorrelated           join with its one row
                  correlated             join with its groups, one per key; if NULL matters, also for keys without rows

A correlation that is an equality of an expression of the subquery and one of the query around it ties the two by a
key. For any other the subquery reads the different values of the outer columns it mentions as one more relation, and is
tied by those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from toastergen.errors import SqlTypeError, UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import Relation
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Compare, Const, Scalar, Var
from toastergen.frontend.sql.block import Block, Stage, Tie, named, reading, rewrite, rewritten, unique
from toastergen.frontend.sql.context import FOUND, MEMBERS, VALUE, Context, Outer
from toastergen.frontend.sql.expressions import Translator
from toastergen.frontend.sql.matching import Matching
from toastergen.frontend.sql.names import RESERVED
from toastergen.frontend.sql.outer_join import LEFT, Side, outer_join
from toastergen.frontend.sql.resolved import Aggregate, Item
from toastergen.frontend.types import BOOL, LONG

# If one operand of these is NULL, so is the result.
_STRICT: Final = (
    exp.Paren, exp.Not, exp.Neg, exp.Cast, exp.Add, exp.Sub, exp.Mul, exp.Div,
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Around:
    """The query around a subquery, as the subquery sees it."""

    column: Callable[[exp.Column], Scalar]
    matching: Matching

    def __call__(self, node: exp.Column) -> Scalar:
        return self.column(node)

    def values(self, outers: Sequence[Scalar]) -> Relation:
        return self.matching.derive((self.matching.outer_keys(outers),), "outer")


@dataclass(frozen=True, slots=True)
class Nested:
    """Reads the subqueries of one place. ``rows`` are the outer rows, ``stage`` is where the subquery joins."""

    context: Context
    rows: Stage
    stage: Stage

    def __call__(self, at: Translator, node: exp.Expr) -> Scalar:
        match node:
            case exp.Exists():
                return self._exists(at, node)
            case exp.In():
                return self._member(at, node)
            case exp.Binary(expression=exp.Any() | exp.All()):
                return self._quantified(at, node)
            case _:
                return self._value(at, node)

    def _matching(self, node: exp.Expr) -> Matching:
        return Matching(self.context, self.rows, self.stage, node)

    def around(self, at: Translator, node: exp.Expr) -> Outer:
        return _Around(at.column, self._matching(node))

    # --- EXISTS and IN ------------------------------------------------------------------------------------

    def _exists(self, at: Translator, node: exp.Expr) -> Scalar:
        block = self.context.resolve(node.this, self.context, FOUND, self.around(at, node))
        block = self._matching(node).closed(block)
        if block.group_by == () or block.single:
            if block.single and _has_having(node.this):
                raise self._over_everything(node)
            return sc.TRUE  # aggregates over everything always give a row
        if _is_root(at, node):
            return self._joined(block, block.ties, node)
        return self._matching(node).found(block, block.ties)

    def _member(self, at: Translator, node: exp.Expr) -> Scalar:
        tested = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        operands = [at.scalar(item) for item in tested]
        block = self.context.resolve(node.args["query"], self.context, MEMBERS, self.around(at, node))
        if len(block.items) != len(operands):
            raise SqlTypeError(
                f"IN compares {len(operands)} values with {len(block.items)} columns",
                span=self.context.places.span(node),
                hint="select as many columns as stand before IN",
            )
        if (block.group_by == () or block.single) and len(operands) == 1 and not _has_having(node.args["query"]):
            return self._is_value(at, node, operands[0])
        if block.group_by == () or (block.single and block.ties):
            raise self._over_everything(node)
        block = self._matching(node).closed(block)
        pairs = [sc.unify_types((item.value, other), "IN") for item, other in zip(block.items, operands, strict=True)]
        ties = (*block.ties, *(Tie(inner, outer) for inner, outer in pairs))
        if _is_root(at, node):
            return self._joined(block, ties, node)
        found = self._matching(node).found(block, ties)
        return self._or_unknown(found, block, pairs, node)

    def _quantified(self, at: Translator, node: exp.Expr) -> Scalar:
        """``x < ANY (…)``: is there a row that compares so? ``x < ALL (…)``: is there none that does not?"""
        is_all = isinstance(node.expression, exp.All)
        op = _COMPARISONS[type(node)]
        operand = at.scalar(node.this)
        block = self.context.resolve(node.expression.this, self.context, MEMBERS, self.around(at, node))
        if len(block.items) != 1 or block.group_by == () or (block.single and block.ties):
            raise UnsupportedSql(
                f"{'ALL' if is_all else 'ANY'} over this subquery is not supported",
                span=self.context.places.span(node),
                hint="select one column, and compare with an aggregate directly",
            )
        block = _as_rows(self._matching(node).closed(block) if block.group_by is not None else block, self.context)
        item, other = sc.unify_types((block.items[0].value, operand), "comparison")
        taken = [var.name for source in block.inputs for var in source.vars] + [var.name for var, _ in block.free]
        tested = Var(Names([*RESERVED, *taken]).fresh("outer_value"), sc.column_type(other))
        test = Compare(_OPPOSITE[op] if is_all else op, tested, item)
        asked = replace(block, where=(*block.where, test), free=(*block.free, (tested, other)))
        block, asked = (self._matching(node).closed(each) for each in (block, asked))
        found = self._or_unknown(self._matching(node).found(asked, asked.ties), block, [(item, other)], node)
        return sc.negation(found) if is_all else found

    def _or_unknown(
        self, found: Scalar, block: Block, pairs: Sequence[tuple[Scalar, ...]], node: exp.Expr
    ) -> Scalar:
        """A value that is not among others may still equal one of them that is NULL."""
        if not any(sc.is_nullable(side) for pair in pairs for side in pair):
            return found
        if len(pairs) > 1:
            return sc.case(((found, sc.TRUE), (self._perhaps(block, pairs, node), Const(None, BOOL))), sc.FALSE)
        ((inner, outer),) = pairs
        unknown: list[Scalar] = []
        if sc.is_nullable(outer):
            unknown.append(sc.conjunction((sc.is_null(outer), self._matching(node).found(block, block.ties))))
        if sc.is_nullable(inner):
            rows = _as_rows(block, self.context)
            missing = replace(rows, where=(*rows.where, sc.IsNull(rows.items[0].value)))
            unknown.append(self._matching(node).found(missing, missing.ties))
        return sc.case(((found, sc.TRUE), (sc.disjunction(unknown), Const(None, BOOL))), sc.FALSE)

    def _perhaps(self, block: Block, pairs: Sequence[tuple[Scalar, ...]], node: exp.Expr) -> Scalar:
        """Is there a row that equals several values as far as they are known?"""
        rows = _as_rows(replace(block, items=named(inner for inner, _ in pairs)), self.context)
        names = Names([*RESERVED, *(var.name for source in rows.inputs for var in source.vars)])
        tests: list[Scalar] = []
        free: list[tuple[Var, Scalar]] = []
        for item, (_, outer) in zip(rows.items, pairs, strict=True):
            tested = outer
            if not isinstance(outer, Const):
                tested = Var(names.fresh("outer_value"), sc.column_type(outer))
                free.append((tested, outer))
            unknown = (sc.is_null(side) for side in (item.value, tested))
            tests.append(sc.disjunction((Compare("=", item.value, tested), *unknown)))
        asked = self._matching(node).closed(replace(rows, where=(*rows.where, *tests), free=tuple(free)))
        return self._matching(node).found(asked, asked.ties)

    def _is_value(self, at: Translator, node: exp.Expr, operand: Scalar) -> Scalar:
        """Among the one row that an aggregate over everything gives: equal to it."""
        whole = replace(at, root=None)  # the subquery stands below IN: its NULL is an answer
        query = node.args["query"]
        value = self._value(whole, query if isinstance(query, exp.Subquery) else exp.Subquery(this=query))
        return sc.compare("=", operand, value)

    def _over_everything(self, node: exp.Expr) -> UnsupportedSql:
        return UnsupportedSql(
            "IN or EXISTS over an aggregate without GROUP BY, with HAVING, is not supported",
            span=self.context.places.span(node),
            hint="compare with the aggregate itself: a = (SELECT SUM(b) FROM …)",
        )

    def _joined(self, block: Block, ties: tuple[Tie, ...], node: exp.Expr) -> Scalar:
        keys = self._matching(node).members(block, ties)
        self.stage.attach(self.context.workspace.derive((keys,), "keys"), ties)
        return sc.TRUE

    # --- (SELECT …) ---------------------------------------------------------------------------------------

    def _value(self, at: Translator, node: exp.Expr) -> Scalar:
        block = self._matching(node).closed(self.context.resolve(node, self.context, VALUE, self.around(at, node)))
        only_counts = block.group_by == () and all(found == _COUNT_ROWS for found in map(_meaning, block.aggregates))
        if block.ties and only_counts:
            return self._counted(block, node)
        needless = _drops_null(at, node) and block.nothing is None  # rows for which nothing is found
        if block.group_by is None:
            if block.ties and not needless:
                return self._left_joined(block, node)
        elif not only_counts and needless:
            keys = unique((*block.group_by, *(tie.inner for tie in block.ties))) or (sc.ONE,)
            block = block.grouped_by(keys)
        elif block.ties and block.group_by == ():
            return self._or_null(block, node)
        inners = tuple(tie.inner for tie in block.ties)
        whole = replace(block, items=(*named(inners), block.items[0]), ties=())
        (value,) = self.stage.attach(self.context.workspace.derive((whole,), "value"), block.ties)
        return value

    def _counted(self, block: Block, node: exp.Expr) -> Scalar:
        """Keys nobody counts have the count 0: the keys of the outer rows are added with nothing."""
        count = block.aggregates[0].var if block.aggregates else Var("count", LONG)
        keys = self._matching(node).members(replace(block, group_by=None, aggregates=()), block.ties)
        counts = replace(
            keys, aggregates=(Aggregate("count", None, count),), items=(*keys.items, Item("counted", count))
        )
        total = self._matching(node).total(counts, block.ties, "counts")
        return rewrite(block.items[0].value, {count: total})

    def _or_null(self, block: Block, node: exp.Expr) -> Scalar:
        """Aggregates per outer key, of nothing where the subquery has no rows for it: the outer keys join in as rows
        whose values are all NULL, which aggregates pass over."""
        inner = self._matching(node).members(replace(block, group_by=None, aggregates=()), block.ties)
        arguments = unique(item.argument for item in block.aggregates if item.argument is not None)
        values = (*(item.value for item in inner.items), *arguments, sc.ONE)
        rows = replace(inner, group_by=None, items=named(values))
        nothing = tuple(Const(None, sc.type_of(value)) for value in (*arguments, sc.ONE))
        outer = self._matching(node).outer_keys([tie.outer for tie in block.ties])
        missing = replace(outer, items=named((*(item.value for item in outer.items), *nothing)))
        names = Names(RESERVED)
        source = reading(self.context.workspace.derive((rows, missing), "rows"), names)
        keys = tuple(source.vars[: len(block.ties)])
        columns = dict(zip((*arguments, None), source.vars[len(keys) :], strict=True))
        change: dict[Scalar, Scalar] = {}
        aggregates: list[Aggregate] = []
        for item in block.aggregates:
            var = replace(item.var, name=names.fresh(item.var.name))
            change[item.var] = var
            aggregates.append(Aggregate(item.kind, columns[item.argument], var))
        (result,) = rewritten(block.items, lambda value: rewrite(value, change))
        items = (*named(keys), Item("value", result.value))
        whole = Block((source,), (), keys, tuple(aggregates), items)
        (value,) = self.stage.attach(self.context.workspace.derive((whole,), "value"), block.ties, same=True)
        return value

    def _left_joined(self, block: Block, node: exp.Expr) -> Scalar:
        """The one row a subquery has for some outer keys, and for the others what it gives over no rows."""
        inners = tuple(tie.inner for tie in block.ties)
        rows = replace(block, items=(*named(inners), block.items[0]), ties=())
        value = reading(self.context.workspace.derive((rows,), "value"), Names(RESERVED))
        outer = self._matching(node).outer_keys([tie.outer for tie in block.ties])
        names = Names([*RESERVED, *(var.name for var in value.vars)])
        keys = reading(self.context.workspace.derive((outer,), "outer"), names)
        pairs = zip(block.ties, keys.vars, value.vars, strict=False)
        terms = tuple(Compare(tie.op, key, mine) for tie, key, mine in pairs)
        left = Side((keys,), (), named(keys.vars))
        found = (Item("found", sc.ONE),) if block.nothing is not None else ()
        right = Side((value,), (), (Item("value_or_null", value.vars[-1]), *found))
        joined = self.context.workspace.derive(outer_join(LEFT, left, right, terms, self.context), "values")
        result, *flag = self.stage.attach(joined, block.ties, same=True)
        if block.nothing is None:
            return result
        return sc.case(((sc.IsNull(flag[0]), block.nothing),), result)


_COMPARISONS: Final[dict[type[exp.Expr], str]] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
_OPPOSITE: Final = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_COUNT_ROWS: Final = ("count", None)


def _has_having(query: exp.Expr) -> bool:
    return bool(query.unnest().args.get("having"))


def _meaning(aggregate: Aggregate) -> tuple[str, Scalar | None]:
    return aggregate.kind, aggregate.argument


def _is_root(at: Translator, node: exp.Expr) -> bool:
    """Is it a condition of its own? Then rows for which it does not hold need not be kept."""
    return at.root is not None and node is at.root.unnest()


def _drops_null(at: Translator, node: exp.Expr) -> bool:
    """Does a row for which the subquery is NULL fail a whole condition?"""
    above: exp.Expr | None = node
    while above is not None and above is not at.root and isinstance(above.parent, _STRICT):
        above = above.parent
    if above is not None and isinstance(above.parent, exp.Between) and above.parent is at.root:
        above = above.parent  # x BETWEEN NULL AND y never holds; NOT BETWEEN may
    return at.root is not None and above is at.root


def _as_rows(block: Block, context: Context) -> Block:
    """The columns of a block as columns of plain rows: groups are read through a derived relation."""
    if block.group_by is None:
        return block
    inners = tuple(tie.inner for tie in block.ties)
    keys = unique((*block.group_by, *inners))
    grouped = replace(block, group_by=keys, items=named((*inners, *(item.value for item in block.items))), ties=())
    source = reading(context.workspace.derive((grouped,), "rows"), Names(RESERVED))
    ties = tuple(replace(tie, inner=var) for tie, var in zip(block.ties, source.vars, strict=False))
    return Block((source,), (), None, (), named(source.vars[len(ties) :]), ties)
