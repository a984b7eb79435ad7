"""What an engine says about itself: relations, views and maps, read from its schema text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from toastergen.errors import DataError

_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)\Z")


@dataclass(frozen=True, slots=True)
class Column:
    """``type`` is the M3 spelling: int, long, double, decimal(p,s), date, timestamp, string or bool."""

    name: str
    type: str
    nullable: bool = False

    @property
    def decimal(self) -> tuple[int, int] | None:
        """Precision and scale of a decimal column."""
        match = _DECIMAL.match(self.type)
        return (int(match.group(1)), int(match.group(2))) if match else None


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """The file a relation declares as its input."""

    path: str
    format: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RelationInfo:
    """``kind`` is ``stream`` or ``table``; rows of an ``append_only`` stream are never deleted.

    ``ledger`` is what the engine keeps of its rows: ``rows`` by key, ``counts`` of rows, ``keys``, or nothing because
    it ``grows`` only, is ``unread``, or the engine was built to ``allow`` deletes of rows that are not there.
    """

    name: str
    kind: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...]
    source: SourceInfo | None
    append_only: bool = False
    ledger: str = "allow"


@dataclass(frozen=True, slots=True)
class OrderKey:
    column: str
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class OrderInfo:
    """How the rows are shown: sorted, then ``limit`` of them behind the first ``offset``."""

    keys: tuple[OrderKey, ...]
    limit: int | None
    offset: int


@dataclass(frozen=True, slots=True)
class ViewInfo:
    """``shape`` is ``groups``, ``bag`` or ``single``; ``key`` names the columns that identify a group."""

    name: str
    shape: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    order: OrderInfo | None = None


@dataclass(frozen=True, slots=True)
class MapInfo:
    name: str
    keys: tuple[Column, ...]
    slots: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    name: str
    relations: tuple[RelationInfo, ...]
    views: tuple[ViewInfo, ...]
    maps: tuple[MapInfo, ...]

    def relation(self, name: str) -> RelationInfo:
        """By name; as in SQL, case does not matter."""
        return _find("relation", name, self.relations)

    def view(self, name: str) -> ViewInfo:
        return _find("view", name, self.views)


_Named = TypeVar("_Named", RelationInfo, ViewInfo)


def _find(what: str, name: str, items: tuple[_Named, ...]) -> _Named:
    exact = [item for item in items if item.name == name]
    # Whatever a caller passes: it is looked up, and not found where it is no text.
    found = exact or [item for item in items if item.name.lower() == str(name).lower()]
    if not found:
        known = ", ".join(item.name for item in items) or "none"
        raise DataError(f"there is no {what} {name!r}", hint=f"this engine has: {known}")
    return found[0]


def read_schema(text: str) -> Schema:
    """Read the ``schema_json`` of an engine."""
    data = json.loads(text)
    return Schema(
        name=data["name"],
        relations=tuple(_relation(item) for item in data["relations"]),
        views=tuple(
            ViewInfo(
                item["name"], item["shape"], _columns(item["columns"]), tuple(item["key"]), _order(item.get("order"))
            )
            for item in data["views"]
        ),
        maps=tuple(
            MapInfo(item["name"], _columns(item["keys"]), _columns(item["slots"])) for item in data["maps"]
        ),
    )


def _order(item: Mapping[str, Any] | None) -> OrderInfo | None:
    if item is None:
        return None
    keys = (OrderKey(key["column"], key["descending"], key["nulls_first"]) for key in item["keys"])
    return OrderInfo(tuple(keys), item["limit"], item["offset"])


def _relation(item: Mapping[str, Any]) -> RelationInfo:
    source = item.get("source")
    return RelationInfo(
        name=item["name"],
        kind=item["kind"],
        columns=_columns(item["columns"]),
        primary_key=tuple(item["primary_key"]),
        source=source and SourceInfo(source["path"], source["format"], tuple(source["options"].items())),
        append_only=bool(item.get("append_only", False)),
        ledger=str(item.get("ledger", "allow")),
    )


def _columns(items: Iterable[Mapping[str, Any]]) -> tuple[Column, ...]:
    return tuple(Column(item["name"], item["type"], bool(item.get("nullable", False))) for item in items)
