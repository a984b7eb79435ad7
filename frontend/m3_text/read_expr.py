"""Text to AGCA expressions. Variables get their types while reading, left to right (see ``scope.py``).

DBToaster's spelling is read as well where it means the same: values without brackets, ``-``, ``(x ^= q)``, ``x: type``,
``M(type)[][x]``, ``DOMAIN(q)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TypeVar

from toastergen.frontend import payload
from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus import agca
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
from toastergen.frontend.m3_text.tokens import RESERVED, Token
from toastergen.frontend.scalar import Const, Var
from toastergen.frontend.types import BOOL, INT, LONG, Type

Built = TypeVar("Built")


@dataclass(frozen=True, slots=True)
class NamedVar:
    """A variable as written: its type is known only behind the text that binds it."""

    token: Token
    type: Type | None
    declared: bool = False  # behind one colon: what is known already must agree with it


class ExprReader:
    def __init__(self, cursor: Cursor, scope: Scope) -> None:
        self._cursor = cursor
        self._scope = scope
        self._bound: dict[str, Type] = dict(scope.vars)

    @property
    def bound(self) -> Mapping[str, Type]:
        """The types of the variables that are bound behind what was read."""
        return self._bound

    def read(self) -> Expr:
        """A sum. Each term starts from what is bound before it."""
        before = dict(self._bound)
        terms = [self._product()]
        after = self._bound
        while self._cursor.is_op("+", "-"):
            minus = self._cursor.take().text == "-"
            self._bound = dict(before)
            term = self._product()
            terms.append(agca.negative(term) if minus else term)
            after = self._bound | after
        self._bound = after
        return terms[0] if len(terms) == 1 else Add(tuple(terms))

    def named_var(self) -> NamedVar:
        token = self._cursor.name("a variable")
        if self._cursor.accept_op("::"):
            return NamedVar(token, self._cursor.type())
        if self._cursor.accept_op(":"):
            return NamedVar(token, self._cursor.declared_type(token, self._bound.get(token.text)), declared=True)
        return NamedVar(token, None)

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
            self._map_type(known, token)
        if len(known.slots) != 1:
            slots = ", ".join(slot.name for slot in known.slots) or "none"
            hint = f"write {token.text}.slot; its slots: {slots}"
            raise cursor.error(f"which slot of {token.text}?", hint, token)
        return known, known.slots[0].name, token

    def _map_type(self, known: Map, token: Token) -> None:
        """``M(float)[][x]`` repeats what the declaration says."""
        start = self._cursor.peek()
        written = self._cursor.type()
        self._cursor.expect_op(")")
        if len(known.slots) == 1 and not payload.accepts(known.slots[0].type, written):
            hint = f"write {token.text}[][…]: the type of a map is that of its declaration"
            raise self._cursor.error(f"map {token.text} holds {known.slots[0].type}, not {written}", hint, start)

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
        if cursor.is_op("["):
            return Value(ScalarReader(cursor, self._bound).atom()) if cursor.is_op(":", ahead=2) else self._value()
        if cursor.accept_op("{"):
            scalar = self._closed(lambda: ScalarReader(cursor, self._bound).read(), "}")
            return Cond(scalar) if sc.type_of(scalar) == BOOL else Value(scalar)
        if cursor.accept_op("("):
            return self._parenthesis()
        for word, read in self._words.items():
            if cursor.is_word(word) and (word in RESERVED or self._at_domain()):
                cursor.take()
                return read()
        if cursor.accept_op("-"):
            term = self._term()
            if isinstance(term, Value) and isinstance(term.scalar, Const):
                return Value(sc.negate(term.scalar))
            return agca.negative(term)
        if not cursor.is_name() or self._at_value():
            return self._bare_value()
        return self._reference() if self._at_map() else self._relation()

    @property
    def _words(self) -> dict[str, Callable[[], Expr]]:
        cursor = self._cursor
        return {
            "EXISTS": lambda: Exists(self._one_operand()),
            "DOMAIN": lambda: Exists(self._one_operand()),
            "AGGSUM": self._aggregate,
            "PRODUCT": lambda: Product(cursor.list_of(self.read, "(", ")")),
            "ADD": lambda: Add(cursor.list_of(self.read, "(", ")")),
            "DELTA": self._bare_delta,
        }

    def _at_domain(self) -> bool:
        return self._cursor.is_op("(", ahead=1) and self._cursor.peek().text not in self._scope.relations

    def _one_operand(self) -> Expr:
        self._cursor.expect_op("(")
        return self._closed(self.read, ")")

    def _value(self) -> Expr:
        self._cursor.expect_op("[")
        return Value(self._closed(lambda: ScalarReader(self._cursor, self._bound).read(), "]"))

    def _closed(self, read: Callable[[], Built], closing: str) -> Built:
        inner = read()
        self._cursor.expect_op(closing)
        return inner

    def _parenthesis(self) -> Expr:
        cursor = self._cursor
        if cursor.accept_word("DELTA"):
            return self._delta()
        if cursor.is_name() and cursor.is_op(":=", "^=", "::", ":", ahead=1):
            return self._lift()
        return self._closed(self.read, ")")

    def _lift(self) -> Expr:
        name = self.named_var()
        if self._cursor.accept_op("^="):
            return self._loose_lift(name)
        self._cursor.expect_op(":=")
        body = self._closed(self.read, ")")
        return Lift(self._var(name, payload.lifted(body, self._scope.maps)), body)

    def _loose_lift(self, name: NamedVar) -> Expr:
        """``(x ^= q)``: as ``:=``, but numbers of different types are compared as SQL compares them."""
        known = self._bound.get(name.token.text)
        body = self._closed(self.read, ")")
        if known is None or not isinstance(body, Value):
            return Lift(self._var(name, payload.lifted(body, self._scope.maps)), body)
        var = Var(name.token.text, known)
        try:
            return Cond(sc.compare("IS" if known.nullable else "=", var, body.scalar))
        except sc.ScalarTypeError as error:
            raise self._cursor.error(str(error), "compare values of one type", name.token) from None

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
        behind = cursor.type_behind(2) if cursor.is_op("(", ahead=1) else None
        return behind is not None and cursor.is_op(")", ahead=behind) and cursor.is_op("[", ahead=behind + 1)

    def _at_value(self) -> bool:
        """A name that neither a relation nor a map can begin with: a variable, or a literal such as DATE '…'."""
        cursor = self._cursor
        is_date = cursor.is_word("DATE") and cursor.is_op("(", ahead=1) and cursor.peek(2).kind == "string"
        return is_date or not cursor.is_op("(", ".", "[", ahead=1)

    def _bare_value(self) -> Expr:
        """A number, text, date or variable that stands alone. Whole numbers are payloads: they are long."""
        cursor = self._cursor
        if not (cursor.is_name() or cursor.peek().kind in ("number", "string") or cursor.is_word("TRUE", "FALSE")):
            raise cursor.expected("an expression")
        scalar = ScalarReader(cursor, self._bound).atom()
        if isinstance(scalar, Const) and scalar.type == INT:
            return Value(Const(scalar.value, LONG))
        return Value(scalar)

    def _reference(self) -> Expr:
        known, slot, token = self.map_reference()
        names = self.keys()
        if len(names) != len(known.keys):
            message = f"map {known.name} has {len(known.keys)} keys, {len(names)} are written"
            raise self._cursor.error(message, f"name them all: {_names(known.keys)}", token)
        return MapRef(known.name, slot, self.resolve(names, (key.type for key in known.keys)))

    def _delta(self) -> Expr:
        token = self._cursor.name("a relation")
        if self._cursor.is_op("("):
            return self._closed(lambda: Delta(token.text, self._columns(token)), ")")
        self._cursor.expect_op(")")
        return Delta(token.text, self._columns(token))

    def _bare_delta(self) -> Expr:
        token = self._cursor.name("a relation")
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
        known = self._bound.get(name, default)
        type_ = item.type if item.type is not None and not (item.declared and known) else known
        if item.declared and known and item.type and not _alike(known, item.type):
            hint = "leave out the type, or rename the variable"
            raise self._cursor.error(f"{name} is of type {known} here, not {item.type}", hint, item.token)
        if type_ is None:
            hint = f"bind it in the expression, or name its type: {name}::long"
            raise self._cursor.error(f"nothing gives variable {name} a type", hint, item.token)
        self._bound.setdefault(name, type_)
        return Var(name, type_)


def _alike(known: Type, declared: Type) -> bool:
    return known.plain == declared.plain or (known.is_integer and declared.is_integer)


def _names(items: Iterable[Var]) -> str:
    return ", ".join(item.name for item in items) or "none"
