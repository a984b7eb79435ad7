"""What becomes of a case: agreed, refused, beyond what DuckDB computes, or a find: a difference, a crash."""

from __future__ import annotations

import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from property.random_sql.case import Case

from oracle.duck import DuckOracle
from oracle.fourway import FourWay
from oracle.reduce import apply, run
from toastergen.changes import Step
from toastergen.errors import ToastergenError
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.maintain import STRATEGIES
from toastergen.frontend.sql import read_script

AGREED, REFUSED, FOREIGN, BEYOND, DIFFERS, CRASHED = "agreed", "refused", "foreign", "beyond", "differs", "crashed"
FINDS = (DIFFERS, CRASHED)
_BEYOND = "DuckDB cannot recompute"
_FOREIGN = "DuckDB cannot compute"


@dataclass(frozen=True, slots=True)
class Verdict:
    """``sign`` is the same for finds that probably have one cause; ``view`` is the one that is wrong, if one is."""

    kind: str
    sign: str = ""
    detail: str = ""
    view: str | None = None

    @property
    def is_find(self) -> bool:
        return self.kind in FINDS


def judge(
    sql: str, streams: Sequence[Sequence[Step]], *, can_empty: bool, native: bool = False, mode: str = "hoivm"
) -> Verdict:
    """A whole script on its streams."""
    try:
        engines = FourWay(sql, native=native, mode=mode, name="judged")
    except Exception as error:
        return compiled(error)
    for steps in streams:
        verdict = _played(engines, steps, can_empty)
        if verdict.kind != AGREED:
            return verdict
    return Verdict(AGREED)


def _played(engines: FourWay, steps: Sequence[Step], can_empty: bool) -> Verdict:
    try:
        found = run(engines, steps)
        if found is None and can_empty:
            for relation in dict.fromkeys(step.relation for step in steps):
                rows = tuple(engines.duckdb.rows(relation))
                if rows:
                    apply(engines, Step(relation, rows, (-1,) * len(rows), True))
            found = engines.mismatch()
            if found is None:
                engines.check_empty()
    except AssertionError as error:
        left = str(error).partition(" keeps ")[0]
        return Verdict(CRASHED, f"not empty or broken: {_place(error)}", f"{left}\n{traceback.format_exc()}")
    except ToastergenError as error:
        if _BEYOND in error.message:
            return Verdict(BEYOND)
        return _computable(engines, error)
    except Exception as error:
        return Verdict(CRASHED, f"{type(error).__name__} {_place(error)}", traceback.format_exc())
    if found is None:
        return Verdict(AGREED)
    return Verdict(DIFFERS, found.stage, str(found), found.view)


def _computable(engines: FourWay, error: ToastergenError) -> Verdict:
    """An engine reports a value beyond its type. That is right if DuckDB says so too."""
    try:
        for view in engines.views:
            engines.duckdb.view(view)
    except ToastergenError:
        return Verdict(BEYOND)
    return Verdict(CRASHED, f"{type(error).__name__} {error.message[:60]}", traceback.format_exc())


def compiled(error: Exception) -> Verdict:
    """What an exception of the compiler means. A refusal has to show its place."""
    if isinstance(error, ToastergenError):
        if error.message.startswith(_FOREIGN):
            return Verdict(FOREIGN, re.sub(r"[\w.]*\d[\w.]*", "#", error.message)[:120], str(error))
        if error.span is not None or _is_limit(error):
            return Verdict(REFUSED, re.sub(r"[\w.]*\d[\w.]*", "#", error.message), str(error))
        return Verdict(CRASHED, f"no span: {error.message[:80]}", traceback.format_exc())
    return Verdict(CRASHED, f"{type(error).__name__} {_place(error)}", "".join(traceback.format_exception(error)))


def _is_limit(error: ToastergenError) -> bool:
    """Limits of a strategy, which sees no text any more: they name the view or another mode instead of a place."""
    return "times is not supported" in error.message or "--mode" in (error.hint or "")


def _place(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename.rpartition('/')[2]}:{last.name}:{str(error)[:50]}"


def accepted(case: Case, mode: str = "hoivm") -> tuple[Case, list[Verdict]]:
    """The case without views that are refused, or that read one that is; and what was said of those."""
    if _tried(case.sql, mode) is None:
        return case, []
    kept: list[str] = []
    names: list[str] = []
    verdicts: list[Verdict] = []
    dropped: set[str] = set()
    tables = "\n".join(table.declaration() for table in case.tables)
    for place, select in enumerate(case.selects):
        name = f"v{place}"
        if any(re.search(rf"\b{other}\b", select) for other in dropped):
            dropped.add(name)
            continue
        views = "\n".join(f"CREATE VIEW {n} AS {s};" for n, s in [*zip(names, kept, strict=True), (name, select)])
        sql = f"{tables}\n{views}"
        verdict = _tried(sql, mode)
        if verdict is None:
            names.append(name)
            kept.append(select)
        else:
            dropped.add(name)
            verdicts.append(verdict)
    return Case(case.tables, tuple(kept), case.streams, tuple(names)), verdicts


def _tried(sql: str, mode: str) -> Verdict | None:
    try:
        script = read_script(sql)
        program = STRATEGIES[mode](translate(script))
        DuckOracle(sql, script.relations, [view.name for view in program.views if not view.hidden])
    except Exception as error:
        return compiled(error)
    return None
