"""M3 to plan: the stages in order. Each statement becomes a chain of steps, chains that begin alike are fused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from toastergen.codegen.chain import Chain, statement_chains
from toastergen.codegen.cpp_names import is_plain
from toastergen.codegen.ledger import ERROR, plan_ledgers
from toastergen.codegen.passes.defer import defer_erasure
from toastergen.codegen.passes.fuse import fuse
from toastergen.codegen.passes.guards import join_guards
from toastergen.codegen.passes.ranges import choose_ranges
from toastergen.codegen.passes.slices import choose_slices
from toastergen.codegen.passes.track import track_changes
from toastergen.codegen.passes.walk import nodes
from toastergen.codegen.plan import (
    Block,
    Clear,
    DerivedPlan,
    Field,
    Function,
    Let,
    Look,
    MapPlan,
    Node,
    Plan,
    ViewColumn,
    ViewPlan,
    WindowPlan,
)
from toastergen.errors import M3Error, about
from toastergen.frontend import m3
from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus import agca
from toastergen.frontend.scalar import Var


def lower(program: m3.Program, unmatched: str = ERROR) -> Plan:
    """``unmatched`` says what a delete of a row that is not there is: an ``error``, or something to ``allow``."""
    locals_ = [item for trigger in program.triggers for item in trigger.locals]
    maps = tuple(_map_plan(item, _lookups(program, item)) for item in program.maps) + tuple(
        _map_plan(item, local=True) for item in locals_
    )
    few = _maps_of_few_records(program)
    functions = tuple(_function(program, trigger, maps, few) for trigger in program.triggers)
    views = tuple(_view_plan(program, view) for view in program.views if not view.hidden)
    derived = tuple(
        _derived_plan(program, relation, program.view(query))
        for relation in program.derived()
        for query in relation.queries
    )
    plan = Plan(maps, functions, views, derived, plan_ledgers(program, unmatched))
    _check_names(plan)
    for run in (join_guards, track_changes, defer_erasure, choose_slices, choose_ranges):
        plan = run(plan)
    return plan


def _check_names(plan: Plan) -> None:
    """Names of hand-written M3 can be any text between quotes; these would become C++."""
    names = [name for item in plan.maps for name in (item.name, *(f.name for f in (*item.keys, *item.slots)))]
    for function in plan.functions:
        names += [param.name for param in function.params]
        steps = [node.step for node in nodes(function.body) if isinstance(node, Block)]
        names += [step.var.name for step in steps if isinstance(step, Let | Look)]
    for name in names:
        if not is_plain(name):
            raise M3Error(
                f"the name {name!r} cannot stand in an engine",
                hint="name maps, slots and variables with letters, digits and _, not beginning with __",
            )


def _map_plan(item: m3.Map, lookups: tuple[tuple[int, ...], ...] = (), local: bool = False) -> MapPlan:
    keys = tuple(Field(key.name, key.type) for key in item.keys)
    slots = tuple(Field(slot.name, slot.type) for slot in item.slots)
    return MapPlan(item.name, keys, slots, lookups=lookups, local=local)


def _lookups(program: m3.Program, item: m3.Map) -> tuple[tuple[int, ...], ...]:
    """The partial keys that one record at most has: the primary key of a relation, in a map of that relation alone."""
    places = [
        tuple(item.keys.index(var) for var in key if var in item.keys)
        for slot in item.slots
        for key in [_primary_key(program, slot.definition)]
        if key and set(key) <= set(item.keys)
    ]
    return tuple(dict.fromkeys(places)) if len(places) == len(item.slots) else ()


def _primary_key(program: m3.Program, definition: agca.Expr) -> tuple[Var, ...]:
    if isinstance(definition, agca.AggSum):
        return _primary_key(program, definition.body)
    terms = definition.terms if isinstance(definition, agca.Product) else (definition,)
    atoms = [term for term in terms if isinstance(term, agca.Rel)]
    if len(atoms) != 1 or agca.relations(definition) != {atoms[0].name}:
        return ()
    relation = program.relation(atoms[0].name)
    by_name = dict(zip((column.name for column in relation.columns), atoms[0].vars, strict=True))
    return tuple(by_name[name] for name in relation.primary_key)


def _maps_of_few_records(program: m3.Program) -> frozenset[str]:
    """Those without keys, and those of the rows of queries that have one row at most. Intervals, too, are few."""
    few = {item.name for item in program.maps if not item.keys}
    while True:
        rows_of_one = {
            relation.name
            for relation in program.derived()
            if relation.crossing or all(program.view(query).map in few for query in relation.queries)
        }
        more = {item.name for item in program.maps if _relations_of(item) <= rows_of_one} - few
        if not more:
            return frozenset(few)
        few |= more


def _relations_of(item: m3.Map) -> set[str]:
    return {name for slot in item.slots for name in agca.relations(slot.definition)}


def _function(
    program: m3.Program, trigger: m3.Trigger, maps: tuple[MapPlan, ...], few: frozenset[str]
) -> Function:
    params = trigger.params or _columns(program, trigger)
    by_name = {item.name: item for item in maps}
    lists = {view.map for view in program.views if view.shape == "bag"}
    nodes: list[Node] = [Clear(local.name) for local in trigger.locals]
    chains: list[Chain] = []
    local_names = {local.name for local in trigger.locals}
    cleared = set(local_names)
    for position, statement in enumerate(trigger.statements, 1):
        with about("statement", f"{trigger.event} of {trigger.relation}", position):
            if statement.op == ":=" and statement.target not in cleared:
                nodes += fuse(chains)
                chains = []
                nodes.append(_replaced(trigger, statement, by_name))
                cleared.add(statement.target)
            chains += statement_chains(statement, trigger, params, by_name, few, lists)
    nodes += fuse(chains)
    return Function(trigger.event, trigger.relation, params, tuple(nodes))


def _replaced(trigger: m3.Trigger, statement: m3.Statement, maps: Mapping[str, MapPlan]) -> Clear:
    """``:=`` empties its target and fills all its slots again, so it cannot read what it replaces."""
    assigned = {item.slot for item in trigger.statements if item.target == statement.target and item.op == ":="}
    missing = [slot.name for slot in maps[statement.target].slots if slot.name not in assigned]
    if missing:
        raise M3Error(
            f"{statement.target} := … in the trigger of {trigger.relation} leaves out the slot {missing[0]}",
            hint="assign all slots of a map, or add to them",
        )
    if statement.target in _maps_read(statement.expr):
        raise M3Error(
            f"{statement.target} := … in the trigger of {trigger.relation} reads the map it replaces",
            hint="compute into another map first",
        )
    return Clear(statement.target)


def _maps_read(expr: agca.Expr) -> set[str]:
    if isinstance(expr, agca.MapRef):
        return {expr.map}
    return {name for child in agca.children(expr) for name in _maps_read(child)}


def _columns(program: m3.Program, trigger: m3.Trigger) -> tuple[Var, ...]:
    """Batch triggers name no parameters: any other trigger of the relation names its columns as well."""
    for other in program.triggers:
        if other.relation == trigger.relation and other.params:
            return other.params
    columns = program.relation(trigger.relation).columns
    return tuple(Var(f"column_{index}", column.type) for index, column in enumerate(columns, 1))


def _entry_fields(item: m3.Map) -> dict[Var, sc.Scalar]:
    fields = [*item.keys, *(Var(slot.name, slot.type) for slot in item.slots)]
    return {var: replace(var, name=f"entry.{var.name}") for var in fields}


def _derived_plan(program: m3.Program, relation: m3.Relation, view: m3.View) -> DerivedPlan:
    inside = _entry_fields(program.map(view.map))
    values = tuple(sc.substitute(output.value, inside) for output in view.outputs)
    window = _window_plan(relation)
    return DerivedPlan(relation.name, view.map, view.shape, values, relation.end, window, relation.crossing)


def _window_plan(relation: m3.Relation) -> WindowPlan | None:
    if relation.window is None:
        return None
    fields = tuple(Field(column.name, column.type) for column in relation.columns)
    split = len(fields) - len(relation.window.calls)
    return WindowPlan(fields[:split], fields[split:], relation.window)


def _view_plan(program: m3.Program, view: m3.View) -> ViewPlan:
    item = program.map(view.map)
    inside = _entry_fields(item)
    columns = tuple(
        ViewColumn(
            output.name,
            sc.type_of(output.value),
            sc.is_nullable(output.value),
            sc.substitute(output.value, inside),
        )
        for output in view.outputs
    )
    key = tuple(output.name for output in view.outputs if output.value in item.keys)
    return ViewPlan(view.name, view.map, view.shape, columns, key if view.shape == "groups" else ())
