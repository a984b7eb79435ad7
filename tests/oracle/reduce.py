"""Make a failure small: one view, the stage that is wrong, and as few events as still show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from property.sql_strategies import Step

from oracle.fourway import FourWay, Mismatch


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
    """Greedily: leave out whole steps, then single rows of batches, while the disagreement stays."""
    smallest = tuple(steps)
    progress = True
    while progress:
        progress = False
        for candidate in _smaller(smallest):
            if is_legal(candidate) and run(engines, candidate) is not None:
                smallest, progress = candidate, True
                break
    return smallest


def _smaller(steps: tuple[Step, ...]) -> list[tuple[Step, ...]]:
    without_step = [steps[:index] + steps[index + 1 :] for index in reversed(range(len(steps)))]
    without_row = [
        (*steps[:index], _without(step, row), *steps[index + 1 :])
        for index, step in enumerate(steps)
        if len(step.rows) > 1
        for row in range(len(step.rows))
    ]
    return without_step + without_row


def _without(step: Step, index: int) -> Step:
    rows = step.rows[:index] + step.rows[index + 1 :]
    return Step(step.relation, rows, step.weights[:index] + step.weights[index + 1 :], step.batch)


def is_legal(steps: Sequence[Step]) -> bool:
    """Is every row that is deleted there at the end of its step?"""
    live: Counter[tuple[object, ...]] = Counter()
    for step in steps:
        for row, weight in zip(step.rows, step.weights, strict=True):
            live[(step.relation, row)] += weight
        if any(count < 0 for count in live.values()):
            return False
    return True


def _event(step: Step) -> str:
    changes = ", ".join(f"{weight:+d} {row}" for row, weight in zip(step.rows, step.weights, strict=True))
    return f"{'batch' if step.batch else 'row'} {step.relation}: {changes}"
