"""Scalars to C++ expressions. Types are settled, so every node prints itself; NULL is lifted only where it occurs."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import assert_never

from toastergen.codegen.cpp_types import WIDE, is_wide, value_type
from toastergen.frontend import scalar as sc
from toastergen.frontend.conversions import may_fail
from toastergen.frontend.functions import FUNCTIONS
from toastergen.frontend.scalar import (
    And,
    Arith,
    Case,
    Cast,
    Compare,
    Const,
    Func,
    InList,
    IsNull,
    Known,
    Like,
    Not,
    Or,
    Scalar,
    Var,
)
from toastergen.frontend.timestamps import microseconds
from toastergen.frontend.types import LONG, Type

SCRATCH = "m_scratch"
_EPOCH = datetime.date(1970, 1, 1)
_CHECKED = {"+": "add", "-": "sub", "*": "mul"}
_COMPARISONS = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


@dataclass(frozen=True, slots=True)
class ScalarPrinter:
    """``variable`` spells a variable; ``flag`` and ``scratch`` are the overflow flag and the memory in scope."""

    variable: Callable[[Var], str]
    flag: str
    scratch: str

    def print(self, scalar: Scalar) -> str:
        match scalar:
            case Const():
                return constant(scalar)
            case Var():
                return self.variable(scalar)
            case Case():
                return self._case(scalar)
            case And() | Or():
                return self._logic(scalar)
            case Not():
                inner = self.print(scalar.term)
                return f"tg::logical_not({inner})" if sc.is_nullable(scalar) else f"!{inner}"
            case IsNull():
                return f"tg::is_null({self.print(scalar.operand)})"
            case Known():
                return f"tg::known({self.print(scalar.operand)})"
            case Compare("IS"):
                return f"tg::same({self.print(scalar.left)}, {self.print(scalar.right)})"
            case Arith() | Compare() | InList() | Like() | Cast() | Func():
                return self._strict(scalar)
            case _:
                assert_never(scalar)

    def holds(self, scalar: Scalar) -> str:
        """A condition as a test: one that is NULL does not hold. What an AND or OR need not look at, it does not."""
        match scalar:
            case _ if not sc.is_nullable(scalar):
                return self.print(scalar)
            case And():
                return f"({' && '.join(map(self.holds, scalar.terms))})"
            case Or():
                return f"({' || '.join(map(self.holds, scalar.terms))})"
            case _:
                return f"tg::is_true({self.print(scalar)})"

    def _strict(self, scalar: Arith | Compare | InList | Like | Cast | Func) -> str:
        """Operators that are NULL when an operand is: lifted over plain C++ where one can be."""
        operands = _words(scalar) or sc.children(scalar)
        texts = [self.print(operand) for operand in operands]
        if not any(map(sc.is_nullable, operands)):
            return self._operator(scalar, texts)
        names = [f"x{index}" for index in range(len(operands))]
        body = self._operator(scalar, names)
        # What a spelling does not use, as the places of ROUND, has no name either.
        params = ", ".join(f"auto {name}" if re.search(rf"\b{name}\b", body) else "auto" for name in names)
        return f"tg::lift([&]({params}) {{ return {body}; }}, {', '.join(texts)})"

    def _operator(self, scalar: Arith | Compare | InList | Like | Cast | Func, texts: Sequence[str]) -> str:
        match scalar:
            case Arith():
                return self._arith(scalar, texts)
            case Compare():
                return f"({texts[0]} {_COMPARISONS[scalar.op]} {texts[1]})"
            case InList():
                return f"tg::one_of({texts[0]}, {', '.join(map(constant, scalar.values))})"
            case Like():
                escape = f"'\\{ord(scalar.escape):03o}'" if scalar.escape else "'\\0'"
                return f"tg::like({texts[0]}, {string_literal(scalar.pattern)}, {escape})"
            case Cast():
                return self._conversion(scalar, texts[0])
            case Func():
                spelled = FUNCTIONS[scalar.name].spelled(scalar.args)
                return spelled.format(*texts, args=", ".join(texts), flag=self.flag, scratch=self.scratch)
            case _:
                assert_never(scalar)

    def _arith(self, scalar: Arith, texts: Sequence[str]) -> str:
        left, right = texts
        divisor_is_safe = isinstance(scalar.right, Const) and scalar.right.value not in (None, 0)
        match scalar.op:
            case "/!":
                return f"({left} / {right})"
            case "/":
                return f"({left} / {right})" if divisor_is_safe else f"tg::divide({left}, {right})"
            case "%":
                return f"tg::modulo({left}, {right})" if divisor_is_safe else f"tg::remainder({left}, {right})"
        if scalar.type.kind == "double":
            return f"({left} {scalar.op} {right})"
        if is_wide(scalar.type):
            if _words(scalar):
                return f"tg::wide_mul({left}, {right})"
            sides = [sc.type_of(scalar.left), sc.type_of(scalar.right)]
            left, right = (
                text if is_wide(side) else f"static_cast<{WIDE}>({text})"
                for text, side in zip((left, right), sides, strict=True)
            )
        return f"tg::{_CHECKED[scalar.op]}({self.flag}, {left}, {right})"

    def _case(self, scalar: Case) -> str:
        nullable = any(sc.is_nullable(value) for _, value in scalar.branches) or sc.is_nullable(scalar.otherwise)

        def value(item: Scalar) -> str:
            text = self.print(item)
            return f"tg::to_nullable({text})" if nullable and not sc.is_nullable(item) else text

        text = value(scalar.otherwise)
        for condition, branch in reversed(scalar.branches):
            text = f"({self.holds(condition)} ? {value(branch)} : {text})"
        return text

    def _logic(self, scalar: And | Or) -> str:
        texts = [self.print(term) for term in scalar.terms]
        if sc.is_nullable(scalar):
            return f"tg::logical_{'and' if isinstance(scalar, And) else 'or'}({', '.join(texts)})"
        return f"({(' && ' if isinstance(scalar, And) else ' || ').join(texts)})"

    def _conversion(self, scalar: Cast, text: str) -> str:
        source, target = sc.type_of(scalar.operand), scalar.type
        if target.kind == "string":
            return self._as_text(text, source)
        if source.kind == "string":
            return f"tg::{'optional' if scalar.safe else 'required'}({self.flag}, {_reading(text, target)})"
        if not scalar.safe:
            return self._cast(text, source, target)
        inner = replace(self, flag="doubt")._cast(text, source, target)
        return f"tg::attempt([&](tg::overflow_flag& doubt) {{ return {inner}; }})"

    def _as_text(self, text: str, source: Type) -> str:
        match source.kind:
            case "int" | "long":
                return f"tg::integer_text({self.scratch}, {text})"
            case "decimal":
                return f"tg::decimal_text({self.scratch}, {text}, {source.scale})"
            case "bool":
                return f"tg::bool_text({text})"
            case kind:
                return f"tg::{kind}_text({self.scratch}, {text})"

    def _cast(self, text: str, source: Type, target: Type) -> str:
        match source.kind, target.kind:
            case _, "bool":
                return f"({text} != 0)"
            case "bool", _:
                return self._cast(f"static_cast<std::int64_t>({text})", LONG, target)
            case "date", "timestamp":
                return f"tg::to_timestamp({text})"
            case "timestamp", "date":
                return f"tg::to_date({text})"
            case ("int" | "long", "double"):
                return f"static_cast<double>({text})"
            case "decimal", "double":
                return f"tg::to_double({text}, {source.scale})"
            case "double", "int":
                return f"tg::narrow_int({self.flag}, tg::round_to_long({self.flag}, {text}))"
            case "double", "long":
                return f"tg::round_to_long({self.flag}, {text})"
            case "double", _:
                scaled = f"tg::from_double<{value_type(target)}>({self.flag}, {text}, {target.scale})"
                return f"tg::within({self.flag}, {scaled}, {target.precision})"
            case "int", "long":
                return f"static_cast<std::int64_t>({text})"
            case _:
                scaled = self._rescale(text, source, target)
                narrower = target.kind == "decimal" and may_fail(source, target)
                return f"tg::within({self.flag}, {scaled}, {target.precision})" if narrower else scaled

    def _rescale(self, text: str, source: Type, target: Type) -> str:
        """Between exact types: widen before scaling up, narrow (checked) after scaling down."""
        from_scale = source.scale if source.kind == "decimal" else 0
        to_scale = target.scale if target.kind == "decimal" else 0
        wide = is_wide(source) or is_wide(target)
        width = WIDE if wide else "std::int64_t"
        if value_type(source) != width:
            text = f"static_cast<{width}>({text})"
        if to_scale > from_scale:
            text = f"tg::rescale_up({self.flag}, {text}, {to_scale - from_scale})"
        elif to_scale < from_scale:
            text = f"tg::rescale_down({text}, {from_scale - to_scale})"
        if wide and not is_wide(target):
            text = f"tg::narrow<std::int64_t>({self.flag}, {text})"
        return f"tg::narrow_int({self.flag}, {text})" if target.kind == "int" else text


def _reading(text: str, target: Type) -> str:
    match target.kind:
        case "int" | "long":
            return f"tg::read_integer<{value_type(target)}>({text})"
        case "decimal":
            return f"tg::read_decimal<{value_type(target)}>({text}, {target.precision}, {target.scale})"
        case kind:
            return f"tg::read_{kind}({text})"


def _words(scalar: Scalar) -> tuple[Scalar, Scalar] | None:
    """The factors of a wide product in 64 bits each, if both fit: such a product cannot overflow."""
    match scalar:
        case Arith("*", left, right, type_) if type_.kind != "double" and is_wide(type_):
            words = _as_word(left), _as_word(right)
            return (words[0], words[1]) if words[0] and words[1] else None
        case _:
            return None


def _as_word(operand: Scalar) -> Scalar | None:
    """The operand in 64 bits, if it fits: an integer widened to a decimal does, whatever its precision says."""
    if isinstance(operand, Cast) and sc.type_of(operand.operand).is_integer and operand.type.scale == 0:
        return sc.cast(operand.operand, LONG)
    return None if is_wide(sc.type_of(operand)) else operand


def needs_scratch(scalar: Scalar) -> bool:
    """Does it make strings of its own?"""
    return any(map(_makes_text, sc.walk(scalar)))


def needs_functions(scalar: Scalar) -> bool:
    """Does it use more than arithmetic? Numbers that widen are part of that."""
    return any(
        isinstance(node, Func) or (isinstance(node, Cast) and not _widens(sc.type_of(node.operand), node.type))
        for node in sc.walk(scalar)
    )


def _widens(source: Type, target: Type) -> bool:
    return source.is_numeric and target.is_numeric and not may_fail(source, target)


def _makes_text(node: Scalar) -> bool:
    if isinstance(node, Cast):
        return node.type.kind == "string"
    return isinstance(node, Func) and "{scratch}" in FUNCTIONS[node.name].spelled(node.args)


def constant(const: Const) -> str:
    value = const.value
    if value is None:
        return f"tg::null_of<{value_type(const.type.plain)}>()"
    match const.type.kind:
        case "bool":
            return "true" if value else "false"
        case "string":
            assert isinstance(value, str)
            return string_literal(value)
        case "double":
            assert isinstance(value, float)
            return f"({value!r})" if value < 0 else repr(value)
        case "timestamp":
            assert isinstance(value, datetime.datetime)
            return _word(microseconds(value))
        case "date":
            assert isinstance(value, datetime.date)
            return f"std::int32_t{{{(value - _EPOCH).days}}}"
        case "int":
            return f"std::int32_t{{{value}}}"
        case "long":
            assert isinstance(value, int)
            return _word(value)
        case "decimal":
            assert isinstance(value, Decimal | int)
            scaled = int(Decimal(value).scaleb(const.type.scale, context=sc.EXACT))
            return _wide(scaled) if is_wide(const.type) else _word(scaled)
        case _:
            raise AssertionError(f"no literal for {const.type}")


def _word(value: int) -> str:
    if value == -(2**63):
        return "std::numeric_limits<std::int64_t>::min()"
    return f"std::int64_t{{{value}}}"


def _wide(value: int) -> str:
    if -(2**63) < value < 2**63:
        return f"static_cast<{WIDE}>(std::int64_t{{{value}}})"
    high, low = value >> 64, value & (2**64 - 1)
    return f"tg::int128_of({high}, {low}u)"


def string_literal(text: str) -> str:
    """Only letters, digits and a few harmless signs stand for themselves; every other byte is an octal escape."""
    data = text.encode()
    body = "".join(
        chr(byte) if chr(byte).isascii() and (chr(byte).isalnum() or byte in b" _-+.,:;#%()") else f"\\{byte:03o}"
        for byte in data
    )
    return f'std::string_view("{body}", {len(data)})'
