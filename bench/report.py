"""RESULTS.md from figures. Nothing here judges: a number that disappoints is printed like any other."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
from native import COUNT_FLAGS, FLAGS

from toastergen.codegen.toolchain import find_compiler

if TYPE_CHECKING:
    from run import Figures

_PEER_BATCHES = ("1,000", "10,000")


def text(figures: Figures, peers: dict[str, dict[str, float]], scale: float, rounds: int) -> str:
    parts = (
        _head(figures, scale, rounds),
        _native(figures),
        _peers(figures, peers),
        _python(figures),
        _memory(figures),
        _doubling(figures),
    )
    return "\n".join(parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def _rate(value: float) -> str:
    if value >= 1e6:
        return f"{value / 1e6:.1f} M" if value < 1e8 else f"{value / 1e6:.0f} M"
    return f"{value / 1e3:.0f} k" if value >= 1e4 else f"{value:.0f}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _head(figures: Figures, scale: float, rounds: int) -> str:
    large, small = figures.calibration["large"] / 1e6, figures.calibration["small"] / 1e6
    events = ", ".join(f"{name} {count:,}" for name, count in figures.events.items())
    return f"""# Results

`python bench/run.py --scale {scale} --rounds {rounds}`

Events per second of CPU time, one thread, input in memory, best of {rounds} interleaved rounds (from Python: one
run); every result equal to DuckDB's. Data with the shape of TPC-H at scale {scale} (seeded, own generator), inserts
only, streams in turn row by row. Events: {events}.

- processor: {_processor()}
- compiler: {find_compiler().identity}, `{" ".join(FLAGS)}`
- Python {platform.python_version()}, DuckDB {duckdb.__version__}, one thread
- calibration (`cpp/calibrate.cpp`): small {small:.0f} million/s, large {large:.1f} million/s
- load average at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores
"""


def _native(figures: Figures) -> str:
    labels = list(next(iter(figures.native.values())))
    rows = [(name, *(_rate(rates[label]) for label in labels)) for name, rates in figures.native.items()]
    note = (
        "`single` calls the engine's class from a C++ loop (`cpp/drive.cpp`); batches go through the C table as Arrow\n"
        "columns and include all its checks (ranges, calendar, UTF-8, of all columns, read or not).\n"
    )
    return f"## Native\n\n{note}\n{_table(('query', *labels), rows)}"


def _peers(figures: Figures, peers: dict[str, dict[str, float]]) -> str:
    large = figures.calibration["large"]
    rows = []
    for name, peer in peers.items():
        ours = figures.native[name]
        single, batch = ours["single"] / large, ours["batch 1,000"] / large
        rows.append(
            (
                name,
                *(f"{value:.2f}" for value in (single, peer["single_over_large"])),
                f"**{single / peer['single_over_large']:.2f}**",
                *(f"{value:.2f}" for value in (batch, peer["batch1000_over_large"])),
                f"**{batch / peer['batch1000_over_large']:.2f}**",
            )
        )
    head = ("query", "single", "DBToaster", "ratio", "batch 1,000", "DBToaster", "ratio")
    note = (
        "Rates divided by the calibration's `large` of the same machine and time (see `peers.csv`). Between two\n"
        "machines a factor of 1.3 is noise, a factor of 2 is not.\n"
    )
    return f"## Beside DBToaster\n\n{note}\n{_table(head, rows)}"


def _python(figures: Figures) -> str:
    rows = []
    for name, rates in figures.python.items():
        for size in _PEER_BATCHES:
            ours, theirs = rates[f"batch {size}"], figures.duckdb[name][int(size.replace(",", ""))]
            rows.append((name, _rate(rates["single"]), size, _rate(ours), _rate(theirs), f"{ours / theirs:,.0f}"))
    head = ("query", "`insert`", "batch", "`apply`", "DuckDB recomputes", "ratio")
    note = (
        "`engine.insert` row by row and `engine.apply` with Arrow batches, against DuckDB appending the same batch\n"
        "and running the query again (timed over the last tenth of the stream).\n"
    )
    return f"## From Python\n\n{note}\n{_table(head, rows)}"


def _memory(figures: Figures) -> str:
    rows = []
    for name, maps in figures.maps.items():
        for item in maps:
            count, size = int(str(item["rows"])), int(str(item["bytes"]))
            each = f"{size / count:.0f}" if count else ""
            rows.append((name, f"`{item['name']}`", f"{count:,}", f"{size:,}", each, f"{item['mean_probe']}"))
    head = ("query", "map", "rows", "bytes", "bytes/row", "mean probe")
    return f"## Memory per map\n\nAfter the whole stream, single-tuple.\n\n{_table(head, rows)}"


def _doubling(figures: Figures) -> str:
    rows = [
        (name, where, *(f"{cost:.1f}" for cost in costs), f"{costs[-1] / costs[0]:.2f}")
        for name, where, costs in figures.doubling
    ]
    note = (
        f"{figures.doubling_unit.capitalize()} per event over the last {figures.window:,} rows before a stream ends,\n"
        "with the state of 1, 2, 4 and 8 eighths of the stream\n"
        f"(`{' '.join(COUNT_FLAGS)}`). An event of constant cost has 8× : 1× near 1.\n"
    )
    head = ("query", "window", "1×", "2×", "4×", "8×", "8× : 1×")
    return f"## Doubling the state\n\n{note}\n{_table(head, rows)}"
