"""Feed a built engine a random stream and compare it with the interpreter of M3, in a process of its own.

    python replay.py MODULE PROGRAM.m3 SEED

Meant for sanitized engines: it needs nothing that was compiled elsewhere except Arrow, and walks the ways that
end in errors as well.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from oracle.fourway import arranged, differing
from oracle.streams import Stream
from toastergen.errors import ToastergenError
from toastergen.frontend.interpret.m3 import Interpreter
from toastergen.frontend.m3 import Program
from toastergen.frontend.m3_text import read_program
from toastergen.runtime import Engine, load

EVENTS = 400
BATCHES = 30


def replay(engine: Engine, program: Program, seed: int) -> None:
    interpreter = Interpreter(program)
    stream = Stream(program.relations, seed)
    for _ in range(EVENTS):
        relation, row, weight = stream.event()
        (interpreter.insert if weight > 0 else interpreter.delete)(relation, row)
        engine.apply_row(relation, row, weight)
    compare(engine, interpreter, program)
    for _ in range(BATCHES):
        relation, rows, weights = stream.batch(20)
        interpreter.apply(relation, rows, weights)
        engine.apply(relation, rows, weights)
    compare(engine, interpreter, program)
    annoy(engine, program)
    compare(engine, interpreter, program)
    for relation, row in stream.drain():
        engine.delete(relation, row)
        interpreter.delete(relation, row)
    left = [item for item in engine.stats()["maps"] if item["rows"] != len(interpreter.map(item["name"]))]
    assert not left, f"maps that are not as empty as they should be: {left}"


def compare(engine: Engine, interpreter: Interpreter, program: Program) -> None:
    for view in program.views:
        difference = differing(arranged(interpreter.view(view.name)), arranged(engine.view(view.name).rows()))
        assert difference is None, f"view {view.name}: {difference}"


def annoy(engine: Engine, program: Program) -> None:
    """Calls that are refused, or taken back after they overflowed."""
    for relation in program.relations:
        empty: Sequence[object] = [None] * len(relation.columns)
        for row in ((), empty, ["text"] * len(relation.columns), [2**70] * len(relation.columns)):
            with contextlib.suppress(ToastergenError):
                engine.insert(relation.name, row)
            with contextlib.suppress(ToastergenError):
                engine.apply(relation.name, [row, row])
        ones = [1 if column.type.is_numeric else None for column in relation.columns]
        if None not in ones:
            with contextlib.suppress(ToastergenError):
                engine.apply_row(relation.name, ones, 2**62)
                engine.apply_row(relation.name, ones, -(2**62))


def main() -> None:
    module, program, seed = sys.argv[1:]
    engine = load(module).engine()
    replay(engine, read_program(Path(program).read_text()), int(seed))
    print("ok")


if __name__ == "__main__":
    main()
