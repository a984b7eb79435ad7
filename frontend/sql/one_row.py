"""Which queries give one row at most, because a primary key says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toastergen.frontend.scalar import Compare, Const, Scalar, Var
from toastergen.frontend.sql.block import Tie
from toastergen.frontend.sql.resolved import Input
from toastergen.frontend.sql.workspace import Workspace


def is_one_row(inputs: Sequence[Input], where: Iterable[Scalar], ties: Iterable[Tie], workspace: Workspace) -> bool:
    """Do equalities with constants and with the query around it fix the primary key of the only relation?"""
    relation = workspace.find(inputs[0].relation) if len(inputs) == 1 else None
    if relation is None or not relation.primary_key:
        return False
    fixed: set[Scalar] = {tie.inner for tie in ties}
    for term in where:
        match term:
            case Compare("=", Var() as var, Const()) | Compare("=", Const(), Var() as var):
                fixed.add(var)
            case _:
                pass
    names = [column.name for column in relation.columns]
    return all(inputs[0].vars[names.index(name)] in fixed for name in relation.primary_key)
