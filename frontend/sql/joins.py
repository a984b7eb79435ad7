"""FROM: its entries read one after another, and joined.

Inner joins leave their conditions to WHERE. An outer join is computed at once: a derived relation holds its rows, and
stands for the entries it joined from then on. A left join reads only the entry its condition speaks of, since the
others can as well be joined behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sqlglot import exp

from toastergen.errors import ResolveError, SqlSyntaxError, UnsupportedSql
from toastergen.frontend import scalar as sc
from toastergen.frontend.m3 import Relation
from toastergen.frontend.names import Names
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.sql.block import Block
from toastergen.frontend.sql.context import Context
from toastergen.frontend.sql.expressions import Translator
from toastergen.frontend.sql.names import RESERVED, OutputNames, suggestion, variables_of
from toastergen.frontend.sql.outer_join import FULL, LEFT, RIGHT, Side, outer_join
from toastergen.frontend.sql.refuse import check_arguments
from toastergen.frontend.sql.resolved import Input, Item
from toastergen.frontend.sql.scope import Entry, Field, Scope
from toastergen.frontend.sql.sources import read_source

INNER: Final = "INNER"
_KINDS: Final = {"": INNER, "INNER": INNER, "CROSS": INNER, "OUTER": INNER}
_SIDES: Final = {"LEFT": LEFT, "RIGHT": RIGHT, "FULL": FULL}

Place = tuple[int, str]  # an entry of FROM by its position, and one of its columns in lower case


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """An ON condition and how many entries of FROM it may look at."""

    node: exp.Expr
    entries: int


@dataclass(frozen=True, slots=True)
class _Joined:
    """An outer join: which column of which entry each column of its relation is."""

    relation: Relation
    columns: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class _Source:
    """What one or, behind an outer join, several entries of FROM read."""

    aliases: tuple[tuple[int, str], ...]
    content: Relation | Block | _Joined


def read_from(select: exp.Select, context: Context, names: Names) -> tuple[Scope, tuple[JoinCondition, ...]]:
    reader = _From(select, context)
    reader.read()
    return reader.scope(reader.sources, names), tuple(reader.conditions)


@dataclass(slots=True)
class _From:
    select: exp.Select
    context: Context
    sources: list[_Source] = field(default_factory=list)
    conditions: list[JoinCondition] = field(default_factory=list)
    merged: dict[Place, tuple[Place, ...]] = field(default_factory=dict)  # by USING: the first that is not NULL
    shadowed: set[Place] = field(default_factory=set)

    def read(self) -> None:
        first = self.select.args["from_"]
        check_arguments(first, ("this",), self.context.places, "FROM")
        self.sources.append(self._source(first.this))
        joins = self.select.args.get("joins") or ()
        for position, join in enumerate(joins):
            right = self._source(join.this)
            kind = self._kind(join)
            condition = self._using(join, right, kind) if _names_columns(join) else self._on(join, kind)
            if kind == INNER:
                self.sources.append(right)
                if condition is not None:
                    self.conditions.append(JoinCondition(condition, position + 2))
            else:
                assert condition is not None
                self._outer(kind, right, condition, joins[position + 1 :])

    def _source(self, node: exp.Expr) -> _Source:
        alias, content = read_source(node, self.context)
        known = [name for source in self.sources for _, name in source.aliases]
        taken = {name.lower() for name in known}
        if alias is None:
            alias = _unnamed(taken)
        elif alias.lower() in taken:
            shown = content.name if isinstance(content, Relation) else "(SELECT …)"
            raise ResolveError(
                f"two entries of FROM are called {alias}",
                span=self.context.places.span(node),
                hint=f"give them different aliases: {shown} AS {alias}2",
            )
        return _Source(((len(known), alias),), content)

    # --- conditions ---------------------------------------------------------------------------------------

    def _kind(self, join: exp.Join) -> str:
        side, kind = (join.args.get(part) or "" for part in ("side", "kind"))
        if kind not in _KINDS or (side and side not in _SIDES):
            words = " ".join(word for word in (side, kind) if word).upper()
            raise UnsupportedSql(
                f"{words} JOIN is not supported",
                span=self.context.places.join(join),
                hint="write it with EXISTS or NOT EXISTS",
            )
        if join.args.get("method") not in (None, "", "NATURAL"):
            raise UnsupportedSql(
                f"{join.args['method']} JOIN is not supported",
                span=self.context.places.join(join),
                hint="write JOIN … ON with a condition",
            )
        check_arguments(join, ("this", "on", "using", "method", "side", "kind"), self.context.places, "JOIN")
        return _SIDES[side] if side else INNER

    def _on(self, join: exp.Join, kind: str) -> exp.Expr | None:
        places = self.context.places
        condition: exp.Expr | None = join.args.get("on")
        is_cross = join.args.get("kind") == "CROSS"
        is_comma = places.is_behind_comma(join.this)
        if condition is None and not is_cross and not (is_comma and kind == INNER):
            raise SqlSyntaxError(
                "JOIN has no ON condition",
                span=places.join(join),
                hint="add ON a.x = b.x or USING (x), or write CROSS JOIN",
            )
        if condition is not None and is_cross:
            raise SqlSyntaxError(
                "CROSS JOIN takes no ON condition", span=places.span(condition), hint="write JOIN … ON instead"
            )
        return condition

    def _using(self, join: exp.Join, right: _Source, kind: str) -> exp.Expr | None:
        """Equalities of the columns both sides call alike; without an alias each such name is one column."""
        scopes = [self.scope(sources, Names(RESERVED)) for sources in (self.sources, [right])]
        wanted = [node.name for node in join.args.get("using") or ()]
        if join.args.get("method") == "NATURAL":
            right_names = [item.name.lower() for item in scopes[1].fields()]
            left_names = [item.name for item in scopes[0].fields() if not item.shadowed]
            wanted = [name for name in dict.fromkeys(left_names) if name.lower() in right_names]
            if not wanted:
                raise ResolveError(
                    "NATURAL JOIN finds no column that both sides have",
                    span=self.context.places.join(join),
                    hint="write JOIN … ON with a condition, or CROSS JOIN",
                )
        position = right.aliases[0][0]
        aliases = dict(pair for source in (*self.sources, right) for pair in source.aliases)
        equalities = []
        for name in wanted:
            left = self._owner(name, scopes[0], join)
            if name.lower() not in (item.name.lower() for item in scopes[1].fields()):
                raise ResolveError(
                    f"{right.aliases[0][1]} has no column {name}",
                    span=self.context.places.join(join),
                    hint=suggestion(name, (item.name for item in scopes[1].fields())),
                )
            mine: Place = (position, name.lower())
            parts = self.merged.get(left, (left,))
            equalities.append(exp.EQ(this=_column(parts, aliases), expression=_column((mine,), aliases)))
            self.shadowed.add(mine)
            self.merged[left] = {RIGHT: (mine,), FULL: (*parts, mine)}.get(kind, parts)
        return exp.and_(*equalities, wrap=False) if len(equalities) > 1 else equalities[0]

    def _owner(self, name: str, scope: Scope, join: exp.Join) -> Place:
        found = [
            (position, name.lower())
            for position, entry in enumerate(scope.entries)
            for item in entry.fields
            if item.name.lower() == name.lower() and not item.shadowed
        ]
        if len(found) != 1:
            known = dict.fromkeys(item.name for item in scope.fields())
            what = "is ambiguous" if found else "is no column of the left side"
            hint = "write JOIN … ON and name the side" if found else suggestion(name, known)
            raise ResolveError(f"column {name} of USING {what}", span=self.context.places.join(join), hint=hint)
        return found[0]

    # --- outer joins --------------------------------------------------------------------------------------

    def _outer(self, kind: str, right: _Source, condition: exp.Expr, later: Sequence[exp.Join]) -> None:
        left = self.sources if kind != LEFT else self._mentioned(right, condition)
        scope = self.scope([*left, right], Names(RESERVED))
        whole = len(left) == len(self.sources)
        inner = self.conditions if whole else []
        terms = self._translated(condition, scope)
        before = tuple(term for item in inner for term in self._translated(item.node, scope, item.entries))
        if whole:
            self.conditions = []
        wanted = self._wanted(later)
        theirs = right.aliases[0][0]
        columns = _columns([*left, right], scope, wanted)
        names = OutputNames()
        items = [Item(names.fresh(name), value) for _, name, value in columns]
        sides = []
        for is_right in (False, True):
            pairs = zip(items, columns, strict=True)
            mine = [item for item, (position, _, _) in pairs if (position == theirs) == is_right]
            sides.append(self._side(scope, right, is_right, mine, () if is_right else before))
        relation = self.context.workspace.derive(outer_join(kind, sides[0], sides[1], terms, self.context), "joined")
        aliases = tuple(pair for source in (*left, right) for pair in source.aliases)
        places = tuple((position, name) for position, name, _ in columns)
        self.sources = [source for source in self.sources if source not in left]
        self.sources.append(_Source(aliases, _Joined(relation, places)))

    def _side(
        self, scope: Scope, right: _Source, is_right: bool, items: list[Item], conditions: tuple[Scalar, ...]
    ) -> Side:
        own = _leaf_count(right)
        inputs = scope.inputs[-own:] if is_right else scope.inputs[:-own]
        # By place, not by variables: a condition that mentions none belongs to the side it came with.
        before = len(scope.where) - (len(right.content.where) if isinstance(right.content, Block) else 0)
        where = scope.where[before:] if is_right else scope.where[:before]
        return Side(inputs, (*where, *conditions), tuple(items))

    def _mentioned(self, right: _Source, condition: exp.Expr) -> list[_Source]:
        """What a left join has to read: the one entry its condition mentions, or all there are."""
        scope = self.scope([*self.sources, right], Names(RESERVED))
        used = {var for term in self._translated(condition, scope) for var in sc.variables(term)}
        leaves = iter(scope.inputs)
        found = []
        for source in self.sources:
            own = [next(leaves) for _ in range(_leaf_count(source))]
            if any(used & set(item.vars) for item in own):
                found.append(source)
        return found if len(found) == 1 else list(self.sources)

    def _translated(self, node: exp.Expr, scope: Scope, entries: int | None = None) -> tuple[Scalar, ...]:
        at = Translator(self.context.places, lambda column: scope.lookup(column, entries).value, "ON")
        return sc.conjuncts(at.condition(node))

    def _wanted(self, later: Sequence[exp.Join]) -> set[str] | None:
        """The columns that are still looked at behind this join; None for all."""
        parts: list[exp.Expr] = list(later)
        for name, value in self.select.args.items():
            if name not in ("from_", "joins") and value:
                parts += value if isinstance(value, list) else [value]
        if any(join.args.get("method") == "NATURAL" for join in later):
            return None
        stars = [node for part in parts for node in part.find_all(exp.Star)]
        if any(not isinstance(star.parent, exp.Count) for star in stars):
            return None
        names = {node.name.lower() for part in parts for node in part.find_all(exp.Column)}
        names |= {node.name.lower() for join in later for node in join.args.get("using") or ()}
        names |= {name for item in self.conditions for name in (c.name.lower() for c in item.node.find_all(exp.Column))}
        merged = {place for left, parts_ in self.merged.items() if left[1] in names for place in parts_}
        return names | {name for _, name in merged}

    # --- scopes -------------------------------------------------------------------------------------------

    def scope(self, sources: Sequence[_Source], names: Names) -> Scope:
        """Relations become inputs; a block is read in: its own inputs, conditions, and values for its columns."""
        inputs = variables_of([leaf for source in sources for leaf in self._leaves(source)], names)
        where: list[Scalar] = []
        fields: dict[int, list[Field]] = {position: [] for source in sources for position, _ in source.aliases}
        rest = iter(inputs)
        for source in sources:
            aliases = dict(source.aliases)
            found, conditions = _fields(source, rest)
            where += conditions
            for position, name, value in found:
                fields[position].append(Field(aliases[position], name, value))
        entries = self._merged_entries(dict(pair for source in sources for pair in source.aliases), fields)
        return Scope(inputs, tuple(where), entries, self.context.places)

    def _merged_entries(self, aliases: dict[int, str], fields: dict[int, list[Field]]) -> tuple[Entry, ...]:
        values = {
            (position, item.name.lower()): item.value for position, items in fields.items() for item in items
        }

        def finished(position: int, item: Field) -> Field:
            place = (position, item.name.lower())
            parts = [values[part] for part in self.merged.get(place, ()) if part in values]
            merged = sc.coalesce(parts) if parts else None
            return replace(item, merged=merged, shadowed=place in self.shadowed)

        return tuple(
            Entry(aliases[position], tuple(finished(position, item) for item in fields[position]))
            for position in sorted(fields)
        )

    def _leaves(self, source: _Source) -> list[tuple[str, Relation]]:
        match source.content:
            case Relation() as relation:
                return [(source.aliases[0][1], relation)]
            case Block() as block:
                return [(item.alias, self.context.workspace.relation(item.relation)) for item in block.inputs]
            case _Joined(relation):
                return [(relation.name, relation)]


def _column(parts: tuple[Place, ...], aliases: dict[int, str]) -> exp.Expr:
    columns = [exp.column(name, table=aliases[position]) for position, name in parts]
    return columns[0] if len(columns) == 1 else exp.Coalesce(this=columns[0], expressions=columns[1:])


def _fields(source: _Source, leaves: Iterator[Input]) -> tuple[list[tuple[int, str, Scalar]], list[Scalar]]:
    """The columns of a source, each with the entry it belongs to, and the conditions it brings along."""
    position = source.aliases[0][0]
    match source.content:
        case Relation() as relation:
            pairs = zip(relation.columns, next(leaves).vars, strict=True)
            return [(position, column.name, var) for column, var in pairs], []
        case Block() as block:
            renaming = _renaming(block, leaves)
            values = [(position, item.name, sc.substitute(item.value, renaming)) for item in block.items]
            return values, [sc.substitute(term, renaming) for term in block.where]
        case _Joined(_, columns):
            return [(place, name, var) for (place, name), var in zip(columns, next(leaves).vars, strict=False)], []


def _renaming(block: Block, fresh: Iterator[Input]) -> dict[Var, Scalar]:
    return {
        old: new for item in block.inputs for old, new in zip(item.vars, next(fresh).vars, strict=True)
    }


def _columns(
    sources: Sequence[_Source], scope: Scope, wanted: set[str] | None
) -> list[tuple[int, str, Scalar]]:
    """The columns of a join that somebody looks at: entry, name and value."""
    positions = sorted(position for source in sources for position, _ in source.aliases)
    return [
        (position, item.name, item.value)
        for position, entry in zip(positions, scope.entries, strict=True)
        for item in entry.fields
        if wanted is None or item.name.lower() in wanted
    ]


def _leaf_count(source: _Source) -> int:
    return len(source.content.inputs) if isinstance(source.content, Block) else 1


def _names_columns(join: exp.Join) -> bool:
    return bool(join.args.get("using")) or join.args.get("method") == "NATURAL"


def _unnamed(taken: Iterable[str]) -> str:
    known = set(taken)
    number = 1
    while f"subquery_{number}" in known:
        number += 1
    return f"subquery_{number}"
