"""Random well-typed scalars, expressions and programs, with names and texts nobody would choose."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal

from hypothesis import strategies as st

from toastergen.frontend import scalar as sc
from toastergen.frontend import types
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
    outputs,
)
from toastergen.frontend.m3 import (
    BATCH,
    CURRENT,
    DELETE,
    DERIVED,
    FIRST,
    FOLLOWING,
    GROUPS,
    INSERT,
    LAST,
    PRECEDING,
    RANGE,
    ROWS,
    Bound,
    Call,
    Column,
    Frame,
    Map,
    OrderKey,
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
from toastergen.frontend.m3_text import Scope
from toastergen.frontend.payload import infer
from toastergen.frontend.scalar import Scalar, Var
from toastergen.frontend.types import BOOL, DATE, DOUBLE, INT, LONG, STRING, TIMESTAMP, Type, decimal
from toastergen.frontend.windows import SIGNATURES

TEXTS = st.text(max_size=5) | st.sampled_from(
    ["'", '"', "\\", "*/", "\n", "--", "??/", "é", "\U0001f600", "\\u0041"]
)
NAMES = st.sampled_from(["a", "b", "key", "Date", "decimal", "long", "map", "count"]) | st.sampled_from(
    ["select", "AND", "exists", "AggSum", 'a"b', "x y", "", "1a", "é", "tab\t", "back\\"]
)
TYPES = st.sampled_from(
    [INT, LONG, DOUBLE, DATE, TIMESTAMP, STRING, BOOL, decimal(3, 2), decimal(15, 2), decimal(10, 0)]
)
COLUMN_TYPES = st.builds(Type.or_null, TYPES, st.booleans())
NUMERIC = st.sampled_from([LONG, DOUBLE, decimal(3, 2), decimal(15, 2), decimal(38, 4)])

Vars = Mapping[str, Type]


def constants(type_: Type) -> st.SearchStrategy[sc.Const]:
    match type_.kind:
        case "int":
            values: st.SearchStrategy[sc.PyValue] = st.integers(-(2**31), 2**31 - 1)
        case "long":
            values = st.integers(-(2**63), 2**63 - 1)
        case "double":
            values = st.floats(allow_nan=False)
        case "decimal":
            limit = 10**type_.precision - 1
            values = st.integers(-limit, limit).map(lambda n: Decimal(n).scaleb(-type_.scale, sc.EXACT))
        case "date":
            values = st.dates(datetime.date(1, 1, 1))
        case "timestamp":
            values = st.datetimes()
        case "bool":
            values = st.booleans()
        case _:
            values = TEXTS
    return (values | st.none()).map(lambda value: sc.Const(value, type_))


@st.composite
def scalars(draw: st.DrawFn, type_: Type, variables: Vars, depth: int = 3) -> Scalar:
    """A scalar of a type, its operands agreeing as the builders make them."""
    known = [Var(name, found) for name, found in variables.items() if found.plain == type_]
    if depth == 0 or draw(st.booleans()):
        leaf = st.sampled_from(known) | constants(type_) if known else constants(type_)
        return draw(leaf)
    return draw(_compound(type_, variables, depth - 1))


@st.composite
def _compound(draw: st.DrawFn, type_: Type, variables: Vars, depth: int) -> Scalar:
    if type_ == BOOL:
        return draw(_condition(variables, depth))
    choices = ["case", "known"]
    if type_.is_numeric:
        choices.append("cast")
    if type_.kind in ("long", "double", "decimal"):
        choices += ["+", "-"]
    if type_ in (LONG, DOUBLE):
        choices += ["*", "%" if type_ == LONG else "/"]
    kind = draw(st.sampled_from(choices))
    part = scalars(type_, variables, depth)
    if kind == "known":
        return sc.Known(draw(part))
    if kind == "case":
        branch = st.tuples(scalars(BOOL, variables, depth), part)
        return sc.Case(tuple(draw(st.lists(branch, max_size=2))), draw(part))
    if kind == "cast":
        return sc.Cast(draw(scalars(draw(NUMERIC), variables, depth)), type_)
    return sc.Arith(kind, draw(part), draw(part), type_)


@st.composite
def _condition(draw: st.DrawFn, variables: Vars, depth: int) -> Scalar:
    kind = draw(st.sampled_from(["and", "or", "not", "in", "like", "compare", "product", "null"]))
    terms = st.lists(scalars(BOOL, variables, depth), max_size=3).map(tuple)
    match kind:
        case "and":
            return sc.And(draw(terms))
        case "or":
            return sc.Or(draw(terms))
        case "not":
            return sc.Not(draw(scalars(BOOL, variables, depth)))
        case "like":
            escape = draw(st.sampled_from(["", "!", "'", "\\", "é"]))
            return sc.Like(draw(scalars(STRING, variables, depth)), draw(TEXTS), escape)
        case "product":
            # A product of decimals has a type of its own; comparing it is the only place it needs here.
            left = draw(scalars(decimal(3, 2), variables, depth))
            right = draw(scalars(decimal(15, 2), variables, depth))
            type_ = types.arithmetic("*", decimal(3, 2), decimal(15, 2))
            assert type_ is not None
            node = sc.Arith("*", left, right, type_)
            return sc.Compare("<>", node, draw(constants(type_)))
    type_ = draw(TYPES)
    operand = draw(scalars(type_, variables, depth))
    if kind == "null":
        return sc.IsNull(operand)
    if kind == "in":
        values = constants(type_).filter(lambda const: const.value is not None)
        return sc.InList(operand, tuple(draw(st.lists(values, min_size=1, max_size=3))))
    op = draw(st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "IS"]))
    return sc.Compare(op, operand, draw(scalars(type_, variables, depth)))


@st.composite
def exprs(draw: st.DrawFn, scope: Scope, depth: int = 2) -> Expr:
    """An expression whose variables are typed by where they are bound; not always a sensible one."""
    variables = dict(scope.vars)
    leaves = ["value", "cond"]
    leaves += ["relation", "delta"] if scope.relations else []
    leaves += ["map"] if scope.maps else []
    nested = ["lift", "exists", "product", "add", "aggsum"] if depth else []
    match draw(st.sampled_from(leaves + nested)):
        case "value":
            return Value(draw(scalars(draw(TYPES), variables, 2)))
        case "cond":
            return Cond(draw(scalars(BOOL, variables, 2)))
        case "relation" | "delta" as kind:
            relation = scope.relations[draw(st.sampled_from(sorted(scope.relations)))]
            found = draw(_vars_for(tuple(column.type for column in relation.columns), variables))
            return (Rel if kind == "relation" else Delta)(relation.name, found)
        case "map":
            item = scope.maps[draw(st.sampled_from(sorted(scope.maps)))]
            slot = draw(st.sampled_from(item.slots)).name
            return MapRef(item.name, slot, draw(_vars_for(tuple(key.type for key in item.keys), variables)))
        case "lift":
            body = draw(exprs(scope, depth - 1))
            return Lift(Var(draw(NAMES), infer(body, scope.maps) or draw(TYPES)), body)
        case "exists":
            return Exists(draw(exprs(scope, depth - 1)))
        case "product":
            return Product(draw(_factors(scope, depth - 1)))
        case "add":
            return Add(tuple(draw(st.lists(exprs(scope, depth - 1), max_size=3))))
        case _:
            body = draw(exprs(scope, depth - 1))
            columns = outputs(body)
            return AggSum(
                tuple(draw(st.lists(st.sampled_from(columns), unique=True))) if columns else (), body
            )


@st.composite
def _factors(draw: st.DrawFn, scope: Scope, depth: int) -> tuple[Expr, ...]:
    """Later factors may use what earlier ones bind."""
    terms: list[Expr] = []
    variables = dict(scope.vars)
    for _ in range(draw(st.integers(0, 3))):
        term = draw(exprs(Scope(scope.relations, scope.maps, variables), depth))
        terms.append(term)
        for var in outputs(term):
            variables.setdefault(var.name, var.type)
    return tuple(terms)


@st.composite
def _vars_for(draw: st.DrawFn, places: tuple[Type, ...], variables: Vars) -> tuple[Var, ...]:
    """A variable per place; now and then a name that is bound with another type, which text must show."""
    return tuple(Var(draw(NAMES | st.sampled_from([*variables, "z"])), type_) for type_ in places)


@st.composite
def _relations(draw: st.DrawFn) -> tuple[Relation, ...]:
    found = []
    for name in draw(st.lists(NAMES, unique=True, max_size=2)):
        names = draw(st.lists(NAMES, unique=True, max_size=3))
        columns = tuple(Column(column, draw(COLUMN_TYPES)) for column in names)
        key = tuple(draw(st.lists(st.sampled_from(names), unique=True))) if names else ()
        options = st.lists(st.tuples(NAMES, TEXTS), max_size=2).map(tuple)
        formats = st.sampled_from(["csv", "json", "parquet", "CSV", "and", "x y"])
        source = draw(st.none() | st.builds(Source, TEXTS, formats, options))
        kind = draw(st.sampled_from(["stream", "table"]))
        append_only = kind == "stream" and draw(st.booleans())
        found.append(Relation(name, columns, kind, key, source, append_only=append_only))
        if draw(st.booleans()):
            found[-1] = draw(_derived(name, columns))
    return tuple(found)


@st.composite
def _derived(draw: st.DrawFn, name: str, columns: tuple[Column, ...]) -> Relation:
    """The rows of queries, the ends of one, or a window; the queries need not exist, nor the columns."""
    queries = tuple(draw(st.lists(NAMES, min_size=1, max_size=2)))
    end = draw(st.sampled_from(["", FIRST, LAST]))
    window = draw(st.none() | _windows())
    return Relation(name, columns, DERIVED, queries=queries, end=end, window=window)


def _windows() -> st.SearchStrategy[Window]:
    names = st.lists(NAMES, max_size=2).map(tuple)
    keys = st.lists(st.builds(OrderKey, NAMES, st.booleans(), st.booleans()), max_size=2).map(tuple)
    offsets = TYPES.flatmap(constants).filter(lambda offset: offset.value is not None)
    bounds = st.just(Bound(CURRENT)) | st.builds(
        Bound, st.sampled_from([PRECEDING, FOLLOWING]), st.none() | offsets
    )
    frames = st.builds(Frame, st.sampled_from([ROWS, RANGE, GROUPS]), bounds, bounds)
    functions = st.sampled_from([*SIGNATURES, "unknown"])
    numbers = st.none() | st.integers(0, 2**70)
    calls = st.builds(Call, NAMES, functions, names, numbers, st.none() | frames, st.booleans())
    return st.builds(Window, names, keys, st.lists(calls, max_size=2).map(tuple))


@st.composite
def _maps(draw: st.DrawFn, scope: Scope, taken: tuple[str, ...] = ()) -> tuple[Map, ...]:
    found = []
    for name in draw(st.lists(NAMES.filter(lambda name: name not in taken), unique=True, max_size=2)):
        keys = tuple(Var(key, draw(COLUMN_TYPES)) for key in draw(st.lists(NAMES, unique=True, max_size=2)))
        slots = draw(st.lists(NAMES, unique=True, min_size=1, max_size=2))
        definition = exprs(scope, 2)
        found.append(Map(name, keys, tuple(Slot(slot, draw(NUMERIC), draw(definition)) for slot in slots)))
    return tuple(found)


@st.composite
def _view(draw: st.DrawFn, item: Map) -> View:
    names = {slot.name: slot.type for slot in item.slots} | {key.name: key.type for key in item.keys}
    pairs = draw(st.lists(st.tuples(NAMES, TYPES), max_size=2))
    outputs_ = tuple(Output(name, draw(scalars(type_, names, 2))) for name, type_ in pairs)
    return View(draw(NAMES), item.name, draw(st.sampled_from(["groups", "bag", "single"])), outputs_)


@st.composite
def _trigger(draw: st.DrawFn, program: Program) -> Trigger:
    relation = draw(st.sampled_from(program.relations))
    event = draw(st.sampled_from([INSERT, DELETE, BATCH]))
    params = () if event == BATCH else draw(_vars_for(tuple(c.type for c in relation.columns), {}))
    bare = Trigger(event, relation.name, params, ())
    taken = tuple(item.name for item in program.maps)
    local = draw(_maps(Scope.of(program, bare), taken)) if event == BATCH else ()
    scope = Scope.of(program, Trigger(event, relation.name, params, (), local))
    statements = []
    for item in draw(st.lists(st.sampled_from(list(scope.maps.values())), max_size=2)) if scope.maps else ():
        keys = draw(_vars_for(tuple(key.type for key in item.keys), scope.vars))
        op = draw(st.sampled_from(["+=", ":="]))
        statements.append(Statement(item.name, item.slots[0].name, keys, op, draw(exprs(scope, 2))))
    return Trigger(event, relation.name, params, tuple(statements), local)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Any program the nodes can express with declared names; mostly not a legal one."""
    relations = draw(_relations())
    maps = draw(_maps(Scope({relation.name: relation for relation in relations})))
    views = tuple(draw(_view(item)) for item in maps)
    program = Program(relations, maps, views)
    triggers = tuple(draw(st.lists(_trigger(program), max_size=2))) if relations else ()
    return Program(relations, maps, views, triggers)
