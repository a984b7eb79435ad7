"""ORDER BY, LIMIT and OFFSET of a view, applied to what the engine exports."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from toastergen.runtime.schema import OrderInfo


def ordered(batch: pa.RecordBatch, order: OrderInfo) -> pa.RecordBatch:
    if order.keys:
        columns, keys = _sort_columns(batch, order)
        batch = batch.take(pc.sort_indices(columns, sort_keys=keys))
    return batch.slice(order.offset, order.limit)


def _sort_columns(batch: pa.RecordBatch, order: OrderInfo) -> tuple[pa.Table, Any]:
    """Columns to sort by. NULL and NaN get columns of their own: Arrow would put both where it likes."""
    columns: dict[str, Any] = {}
    keys: list[tuple[str, str]] = []
    for place, key in enumerate(order.keys):
        column: Any = batch.column(key.column)
        direction = "descending" if key.descending else "ascending"
        if column.null_count:
            columns[f"null_{place}"] = _as_numbers(column.is_null())
            keys.append((f"null_{place}", "descending" if key.nulls_first else "ascending"))
        if pa.types.is_floating(column.type):
            columns[f"nan_{place}"] = _as_numbers(pc.is_nan(column).fill_null(False))
            keys.append((f"nan_{place}", direction))
        columns[f"value_{place}"] = _as_numbers(column) if pa.types.is_boolean(column.type) else column
        keys.append((f"value_{place}", direction))
    return pa.table(columns), keys


def _as_numbers(column: Any) -> Any:
    return column.cast(pa.int8())
