"""Casts of one column to a relation's type that keep every value, or say which one does not fit."""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from toastergen.errors import DataError
from toastergen.runtime.schema import Column, RelationInfo

# Arrow arrays and types; Arrow's own classes are generic in stubs and plain at run time.
Array = Any
DataType = Any

_EXACT = decimal.Context(prec=100)
_PLAIN: dict[str, DataType] = {
    "int": pa.int32(),
    "long": pa.int64(),
    "double": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "string": pa.large_string(),  # 64-bit offsets: a batch of long strings never overflows
    "bool": pa.bool_(),
}


@dataclass(frozen=True, slots=True)
class Values:
    """Python values of one column, converted when the type is known."""

    items: list[Any]


def from_values(items: list[Any]) -> Values:
    return Values(items)


def arrow_type(column: Column) -> DataType:
    """The Arrow type in which the engine takes or gives a column."""
    size = column.decimal
    return _PLAIN[column.type] if size is None else pa.decimal128(*size)


def cast_column(relation: RelationInfo, column: Column, values: Any) -> Array:
    """The values as one array of the column's type."""
    target = arrow_type(column)
    try:
        if isinstance(values, Values):
            return _from_python(column, values.items, target)
        if isinstance(values, list | tuple):
            return _from_python(column, list(values), target)
        return _cast(_one_array(values), target)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, decimal.InvalidOperation) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(
            f"relation {relation.name!r}, column {column.name!r} ({column.type}): {reason}",
            hint="convert the column to this type first; the engine is unchanged",
        ) from None


def _one_array(values: Any) -> Array:
    array: Any = values if isinstance(values, pa.Array | pa.ChunkedArray) else _foreign(values)
    if isinstance(array, pa.ChunkedArray):
        # Narrow strings of many chunks may not fit one array before they are widened.
        if pa.types.is_string(array.type):
            array = array.cast(pa.large_string())
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    return _decoded(array) if pa.types.is_dictionary(array.type) else array


def _decoded(array: Array) -> Array:
    values = array.dictionary
    if pa.types.is_string_view(values.type):
        # What polars makes of categories; Arrow cannot pick values from such an array.
        array = pa.DictionaryArray.from_arrays(array.indices, values.cast(pa.large_string()))
    return array.dictionary_decode()


def _foreign(values: Any) -> Any:
    if hasattr(values, "to_arrow"):
        return values.to_arrow()
    # Only so are pandas' markers of a missing value, NaN among them, taken for NULL.
    is_pandas = type(values).__module__.split(".")[0] == "pandas"
    return pa.array(values, from_pandas=is_pandas)


def _cast(array: Array, target: DataType) -> Array:
    source = array.type
    if source == target:
        return array
    if pa.types.is_null(source):
        return array.cast(target)
    if pa.types.is_decimal(target):
        return _to_decimal(array, target)
    if pa.types.is_date(target):
        return _to_date(array, target)
    if pa.types.is_timestamp(target) and pa.types.is_timestamp(source) and source.tz is not None:
        raise TypeError(f"the values have the time zone {source.tz}, the column has none")
    if not _allowed(source, target):
        raise TypeError(f"values of type {source} are not converted")
    return array.cast(target)


def _allowed(source: DataType, target: DataType) -> bool:
    """What may be cast value by value; Arrow refuses the values that would change."""
    kinds = pa.types
    if kinds.is_integer(target):
        return bool(kinds.is_integer(source) or kinds.is_floating(source) or kinds.is_decimal(source))
    if kinds.is_floating(target):
        return bool(kinds.is_integer(source) or kinds.is_floating(source))
    if kinds.is_timestamp(target):
        return bool(kinds.is_timestamp(source) or kinds.is_date(source))
    if kinds.is_large_string(target):
        return bool(kinds.is_string(source) or kinds.is_string_view(source))
    return False


def _to_date(array: Array, target: DataType) -> Array:
    """Dates, or points in time without a zone that are midnight: what pandas makes of dates."""
    if not pa.types.is_date(array.type) and not (pa.types.is_timestamp(array.type) and array.type.tz is None):
        raise TypeError(f"values of type {array.type} are not converted")
    dates = array.cast(target, safe=False)
    if not pc.all(pc.equal(dates.cast(array.type), array), min_count=0).as_py():
        raise ValueError("some values have a time of day")
    return dates


def _to_decimal(array: Array, target: DataType) -> Array:
    source = array.type
    if pa.types.is_integer(source):
        # Step by step, because Arrow judges a direct cast by the widest integer and not by the values.
        array = array.cast(pa.decimal128(20, 0)).cast(pa.decimal128(38, target.scale))
        return array.cast(target)
    if pa.types.is_decimal(source):
        return array.cast(target)
    if not pa.types.is_floating(source):
        raise TypeError(f"values of type {source} are not converted")
    return pa.array([_float_to_decimal(value, target) for value in array.to_pylist()], target)


def _float_to_decimal(value: float | None, target: DataType) -> decimal.Decimal | None:
    """The shortest decimal that reads back as this number: 0.1 fits one digit, 0.1 + 0.2 does not."""
    return None if value is None else _fit(decimal.Decimal(repr(value)), target)


def _fit(value: decimal.Decimal, target: DataType) -> decimal.Decimal:
    if not value.is_finite():
        raise ValueError(f"{value} is not a finite number")
    scaled = value.quantize(decimal.Decimal(1).scaleb(-target.scale), context=_EXACT)
    if scaled != value:
        raise ValueError(f"{value} has more digits after the point than the type keeps")
    if abs(scaled) >= decimal.Decimal(10) ** (target.precision - target.scale):
        raise ValueError(f"{value} has more digits than the type keeps")
    return scaled


def _from_python(column: Column, items: list[Any], target: DataType) -> Array:
    """Python values, with the strictness of single rows: a truth value is no number, a text is no date."""
    items = [
        item.item() if type(item).__module__ == "numpy" and hasattr(item, "item") else item for item in items
    ]
    if column.decimal is not None:
        return pa.array([_python_decimal(item, target) for item in items], target)
    kinds = {type(item) for item in items} - {type(None)}
    if bool in kinds and column.type != "bool":
        raise TypeError("a truth value is not converted")
    if any(kind.__name__ in ("datetime", "Timestamp") for kind in kinds):
        if any(getattr(item, "tzinfo", None) is not None for item in items):
            raise TypeError("a value has a time zone, the column has none")
        return _to_date(pa.array(items), target) if column.type == "date" else pa.array(items, target)
    if column.type == "timestamp" and kinds:
        raise TypeError(f"values of type {min(kind.__name__ for kind in kinds)} are not converted")
    return (
        _cast(pa.array(items), target) if kinds - {int, float} == set() and kinds else pa.array(items, target)
    )


def _python_decimal(item: Any, target: DataType) -> decimal.Decimal | None:
    match item:
        case None:
            return None
        case bool():
            raise TypeError("a truth value is not converted")
        case float():
            return _float_to_decimal(item, target)
        case int() | decimal.Decimal():
            return _fit(decimal.Decimal(item), target)
        case _:
            raise TypeError(f"{item!r} is not a number")
