"""Re-evaluation: keep the base relations, compute every view anew after each event.

The slowest strategy and the plainest; the others are compared with it.
"""

from __future__ import annotations

from toastergen.errors import UnsupportedSql
from toastergen.frontend import m3
from toastergen.frontend.calculus.program import CalculusProgram
from toastergen.frontend.maintain.decompose import Rule
from toastergen.frontend.maintain.hoivm import Compiler
from toastergen.frontend.maintain.loading import loading


def maintain(program: CalculusProgram) -> m3.Program:
    if any(relation.kind == m3.DERIVED for relation in program.relations):
        # A derived relation follows the records an event touches; computing anew touches none, it replaces all.
        raise UnsupportedSql(
            "queries over the results of queries cannot be re-evaluated", hint="use --mode hoivm or --mode ivm"
        )
    return Compiler(program, (Rule.SPLIT,) * len(program.views), loading(program), recompute=True).run()
