"""Classical incremental maintenance: first-order deltas over base relations.

The views are maintained by deltas as in ``hoivm``, but nothing larger than a single relation is kept beside them: each
event joins the change with the other relations. Less state, more work per event; better where joins blow up.
"""

from __future__ import annotations

from toastergen.frontend import m3
from toastergen.frontend.calculus.program import CalculusProgram
from toastergen.frontend.maintain.decompose import Rule
from toastergen.frontend.maintain.hoivm import Compiler
from toastergen.frontend.maintain.loading import loading


def maintain(program: CalculusProgram) -> m3.Program:
    return Compiler(program, (Rule.SPLIT,) * len(program.views), loading(program)).run()
