"""What a ledger costs per row: engines that differ in nothing but what they keep of their rows.

    python bench/ledger.py [ROWS]

The three run in turns, and the best of several runs counts. Times are CPU time through the C table, so checks of the
rows are in them; for batches, making the Arrow arrays is too, the same for all three.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import toastergen as tg
from toastergen.codegen.build import runtime_include
from toastergen.codegen.toolchain import find_compiler

HERE = Path(__file__).parent
FLAGS = ("-std=c++20", "-O3", "-march=native", "-DNDEBUG")
COLUMNS = "id INT, grp INT, amount BIGINT, name VARCHAR, price DECIMAL(12,2)"
QUERY = "SELECT grp, SUM(amount) AS amount, COUNT(*) AS n FROM r GROUP BY grp"
CASES = {
    "allow": (f"CREATE STREAM r ({COLUMNS}); {QUERY};", "allow"),
    "counts": (f"CREATE STREAM r ({COLUMNS}); {QUERY};", "error"),
    "rows": (f"CREATE STREAM r ({COLUMNS}, PRIMARY KEY (id)); {QUERY};", "error"),
}
ROUNDS = 5


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    libraries = {
        case: tg.compile(sql, name=f"ledger_{case}").build(unmatched=policy).paths.library
        for case, (sql, policy) in CASES.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "ledger"
        source = [str(HERE / "cpp" / "ledger.cpp"), f"-I{runtime_include()}", "-ldl", "-o", str(program)]
        subprocess.run([str(find_compiler().path), *FLAGS, *source], check=True)
        print(f"{rows:,} rows, ns of CPU time per row, best of {ROUNDS}; bytes per row of the ledger")
        print(f"{'':8} {'batch':>6} {'insert':>8} {'delete':>8} {'bytes':>8}")
        for batch in (1, 1000):
            runs: dict[str, list[dict[str, Any]]] = {case: [] for case in CASES}
            for _ in range(ROUNDS):
                for case, library in libraries.items():
                    words = [str(program), str(library), f"ledger_{case}_engine_api", str(rows), str(batch)]
                    runs[case].append(json.loads(subprocess.run(words, check=True, capture_output=True).stdout))
            for case, found in runs.items():
                best = {what: min(run[what] for run in found) for what in ("insert", "delete")}
                size = sum(item["bytes"] for item in found[0]["stats"]["ledgers"]) / rows
                print(f"{case:8} {batch:6} {best['insert']:8.0f} {best['delete']:8.0f} {size:8.1f}")


if __name__ == "__main__":
    main()
