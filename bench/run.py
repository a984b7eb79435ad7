"""Measure everything and write RESULTS.md: `python bench/run.py [--scale 0.1] [--rounds 3]`.

The rounds go through calibration, queries and batch sizes in turn and the best of each counts, so that a busy
neighbour disturbs all sides alike. Every run's result is compared with DuckDB's; a difference stops the run.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import judge
import native
import pyarrow as pa
import report
import tpch_data
from tpch_queries import QUERIES, Query

from toastergen.runtime.load import load

BATCHES = (1, 10, 100, 1_000, 10_000, 100_000)
PYTHON_BATCHES = (1_000, 10_000)
PYTHON_ROWS = 100_000
DOUBLINGS = (1, 2, 4, 8)
WINDOW = 2_000
RECOMPUTE_BUDGET = 6.0


@dataclass
class Figures:
    """Events per CPU second by query; ``large`` and ``small`` are the calibration."""

    calibration: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    native: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(float)))
    python: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    duckdb: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    maps: dict[str, tuple[dict[str, object], ...]] = field(default_factory=dict)
    doubling: list[tuple[str, str, list[float]]] = field(default_factory=list)
    doubling_unit: str = "instructions"
    window: int = WINDOW
    events: dict[str, int] = field(default_factory=dict)


def main() -> None:
    options = _options()
    data = tpch_data.generate(options.scale)
    figures = Figures()
    with tempfile.TemporaryDirectory(prefix="toastergen-bench-") as place:
        folder = Path(place)
        tpch_data.write_columns(data, folder / "data")
        measure_native(figures, data, folder, options.rounds)
        for query in QUERIES:
            measure_python(figures, query, data)
            measure_duckdb(figures, query, data)
        measure_doubling(figures, options.scale, folder)
    text = report.text(figures, read_peers(), options.scale, options.rounds)
    options.output.write_text(text)
    print(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=native.HERE / "RESULTS.md")
    return parser.parse_args()


def read_peers() -> dict[str, dict[str, float]]:
    lines = (native.HERE / "peers.csv").read_text().splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {row["query"]: {name: float(value) for name, value in row.items() if name != "query"} for row in rows}


def measure_native(figures: Figures, data: dict[str, pa.RecordBatch], folder: Path, rounds: int) -> None:
    calibrate = native.compile_calibrate(folder)
    drivers = {query: native.compile_driver(query, folder) for query in QUERIES}
    expected = {query: judge.answer(query, data) for query in QUERIES}
    for _ in range(rounds):
        for query, driver in drivers.items():
            for name, value in native.calibrate(calibrate).items():
                figures.calibration[name] = max(figures.calibration[name], value)
            for label, arguments in _modes():
                run = native.drive(driver, folder / "data", *arguments)
                judge.must_agree(query, expected[query], run.rows)
                figures.native[query.name][label] = max(figures.native[query.name][label], run.rate)
                if label == "single":
                    figures.maps[query.name] = run.maps
                    figures.events[query.name] = run.events


def _modes() -> list[tuple[str, tuple[object, ...]]]:
    return [("single", ("single", 0)), *((f"batch {size:,}", ("batch", size)) for size in BATCHES)]


def measure_python(figures: Figures, query: Query, data: dict[str, pa.RecordBatch]) -> None:
    """The Python API: one call per row for a part of the rows, then batches of all."""
    engine = load(native.module(query).module).engine()
    part = {name: rows.slice(0, PYTHON_ROWS) for name, rows in data.items()}
    turns = [
        (name, list(zip(*(column.to_pylist() for column in rows.columns), strict=True)))
        for name, rows in judge.slices(query, part, 1000)
    ]
    start = time.process_time()
    for name, rows in turns:
        for row in rows:
            engine.insert(name, row)
    seconds = time.process_time() - start
    judge.must_agree(query, judge.answer(query, part), native.comparable(engine.view(query.name).to_arrow()))
    figures.python[query.name]["single"] = sum(len(rows) for _, rows in turns) / seconds
    for size in PYTHON_BATCHES:
        engine = load(native.module(query).module).engine()
        batches = list(judge.slices(query, data, size))
        start = time.process_time()
        for name, batch in batches:
            engine.apply(name, batch)
        seconds = time.process_time() - start
        judge.must_agree(query, judge.answer(query, data), native.comparable(engine.view(query.name).to_arrow()))
        figures.python[query.name][f"batch {size:,}"] = sum(batch.num_rows for _, batch in batches) / seconds


def measure_duckdb(figures: Figures, query: Query, data: dict[str, pa.RecordBatch]) -> None:
    for size in PYTHON_BATCHES:
        seconds, events = judge.recompute(query, data, size, RECOMPUTE_BUDGET)
        figures.duckdb[query.name][size] = events / seconds


def measure_doubling(figures: Figures, scale: float, folder: Path) -> None:
    """What an event costs while the state doubles and doubles again."""
    data = {factor: tpch_data.generate(scale * factor / DOUBLINGS[-1]) for factor in DOUBLINGS}
    for factor, tables in data.items():
        tpch_data.write_columns(tables, folder / f"data{factor}")
    for query in QUERIES:
        driver = native.compile_driver(query, folder, native.COUNT_FLAGS)
        for last in query.relations[-2:]:
            costs = []
            for factor, tables in data.items():
                end = tables[last].num_rows
                costs.append(_window_cost(figures, driver, folder / f"data{factor}", end - WINDOW, end))
            figures.doubling.append((query.name, f"until {last} ends", costs))


def _window_cost(figures: Figures, driver: Path, data: Path, begin: int, end: int) -> float:
    counted = native.instructions(driver, data, begin, end)
    if counted is not None:
        return counted[0] / counted[1]
    figures.doubling_unit = "ns of CPU time"
    return min(1e9 / native.drive(driver, data, "single", begin, end).rate for _ in range(5))


if __name__ == "__main__":
    main()
