"""Make a failure small: one view, the stage that is wrong, and as few events as still show it."""

from __future__ import annotations

from collections.abc import Sequence

from oracle.fourway import FourWay, Mismatch
from toastergen.changes import Step, flattened, legal
from toastergen.shrink import smallest_stream


def run(engines: FourWay, steps: Sequence[Step]) -> Mismatch | None:
    """Apply steps to empty engines until two of them disagree."""
    engines.reset()
    for step in steps:
        apply(engines, step)
        found = engines.mismatch()
        if found is not None:
            return found
    return None


def apply(engines: FourWay, step: Step) -> None:
    if step.batch:
        engines.batch(step.relation, step.rows, step.weights)
    else:
        engines.change(step.relation, step.rows[0], step.weights[0])


def report(declarations: str, select: str, steps: Sequence[Step], first: Mismatch) -> str:
    """What to say about a view that failed in company: alone, with the fewest events."""
    sql = f"{declarations}\nCREATE VIEW v AS {select};"
    engines = FourWay(sql, native=first.stage == "engine")
    found = run(engines, steps)
    if found is None:
        return f"{first}\nonly together with the other views of its script; alone it is right\n{sql}"
    steps = shrunk(engines, steps)
    found = run(engines, steps) or found
    events = "\n".join(f"  {_event(step)}" for step in steps)
    return f"{found}\n{sql}\nafter\n{events}"


def shrunk(engines: FourWay, steps: Sequence[Step]) -> tuple[Step, ...]:
    """The smallest part of a stream that still ends in a disagreement."""
    return smallest_stream(steps, lambda part: run(engines, part) is not None)


def is_legal(steps: Sequence[Step]) -> bool:
    """Is every row that is deleted there at the end of its step?"""
    changes = flattened(steps)
    return legal(changes) == changes


def _event(step: Step) -> str:
    changes = ", ".join(f"{weight:+d} {row}" for row, weight in zip(step.rows, step.weights, strict=True))
    return f"{'batch' if step.batch else 'row'} {step.relation}: {changes}"
