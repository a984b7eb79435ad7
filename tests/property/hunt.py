"""Hunt for disagreements with DuckDB until the time is up.

    python tests/property/hunt.py --minutes 60 --seed 1 [--mode ivm] [--native-every 40] [--to finds]

Every find is made small, printed as a script and a stream, and with ``--to`` written as ``NAME.sql`` and
``NAME.stream``, which ``python -m toastergen verify NAME.sql --stream NAME.stream`` replays. The exit code is 1 if
there was one.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from property.judge import CRASHED, FOREIGN, REFUSED, Verdict, accepted, judge
from property.random_sql import FLAT, Case, random_case

from oracle.reduce_sql import smallest_script
from toastergen.changes import Step, stream_text
from toastergen.shrink import smallest_stream

VIEWS, NATIVE_VIEWS = 4, 20
PATIENCE = 20  # seconds for one case: the interpreters join by brute force
REDUCING = 60  # seconds for each step of making a find small


class TooLong(BaseException):
    """A case took longer than it is worth."""


@dataclass(slots=True)
class Hunt:
    mode: str
    to: Path | None
    verbose: bool
    counts: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    signs: Counter[str] = field(default_factory=Counter)

    def case(self, seed: str, native: bool) -> None:
        whole = random_case(seed, *((NATIVE_VIEWS, 2, FLAT) if native else (VIEWS, 2)))
        case = whole
        verdict = self.judged(case.sql, case.streams, case.can_empty, native)
        if verdict.kind in (REFUSED, FOREIGN, CRASHED):  # some view may be to blame for all
            case, verdicts = accepted(whole, self.mode)
            self.refused(seed, whole, verdicts)
            if case.selects and case.selects != whole.selects:
                verdict = self.judged(case.sql, case.streams, case.can_empty, native)
        if case.selects:
            self.counts[verdict.kind] += len(case.selects)
            if verdict.is_find:
                self.find(seed, case, verdict, native)

    def refused(self, seed: str, whole: Case, verdicts: Sequence[Verdict]) -> None:
        for verdict in verdicts:
            self.counts[verdict.kind] += 1
            sign = f"{verdict.kind}: {verdict.sign}"
            if verdict.is_find:
                self.find(seed, whole, verdict, False)
            else:
                self.refusals[sign] += 1
            if self.refusals[sign] == 1 and self.verbose:
                print(f"{seed} {sign}\n{verdict.detail}\n", flush=True)

    def judged(self, sql: str, streams: Sequence[Sequence[Step]], can_empty: bool, native: bool) -> Verdict:
        signal.alarm(PATIENCE * 20 if native else PATIENCE)
        try:
            found = judge(sql, streams, can_empty=can_empty, native=native, mode=self.mode)
            return Verdict("too long") if "interrupted" in found.sign else found  # DuckDB answers signals itself
        except TooLong:
            return Verdict("too long")
        finally:
            signal.alarm(0)

    def find(self, seed: str, case: Case, first: Verdict, native: bool) -> None:
        sign = f"{first.kind} {first.sign}"
        self.signs[sign] += 1
        print(f"\n=== find {sum(self.signs.values())} of seed {seed}: {sign}", flush=True)
        if self.signs[sign] > 3 and first.kind == CRASHED:
            return
        native = native and first.sign == "engine"

        def same(sql: str, steps: Sequence[Step]) -> bool:
            found = self.judged(sql, [steps], case.can_empty, native)
            return (found.kind, found.sign) == (first.kind, first.sign)

        sql, steps = reduced(case, same)
        last = self.judged(sql, [steps], case.can_empty, native)
        print(f"{sql}\n--- stream\n{stream_text(steps)}--- {last.detail or first.detail}", flush=True)
        if self.to is not None:
            self.to.mkdir(parents=True, exist_ok=True)
            name = f"find_{seed.replace(':', '_')}"
            (self.to / f"{name}.sql").write_text(f"-- {sign}\n{sql}\n")
            (self.to / f"{name}.stream").write_text(stream_text(steps))

    def report(self) -> str:
        lines = ["", "views: " + ", ".join(f"{kind} {number}" for kind, number in self.counts.most_common())]
        lines += [f"  {number:5} {what}" for what, number in self.refusals.most_common(25)]
        lines += [f"  FIND {number:5} {what}" for what, number in self.signs.most_common()]
        return "\n".join(lines)


def reduced(case: Case, same: Callable[[str, Sequence[Step]], bool]) -> tuple[str, tuple[Step, ...]]:
    """The script and the stream by turns, each as small as the time allows."""
    sql = case.sql
    steps = next((steps for steps in case.streams if same(sql, steps)), case.streams[0])
    for _ in range(2):
        end = time.monotonic() + REDUCING
        sql = smallest_script(sql, lambda text: time.monotonic() < end and same(text, steps))  # noqa: B023
        end = time.monotonic() + REDUCING
        steps = smallest_stream(steps, lambda part: time.monotonic() < end and same(sql, part)) or steps  # noqa: B023
    return sql, steps


def _ring(*_: object) -> None:
    raise TooLong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", help="the one case to look at")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--cases", type=int, default=1_000_000_000)
    parser.add_argument("--mode", default="hoivm")
    parser.add_argument("--native-every", type=int, default=0, help="every so-manyth case is compiled to native code")
    parser.add_argument("--to", type=Path, help="a folder for the finds")
    parser.add_argument("--verbose", action="store_true", help="show one refused view of every kind")
    given = parser.parse_args()
    hunt = Hunt(given.mode, given.to, given.verbose)
    signal.signal(signal.SIGALRM, _ring)
    end = time.monotonic() + given.minutes * 60
    if given.only:
        hunt.case(given.only, native=False)
        end = 0.0
    number = given.first
    while time.monotonic() < end and number < given.first + given.cases:
        native = given.native_every > 0 and number % given.native_every == given.native_every - 1
        hunt.case(f"{given.seed}:{number}", native)
        number += 1
    print(f"cases {given.first} to {number - 1}{hunt.report()}")
    return 1 if hunt.signs else 0


if __name__ == "__main__":
    sys.exit(main())
