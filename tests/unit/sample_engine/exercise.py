"""Drives every function of the sample engine once, good and bad input alike; run under sanitizers."""

from __future__ import annotations

import contextlib
import datetime
import sys
from decimal import Decimal

from toastergen.errors import DataError, EngineError
from toastergen.runtime import load

ROW = (1, Decimal("12.50"), datetime.date(2020, 2, 29), "a string of more than twelve bytes", True, 0.5, 7)


def main() -> None:
    engine = load(sys.argv[1]).engine()
    engine.insert("r", ROW)
    engine.apply_row("r", ROW, 5)
    engine.apply_row("r", ROW, 1000)
    engine.apply("r", [ROW] * 100)
    engine.apply("r", [ROW] * 3, [1, -1, 7])
    for bad in (ROW[:-1], (None, *ROW[1:]), ("1", *ROW[1:]), (2**40, *ROW[1:]), (*ROW[:5], float("nan"), 7)):
        with contextlib.suppress(DataError):
            engine.insert("r", bad)
    full = (*ROW[:6], 2**63 - 1)
    for weight in (1, 2, 1000):
        try:
            engine.apply_row("r", full, weight)
        except EngineError:
            continue
        raise AssertionError(f"weight {weight} did not overflow")
    engine.apply_row("r", ROW, -1113)
    assert engine.view("by_k").rows() == [], engine.view("by_k").rows()
    assert engine.view("total").get() == (0, None, None, None, 0)
    engine.stats()
    print("ok")


if __name__ == "__main__":
    main()
