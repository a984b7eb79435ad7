"""Text to M3 programs: declarations in any order that declares before it uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from toastergen.errors import Span
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Expr
from toastergen.frontend.m3 import (
    BATCH,
    DELETE,
    INSERT,
    Map,
    Order,
    Output,
    Program,
    Relation,
    Slot,
    Statement,
    Trigger,
    View,
)
from toastergen.frontend.m3_text.cursor import Cursor
from toastergen.frontend.m3_text.print import view_names
from toastergen.frontend.m3_text.read_expr import ExprReader
from toastergen.frontend.m3_text.read_relation import read_relation
from toastergen.frontend.m3_text.read_scalar import ScalarReader
from toastergen.frontend.m3_text.scope import Scope
from toastergen.frontend.m3_text.tokens import Token
from toastergen.frontend.m3_text.windows import read_order_key
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.types import DOUBLE, INT, LONG, Type

UNNAMED_SLOT = "value"

Places: TypeAlias = dict[tuple[str | int, ...], Span]


def read_program(text: str, file: str | None = None) -> Program:
    """Read a whole program. It is well formed, not yet legal: ``check_program`` says whether it is."""
    return read_places(text, file)[0]


def read_places(text: str, file: str | None = None) -> tuple[Program, Places]:
    """The program, and where its parts are written: by what an ``M3Error`` is about."""
    reader = _ProgramReader(Cursor(text, file))
    return reader.read(), reader.places


def read_expr(text: str, scope: Scope | None = None) -> Expr:
    cursor = Cursor(text, None)
    expr = ExprReader(cursor, scope or Scope()).read()
    if cursor.peek().kind != "end":
        raise cursor.expected("the end of the expression")
    return expr


def read_scalar(text: str, scope: Scope | None = None) -> Scalar:
    cursor = Cursor(text, None)
    scalar = ScalarReader(cursor, scope.vars if scope else {}).read()
    if cursor.peek().kind != "end":
        raise cursor.expected("the end of the scalar")
    return scalar


class _ProgramReader:
    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._relations: list[Relation] = []
        self._maps: list[Map] = []
        self._views: list[View] = []
        self._triggers: list[Trigger] = []
        self._of_delta: list[Map] = []  # in DBToaster's style: declared outside, but only a batch knows what they hold
        self._is_unnamed = False  # has the last map that style, a type without a slot?
        self.places: Places = {}

    def read(self) -> Program:
        while self._cursor.peek().kind != "end":
            self._declaration()
        return self._program()

    def _program(self) -> Program:
        return Program(tuple(self._relations), tuple(self._maps), tuple(self._views), tuple(self._triggers))

    def _declaration(self) -> None:
        cursor = self._cursor
        if cursor.accept_word("CREATE"):
            start = cursor.peek(1)
            self._relations.append(read_relation(cursor))
            self.places["relation", self._relations[-1].name] = start.span
        elif cursor.accept_word("DECLARE"):
            if cursor.accept_word("MAP"):
                item = self._map(Scope.of(self._program()))
                (self._of_delta if self._is_unnamed and deltas(item) else self._maps).append(item)
            else:
                hidden = cursor.accept_word("HIDDEN")
                cursor.expect_words("QUERY")
                self._views.append(replace(self._view(), hidden=bool(hidden)))
        elif cursor.accept_word("ON"):
            if cursor.accept_word("SYSTEM"):
                self._system_ready()
            else:
                self._triggers.append(self._trigger())
        else:
            raise cursor.expected("CREATE, DECLARE or ON")

    # --- maps and views -----------------------------------------------------------------------------------

    def _map(self, scope: Scope) -> Map:
        cursor = self._cursor
        name = cursor.name("a map name")
        self.places["map", name.text] = name.span
        self._is_unnamed = not cursor.is_op(":", ahead=2)
        slots = cursor.list_of(self._slot_type, "(", ")") if cursor.is_op("(") else ((UNNAMED_SLOT, DOUBLE),)
        self._no_inputs()
        keys = cursor.list_of(self._key, "[", "]")
        found: dict[str, Expr] = {}
        bound: Mapping[str, Type] = {}
        if cursor.accept_op(":="):
            bound = self._definitions(slots, scope, found)
        cursor.expect_op(";")
        missing = [slot for slot, _ in slots if slot not in found]
        if missing:
            hint = "write slot: expression, one for each slot, separated by commas"
            raise cursor.error(f"map {name.text} does not define slot {missing[0]}", hint, name)
        typed = tuple(self._typed_key(token, type_, bound) for token, type_ in keys)
        return Map(name.text, typed, tuple(Slot(slot, type_, found[slot]) for slot, type_ in slots))

    def _no_inputs(self) -> None:
        self._cursor.expect_op("[")
        if not self._cursor.is_op("]"):
            hint = "keep the compared column as a key, and compare where the map is read: {x < y}"
            raise self._cursor.error("a map with input variables has no finite set of records", hint)
        self._cursor.expect_op("]")

    def _slot_type(self) -> tuple[str, Type]:
        """``name: type``, or a type alone for the one slot of a map in DBToaster's style: there an int is a sum."""
        if self._cursor.is_op(":", ahead=1):
            name = self._cursor.name("a slot name").text
            self._cursor.expect_op(":")
            return name, self._cursor.type()
        type_ = self._cursor.type()
        return UNNAMED_SLOT, LONG if type_ == INT else type_

    def _key(self) -> tuple[Token, Type | None]:
        token = self._cursor.name("a key")
        return token, self._cursor.type() if self._cursor.accept_op(":") else None

    def _typed_key(self, token: Token, type_: Type | None, bound: Mapping[str, Type]) -> Var:
        """A key without a type has that of the variable in the definition."""
        found = type_ or bound.get(token.text)
        if found is None:
            hint = f"bind it in the definition, or name its type: {token.text}: int"
            raise self._cursor.error(f"nothing gives key {token.text} a type", hint, token)
        return Var(token.text, found)

    def _definitions(
        self, slots: tuple[tuple[str, Type], ...], scope: Scope, found: dict[str, Expr]
    ) -> Mapping[str, Type]:
        """Fills ``found``; the types of the variables that the first definition binds."""
        cursor = self._cursor
        reader = ExprReader(cursor, scope)
        if len(slots) == 1 and not cursor.is_op(":", ahead=1):
            found[slots[0][0]] = reader.read()
            return reader.bound
        while True:
            token = cursor.name("a slot")
            if token.text in found or all(token.text != slot for slot, _ in slots):
                hint = f"define each slot once; the slots: {', '.join(slot for slot, _ in slots) or 'none'}"
                raise cursor.error(f"{token.text} is not an undefined slot of this map", hint, token)
            cursor.expect_op(":")
            reader = ExprReader(cursor, scope)
            found[token.text] = reader.read()
            if not cursor.accept_op(","):
                return reader.bound

    def _view(self) -> View:
        cursor = self._cursor
        start = cursor.name("a view name")
        name = start.text
        self.places["view", name] = start.span
        if cursor.accept_op(":="):
            return self._map_as_view(name)
        if not cursor.is_word("GROUPS", "BAG", "SINGLE"):
            raise cursor.expected("GROUPS, BAG or SINGLE")
        shape = cursor.take().text.lower()
        cursor.expect_words("OF")
        token = cursor.name("a map")
        source = next((item for item in self._maps if item.name == token.text), None)
        if source is None:
            raise cursor.error(f"map {token.text} is not declared", "declare the map before the query", token)
        names = view_names(source)
        outputs = cursor.list_of(lambda: self._output(names), "(", ")")
        order = self._order() if cursor.accept_word("ORDER") else None
        cursor.expect_op(";")
        return View(name, token.text, shape, outputs, order=order)

    def _map_as_view(self, name: str) -> View:
        """``Q := M(int)[][A, B]``: the keys, and the value under the name of the query."""
        cursor = self._cursor
        start = cursor.peek()
        if start.kind != "name" or not any(item.name == start.text for item in self._maps):
            hint = "declare a map with that definition, or use GROUPS OF map (name := scalar, …)"
            raise cursor.error("a query is one map here, not an expression", hint, start)
        reader = ExprReader(cursor, Scope.of(self._program()))
        source, slot, token = reader.map_reference()
        keys = reader.keys()
        if not cursor.is_op(";"):
            hint = "declare a map with that definition, or use GROUPS OF map (name := scalar, …)"
            raise cursor.error("a query is one map here, not an expression", hint)
        cursor.expect_op(";")
        if len(keys) != len(source.keys):
            message = f"map {source.name} has {len(source.keys)} keys, {len(keys)} are written"
            raise cursor.error(message, "name them all", token)
        outputs = [Output(key.token.text, own) for key, own in zip(keys, source.keys, strict=True)]
        value = name if all(name != output.name for output in outputs) else slot
        outputs.append(Output(value, Var(slot, source.slot(slot).type)))
        return View(name, source.name, "groups" if keys else "single", tuple(outputs))

    def _order(self) -> Order:
        """``ORDER BY (column [DESC] [NULLS FIRST], …) [LIMIT n] [OFFSET n]``; ``()`` keeps any order."""
        cursor = self._cursor
        cursor.expect_words("BY")
        keys = cursor.list_of(lambda: read_order_key(cursor), "(", ")")
        limit = cursor.number() if cursor.accept_word("LIMIT") else None
        return Order(keys, limit, cursor.number() if cursor.accept_word("OFFSET") else 0)

    def _output(self, names: dict[str, Type]) -> Output:
        name = self._cursor.name("a column name").text
        self._cursor.expect_op(":=")
        return Output(name, ScalarReader(self._cursor, names).read())

    # --- triggers -----------------------------------------------------------------------------------------

    def _system_ready(self) -> None:
        """Other dialects start with this event; here the state starts empty, so it has nothing to do.

        There it fills maps from tables. Here tables are loaded through their triggers.
        """
        self._cursor.expect_words("READY")
        self._cursor.expect_op("{")
        if not self._cursor.is_op("}"):
            hint = "move the statements to the triggers of the tables they read: a table is loaded row by row"
            raise self._cursor.error("ON SYSTEM READY has no statements here", hint)
        self._cursor.expect_op("}")

    def _trigger(self) -> Trigger:
        cursor = self._cursor
        event = self._event()
        token = cursor.name("a relation")
        relation = next((item for item in self._relations if item.name == token.text), None)
        if relation is None:
            hint = "declare it with CREATE STREAM before the trigger"
            raise cursor.error(f"relation {token.text} is not declared", hint, token)
        params = self._params(relation, token) if event != BATCH or cursor.is_op("(") else ()
        cursor.expect_op("{")
        statements: list[Statement] = []
        local = [item for item in self._of_delta if event == BATCH and deltas(item) == {token.text}]
        self.places["trigger", f"{event} of {token.text}"] = token.span
        while not cursor.is_op("}"):
            trigger = Trigger(event, token.text, params, (), tuple(local))
            scope = Scope.of(self._program(), trigger)
            if cursor.accept_word("DECLARE"):
                cursor.expect_words("LOCAL MAP")
                local.append(self._map(scope))
            else:
                self.places["statement", f"{event} of {token.text}", len(statements) + 1] = cursor.peek().span
                statements.append(self._statement(scope))
        cursor.expect_op("}")
        return Trigger(event, token.text, params, tuple(statements), tuple(local))

    def _event(self) -> str:
        cursor = self._cursor
        if cursor.accept_op("+"):
            return INSERT
        if cursor.accept_op("-"):
            return DELETE
        if not cursor.accept_word("BATCH"):
            raise cursor.expected("+, - or BATCH UPDATE OF")
        cursor.expect_words("UPDATE OF")
        return BATCH

    def _params(self, relation: Relation, token: Token) -> tuple[Var, ...]:
        reader = ExprReader(self._cursor, Scope())
        names = self._cursor.list_of(reader.named_var, "(", ")")
        if len(names) != len(relation.columns):
            message = f"{relation.name} has {len(relation.columns)} columns, {len(names)} are written"
            raise self._cursor.error(message, "name one parameter per column", token)
        return reader.resolve(names, (column.type for column in relation.columns))

    def _statement(self, scope: Scope) -> Statement:
        cursor = self._cursor
        reader = ExprReader(cursor, scope)
        target, slot, token = reader.map_reference()
        names = reader.keys()
        if len(names) != len(target.keys):
            message = f"map {target.name} has {len(target.keys)} keys, {len(names)} are written"
            raise cursor.error(message, "name one variable per key", token)
        if not cursor.is_op("+=", ":="):
            raise cursor.expected("'+=' or ':='")
        op = cursor.take().text
        expr = reader.read()
        cursor.expect_op(";")
        keys = reader.resolve(names, (key.type for key in target.keys))
        return Statement(target.name, slot, keys, op, expr)


def deltas(item: Map) -> set[str]:
    """The relations whose changes a map is defined over."""
    waiting, found = [slot.definition for slot in item.slots], set[str]()
    while waiting:
        expr = waiting.pop()
        waiting += agca.children(expr)
        if isinstance(expr, agca.Delta):
            found.add(expr.name)
    return found
