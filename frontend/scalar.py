"""Scalar expressions: what stands inside values, conditions and lifts of AGCA and M3.

    s ::= const | var | s op s | s cmp s | AND(s…) | OR(s…) | NOT s | s IN (const…) | s LIKE 'pattern'
        | CASE (WHEN s THEN s)… ELSE s END | CAST(s AS type) | TRY_CAST(s AS type) | NAME(s…) | ISNULL(s) | KNOWN(s)

Every node knows its type, which is plain: a variable's own type says whether it can be NULL, and ``is_nullable``
follows that through expressions. Operators and functions are NULL when an operand is; AND and OR follow three-valued
logic; a condition that is NULL does not hold. The builder functions below check operands and insert the casts that
make both sides of an operator agree, so later stages never convert implicitly:

* ``+`` and ``-``: both operands have the result's type;
* ``*``: both operands are ``long``, ``double`` or decimals whose scales add up to the result's;
* ``/``: both operands are ``double``, NULL if the divisor is 0; ``/!``: the same where that cannot be (an average over
  a group that exists); ``%``: both are ``long``;
* comparisons, IN and CASE branches: all sides have one type.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import TypeAlias, assert_never

from toastergen.frontend import types
from toastergen.frontend.timestamps import is_midnight, midnight, read_date, read_timestamp
from toastergen.frontend.types import BOOL, DATE, INT, LONG, STRING, TIMESTAMP, UNTYPED, Type

PyValue: TypeAlias = int | float | Decimal | str | bool | datetime.date | None

EXACT = Context(prec=120)  # wide enough that no decimal operation here ever rounds


@dataclass(frozen=True, slots=True)
class Const:
    """A literal. ``None`` is SQL's NULL of that type."""

    value: PyValue
    type: Type


@dataclass(frozen=True, slots=True)
class Var:
    """A variable of the calculus: a column, a trigger parameter, a map key or (in view outputs) a slot."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Arith:
    """``left op right`` with op one of ``+ - * / /! %``."""

    op: str
    left: Scalar
    right: Scalar
    type: Type


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right`` with op one of ``= <> < <= > >=``, or ``IS``: the same value, or both NULL."""

    op: str
    left: Scalar
    right: Scalar


@dataclass(frozen=True, slots=True)
class And:
    terms: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Or:
    terms: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Not:
    term: Scalar


@dataclass(frozen=True, slots=True)
class InList:
    operand: Scalar
    values: tuple[Const, ...]


@dataclass(frozen=True, slots=True)
class Like:
    """SQL LIKE: ``%`` any run, ``_`` one character; ``escape`` is empty or one character."""

    operand: Scalar
    pattern: str
    escape: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """The first branch whose condition holds; ``otherwise`` if none does."""

    branches: tuple[tuple[Scalar, Scalar], ...]
    otherwise: Scalar


@dataclass(frozen=True, slots=True)
class Cast:
    """Conversion, as ``conversions.py`` has it. ``safe`` is TRY_CAST: NULL for what has no counterpart."""

    operand: Scalar
    type: Type
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Func:
    """A function of the table in ``functions.py``, which says what it takes, gives and means. NULL in, NULL out."""

    name: str
    args: tuple[Scalar, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class IsNull:
    """Is there no value? Itself always true or false."""

    operand: Scalar


@dataclass(frozen=True, slots=True)
class Known:
    """The value of an operand that cannot be NULL where this is used; what it gives for NULL means nothing."""

    operand: Scalar


Scalar: TypeAlias = (
    Const | Var | Arith | Compare | And | Or | Not | InList | Like | Case | Cast | Func | IsNull | Known
)

ZERO = Const(0, LONG)
ONE = Const(1, LONG)
MINUS_ONE = Const(-1, LONG)
TRUE = Const(True, BOOL)
FALSE = Const(False, BOOL)


class ScalarTypeError(ValueError):
    """Operands do not fit. Whoever knows the place in the source turns it into an SqlTypeError."""


def type_of(scalar: Scalar) -> Type:
    """The plain type of its values."""
    match scalar:
        case Var():
            return scalar.type.plain
        case Const() | Arith() | Cast() | Func():
            return scalar.type
        case Compare() | And() | Or() | Not() | InList() | Like() | IsNull():
            return BOOL
        case Known():
            return type_of(scalar.operand)
        case Case():
            return type_of(scalar.otherwise)
        case _:
            assert_never(scalar)


def column_type(scalar: Scalar) -> Type:
    """The type of a column or variable that holds the value: with NULL where it can be NULL."""
    return type_of(scalar).or_null(is_nullable(scalar))


# --- builders ---------------------------------------------------------------------------------------------


def cast(operand: Scalar, target: Type) -> Scalar:
    """Convert, folding constants; a string literal becomes a date or timestamp where one is wanted."""
    source = type_of(operand)
    if source == target:
        return operand
    if source == UNTYPED:
        return typed_null(operand, target)
    if isinstance(operand, Const):
        return Const(_convert_constant(operand.value, target), target)
    if source.is_numeric and target.is_numeric:
        return Cast(operand, target)
    if {source, target} == {DATE, TIMESTAMP}:
        # There and back again: midnight of a day is on that day.
        is_back = isinstance(operand, Cast) and target == DATE and type_of(operand.operand) == DATE
        return operand.operand if isinstance(operand, Cast) and is_back else Cast(operand, target)
    raise ScalarTypeError(f"cannot convert {source} to {target}")


def typed_null(operand: Scalar, type_: Type) -> Scalar:
    """A bare NULL takes the type that is wanted where it stands."""
    return Const(None, INT if type_ == UNTYPED else type_) if type_of(operand) == UNTYPED else operand


def arith(op: str, left: Scalar, right: Scalar) -> Scalar:
    left, right = typed_null(left, type_of(right)), typed_null(right, type_of(left))
    a, b = type_of(left), type_of(right)
    result = types.arithmetic(op, a, b)
    if op == "%" and not (a.is_integer and b.is_integer):
        result = None
    if result is None:
        raise ScalarTypeError(f"operator {op} does not apply to {a} and {b}")
    if op == "*" and result.kind == "decimal":
        return Arith(op, cast(left, types.as_decimal(a)), cast(right, types.as_decimal(b)), result)
    return Arith(op, cast(left, result), cast(right, result), result)


def negate(operand: Scalar) -> Scalar:
    if isinstance(operand, Const) and isinstance(operand.value, int | float | Decimal):
        value = operand.value
        return Const(value.copy_negate() if isinstance(value, Decimal) else -value, operand.type)
    return arith("-", Const(0, INT), operand)


def unify_types(operands: Iterable[Scalar], what: str) -> tuple[Scalar, ...]:
    """Cast all operands to their common type; string literals follow a date or timestamp beside them."""
    items = tuple(operands)
    target = type_of(items[0])
    for item in items[1:]:
        other = type_of(item)
        merged = types.common(target, other)
        if merged is None and STRING in (target, other):
            merged = next((type_ for type_ in (target, other) if type_ in (DATE, TIMESTAMP)), None)
        if merged is None:
            raise ScalarTypeError(f"{what} does not apply to {target} and {other}")
        target = merged
    return tuple(cast(typed_null(item, target), target) for item in items)


def compare(op: str, left: Scalar, right: Scalar) -> Scalar:
    a, b = unify_types(_by_days((left, right)), f"comparison {op}")
    return Compare(op, a, b)


def _by_days(operands: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """Dates beside nothing but literal midnights are compared as dates: a key stays a date, and needs no cast."""
    if DATE not in map(type_of, operands):
        return operands
    if not all(type_of(item) != TIMESTAMP or _is_midnight(item) for item in operands):
        return operands
    return tuple(cast(item, DATE) if _is_midnight(item) else item for item in operands)


def _is_midnight(item: Scalar) -> bool:
    return isinstance(item, Const) and item.type == TIMESTAMP and is_midnight(item.value)


def in_list(operand: Scalar, values: Iterable[Const]) -> Scalar:
    head, *rest = unify_types(_by_days((operand, *values)), "IN")
    constants = tuple(value for value in rest if isinstance(value, Const) and value.value is not None)
    found: Scalar = InList(head, constants) if constants else FALSE
    # Beside a NULL the answer is true or unknown.
    return found if len(constants) == len(rest) else Or((found, Const(None, BOOL)))


def like(operand: Scalar, pattern: str, escape: str = "") -> Scalar:
    operand = typed_null(operand, STRING)
    if type_of(operand) != STRING:
        raise ScalarTypeError(f"LIKE does not apply to {type_of(operand)}")
    return Like(operand, pattern, escape)


def case(branches: Iterable[tuple[Scalar, Scalar]], otherwise: Scalar) -> Scalar:
    pairs = tuple((typed_null(condition, BOOL), value) for condition, value in branches)
    for condition, _ in pairs:
        require_bool(condition, "WHEN")
    *values, default = unify_types((*(value for _, value in pairs), otherwise), "CASE")
    return Case(tuple((condition, value) for (condition, _), value in zip(pairs, values, strict=True)), default)


def conjunction(terms: Iterable[Scalar]) -> Scalar:
    items = tuple(typed_null(part, BOOL) for term in terms for part in conjuncts(term))
    for item in items:
        require_bool(item, "AND")
    if not items:
        return TRUE
    return items[0] if len(items) == 1 else And(items)


def disjunction(terms: Iterable[Scalar]) -> Scalar:
    parts = (part for term in terms for part in (term.terms if isinstance(term, Or) else (term,)))
    items = tuple(typed_null(part, BOOL) for part in parts)
    for item in items:
        require_bool(item, "OR")
    if not items:
        return FALSE
    return items[0] if len(items) == 1 else Or(items)


def negation(term: Scalar) -> Scalar:
    require_bool(term, "NOT")
    term = typed_null(term, BOOL)
    return term.term if isinstance(term, Not) else Not(term)


def is_null(operand: Scalar) -> Scalar:
    return IsNull(operand) if is_nullable(operand) else FALSE


def known(operand: Scalar) -> Scalar:
    return Known(operand) if is_nullable(operand) else operand


def holds(condition: Scalar) -> Scalar:
    """The condition as one that is never NULL: unknown is not true."""
    return Case(((condition, TRUE),), FALSE) if is_nullable(condition) else condition


def coalesce(operands: Iterable[Scalar]) -> Scalar:
    """The first that is not NULL."""
    *items, last = unify_types(operands, "COALESCE")
    value = last
    for item in reversed(items):
        is_constant = isinstance(item, Const) and item.value is None
        if not is_constant:
            value = Case(((Not(IsNull(item)), Known(item)),), value) if is_nullable(item) else item
    return value


def require_bool(term: Scalar, where: str) -> None:
    if type_of(term) not in (BOOL, UNTYPED):
        raise ScalarTypeError(f"{where} needs a condition, not a {type_of(term)}")


def conjuncts(term: Scalar) -> tuple[Scalar, ...]:
    """The factors of a condition: nested ANDs flattened, TRUE dropped."""
    if isinstance(term, And):
        return tuple(part for child in term.terms for part in conjuncts(child))
    return () if term == TRUE else (term,)


# --- queries on scalars -----------------------------------------------------------------------------------


def children(scalar: Scalar) -> tuple[Scalar, ...]:
    match scalar:
        case Const() | Var():
            return ()
        case Arith() | Compare():
            return (scalar.left, scalar.right)
        case And() | Or():
            return scalar.terms
        case Not():
            return (scalar.term,)
        case InList() | Like() | Cast() | IsNull() | Known():
            return (scalar.operand,)
        case Case():
            return (*(part for branch in scalar.branches for part in branch), scalar.otherwise)
        case Func():
            return scalar.args
        case _:
            assert_never(scalar)


def walk(scalar: Scalar) -> Iterator[Scalar]:
    """The node and everything below it, parents first."""
    yield scalar
    for child in children(scalar):
        yield from walk(child)


def variables(scalar: Scalar) -> frozenset[Var]:
    return frozenset(node for node in walk(scalar) if isinstance(node, Var))


def rebuild(scalar: Scalar, parts: tuple[Scalar, ...]) -> Scalar:
    """The same node over other children, in the order of ``children``."""
    match scalar:
        case Const() | Var():
            return scalar
        case Arith():
            return Arith(scalar.op, parts[0], parts[1], scalar.type)
        case Compare():
            return Compare(scalar.op, parts[0], parts[1])
        case And():
            return And(parts)
        case Or():
            return Or(parts)
        case Not():
            return Not(parts[0])
        case InList():
            return InList(parts[0], scalar.values)
        case Like():
            return Like(parts[0], scalar.pattern, scalar.escape)
        case Cast():
            return Cast(parts[0], scalar.type, scalar.safe)
        case Case():
            pairs = tuple((parts[2 * i], parts[2 * i + 1]) for i in range(len(scalar.branches)))
            return Case(pairs, parts[-1])
        case Func():
            return Func(scalar.name, parts, scalar.type)
        case IsNull():
            return IsNull(parts[0])
        case Known():
            return Known(parts[0])
        case _:
            assert_never(scalar)


def substitute(scalar: Scalar, mapping: Mapping[Var, Scalar]) -> Scalar:
    if isinstance(scalar, Var):
        return mapping.get(scalar, scalar)
    below = children(scalar)
    if not below:
        return scalar
    return rebuild(scalar, tuple(substitute(child, mapping) for child in below))


def is_nullable(scalar: Scalar) -> bool:
    """Can the expression be NULL? (A quotient is NULL when its divisor is 0.)"""
    match scalar:
        case Const():
            return scalar.value is None
        case Var():
            return scalar.type.nullable
        case IsNull() | Known() | Compare(op="IS"):
            return False
        case Case():
            return any(is_nullable(value) for value in (*(value for _, value in scalar.branches), scalar.otherwise))
        case Cast(safe=True):
            return True
        case Arith(op="/" | "%"):
            divisor = scalar.right
            safe = isinstance(divisor, Const) and divisor.value not in (None, 0)
            return not safe or is_nullable(scalar.left)
        case _:
            return any(is_nullable(child) for child in children(scalar))


def _convert_constant(value: PyValue, target: Type) -> PyValue:
    if value is None:
        return None
    if target in (DATE, TIMESTAMP):
        return _point_in_time(value, target)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ScalarTypeError(f"cannot convert {value!r} to {target}")
    match target.kind:
        case "double":
            return float(value)
        case "int" | "long":
            return int(round_half_away(Decimal(value), 0))
        case "decimal":
            return round_half_away(Decimal(value), target.scale)
        case _:
            raise ScalarTypeError(f"cannot convert {value!r} to {target}")


def round_half_away(value: Decimal, scale: int) -> Decimal:
    quantum = Decimal(1).scaleb(-scale)
    return value.quantize(quantum, rounding="ROUND_HALF_UP", context=EXACT)


def _point_in_time(value: PyValue, target: Type) -> PyValue:
    match value:
        case str():
            return parse_date(value) if target == DATE else parse_timestamp(value)
        case datetime.datetime():
            return value.date() if target == DATE else value
        case datetime.date():
            return value if target == DATE else midnight(value)
        case _:
            raise ScalarTypeError(f"cannot convert {value!r} to {target}")


def parse_date(text: str) -> datetime.date:
    found = read_date(text.strip())
    if found is None:
        raise ScalarTypeError(f"{text!r} is not a date; write it as 'YYYY-MM-DD'")
    return found


def parse_timestamp(text: str) -> datetime.datetime:
    found = read_timestamp(text.strip())
    if found is None:
        raise ScalarTypeError(f"{text!r} is not a timestamp; write it as 'YYYY-MM-DD HH:MM:SS.ffffff', without a zone")
    return found
