"""Strategies that turn the calculus form of a program into triggers, one per file. The first is the default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toastergen.frontend.calculus.program import CalculusProgram
from toastergen.frontend.m3 import Program
from toastergen.frontend.maintain import hoivm, ivm, reeval, viewlet

STRATEGIES: Final[dict[str, Callable[[CalculusProgram], Program]]] = {
    "hoivm": hoivm.maintain,
    "ivm": ivm.maintain,
    "reeval": reeval.maintain,
    "viewlet": viewlet.maintain,
}
