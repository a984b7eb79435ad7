"""What an engine keeps of each relation's rows beside its maps, so that a delete of a row that is not there is refused.

The border keeps it, not the triggers: they stay as fast as they are, and an engine that allows unmatched deletes
pays nothing.
"""

from __future__ import annotations

from typing import Final

from toastergen.codegen.plan import LedgerPlan
from toastergen.errors import SourceError
from toastergen.frontend import m3

ERROR: Final = "error"
ALLOW: Final = "allow"
POLICIES: Final = (ERROR, ALLOW)

_REASONS: Final = {
    "allow": "nothing: built with unmatched=allow, a delete is believed",
    "unread": "nothing: no view reads it",
    "grows": "nothing: APPEND ONLY, rows are never deleted",
    "counts": "how often each row is there: 20 bytes per row in a table at most three quarters full",
    "keys": "which keys are there: 20 bytes per key in a table at most three quarters full",
    "rows": "the row of each key: its bytes and about 40 more",
}


def plan_ledgers(program: m3.Program, unmatched: str) -> tuple[LedgerPlan, ...]:
    """One for each relation that rows are pushed into, in their order."""
    if unmatched not in POLICIES:
        raise SourceError(
            f"unmatched is {unmatched!r}", hint="choose error, or allow for deletes of rows that are not there"
        )
    read = {trigger.relation for trigger in program.triggers}
    return tuple(
        _ledger(relation, relation.name in read, unmatched)
        for relation in program.relations
        if relation.kind != m3.DERIVED
    )


def _ledger(relation: m3.Relation, is_read: bool, unmatched: str) -> LedgerPlan:
    names = [column.name for column in relation.columns]
    key = tuple(names.index(name) for name in relation.primary_key)
    if unmatched == ALLOW:
        kind = "allow"
    elif not is_read:
        kind = "unread"
    elif relation.append_only:
        kind = "keys" if key else "grows"
    else:
        kind = "rows" if key else "counts"
    until = "; until the first stream changes" if relation.kind == m3.TABLE and kind in ("counts", "rows") else ""
    return LedgerPlan(relation.name, kind, key, _REASONS[kind] + until)
