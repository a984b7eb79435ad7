"""How long SQL takes to become M3, for every query of the workloads: python bench/compile_times.py [workload …]

The times are those of one query alone in its script, the best of three, with the sizes of the program they buy.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from oracle.workloads import WORKLOADS, alone, compiled, parts

LIMIT = 2.0  # seconds per query
LIMIT_OF_TWELVE = 10.0  # for joins of 12 relations


def main(wanted: list[str]) -> int:
    late = []
    for workload in wanted or sorted(path.stem for path in WORKLOADS.glob("*.sql")):
        for name in parts(workload)[1]:
            sql = alone(workload, name)
            seconds = min(_measured(sql) for _ in range(3))
            program = compiled(sql)
            statements = sum(len(trigger.statements) for trigger in program.triggers)
            print(f"{workload:13} {name:18} {seconds:7.3f} s  {len(program.maps):4} maps  {statements:5} statements")
            if seconds > (LIMIT_OF_TWELVE if name.startswith("everything") else LIMIT):
                late.append(f"{workload}.{name}")
    print(f"too late: {', '.join(late)}" if late else "all within their limits")
    return 1 if late else 0


def _measured(sql: str) -> float:
    start = time.perf_counter()
    compiled(sql)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
