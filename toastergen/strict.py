"""``--strict``: no view that would be computed anew, none whose events cost more the more is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toastergen.codegen.upkeep import REEVALUATED, EventUpkeep, ViewUpkeep, view_upkeep
from toastergen.errors import Span, StrictError
from toastergen.explain import titled

if TYPE_CHECKING:
    from toastergen.driver import Job


def check_strict(job: Job) -> None:
    """Raise for the first view that ``--strict`` does not take; the message lists every event that is to blame."""
    for place, view in enumerate(view_upkeep(job.plan)):
        costly = [event for event in view.events if event.grows]
        if costly:
            error = StrictError(_message(view, costly), span=_span(job, place), hint=_hint(costly))
            raise error.located(source=job.text, file=job.file)


def _message(view: ViewUpkeep, costly: list[EventUpkeep]) -> str:
    lines = [f"--strict refuses the view {view.view}: an event costs more the more is stored"]
    for title, event in titled(costly):
        what = "re-evaluated" if event.how == REEVALUATED else event.cost
        lines.append(f"  on {title}: {what}, {event.reason}")
    return "\n".join(lines)


def _span(job: Job, place: int) -> Span | None:
    if job.is_m3:
        return None
    from toastergen.frontend.sql.view_texts import view_texts

    return view_texts(job.text)[place].span


def _hint(costly: list[EventUpkeep]) -> str:
    if any(event.how == REEVALUATED for event in costly):
        return "use --mode hoivm, or leave out --strict"
    if all("PARTITION BY" in event.reason for event in costly):
        return "add PARTITION BY to the window, or leave out --strict"
    return "join by equality or compare with a constant instead, or leave out --strict"
