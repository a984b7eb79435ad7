"""The viewlet transform as it was first written down: every delta becomes one map, whole. For study.

``hoivm`` takes a delta apart and keeps a map per component; here the update-independent part of a delta is one map,
keyed by the event's variables that it meets, even where its relations have nothing in common: the middle relation of
a chain makes it store a cross product. The same answers, more state: what the rules of ``hoivm`` are worth is the
difference.

Some deltas cannot be kept that way. In ``{r_b < s_b} * S(s_b)`` the change for a row of ``R`` is a function of ``r_b``
that is not zero for infinitely many ``r_b``: an *input variable*. ``hoivm`` leaves the comparison in the statement and
the other column in the map's key; the whole delta has no finite map, and such a view is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from toastergen.errors import UnsupportedSql
from toastergen.frontend import m3
from toastergen.frontend import scalar as sc
from toastergen.frontend.calculus import agca
from toastergen.frontend.calculus.agca import Value
from toastergen.frontend.calculus.delta import delta
from toastergen.frontend.calculus.program import CalculusProgram, CalculusView
from toastergen.frontend.calculus.simplify import clauses
from toastergen.frontend.m3_text import print_expr
from toastergen.frontend.maintain.canonical import factor_variables
from toastergen.frontend.maintain.decompose import Clause, Rule, decompose
from toastergen.frontend.maintain.hoivm import Compiler
from toastergen.frontend.maintain.loading import Loading, loading
from toastergen.frontend.maintain.registry import Entry
from toastergen.frontend.maintain.triggers import Term
from toastergen.frontend.scalar import Var

MAX_MAPS = 600  # a join of n relations has a map for nearly every subset of them


def maintain(program: CalculusProgram) -> m3.Program:
    load = loading(program)
    for view in program.views:
        _check(program, view, load)
    return Compiler(program, (Rule.NAIVE,) * len(program.views), load).run()


def _check(program: CalculusProgram, view: CalculusView, load: Loading) -> None:
    trial = _Trial(replace(program, views=(view,)), (Rule.NAIVE,), load, budget=MAX_MAPS)
    try:
        fits = trial.fits()
    except _InputVariable as found:
        raise UnsupportedSql(
            f"view {view.name} has no viewlets: on a change of {found.relation} the value of {found.part} depends on"
            f" {found.names}, and a map cannot hold a record for every value there could be",
            hint="use --mode hoivm, which keeps such a comparison out of the maps",
        ) from None
    if not fits:
        raise UnsupportedSql(
            f"view {view.name} would need more than {MAX_MAPS} viewlets",
            hint="use --mode hoivm, which takes deltas apart",
        )


@dataclass
class _InputVariable(Exception):
    """``part`` of a delta compares or computes with event variables and with others."""

    relation: str
    part: str
    names: str


class _Trial(Compiler):
    """Looks at every delta before it becomes a map."""

    def _derive(self, entry: Entry, relation: str) -> list[Term]:
        polynomials = [polynomial for _, _, polynomial in entry.slots.values()]
        values = [value for polynomial in polynomials for monomial in polynomial for value in monomial]
        for factors in clauses(delta(agca.product(entry.shape.factors), relation)):
            if self.load.is_nothing(relation, factors):
                continue
            clause = decompose(factors, entry.shape.keys, polynomials, entry.rule)
            for factor in clause.rest:
                _refuse_mixed(clause, relation, factor_variables(factor), print_expr(factor))
            for value in values:
                if clause.home(value) is None:
                    _refuse_mixed(clause, relation, sc.variables(value), print_expr(Value(value)))
        return super()._derive(entry, relation)


def _refuse_mixed(clause: Clause, relation: str, variables: Iterable[Var], part: str) -> None:
    bound = clause.bound()
    inputs = sorted({var.name for var in variables if var in bound})
    if inputs and not set(variables) <= bound:
        raise _InputVariable(relation, part, ", ".join(inputs))
