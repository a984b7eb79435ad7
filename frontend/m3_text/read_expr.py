"""Text to AGCA expressions. Variables get their types while reading, left to right (see ``scope.py``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TypeVar

from toastergen.frontend import payload
from toastergen.frontend.calculus.agca import (
    Add,
    AggSum,
    Cond,
    Delta,
    Exists,
    Expr,
    Lift,
    MapRef,
    Product,
    Rel,
    Value,
)
from toastergen.frontend.m3 import Map
from toastergen.frontend.m3_text.cursor import Cursor
from toastergen.frontend.m3_text.read_scalar import ScalarReader
from toastergen.frontend.m3_text.scope import Scope
from toastergen.frontend.m3_text.tokens import Token
from toastergen.frontend.scalar import Var
from toastergen.frontend.types import Type, parse_type

Built = TypeVar("Built")


@dataclass(frozen=True, slots=True)
class NamedVar:
    """A variable as written: its type is known only behind the text that binds it."""

    token: Token
    type: Type | None


class ExprReader:
    def __init__(self, cursor: Cursor, scope: Scope) -> None:
        self._cursor = cursor
        self._scope = scope
        self._bound: dict[str, Type] = dict(scope.vars)

    def read(self) -> Expr:
        """A sum. Each term starts from what is bound before it."""
        before = dict(self._bound)
        terms = [self._product()]
        after = self._bound
        while self._cursor.accept_op("+"):
            self._bound = dict(before)
            terms.append(self._product())
            after = self._bound | after
        self._bound = after
        return terms[0] if len(terms) == 1 else Add(tuple(terms))

    def named_var(self) -> NamedVar:
        token = self._cursor.name("a variable")
        return NamedVar(token, self._cursor.type() if self._cursor.accept_op("::") else None)

    def resolve(self, items: Iterable[NamedVar], types: Iterable[Type]) -> tuple[Var, ...]:
        """Give variables their types: the written one, the bound one, or that of the place they stand in."""
        defaults = chain(types, repeat(None))
        return tuple(self._var(item, default) for item, default in zip(items, defaults, strict=False))

    def map_reference(self) -> tuple[Map, str, Token]:
        """``M.slot``, or ``M`` and ``M(type)`` for a map of one slot; the key brackets follow."""
        cursor = self._cursor
        token = cursor.name("a map")
        known = self._scope.maps.get(token.text)
        if known is None:
            raise cursor.error(f"map {token.text} is not declared", "declare it before its use", token)
        if cursor.accept_op("."):
            return known, cursor.name("a slot").text, token
        if cursor.accept_op("("):
            cursor.type()
            cursor.expect_op(")")
        if len(known.slots) != 1:
            slots = ", ".join(slot.name for slot in known.slots) or "none"
            hint = f"write {token.text}.slot; its slots: {slots}"
            raise cursor.error(f"which slot of {token.text}?", hint, token)
        return known, known.slots[0].name, token

    def keys(self) -> tuple[NamedVar, ...]:
        """``[][x, y]``; the first bracket is for input variables of other dialects."""
        self._cursor.expect_op("[")
        if not self._cursor.is_op("]"):
            hint = "move the variable to the second bracket and restrict it with {…} where the map is read"
            raise self._cursor.error("maps with input variables are not kept", hint)
        self._cursor.expect_op("]")
        return self._cursor.list_of(self.named_var, "[", "]")

    def _product(self) -> Expr:
        terms = [self._term()]
        while self._cursor.accept_op("*"):
            terms.append(self._term())
        return terms[0] if len(terms) == 1 else Product(tuple(terms))

    def _term(self) -> Expr:
        cursor = self._cursor
        if cursor.accept_op("["):
            return Value(self._closed(lambda: ScalarReader(cursor, self._bound).read(), "]"))
        if cursor.accept_op("{"):
            return Cond(self._closed(lambda: ScalarReader(cursor, self._bound).read(), "}"))
        if cursor.accept_op("("):
            return self._parenthesis()
        if cursor.accept_word("EXISTS"):
            cursor.expect_op("(")
            return Exists(self._closed(self.read, ")"))
        if cursor.accept_word("AGGSUM"):
            return self._aggregate()
        if cursor.accept_word("PRODUCT"):
            return Product(cursor.list_of(self.read, "(", ")"))
        if cursor.accept_word("ADD"):
            return Add(cursor.list_of(self.read, "(", ")"))
        if not cursor.is_name():
            raise cursor.expected("an expression")
        return self._reference() if self._at_map() else self._relation()

    def _closed(self, read: Callable[[], Built], closing: str) -> Built:
        inner = read()
        self._cursor.expect_op(closing)
        return inner

    def _parenthesis(self) -> Expr:
        cursor = self._cursor
        if cursor.accept_word("DELTA"):
            return self._delta()
        if cursor.is_name() and cursor.is_op(":=", "::", ahead=1):
            return self._lift()
        return self._closed(self.read, ")")

    def _lift(self) -> Expr:
        name = self.named_var()
        self._cursor.expect_op(":=")
        body = self._closed(self.read, ")")
        return Lift(self._var(name, payload.lifted(body, self._scope.maps)), body)

    def _aggregate(self) -> Expr:
        """``([x, y], q)``: the keys are written first, and typed by what the body binds."""
        before = dict(self._bound)
        self._cursor.expect_op("(")
        names = self._cursor.list_of(self.named_var, "[", "]")
        self._cursor.expect_op(",")
        body = self._closed(self.read, ")")
        keys = self.resolve(names, ())
        self._bound = {key.name: self._bound[key.name] for key in keys} | before
        return AggSum(keys, body)

    def _at_map(self) -> bool:
        """Relation and map names may be alike; what follows the name tells them apart."""
        cursor = self._cursor
        if cursor.is_op(".", "[", ahead=1):
            return True
        token = cursor.peek(2)
        if not cursor.is_op("(", ahead=1) or token.kind != "name":
            return False
        is_decimal = token.text.lower() == "decimal" and cursor.is_op("(", ahead=3)
        behind = 8 if is_decimal else 3
        is_type = is_decimal or parse_type(token.text) is not None
        return is_type and cursor.is_op(")", ahead=behind) and cursor.is_op("[", ahead=behind + 1)

    def _reference(self) -> Expr:
        known, slot, token = self.map_reference()
        names = self.keys()
        if len(names) != len(known.keys):
            message = f"map {known.name} has {len(known.keys)} keys, {len(names)} are written"
            raise self._cursor.error(message, f"name them all: {_names(known.keys)}", token)
        return MapRef(known.name, slot, self.resolve(names, (key.type for key in known.keys)))

    def _delta(self) -> Expr:
        token = self._cursor.name("a relation")
        self._cursor.expect_op(")")
        return Delta(token.text, self._columns(token))

    def _relation(self) -> Expr:
        token = self._cursor.name("a relation")
        return Rel(token.text, self._columns(token))

    def _columns(self, token: Token) -> tuple[Var, ...]:
        known = self._scope.relations.get(token.text)
        if known is None:
            hint = f"known relations: {', '.join(sorted(self._scope.relations)) or 'none'}"
            raise self._cursor.error(f"relation {token.text} is not declared", hint, token)
        names = self._cursor.list_of(self.named_var, "(", ")")
        if len(names) != len(known.columns):
            message = f"relation {known.name} has {len(known.columns)} columns, {len(names)} are written"
            hint = "name one variable per column, in the order of the declaration"
            raise self._cursor.error(message, hint, token)
        return self.resolve(names, (column.type for column in known.columns))

    def _var(self, item: NamedVar, default: Type | None) -> Var:
        name = item.token.text
        type_ = item.type or self._bound.get(name, default)
        if type_ is None:
            hint = f"bind it in the expression, or name its type: {name}::long"
            raise self._cursor.error(f"nothing gives variable {name} a type", hint, item.token)
        self._bound.setdefault(name, type_)
        return Var(name, type_)


def _names(items: Iterable[Var]) -> str:
    return ", ".join(item.name for item in items) or "none"
