"""Is a program legal M3? Runs after every stage that makes or changes one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from toastergen.errors import M3Error, about
from toastergen.frontend import payload
from toastergen.frontend.calculus.agca import Expr, MapRef, children, relations
from toastergen.frontend.check_crossing import check_crossing
from toastergen.frontend.check_exprs import ExprCheck, Reads, check_scalar
from toastergen.frontend.check_windows import check_window
from toastergen.frontend.m3 import (
    BATCH,
    COUNT,
    DELETE,
    DERIVED,
    INSERT,
    Map,
    Program,
    Relation,
    Statement,
    Trigger,
    View,
)
from toastergen.frontend.m3_text import Scope
from toastergen.frontend.m3_text.print import view_names
from toastergen.frontend.scalar import column_type
from toastergen.frontend.types import DOUBLE, LONG, Type


def check_program(program: Program) -> None:
    """Raise an M3Error that says which rule the program breaks, where, and what to do."""
    _unique((relation.name for relation in program.relations), "relation")
    _unique((item.name for item in program.maps), "map")
    _unique((view.name for view in program.views), "view")
    _unique((f"{trigger.event} of {trigger.relation}" for trigger in program.triggers), "trigger")
    for relation in program.relations:
        with about("relation", relation.name):
            _check_relation(relation)
    for item in program.maps:
        with about("map", item.name):
            _check_map(item, Scope.of(program), Reads(relations=True, maps=False))
    for view in program.views:
        with about("view", view.name):
            _check_view(view, program)
    _check_derived(program)
    for trigger in program.triggers:
        with about("trigger", f"{trigger.event} of {trigger.relation}"):
            _check_trigger(trigger, program)


def payload_type(expr: Expr, program: Program, trigger: Trigger | None = None) -> Type:
    """The type of an expression's payload; pass the trigger where the expression may read its locals."""
    found = payload.infer(expr, Scope.of(program, trigger).maps)
    if found is None:
        raise M3Error("the expression has no payload type", hint="its parts must be numbers that mix")
    return found


def _unique(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            with about(what, name):
                raise M3Error(f"{what} {name} is declared twice", hint=f"rename one {what} or drop it")
        seen.add(name)


def _check_relation(relation: Relation) -> None:
    names = [column.name for column in relation.columns]
    _unique(names, f"column of {relation.name}:")
    if relation.kind not in ("stream", "table", DERIVED):
        message = f"relation {relation.name} is of unknown kind {relation.kind}"
        raise M3Error(message, hint="a relation is a stream, a table or derived")
    if relation.append_only and relation.kind != "stream":
        raise M3Error(f"{relation.name} is APPEND ONLY but no stream", hint="only streams can be APPEND ONLY")
    for column in relation.primary_key:
        if column not in names:
            message = f"the primary key of {relation.name} names {column}, which is no column"
            raise M3Error(message, hint=f"its columns: {', '.join(names)}")
        # The keys of a derived relation are groups, to which NULL is a value.
        if relation.kind != DERIVED and relation.columns[names.index(column)].type.nullable:
            message = f"the primary key of {relation.name} names {column}, which can be NULL"
            raise M3Error(message, hint="a key has a value: declare the column without ?")


def _check_derived(program: Program) -> None:
    """A derived relation mirrors its views column by column, and those read earlier relations only."""
    views = {view.name: view for view in program.views}
    known = [relation.name for relation in program.relations if relation.kind != DERIVED]
    for relation in program.derived():
        with about("relation", relation.name):
            _check_feeds(relation, views, program, known)
        known.append(relation.name)


def _check_feeds(relation: Relation, views: Mapping[str, View], program: Program, known: list[str]) -> None:
    where = f"derived relation {relation.name}"
    if relation.end and len(relation.queries) != 1:
        raise M3Error(f"{where}: the ends of several queries are not kept", hint="name one query")
    check_window(relation)
    check_crossing(relation, views)
    for name in relation.queries:
        if name not in views:
            raise M3Error(f"{where}: there is no query {name}", hint="add a DECLARE QUERY for it")
        _check_feed(where, relation, views[name], program, known)


def _check_feed(where: str, relation: Relation, view: View, program: Program, known: list[str]) -> None:
    _check_order_of_reads(where, view, program, known)
    if relation.crossing is not None:
        return
    found = [column_type(output.value) for output in view.outputs]
    own = relation.columns[: len(relation.columns) - (len(relation.window.calls) if relation.window else 0)]
    if len(found) != len(own) or not all(map(_holds, (column.type for column in own), found)):
        message = f"{where}: its columns are not those of query {view.name}"
        raise M3Error(message, hint="give both the same types")
    if relation.end and (view.shape != "groups" or not relation.columns or relation.columns[-1].type.nullable):
        message = f"{where}: query {view.name} has no ends"
        raise M3Error(message, hint="read groups whose last column is a key and never NULL")
    if view.shape == "groups" and not program.map(view.map).has_count:
        message = f"{where}: the map of query {view.name} has no {COUNT}"
        raise M3Error(message, hint=f"add a slot {COUNT}: which rows are there is not read off sums")


def _check_order_of_reads(where: str, view: View, program: Program, known: list[str]) -> None:
    if view.order is not None and (view.order.limit is not None or view.order.offset):
        message = f"{where}: query {view.name} shows only some of its rows"
        raise M3Error(message, hint="read a query without LIMIT and OFFSET")
    reads = {name for slot in program.map(view.map).slots for name in relations(slot.definition)}
    if not reads <= set(known):
        message = f"{where}: query {view.name} reads {', '.join(sorted(reads - set(known)))}, which comes later"
        raise M3Error(message, hint="declare relations in the order in which they depend on each other")


def _holds(column: Type, value: Type) -> bool:
    """A column that can be NULL holds values that cannot, too."""
    return column.plain == value.plain and (column.nullable or not value.nullable)


def _check_map(item: Map, scope: Scope, reads: Reads) -> None:
    # Keys and slots share one name space: a view's outputs name both.
    _unique((*(key.name for key in item.keys), *(slot.name for slot in item.slots)), f"in map {item.name},")
    if not item.slots:
        raise M3Error(f"map {item.name} has no slot", hint="declare at least one payload slot")
    for slot in item.slots:
        where = f"definition of {item.name}.{slot.name}"
        adds_up = slot.type.kind in ("long", "double", "decimal") and not slot.type.nullable
        if not adds_up or (slot.name == COUNT and slot.type != LONG):
            hint = "counts are long; other slots are long, double or decimal"
            raise M3Error(f"slot {item.name}.{slot.name} cannot be {slot.type}", hint=hint)
        check = ExprCheck(scope, reads, where)
        check.check(slot.definition)
        for key in item.keys:
            if check.bound.get(key.name) != key.type:
                message = f"{where}: key {key.name}: {key.type} is not bound"
                raise M3Error(message, hint="bind each key in the definition, with the key's type")
        _check_payload(slot.type, slot.definition, scope, where)
    if DOUBLE in (slot.type for slot in item.slots) and item.keys and not item.has_count:
        message = f"map {item.name} has a double slot but no count"
        raise M3Error(message, hint=f"add a slot {COUNT}: a floating sum cannot tell whether a key is present")


def _check_payload(slot: Type, expr: Expr, scope: Scope, where: str) -> None:
    found = payload.infer(expr, scope.maps)
    if found is None or not payload.accepts(slot, found):
        message = f"{where}: the slot is {slot}, the expression {found or 'of no type'}"
        raise M3Error(message, hint="give the slot the kind and the scale of the expression")


def _check_view(view: View, program: Program) -> None:
    where = f"view {view.name}"
    source = next((item for item in program.maps if item.name == view.map), None)
    if source is None:
        raise M3Error(f"{where}: map {view.map} is not declared", hint="add a DECLARE MAP for it")
    match view.shape:
        case "groups" | "bag":
            if view.shape == "bag" and not source.has_count:
                message = f"{where}: map {source.name} has no {COUNT}, so nothing says how often a row is there"
                raise M3Error(message, hint=f"add a slot {COUNT} to the map")
        case "single":
            if source.keys:
                message = f"{where}: a single row cannot come from map {source.name}, which has keys"
                raise M3Error(message, hint="use GROUPS, or a map without keys")
        case _:
            raise M3Error(f"{where}: unknown shape {view.shape}", hint="a view is groups, bag or single")
    for output in view.outputs:
        check_scalar(output.value, view_names(source), f"{where}, column {output.name}")
    names = [output.name for output in view.outputs]
    for key in view.order.keys if view.order is not None else ():
        if key.column not in names:
            message = f"{where} is ordered by {key.column}, which is no column of it"
            raise M3Error(message, hint=f"its columns: {', '.join(names)}")


def _check_trigger(trigger: Trigger, program: Program) -> None:
    where = f"trigger {trigger.event} of {trigger.relation}"
    relation = next((item for item in program.relations if item.name == trigger.relation), None)
    if relation is None:
        raise M3Error(f"{where}: the relation is not declared", hint="add a CREATE STREAM for it")
    if trigger.event not in (INSERT, DELETE, BATCH):
        raise M3Error(f"{where}: unknown event", hint="events are insert, delete and batch")
    if trigger.event == DELETE and relation.append_only:
        message = f"{where}: the stream is APPEND ONLY"
        raise M3Error(message, hint="drop the trigger, or declare the stream without APPEND ONLY")
    is_batch = trigger.event == BATCH
    if is_batch and trigger.params:
        raise M3Error(f"{where}: a batch has no parameters", hint="read the rows with (DELTA R)(x, y)")
    scope = Scope.of(program, trigger)
    reads = Reads(relations=False, maps=True, delta=trigger.relation if is_batch else None)
    if not is_batch:
        types = tuple(column.type for column in relation.columns)
        ExprCheck(Scope(), reads, where).bind(trigger.params, types, f"relation {relation.name}")
        _unique((param.name for param in trigger.params), f"parameter of {where}:")
    _unique((item.name for item in (*program.maps, *trigger.locals)), "map")
    for item in trigger.locals:
        # A local summarizes the delta, so its definition may also say so.
        _check_map(item, scope, replace(reads, relations=True))
    for position, statement in enumerate(trigger.statements, 1):
        with about("statement", f"{trigger.event} of {trigger.relation}", position):
            _check_statement(statement, scope, reads, f"{where}, statement {position}")
    _check_order(trigger, where)


def _check_statement(statement: Statement, scope: Scope, reads: Reads, where: str) -> None:
    target = scope.maps.get(statement.target)
    if target is None:
        raise M3Error(f"{where}: map {statement.target} is not declared", hint="add a DECLARE MAP for it")
    slot = next((slot for slot in target.slots if slot.name == statement.slot), None)
    if slot is None:
        names = ", ".join(slot.name for slot in target.slots)
        message = f"{where}: map {target.name} has no slot {statement.slot}"
        raise M3Error(message, hint=f"its slots: {names}")
    if statement.op not in ("+=", ":="):
        raise M3Error(f"{where}: unknown operator {statement.op}", hint="statements use += or :=")
    check = ExprCheck(scope, reads, where)
    check.check(statement.expr)
    for key in statement.keys:
        if key.name not in check.bound:
            message = f"{where}: key {key.name} is not bound"
            raise M3Error(message, hint="bind it in the expression or by a trigger parameter")
    check.bind(statement.keys, tuple(key.type for key in target.keys), f"map {target.name}")
    _check_payload(slot.type, statement.expr, scope, where)


def _check_order(trigger: Trigger, where: str) -> None:
    """``+=`` sees the state before the event, ``:=`` the state after it, locals what was put in them."""
    local = {item.name for item in trigger.locals}
    written: set[str] = set()
    filled: set[tuple[str, str]] = set()
    for position, statement in enumerate(trigger.statements):
        place = f"{where}, statement {position + 1}"
        later = {item.target for item in trigger.statements[position + 1 :]}
        with about("statement", f"{trigger.event} of {trigger.relation}", position + 1):
            _check_reads(statement, place, local, written, filled, later)
        if statement.target in local:
            filled.add((statement.target, statement.slot))
        else:
            written.add(statement.target)


def _check_reads(
    statement: Statement, place: str, local: set[str], written: set[str], filled: set[tuple[str, str]], later: set[str]
) -> None:
    for read in map_refs(statement.expr):
        if read.map in local:
            if (read.map, read.slot) not in filled:
                message = f"{place}: local map {read.map}.{read.slot} is read before it is filled"
                raise M3Error(message, hint="move the := statement that fills it up")
        elif statement.op == "+=" and read.map in written:
            message = f"{place}: reads map {read.map} after its update, but += needs the old state"
            raise M3Error(message, hint=f"move the statement before those that write {read.map}")
        elif statement.op == ":=" and statement.target not in local and read.map in later:
            message = f"{place}: reads map {read.map} before its update, but := needs the new state"
            raise M3Error(message, hint=f"move the statement behind those that write {read.map}")
        elif statement.op == ":=" and statement.target in local and read.map in written:
            message = f"{place}: fills a local from map {read.map} after the map's update"
            raise M3Error(message, hint=f"move the statement before those that write {read.map}")


def map_refs(expr: Expr) -> Iterator[MapRef]:
    """Every read of a map, left to right."""
    if isinstance(expr, MapRef):
        yield expr
    for child in children(expr):
        yield from map_refs(child)
