"""``explain`` as a page of text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from toastergen.codegen.cost import event_costs
from toastergen.codegen.plan import Plan
from toastergen.codegen.upkeep import UNAFFECTED, ViewUpkeep, view_upkeep
from toastergen.errors import counted
from toastergen.explain import SIGNS, answers, feeds, readers, titled, titled_costs
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import AggSum, Expr, Product, Rel
from toastergen.frontend.m3 import Map, Program, Slot, Trigger, View
from toastergen.frontend.m3_text import Scope, print_expr, print_statement
from toastergen.frontend.scalar import Var


def explain_text(program: Program, plan: Plan) -> str:
    """Maps and why each of them exists, how every view is kept, what every event costs, and the triggers."""
    shown = [view for view in program.views if not view.hidden]
    lines = [f"{counted(len(program.maps), 'map')}, {counted(len(shown), 'view')}", "", "MAPS"]
    for item in program.maps:
        lines += _map_lines(item, program, plan)
    lines += ["", "VIEWS"]
    for upkeep in view_upkeep(plan):
        lines += _upkeep_lines(upkeep, program.view(upkeep.view))
    lines += ["", "EVENTS"]
    lines += _event_lines(program, plan)
    lines += ["", "LEDGERS"]
    width = max((len(item.relation) for item in plan.ledgers), default=0)
    lines += [f"  {item.relation:{width}}  {item.reason}" for item in plan.ledgers]
    lines += ["", "TRIGGERS"]
    for cost in event_costs(plan):
        trigger = program.trigger(cost.event, cost.relation)
        lines += _trigger_lines(trigger, cost.cost, program) if trigger else []
    return "\n".join(lines) + "\n"


# -- maps --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Definition:
    """A map's slots over the join they share: ``sums`` has what each adds up for a row of ``over``."""

    over: str
    sums: tuple[tuple[Slot, str], ...]


def definition(item: Map) -> Definition | None:
    """None where the slots share nothing. Columns that are used nowhere are written ``_``."""
    bodies = [_factors(slot.definition.body) for slot in item.slots if isinstance(slot.definition, AggSum)]
    if not bodies or len(bodies) < len(item.slots):
        return None
    shared = 0
    while all(shared < len(body) and body[shared] == bodies[0][shared] for body in bodies):
        shared += 1
    if not any(isinstance(factor, Rel) for factor in bodies[0][:shared]):
        return None
    idle = _idle(item, bodies)
    over = print_expr(_joined(bodies[0][:shared], idle))
    sums = [print_expr(_joined(body[shared:], idle)) if body[shared:] else "" for body in bodies]
    return Definition(over, tuple(zip(item.slots, sums, strict=True)))


def _factors(body: Expr) -> tuple[Expr, ...]:
    return body.terms if isinstance(body, Product) else (body,)


def _joined(factors: tuple[Expr, ...], idle: dict[Var, Var]) -> Expr:
    renamed = tuple(agca.rename(factor, idle) if isinstance(factor, Rel) else factor for factor in factors)
    return renamed[0] if len(renamed) == 1 else Product(renamed)


def _idle(item: Map, bodies: list[tuple[Expr, ...]]) -> dict[Var, Var]:
    """Variables that stand in one place of one relation only: no key, value or condition uses them."""
    factors = dict.fromkeys(factor for body in bodies for factor in body)
    uses = Counter(item.keys)
    for factor in factors:
        uses.update(factor.vars if isinstance(factor, Rel) else dict.fromkeys(_variables(factor), 2))
    return {var: Var("_", var.type) for var, times in uses.items() if times == 1 and var not in item.keys}


def _variables(expr: Expr) -> set[Var]:
    return set(agca.inputs(expr)) | set(agca.outputs(expr))


def _map_lines(item: Map, program: Program, plan: Plan) -> list[str]:
    keys = ", ".join(f"{key.name}: {key.type}" for key in item.keys)
    lines = [f"  {item.name}[{keys}]"]
    found = definition(item)
    if found is None:
        for slot in item.slots:
            lines.append(f"      {slot.name}: {slot.type} := {print_expr(slot.definition, Scope.of(program))}")
    else:
        width = max(len(slot.name) for slot in item.slots)
        lines.append(f"      {'over':{width}}  {found.over}")
        for slot, text in found.sums:
            lines.append(f"      {slot.name:{width}}  {slot.type}, {f'sum of {text}' if text else 'of rows'}")
    stored = plan.map(item.name)
    lines += [f"      sliced by {', '.join(stored.keys[at].name for at in places)}" for places in stored.slices]
    lines += [f"      why: {reason}" for reason in why(item, program)]
    return lines


def why(item: Map, program: Program) -> list[str]:
    """Why the map is kept."""
    reasons = []
    if shown := answers(item.name, program):
        reasons.append(f"it answers {', '.join(shown)}")
    if derived := feeds(item.name, program):
        reasons.append(f"its rows are the derived relation{'s' if len(derived) > 1 else ''} {', '.join(derived)}")
    if read := readers(item.name, program):
        reasons.append(f"read to maintain {'; '.join(read)}")
    return reasons


# -- views and events --------------------------------------------------------------------------------------------------


def _upkeep_lines(upkeep: ViewUpkeep, view: View) -> list[str]:
    events = titled([event for event in upkeep.events if event.how != UNAFFECTED])
    width = max((len(title) for title, _ in events), default=0)
    costs = max((len(event.cost) for _, event in events), default=0)
    lines = [f"  {upkeep.view}: {view_summary(upkeep, view)}"]
    for title, event in events:
        lines.append(f"      {title:{width}}  {event.how:12}  {event.cost:{costs}}  {event.reason}")
        lines += [f"      {'':{width}}  reads {', '.join(event.reads)}"] if event.reads else []
    return lines


def view_summary(upkeep: ViewUpkeep, view: View) -> str:
    """Where the view is read from, what else is kept for it, and what is left to do when it is read."""
    more = len(upkeep.maps) - 1
    others = f"and {counted(more, 'map')} kept for it" if more else "nothing else is kept for it"
    text = f"map {upkeep.map}, {others}"
    if view.order is not None:
        text += "; sorted when it is read" if view.order.keys else "; cut when it is read"
    return text


def _event_lines(program: Program, plan: Plan) -> list[str]:
    derived = {relation.name for relation in program.derived()}
    costs = titled_costs(event_costs(plan))
    width = max((len(title) for title, _ in costs), default=0)
    widest = max((len(cost.cost) for _, cost in costs), default=0)
    note = {True: "set off: ", False: ""}
    return [
        f"  {title:{width}}  {cost.cost:{widest}}  {note[cost.relation in derived]}{cost.reason}"
        for title, cost in costs
    ]


def _trigger_lines(trigger: Trigger, cost: str, program: Program) -> list[str]:
    scope = Scope.of(program, trigger)
    params = ", ".join(param.name for param in trigger.params)
    lines = [f"  {SIGNS[trigger.event]} {trigger.relation} ({params})  {cost}"]
    lines += [f"      {print_statement(statement, scope)}" for statement in trigger.statements]
    return lines
