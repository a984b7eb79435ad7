"""Text to scalars.

Operands that agree in type give exactly the node that was printed; where hand-written text mixes types, the
builders of ``scalar.py`` add the casts, as they do for SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from toastergen.frontend import functions
from toastergen.frontend import scalar as sc
from toastergen.frontend.m3_text.cursor import Cursor
from toastergen.frontend.m3_text.scope import arithmetic_type
from toastergen.frontend.m3_text.tokens import Token
from toastergen.frontend.scalar import Arith, Const, Scalar, Var
from toastergen.frontend.types import BOOL, DATE, DOUBLE, INT, LONG, MAX_PRECISION, STRING, TIMESTAMP, Type, decimal

Built = TypeVar("Built")

_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
_INT_LIMIT = 2**31
_CALLED = {"listmax": "GREATEST", "listmin": "LEAST"}


@dataclass(slots=True)
class _Operation:
    """The last operator read, kept as written: a type behind its parenthesis overrides what was inferred."""

    node: Scalar
    op: str
    left: Scalar
    right: Scalar


class ScalarReader:
    """Recursive descent, one method per level of binding strength."""

    def __init__(self, cursor: Cursor, bound: Mapping[str, Type]) -> None:
        self._cursor = cursor
        self._bound = bound
        self._last: _Operation | None = None

    def read(self) -> Scalar:
        return self._nary("OR", sc.Or, lambda: self._nary("AND", sc.And, self._negation))

    def _nary(
        self, word: str, node: Callable[[tuple[Scalar, ...]], Scalar], term: Callable[[], Scalar]
    ) -> Scalar:
        start = self._cursor.peek()
        terms = [term()]
        while self._cursor.accept_word(word):
            terms.append(term())
        if len(terms) == 1:
            return terms[0]
        for item in terms:
            self._require_bool(start, item, word)
        return node(tuple(terms))

    def _negation(self) -> Scalar:
        start = self._cursor.peek()
        if not self._cursor.accept_word("NOT"):
            return self._comparison()
        term = self._negation()
        self._require_bool(start, term, "NOT")
        return sc.Not(term)

    def _comparison(self) -> Scalar:
        cursor = self._cursor
        left = self._sum()
        start = cursor.peek()
        if cursor.is_op(*_COMPARISONS) or cursor.is_word("IS"):
            op = cursor.take().text.upper()
            right = self._sum()
            return self._checked(start, lambda: sc.compare(op, left, right))
        if cursor.accept_word("IN"):
            values = cursor.list_of(self._constant, "(", ")")
            return self._checked(start, lambda: sc.in_list(left, values))
        if cursor.accept_word("LIKE"):
            pattern = cursor.string("a pattern")
            escape = cursor.string("an escape character") if cursor.accept_word("ESCAPE") else ""
            if len(escape) > 1:
                raise cursor.error("ESCAPE takes one character", "write for example ESCAPE '!'", start)
            return self._checked(start, lambda: sc.like(left, pattern, escape))
        return left

    def _sum(self) -> Scalar:
        left = self._times()
        while self._cursor.is_op("+", "-"):
            left = self._operation(left, self._times)
        return left

    def _times(self) -> Scalar:
        left = self.atom()
        while self._cursor.is_op("*", "/", "/!", "%"):
            left = self._operation(left, self.atom)
        return left

    def _operation(self, left: Scalar, operand: Callable[[], Scalar]) -> Scalar:
        sign = self._cursor.take()
        right = operand()
        type_ = arithmetic_type(sign.text, sc.type_of(left), sc.type_of(right))
        if type_ is not None:
            node: Scalar = Arith(sign.text, left, right, type_)
        else:
            node = self._checked(sign, lambda: sc.arith(sign.text, left, right))
        self._last = _Operation(node, sign.text, left, right)
        return node

    def atom(self) -> Scalar:
        """A literal, a variable, a call, or anything in parentheses."""
        cursor = self._cursor
        if cursor.is_op("["):
            return self._typed_function()
        if cursor.is_word("DATE") and cursor.is_op("(", ahead=1) and cursor.peek(2).kind == "string":
            return self._called_date()
        if cursor.peek().kind in ("number", "string") or cursor.is_op("-"):
            return self._constant()
        if cursor.is_word("TRUE", "FALSE", "NULL"):
            return self._constant()
        if cursor.peek().kind == "name" and cursor.peek(1).kind == "string":
            return self._constant()
        if cursor.is_word("DECIMAL") and cursor.is_op("(", ahead=1):
            return self._constant()
        if cursor.accept_op("("):
            return self._group()
        if cursor.accept_word("CASE"):
            return self._case()
        for word in ("CAST", "TRY_CAST"):
            if cursor.is_word(word) and cursor.is_op("(", ahead=1):
                cursor.take()
                return self._cast(safe=word == "TRY_CAST")
        for word, node in (("AND", sc.And), ("OR", sc.Or)):
            if cursor.accept_word(word):
                return node(cursor.list_of(self.read, "(", ")"))
        if cursor.peek().kind == "name" and cursor.is_op("(", ahead=1):
            return self._function()
        return self._variable()

    def _function(self) -> Scalar:
        token = self._cursor.take()
        name = token.text.upper()
        if name in ("ISNULL", "KNOWN"):
            self._cursor.expect_op("(")
            operand = self.read()
            self._cursor.expect_op(")")
            return sc.IsNull(operand) if name == "ISNULL" else sc.Known(operand)
        if name not in functions.FUNCTIONS:
            hint = f"known functions: {', '.join(sorted(functions.FUNCTIONS))}"
            raise self._cursor.error(f"there is no function {token.text}", hint, token)
        args = self._cursor.list_of(self.read, "(", ")")
        return self._checked(token, lambda: functions.node(name, args))

    def _typed_function(self) -> Scalar:
        """``[listmax: float](x, y)``: DBToaster's way to call a function, with the type of its value."""
        cursor = self._cursor
        cursor.expect_op("[")
        token = cursor.take()
        name = _CALLED.get(token.text.lower())
        if name is None:
            hint = f"these are: {', '.join(sorted(_CALLED))}; others are written NAME(x, y)"
            raise cursor.error(f"the function {token.text} of DBToaster is not known to mean the same", hint, token)
        cursor.expect_op(":")
        type_ = cursor.type()
        cursor.expect_op("]")
        args = cursor.list_of(self.read, "(", ")")
        return self._checked(token, lambda: sc.cast(functions.node(name, args), type_))

    def _called_date(self) -> Scalar:
        """``DATE('1997-09-01')``."""
        start = self._cursor.take()
        self._cursor.expect_op("(")
        date = self._typed_constant(DATE, start)
        self._cursor.expect_op(")")
        return date

    def _group(self) -> Scalar:
        inner = self.read()
        self._cursor.expect_op(")")
        sign = self._cursor.peek()
        if not self._cursor.accept_op("::"):
            return inner
        last = self._last
        if last is None or last.node is not inner:
            message = "'::' names the type of a variable, of NULL or of an operation"
            raise self._cursor.error(message, "use CAST(… AS type) to convert", sign)
        return Arith(last.op, last.left, last.right, self._cursor.type())

    def _variable(self) -> Scalar:
        token = self._cursor.name("a value")
        if self._cursor.accept_op("::"):
            return Var(token.text, self._cursor.type())
        type_ = self._bound.get(token.text)
        if self._cursor.is_op(":") and self._cursor.type_behind(1) is not None:
            self._cursor.take()
            self._cursor.declared_type(token, type_)
        if type_ is None:
            known = ", ".join(sorted(self._bound)) or "none"
            hint = f"bind it to the left of its use; bound here: {known}"
            raise self._cursor.error(f"variable {token.text} is not bound here", hint, token)
        return Var(token.text, type_)

    def _case(self) -> Scalar:
        cursor = self._cursor
        start = cursor.peek()
        branches: list[tuple[Scalar, Scalar]] = []
        while cursor.accept_word("WHEN"):
            test = self.read()
            cursor.expect_words("THEN")
            branches.append((test, self.read()))
        cursor.expect_words("ELSE")
        otherwise = self.read()
        cursor.expect_words("END")
        return self._checked(start, lambda: sc.case(branches, otherwise))

    def _cast(self, safe: bool) -> Scalar:
        self._cursor.expect_op("(")
        operand = self.read()
        self._cursor.expect_words("AS")
        target = self._cursor.type()
        self._cursor.expect_op(")")
        return sc.Cast(operand, target, safe)

    def _constant(self) -> Const:
        cursor = self._cursor
        start = cursor.peek()
        if start.kind == "string":
            return Const(cursor.take().text, STRING)
        if cursor.accept_word("TRUE"):
            return sc.TRUE
        if cursor.accept_word("FALSE"):
            return sc.FALSE
        if cursor.accept_word("NULL"):
            cursor.expect_op("::")
            return Const(None, cursor.type())
        if start.kind == "name":
            return self._typed_constant(cursor.type(), start)
        negative = cursor.accept_op("-")
        if cursor.peek().kind != "number":
            raise cursor.expected("a literal")
        const = _number(("-" if negative else "") + cursor.take().text)
        if const.type.precision > MAX_PRECISION:
            hint = f"decimals have at most {MAX_PRECISION} digits; write a double with an exponent: 1.5e0"
            raise cursor.error("the literal has too many digits", hint, start)
        return const

    def _typed_constant(self, type_: Type, start: Token) -> Const:
        """``DATE '…'``, ``TIMESTAMP '…'``, ``DOUBLE 'inf'``, ``DECIMAL(p,s) '…'``."""
        text = self._cursor.string("a quoted value")
        try:
            if type_ == DATE:
                return Const(sc.parse_date(text), DATE)
            if type_ == TIMESTAMP:
                return Const(sc.parse_timestamp(text), TIMESTAMP)
            if type_ == DOUBLE:
                return Const(float(text), DOUBLE)
            if type_.kind == "decimal" and Decimal(text).is_finite():
                return Const(Decimal(text), type_)
        except (ValueError, ArithmeticError):
            pass
        hint = "typed literals are DATE 'YYYY-MM-DD', TIMESTAMP '… HH:MM:SS', DECIMAL(p,s) '1.50' and DOUBLE 'inf'"
        raise self._cursor.error(f"{text!a} is not a literal of type {type_}", hint, start)

    def _require_bool(self, token: Token, term: Scalar, word: str) -> None:
        if sc.type_of(term) != BOOL:
            hint = "compare it with something to make it a condition"
            raise self._cursor.error(f"{word} needs a condition, not a {sc.type_of(term)}", hint, token)

    def _checked(self, token: Token, build: Callable[[], Built]) -> Built:
        try:
            return build()
        except sc.ScalarTypeError as error:
            hint = "make the types agree, for example with CAST(… AS type)"
            raise self._cursor.error(str(error), hint, token) from None


def _number(text: str) -> Const:
    if text.endswith("L"):
        return Const(int(text[:-1]), LONG)
    if "e" in text.lower():
        return Const(float(text), DOUBLE)
    if "." in text:
        whole, _, fraction = text.lstrip("-").partition(".")
        return Const(Decimal(text), decimal(len(whole) + len(fraction), len(fraction)))
    value = int(text)
    return Const(value, INT if -_INT_LIMIT <= value < _INT_LIMIT else LONG)
