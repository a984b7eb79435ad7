"""A running engine: push changes in, read fresh views out."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, NoReturn

from toastergen.errors import DataError, EngineError
from toastergen.runtime.convert import to_batch
from toastergen.runtime.schema import RelationInfo, Schema, ViewInfo
from toastergen.runtime.views import View

Row = Sequence[Any] | Mapping[str, Any]
_WEIGHTS = range(-(2**63), 2**63)


def _checked(weight: Any) -> int:
    """An integer of 64 bits; NumPy's integers are integers too."""
    try:
        number = None if isinstance(weight, bool) else operator.index(weight)
    except TypeError:
        number = None
    if number is None or number not in _WEIGHTS:
        raise DataError(
            f"the weight {weight!r} is not an integer of 64 bits",
            hint="say how often the row is inserted: 2, or -1 to delete it; the engine is unchanged",
        )
    return number


class Engine:
    """The state of one program. Safe to use from several threads; long work releases the interpreter's lock.

    Every call either happens as a whole or raises and leaves the engine as it was.
    """

    def __init__(self, module: ModuleType, schema: Schema) -> None:
        self._native = module.Engine()
        self._schema = schema
        # Straight to native code: a Python frame in between would cost as much as the call itself.
        self.insert = self._native.insert  # type: ignore[method-assign]
        self.delete = self._native.delete  # type: ignore[method-assign]

    def insert(self, relation: str, row: Row) -> None:
        """Insert one row: a tuple or list in column order, or a dict by column name."""
        self._native.insert(relation, row)

    def delete(self, relation: str, row: Row) -> None:
        """Delete one row, given by all its values."""
        self._native.delete(relation, row)

    def apply_row(self, relation: str, row: Row, weight: int) -> None:
        """Insert a row ``weight`` times, or delete it ``-weight`` times."""
        self._native.apply_row(relation, row, _checked(weight))

    def apply(self, relation: str, data: Any, weights: Any = None) -> None:
        """Apply a batch of rows at once.

        ``data`` is an Arrow table or batch, a pandas or polars frame, a NumPy structured array, a dict of
        columns, a list of rows, or anything with ``__arrow_c_stream__`` or ``__arrow_c_array__``. Columns are
        matched by name where they have names. ``weights`` says how often each row is inserted (negative:
        deleted): one integer for all rows, an array with one per row, or the name of a column of ``data``.
        """
        target = self._schema.relation(relation)
        batch: Any
        batch, factors = to_batch(target, data, weights)
        schema_capsule, array_capsule = batch.__arrow_c_array__()
        self._native.apply_arrow(target.name, schema_capsule, array_capsule, factors)

    def view(self, name: str) -> View:
        """A view by name. It stays connected: each read sees the state of that moment."""
        return View(self._native, self._schema.view(name))

    def stats(self) -> dict[str, Any]:
        """Rows, bytes and probe statistics of each map."""
        result: dict[str, Any] = json.loads(self._native.stats())
        return result

    @property
    def schema(self) -> Schema:
        return self._schema

    @property
    def relations(self) -> tuple[RelationInfo, ...]:
        return self._schema.relations

    @property
    def views(self) -> tuple[ViewInfo, ...]:
        return self._schema.views

    def __reduce__(self) -> NoReturn:
        # Asked by pickle and by copy; left to themselves, both would fail somewhere inside native code.
        raise EngineError(
            f"the engine {self._schema.name} cannot be pickled: its state lives in this process",
            hint="pickle the program or the loaded module, make an engine from it there, and apply the data again",
        )

    def __repr__(self) -> str:
        relations = ", ".join(item.name for item in self.relations)
        views = ", ".join(item.name for item in self.views)
        return f"<Engine {self._schema.name}: relations {relations}; views {views}>"
