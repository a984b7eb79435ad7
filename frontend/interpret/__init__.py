"""Interpreters on Python dictionaries: slow, obviously right, the judges of the generated code."""

from toastergen.frontend.interpret.agca import AgcaOracle
from toastergen.frontend.interpret.m3 import Interpreter

__all__ = ["AgcaOracle", "Interpreter"]
