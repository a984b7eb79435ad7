"""Text to M3 programs: declarations in any order that declares before it uses."""

from __future__ import annotations

from dataclasses import replace

from toastergen.frontend.calculus.agca import Expr
from toastergen.frontend.m3 import (
    BATCH,
    DELETE,
    DERIVED,
    FIRST,
    INSERT,
    LAST,
    Column,
    Map,
    Order,
    Output,
    Program,
    Relation,
    Slot,
    Source,
    Statement,
    Trigger,
    View,
    Window,
)
from toastergen.frontend.m3_text.cursor import Cursor
from toastergen.frontend.m3_text.print import view_names
from toastergen.frontend.m3_text.read_expr import ExprReader
from toastergen.frontend.m3_text.read_scalar import ScalarReader
from toastergen.frontend.m3_text.scope import Scope
from toastergen.frontend.m3_text.tokens import Token
from toastergen.frontend.m3_text.windows import read_order_key, read_window
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.types import Type

UNNAMED_SLOT = "value"


def read_program(text: str, file: str | None = None) -> Program:
    """Read a whole program. It is well formed, not yet legal: ``check_program`` says whether it is."""
    return _ProgramReader(Cursor(text, file)).read()


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

    def read(self) -> Program:
        while self._cursor.peek().kind != "end":
            self._declaration()
        return self._program()

    def _program(self) -> Program:
        return Program(tuple(self._relations), tuple(self._maps), tuple(self._views), tuple(self._triggers))

    def _declaration(self) -> None:
        cursor = self._cursor
        if cursor.accept_word("CREATE"):
            self._relations.append(self._relation())
        elif cursor.accept_word("DECLARE"):
            if cursor.accept_word("MAP"):
                self._maps.append(self._map(Scope.of(self._program())))
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

    # --- relations ----------------------------------------------------------------------------------------

    def _relation(self) -> Relation:
        cursor = self._cursor
        if not cursor.is_word("STREAM", "TABLE", "DERIVED"):
            raise cursor.expected("STREAM, TABLE or DERIVED")
        kind = cursor.take().text.lower()
        name = cursor.name("a relation name").text
        parts = cursor.list_of(self._column_or_key, "(", ")")
        columns = tuple(part for part in parts if isinstance(part, Column))
        key = tuple(column for part in parts if isinstance(part, tuple) for column in part)
        append_only = kind == "stream" and cursor.accept_word("APPEND")
        if append_only:
            cursor.expect_words("ONLY")
        source: Source | None = None
        queries: tuple[str, ...] = ()
        end = ""
        window: Window | None = None
        if kind == DERIVED:
            cursor.expect_words("FROM")
            end = self._end()
            cursor.expect_words("QUERY")
            queries = cursor.list_of(lambda: cursor.name("a query").text, "(", ")")
            window = read_window(cursor) if cursor.accept_word("WINDOW") else None
        elif cursor.accept_word("FROM"):
            source = self._source()
        cursor.expect_op(";")
        return Relation(name, columns, kind, key, source, queries, end, append_only, window)

    def _end(self) -> str:
        for end in (FIRST, LAST):
            if self._cursor.accept_word(end.upper()):
                self._cursor.expect_words("OF")
                return end
        return ""

    def _column_or_key(self) -> Column | tuple[str, ...]:
        if self._cursor.accept_word("PRIMARY"):
            self._cursor.expect_words("KEY")
            return self._cursor.list_of(lambda: self._cursor.name("a column").text, "(", ")")
        name = self._cursor.name("a column").text
        return Column(name, self._cursor.type())

    def _source(self) -> Source:
        cursor = self._cursor
        cursor.expect_words("FILE")
        path = cursor.string("a path")
        if cursor.accept_word("LINE"):
            cursor.expect_words("DELIMITED")
        token = cursor.name("a format")
        options = cursor.list_of(self._option, "(", ")") if cursor.is_op("(") else ()
        return Source(path, token.text if token.kind == "quoted" else token.text.lower(), options)

    def _option(self) -> tuple[str, str]:
        name = self._cursor.name("an option").text
        self._cursor.expect_op(":=")
        return name, self._cursor.string("the option's value")

    # --- maps and views -----------------------------------------------------------------------------------

    def _map(self, scope: Scope) -> Map:
        cursor = self._cursor
        name = cursor.name("a map name")
        slots = cursor.list_of(self._slot_type, "(", ")")
        cursor.expect_op("[")
        cursor.expect_op("]")
        keys = cursor.list_of(self._key, "[", "]")
        found: dict[str, Expr] = {}
        if cursor.accept_op(":="):
            self._definitions(slots, scope, found)
        cursor.expect_op(";")
        missing = [slot for slot, _ in slots if slot not in found]
        if missing:
            hint = "write slot: expression, one for each slot, separated by commas"
            raise cursor.error(f"map {name.text} does not define slot {missing[0]}", hint, name)
        return Map(name.text, keys, tuple(Slot(slot, type_, found[slot]) for slot, type_ in slots))

    def _slot_type(self) -> tuple[str, Type]:
        """``name: type``, or a type alone for the one slot of a map in DBToaster's style."""
        if self._cursor.is_op(":", ahead=1):
            name = self._cursor.name("a slot name").text
            self._cursor.expect_op(":")
            return name, self._cursor.type()
        return UNNAMED_SLOT, self._cursor.type()

    def _key(self) -> Var:
        name = self._cursor.name("a key").text
        self._cursor.expect_op(":")
        return Var(name, self._cursor.type())

    def _definitions(self, slots: tuple[tuple[str, Type], ...], scope: Scope, found: dict[str, Expr]) -> None:
        cursor = self._cursor
        if len(slots) == 1 and not cursor.is_op(":", ahead=1):
            found[slots[0][0]] = ExprReader(cursor, scope).read()
            return
        while True:
            token = cursor.name("a slot")
            if token.text in found or all(token.text != slot for slot, _ in slots):
                hint = f"define each slot once; the slots: {', '.join(slot for slot, _ in slots) or 'none'}"
                raise cursor.error(f"{token.text} is not an undefined slot of this map", hint, token)
            cursor.expect_op(":")
            found[token.text] = ExprReader(cursor, scope).read()
            if not cursor.accept_op(","):
                return

    def _view(self) -> View:
        cursor = self._cursor
        name = cursor.name("a view name").text
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
        """Other dialects start with this event; here the state starts empty, so it has nothing to do."""
        self._cursor.expect_words("READY")
        self._cursor.expect_op("{")
        if not self._cursor.is_op("}"):
            hint = "move the statements to the triggers of the relations they read"
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
        local: list[Map] = []
        while not cursor.is_op("}"):
            trigger = Trigger(event, token.text, params, (), tuple(local))
            scope = Scope.of(self._program(), trigger)
            if cursor.accept_word("DECLARE"):
                cursor.expect_words("LOCAL MAP")
                local.append(self._map(scope))
            else:
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
