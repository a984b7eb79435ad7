"""Regular expressions as automata: parsed and made deterministic when a query is compiled, run byte by byte."""

from toastergen.frontend.regex.automaton import Automaton, compiled, matches
from toastergen.frontend.regex.syntax import PatternError, parse

__all__ = ["Automaton", "PatternError", "compiled", "matches", "parse"]
