"""Tables of any origin -> one Arrow batch of exactly a relation's columns and types, or a DataError.

Conversions keep every value: a cast that would round, truncate or guess is refused. The batch is one piece,
because the engine takes a batch as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa

from toastergen.errors import DataError
from toastergen.runtime.casts import Values, arrow_type, cast_column, from_values
from toastergen.runtime.operations import WORDS
from toastergen.runtime.schema import RelationInfo

Named = dict[str, Any]


def to_batch(relation: RelationInfo, data: Any, weights: Any) -> tuple[pa.RecordBatch, memoryview | None]:
    """The rows in the relation's columns, and one weight per row (None where all are +1)."""
    ready = _ready(relation, data)
    if ready is not None and not isinstance(weights, str):
        return ready, _weights(relation, weights, ready.num_rows)
    columns = _named_columns(relation, data)
    if isinstance(weights, str):
        weights = columns.pop(_match(relation, weights, columns, "weight column"))
    chosen = _in_order(relation, columns)
    arrays = [cast_column(relation, column, chosen[column.name]) for column in relation.columns]
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        raise DataError(
            f"relation {relation.name!r}: the columns differ in length: {sorted(lengths)}",
            hint="give columns of equal length",
        )
    batch = pa.RecordBatch.from_arrays(arrays, names=[column.name for column in relation.columns])
    return batch, _weights(relation, weights, batch.num_rows)


def with_operations(relation: RelationInfo, data: Any, operations: Any) -> tuple[Any, Any]:
    """The data and the operations of its rows, where the latter are a column of it."""
    if not isinstance(operations, str) or operations.lower() in WORDS:
        return data, operations
    columns = _named_columns(relation, data)
    words = columns.pop(_match(relation, operations, columns, "operation column"))
    return columns, words.items if isinstance(words, Values) else words


def _ready(relation: RelationInfo, data: Any) -> pa.RecordBatch | None:
    """Data that is one batch of exactly the relation's columns already: small batches must not pay for casts."""
    if isinstance(data, pa.Table):
        batches = data.to_batches() if data.schema.equals(exact_schema(relation)) else []
        return batches[0] if len(batches) == 1 else None
    if isinstance(data, pa.RecordBatch) and data.schema.equals(exact_schema(relation)):
        return data
    return None


@lru_cache(maxsize=1024)
def exact_schema(relation: RelationInfo) -> pa.Schema:
    """The Arrow schema that needs no conversion."""
    return pa.schema([(column.name, arrow_type(column)) for column in relation.columns])


def _named_columns(relation: RelationInfo, data: Any) -> Named:
    if isinstance(data, pa.Table | pa.RecordBatch):
        return _from_arrow(relation, data)
    if type(data).__module__.split(".")[0] == "pandas":
        return _from_pandas(relation, data)
    if hasattr(data, "__arrow_c_stream__"):
        return _from_arrow(relation, pa.table(data))
    if hasattr(data, "__arrow_c_array__"):
        return _from_arrow(relation, pa.record_batch(data))
    names = getattr(getattr(data, "dtype", None), "names", None)
    if names:
        return {name: data[name] for name in names}
    if isinstance(data, Mapping):
        return {str(name): values for name, values in data.items()}
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _from_rows(relation, data)
    raise DataError(
        f"relation {relation.name!r}: rows cannot come from {type(data).__name__}",
        hint="give an Arrow table, a data frame, a dict of columns or a list of rows",
    )


def _from_pandas(relation: RelationInfo, frame: Any) -> Named:
    """Columns one by one, so that one that cannot be converted is named; a Series is no table."""
    if not hasattr(frame, "columns"):
        raise DataError(
            f"relation {relation.name!r}: rows cannot come from a pandas {type(frame).__name__}",
            hint="give a DataFrame: to_frame() makes one",
        )
    names = [str(name) for name in frame.columns]
    _refuse_doubled(relation, names)
    return {name: frame.iloc[:, place] for place, name in enumerate(names)}


def _from_arrow(relation: RelationInfo, table: pa.Table | pa.RecordBatch) -> Named:
    names = table.schema.names
    _refuse_doubled(relation, names)
    return {name: table.column(index) for index, name in enumerate(names)}


def _refuse_doubled(relation: RelationInfo, names: list[str]) -> None:
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise DataError(
            f"relation {relation.name!r}: columns given twice: {', '.join(doubled)}",
            hint="rename or drop one",
        )


def _from_rows(relation: RelationInfo, rows: Sequence[Any]) -> Named:
    """Rows as tuples in column order, or as dicts."""
    names = [column.name for column in relation.columns]
    if rows and all(isinstance(row, Mapping) for row in rows):
        for number, row in enumerate(rows, 1):
            if set(row) != set(rows[0]):
                raise DataError(
                    f"relation {relation.name!r}, row {number}: other keys than in row 1",
                    hint="give every row the same keys",
                )
        return {str(name): from_values([row[name] for row in rows]) for name in rows[0]}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, tuple | list) or len(row) != len(names):
            given = f"{len(row)} values" if isinstance(row, tuple | list) else f"a {type(row).__name__}"
            raise DataError(
                f"relation {relation.name!r} has {len(names)} columns, row {number} has {given}",
                hint="give one value per column, in the order of the declaration",
            )
    return {name: from_values([row[place] for row in rows]) for place, name in enumerate(names)}


def _in_order(relation: RelationInfo, columns: Named) -> Named:
    """The data's columns under the relation's names; nothing may be missing or left over."""
    left = dict(columns)
    chosen = {}
    for column in relation.columns:
        chosen[column.name] = left.pop(_match(relation, column.name, left, "column"))
    if left:
        expected = ", ".join(column.name for column in relation.columns)
        raise DataError(
            f"relation {relation.name!r} has no column {', '.join(map(repr, left))}",
            hint=f"leave out what is not a column; its columns are {expected}",
        )
    return chosen


def _match(relation: RelationInfo, name: str, columns: Named, what: str) -> str:
    if name in columns:
        return name
    alike = [given for given in columns if given.lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    problem = "is missing" if not alike else f"could be any of {', '.join(alike)}"
    given = ", ".join(columns) or "none"
    raise DataError(
        f"relation {relation.name!r}: {what} {name!r} {problem}", hint=f"the data has the columns {given}"
    )


def _weights(relation: RelationInfo, weights: Any, rows: int) -> memoryview | None:
    if weights is None or (rows == 0 and not hasattr(weights, "__len__")):
        return None
    try:
        if isinstance(weights, int) and not isinstance(weights, bool):
            array = pa.repeat(pa.scalar(weights, pa.int64()), rows)
        else:
            array = _whole(weights).cast(pa.int64())
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise DataError(
            f"relation {relation.name!r}: weights are not integers: {error}", hint="give int64 weights"
        ) from None
    if len(array) != rows or array.null_count:
        given = "NULL among the weights" if array.null_count else f"{len(array)} weights for {rows} rows"
        raise DataError(f"relation {relation.name!r}: {given}", hint="give one integer per row")
    if rows == 0:
        return None
    buffer: Any = array.buffers()[1]
    values = memoryview(buffer).cast("b").cast("q")
    return values[array.offset : array.offset + rows]


def _whole(values: Any) -> Any:
    """One integer array from an array, a chunked array, a series or a list."""
    if hasattr(values, "to_arrow") and not isinstance(values, pa.Array | pa.ChunkedArray):
        values = values.to_arrow()
    array = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if not pa.types.is_integer(array.type) and len(array):
        raise TypeError(f"they are of type {array.type}")
    return array
