"""The calculus form of a program as text, for ``--emit``. The other stages bring their own printers."""

from __future__ import annotations

from toastergen.frontend.calculus.program import CalculusProgram, CalculusView
from toastergen.frontend.m3_text import print_expr, print_scalar


def calculus_text(program: CalculusProgram) -> str:
    """One defining AGCA query per slot of each view."""
    return "\n".join(_view(view) for view in program.views)


def _view(view: CalculusView) -> str:
    keys = ", ".join(f"{key.name}: {key.type}" for key in view.shape.keys)
    lines = [f"view {view.name}[{keys}] {view.rows}"]
    for slot in view.slots:
        definition = print_expr(view.shape.definition(slot.polynomial))
        lines.append(f"    {slot.name}: {slot.type} := {definition}")
    lines += [f"    output {output.name} = {print_scalar(output.value)}" for output in view.outputs]
    return "\n".join((*lines, ""))
