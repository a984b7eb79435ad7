"""What a piece of M3 text may refer to, and the typing rules printer and reader share.

A variable has the type of the place that binds it first, reading left to right: a column of a relation, a
key of a map, a trigger parameter, or the payload of a lift. Text names a type (``x::long``) only where that
rule gives another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toastergen.frontend import types
from toastergen.frontend.m3 import Map, Program, Relation, Trigger
from toastergen.frontend.types import DOUBLE, LONG, Type


@dataclass(frozen=True, slots=True)
class Scope:
    """Relations and maps by name, and the variables that are bound from outside."""

    relations: Mapping[str, Relation] = field(default_factory=dict)
    maps: Mapping[str, Map] = field(default_factory=dict)
    vars: Mapping[str, Type] = field(default_factory=dict)

    @staticmethod
    def of(program: Program, trigger: Trigger | None = None) -> Scope:
        """The scope of a map's definition, or of the statements of a trigger."""
        local = trigger.locals if trigger else ()
        params = trigger.params if trigger else ()
        return Scope(
            {relation.name: relation for relation in program.relations},
            {item.name: item for item in (*program.maps, *local)},
            {param.name: param.type for param in params},
        )

    def column_types(self, relation: str) -> tuple[Type, ...]:
        known = self.relations.get(relation)
        return tuple(column.type for column in known.columns) if known else ()

    def key_types(self, map_name: str) -> tuple[Type, ...]:
        known = self.maps.get(map_name)
        return tuple(key.type for key in known.keys) if known else ()


def arithmetic_type(op: str, left: Type, right: Type) -> Type | None:
    """The type of an operator whose operands agree as later stages need it; None where a cast is missing."""
    match op:
        case "+" | "-":
            return left if left == right and left.kind in ("long", "double", "decimal") else None
        case "*":
            same_kind = left.kind == right.kind and left.kind in ("long", "double", "decimal")
            return types.arithmetic(op, left, right) if same_kind else None
        case "/" | "/!":
            return DOUBLE if left == right == DOUBLE else None
        case "%":
            return LONG if left == right == LONG else None
        case _:
            return None
