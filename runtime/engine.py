"""A running engine: push changes in, read fresh views out."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, NoReturn

import pyarrow as pa

from toastergen.errors import DataError, EngineError
from toastergen.runtime.convert import to_batch, with_operations
from toastergen.runtime.operations import to_codes
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


def _ones(rows: int) -> Any:
    return pa.repeat(pa.scalar(1, pa.int64()), rows)


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
        self.update = self._native.update  # type: ignore[method-assign]
        self.upsert = self._native.upsert  # type: ignore[method-assign]

    def insert(self, relation: str, row: Row) -> None:
        """Insert one row: a tuple or list in column order, or a dict by column name."""
        self._native.insert(relation, row)

    def delete(self, relation: str, row: Row) -> None:
        """Delete one row, given by all its values."""
        self._native.delete(relation, row)

    def update(self, relation: str, old: Row, new: Row) -> None:
        """One row in place of another, as one change: if the new row does not fit, the old one is still there."""
        self._native.update(relation, old, new)

    def upsert(self, relation: str, row: Row) -> None:
        """Insert a row, or put it in place of the one that has its primary key."""
        self._native.upsert(relation, row)

    def delete_key(self, relation: str, key: Any) -> None:
        """Delete the row with this primary key: a value, or a tuple, list or dict of the key's columns."""
        self._native.delete_key(relation, key)

    def apply_row(self, relation: str, row: Row, weight: int) -> None:
        """Insert a row ``weight`` times, or delete it ``-weight`` times."""
        self._native.apply_row(relation, row, _checked(weight))

    def apply(self, relation: str, data: Any, weights: Any = None, *, operations: Any = None) -> None:
        """Apply a batch of rows at once.

        ``data`` is an Arrow table or batch, a pandas or polars frame, a NumPy structured array, a dict of
        columns, a list of rows, or anything with ``__arrow_c_stream__`` or ``__arrow_c_array__``. Columns are
        matched by name where they have names. ``weights`` says how often each row is inserted (negative:
        deleted): one integer for all rows, an array with one per row, or the name of a column of ``data``.

        ``operations`` says instead what to do with each row: ``insert``, ``delete``, ``update`` (replace the row with
        its primary key), ``upsert`` or ``delete_key``; one word for all rows, a list of words, or the name of a column.
        Changes by weight, and inserts and deletes alone, are one change whose order does not count; with any other
        operation the rows are carried out one after the other.
        """
        target = self._schema.relation(relation)
        batch: Any
        if operations is not None:
            if weights is not None:
                raise DataError(
                    f"relation {target.name!r}: weights and operations exclude each other", hint="give one of the two"
                )
            data, operations = with_operations(target, data, operations)
            batch, _ = to_batch(target, data, None)
            codes = to_codes(target.name, operations, batch.num_rows)
            self._native.apply_operations(target.name, *batch.__arrow_c_array__(), codes)
            return
        batch, factors = to_batch(target, data, weights)
        schema_capsule, array_capsule = batch.__arrow_c_array__()
        self._native.apply_arrow(target.name, schema_capsule, array_capsule, factors)

    def upsert_many(self, relation: str, data: Any) -> None:
        """``upsert`` for a whole batch, as one change; of rows with the same key the last one stays."""
        self.apply(relation, data, operations="upsert")

    def update_many(self, relation: str, old: Any, new: Any) -> None:
        """``update`` for whole batches, as one change: all of ``old`` go, all of ``new`` come."""
        target = self._schema.relation(relation)
        gone, _ = to_batch(target, old, None)
        come, _ = to_batch(target, new, None)
        rows = pa.Table.from_batches([gone, come.cast(gone.schema)]).combine_chunks()
        weights = pa.concat_arrays([pa.repeat(pa.scalar(-1, pa.int64()), gone.num_rows), _ones(come.num_rows)])
        self.apply(relation, rows, weights)

    def view(self, name: str) -> View:
        """A view by name. It stays connected: each read sees the state of that moment."""
        return View(self._native, self._schema.view(name))

    def stats(self) -> dict[str, Any]:
        """Rows, bytes and probe statistics of each map; rows and bytes of each ledger."""
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
