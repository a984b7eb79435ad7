"""Compile an engine into a measuring program and read what it prints."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from tpch_queries import Query

from toastergen.codegen import names
from toastergen.codegen.build import BuildOptions, Built, build_engine, runtime_include
from toastergen.codegen.emit import emit
from toastergen.codegen.lower import lower
from toastergen.codegen.toolchain import find_compiler
from toastergen.frontend.calculus.translate import translate
from toastergen.frontend.maintain.hoivm import maintain
from toastergen.frontend.sql import read_script

HERE = Path(__file__).parent
FLAGS = ("-std=c++20", "-O3", "-march=native", "-DNDEBUG")
# What valgrind understands on every machine; used for counting only.
COUNT_FLAGS = ("-std=c++20", "-O3", "-DNDEBUG")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the measuring program. Rows hold decimals as scaled integers and dates as days."""

    seconds: float
    events: int
    maps: tuple[dict[str, Any], ...]
    rows: list[tuple[str, ...]] = field(repr=False)

    @property
    def rate(self) -> float:
        return self.events / self.seconds


@cache
def sources(query: Query) -> dict[str, str]:
    program = maintain(translate(read_script(query.script)))
    return dict(emit(program, lower(program, "allow"), query.name))


@cache
def module(query: Query) -> Built:
    return build_engine(sources(query), query.name, BuildOptions())


def compile_driver(query: Query, folder: Path, flags: tuple[str, ...] = FLAGS) -> Path:
    tree = folder / f"{query.name}-{'native' if flags == FLAGS else 'count'}"
    tree.mkdir(parents=True, exist_ok=True)
    for name, text in sources(query).items():
        (tree / name).write_text(text)
    # Included with quotes: looked for beside the including file first, so the driver moves to the engine.
    for name in ("drive.cpp", "columns.hpp"):
        shutil.copy(HERE / "cpp" / name, tree / name)
    events = " ".join(f"EVENT({index}, {name})" for index, name in enumerate(query.relations))
    program = tree / "drive"
    defines = [f"-DENGINE={names.namespace(query.name)}", f"-DEVENTS={events}"]
    _compile([*flags, *defines, f"-I{runtime_include()}", str(tree / "drive.cpp"), "-o", str(program)])
    return program


def compile_calibrate(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "calibrate"
    # The flags under which the published figures' own calibration was made.
    _compile(["-std=c++20", "-O3", str(HERE / "cpp" / "calibrate.cpp"), "-o", str(program)])
    return program


def _compile(arguments: list[str]) -> None:
    subprocess.run([str(find_compiler().path), *arguments], check=True)


def calibrate(program: Path) -> dict[str, float]:
    lines = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.split("\n")
    return {name: float(value) for name, value in (line.split() for line in lines if line)}


def drive(program: Path, data: Path, *arguments: object) -> Run:
    command = [str(program), str(data), *map(str, arguments)]
    return _read(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _read(output: str) -> Run:
    values: dict[str, str] = {}
    rows = []
    for line in output.splitlines():
        word, _, rest = line.partition(" ")
        if word == "row":
            rows.append(tuple(map(_joined, rest.split("\t"))))
        else:
            values[word] = rest
    maps = tuple(json.loads(values["stats"])["maps"])
    return Run(float(values["seconds"]), int(values["events"]), maps, rows)


def _joined(text: str) -> str:
    """The two words of a decimal as one integer."""
    match = re.fullmatch(r"(-?\d+):(\d+)", text)
    return str((int(match[1]) << 64) + int(match[2])) if match else text


def instructions(program: Path, data: Path, begin: int, end: int) -> tuple[int, int] | None:
    """Instructions spent on the rows [begin, end) and the number of their events; None without valgrind."""
    if shutil.which("valgrind") is None:
        return None
    counts = [_count(program, data, begin), _count(program, data, end)] if begin else [0, _count(program, data, end)]
    return counts[1] - counts[0], drive(program, data, "single", begin, end).events


def _count(program: Path, data: Path, end: int) -> int:
    """Both calls of the loop are collected, so the cost of a window is the difference of two runs."""
    command = ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=*run_events*"]
    command += ["--callgrind-out-file=/dev/null", str(program), str(data), "single", "0", str(end)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    found = re.search(r"Collected : (\d+)", output)
    assert found is not None, output
    return int(found[1])


def comparable(table: pa.Table) -> list[tuple[str, ...]]:
    """Rows of another engine in the spelling of the measuring program."""
    columns = []
    for column in table.columns:
        values = column.to_pylist()
        if pa.types.is_decimal(column.type):
            columns.append([str(int(Decimal(str(value)).scaleb(column.type.scale))) for value in values])
        elif pa.types.is_date(column.type):
            columns.append([str(value) for value in column.cast(pa.int32()).to_pylist()])
        else:
            columns.append([repr(value) if isinstance(value, float) else str(value) for value in values])
    return list(zip(*columns, strict=True))
