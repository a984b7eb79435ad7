"""A progress bar with rows per second on a terminal; silence in a pipe. Always on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import TracebackType
from typing import Any

from toastergen.feed import Feed


class Quiet:
    """Watches and says nothing."""

    def __enter__(self) -> Quiet:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def advance(self, relation: str, rows: int, bytes_done: int) -> None:
        return None


class Bar:
    """One bar over all files; its length is known unless a source is a pipe."""

    def __init__(self, feeds: Iterable[Feed]) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

        sizes = [feed.source.bytes_total for feed in feeds]
        known = [size for size in sizes if size is not None]
        self._done: dict[str, int] = {}
        self._rows = 0
        self._progress: Any = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rows]} rows"),
            TextColumn("{task.fields[rate]} rows/s"),
            console=Console(stderr=True),
            transient=True,
        )
        total = sum(known) if len(known) == len(sizes) else None
        self._task = self._progress.add_task("reading", total=total, rows="0", rate="-")

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def advance(self, relation: str, rows: int, bytes_done: int) -> None:
        self._rows += rows
        self._done[relation] = bytes_done
        seconds = self._progress.tasks[0].elapsed or 0.0
        rate = f"{self._rows / seconds:,.0f}" if seconds > 0 else "-"
        self._progress.update(
            self._task,
            description=f"reading {relation}",
            completed=sum(self._done.values()),
            rows=f"{self._rows:,}",
            rate=rate,
        )


def watch(feeds: Iterable[Feed]) -> Bar | Quiet:
    """The bar if somebody is there to see it."""
    return Bar(feeds) if sys.stderr.isatty() else Quiet()
