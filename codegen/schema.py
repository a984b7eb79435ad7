"""The schema text of an engine: relations, views and maps with their columns and types, as JSON."""

from __future__ import annotations

import json
from typing import Any

from toastergen.codegen.plan import Plan
from toastergen.frontend import m3
from toastergen.frontend.types import Type


def schema_json(program: m3.Program, plan: Plan, name: str) -> str:
    text: dict[str, Any] = {
        "name": name,
        "relations": [_relation(relation, plan) for relation in program.relations if relation.kind != m3.DERIVED],
        "views": [
            {
                "name": view.name,
                "shape": view.shape,
                "columns": [
                    {"name": column.name, "type": str(column.type), "nullable": column.nullable}
                    for column in view.columns
                ],
                "key": list(view.key),
                "order": _order(program.view(view.name).order),
            }
            for view in plan.views
        ],
        "maps": [
            {
                "name": item.name,
                "keys": [_column(key.name, key.type) for key in item.keys],
                "slots": [{"name": slot.name, "type": str(slot.type)} for slot in item.slots],
            }
            for item in plan.maps
            if not item.local
        ],
    }
    return json.dumps(text, indent=1, ensure_ascii=True)


def _order(order: m3.Order | None) -> dict[str, Any] | None:
    if order is None:
        return None
    keys = [
        {"column": key.column, "descending": key.descending, "nulls_first": key.nulls_first} for key in order.keys
    ]
    return {"keys": keys, "limit": order.limit, "offset": order.offset}


def _column(name: str, type_: Type) -> dict[str, Any]:
    return {"name": name, "type": str(type_.plain)} | ({"nullable": True} if type_.nullable else {})


def _relation(relation: m3.Relation, plan: Plan) -> dict[str, Any]:
    source = relation.source
    ledgers = [item.kind for item in plan.ledgers if item.relation == relation.name]
    return {
        "name": relation.name,
        "kind": relation.kind,
        "columns": [_column(column.name, column.type) for column in relation.columns],
        "primary_key": list(relation.primary_key),
        **({"append_only": True} if relation.append_only else {}),
        "ledger": ledgers[0] if ledgers else "allow",
        "source": source
        and {"path": source.path, "format": source.format, "options": dict(source.options)},
    }
