"""Upper and lower case as DuckDB has them, for Python and C++: ``python tests/oracle/case_tables.py`` writes both.

Every code point maps to exactly one other. The mapping comes from the judge itself and not from Python, whose
tables map ``ß`` to two letters and know another version of Unicode.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import duckdb

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "frontend" / "case_tables.py"
HEADER = ROOT / "runtime" / "cpp" / "include" / "toastergen" / "case_tables.hpp"

Run = tuple[int, int, int, int]


def mapping(function: str) -> dict[int, int]:
    """Every code point that a function changes, and into what."""
    rows = duckdb.execute(
        f"SELECT i::INT, unicode({function}(chr(i::INT))), length({function}(chr(i::INT))) FROM range(1, 1114112) t(i)"
        f" WHERE i NOT BETWEEN 55296 AND 57343 AND {function}(chr(i::INT)) <> chr(i::INT) ORDER BY i"
    ).fetchall()
    assert all(length == 1 for _, _, length in rows), f"{function} changes the length of a character"
    return {code: other for code, other, _ in rows}


def runs(changes: dict[int, int]) -> tuple[Run, ...]:
    """Neighbours, or every second one, that move by the same distance."""
    found: list[list[int]] = []
    for code, other in sorted(changes.items()):
        last = found[-1] if found else [0, -9, 0, 0]
        gap = code - last[1]
        if other - code == last[3] and (gap == last[2] if last[0] != last[1] else gap in (1, 2)):
            last[1:3] = code, gap
        else:
            found.append([code, code, 1, other - code])
    return tuple((first, last, step, distance) for first, last, step, distance in found)


def rows(items: Iterable[str]) -> str:
    texts = list(items)
    return "".join(f"    {' '.join(texts[at : at + 3])}\n" for at in range(0, len(texts), 3))


def python_text(upper: tuple[Run, ...], lower: tuple[Run, ...]) -> str:
    def table(name: str, items: tuple[Run, ...]) -> str:
        return f"{name}: Final[Runs] = (\n{rows(f'{item},' for item in items)})\n"

    return (
        '"""Upper and lower case of every code point that has one. Written by tests/oracle/case_tables.py.\n\n'
        "A run is first, last, step and distance: every step-th code point from first to last moves by the distance.\n"
        '"""\n\n'
        "from __future__ import annotations\n\nfrom typing import Final, TypeAlias\n\n"
        "Runs: TypeAlias = tuple[tuple[int, int, int, int], ...]\n\n" + table("UPPER", upper) + table("LOWER", lower)
    )


def header_text(upper: tuple[Run, ...], lower: tuple[Run, ...]) -> str:
    def table(name: str, items: tuple[Run, ...]) -> str:
        body = rows(f"{{{first}, {last}, {step}, {distance}}}," for first, last, step, distance in items)
        return f"inline constexpr case_run {name}[{len(items)}] = {{\n{body}}};\n"

    return (
        "// Upper and lower case of every code point that has one. Written by tests/oracle/case_tables.py.\n"
        "#pragma once\n\n#include <cstdint>\n\nnamespace tg::detail {\n\n"
        "// Every step-th code point from first to last moves by the distance.\n"
        "struct case_run {\n    std::int32_t first;\n    std::int32_t last;\n    std::int32_t step;\n"
        "    std::int32_t distance;\n};\n\n// clang-format off\n"
        + table("upper_runs", upper)
        + "\n"
        + table("lower_runs", lower)
        + "// clang-format on\n\n} // namespace tg::detail\n"
    )


def texts() -> dict[Path, str]:
    upper, lower = runs(mapping("upper")), runs(mapping("lower"))
    return {PYTHON: python_text(upper, lower), HEADER: header_text(upper, lower)}


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text)
