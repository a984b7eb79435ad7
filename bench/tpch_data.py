"""Seeded tables with the shape of TPC-H: sizes, key density, fan-out, value ranges, string lengths; not its texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Column: TypeAlias = "pa.Array[Any]"

_FIRST_DAY = 8035  # 1992-01-01 in days since 1970
_LAST_ORDER_DAY = _FIRST_DAY + 2405
_TODAY = 9298  # 1995-06-17: lines shipped later are still open
_SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD")
_PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
_INSTRUCTIONS = ("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN")
_MODES = ("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB")
_LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz    "))


def generate(scale: float, seed: int = 1) -> dict[str, pa.RecordBatch]:
    """Scale 1 has 150,000 customers, 1,500,000 orders and about 6,000,000 lines."""
    random = np.random.default_rng(seed)
    customers = max(int(150_000 * scale), 3)
    orders = customers * 10
    order_days = random.integers(_FIRST_DAY, _LAST_ORDER_DAY + 1, orders)
    # Eight of every 32 keys are used, as in the original.
    order_keys = np.arange(orders) // 8 * 32 + np.arange(orders) % 8 + 1
    lines = random.integers(1, 8, orders)
    return {
        "customer": _customer(random, customers),
        "orders": _orders(random, order_keys, order_days, customers),
        "lineitem": _lineitem(random, np.repeat(order_keys, lines), np.repeat(order_days, lines), lines, scale),
    }


def _customer(random: np.random.Generator, rows: int) -> pa.RecordBatch:
    keys = np.arange(1, rows + 1)
    return pa.record_batch(
        {
            "c_custkey": _ints(keys),
            "c_name": pa.array([f"Customer#{key:09d}" for key in keys]),
            "c_address": _texts(random, rows, 10, 40),
            "c_nationkey": _ints(random.integers(0, 25, rows)),
            "c_phone": _texts(random, rows, 15, 16),
            "c_acctbal": _decimals(random.integers(-99_999, 1_000_000, rows)),
            "c_mktsegment": _choice(random, rows, _SEGMENTS),
            "c_comment": _texts(random, rows, 29, 117),
        }
    )


def _orders(random: np.random.Generator, keys: Numbers, days: Numbers, customers: int) -> pa.RecordBatch:
    rows = len(keys)
    # A third of the customers never order.
    buyers = random.integers(0, customers // 3 * 2, rows)
    return pa.record_batch(
        {
            "o_orderkey": _ints(keys),
            "o_custkey": _ints(buyers // 2 * 3 + buyers % 2 + 1),
            "o_orderstatus": _choice(random, rows, ("F", "O", "P")),
            "o_totalprice": _decimals(random.integers(85_000, 55_000_000, rows)),
            "o_orderdate": _dates(days),
            "o_orderpriority": _choice(random, rows, _PRIORITIES),
            "o_clerk": _texts(random, rows, 15, 16),
            "o_shippriority": _ints(np.zeros(rows, dtype=np.int64)),
            "o_comment": _texts(random, rows, 19, 79),
        }
    )


def _lineitem(
    random: np.random.Generator, keys: Numbers, order_days: Numbers, lines: Numbers, scale: float
) -> pa.RecordBatch:
    rows = len(keys)
    quantity = random.integers(1, 51, rows)
    ship = order_days + random.integers(1, 122, rows)
    receipt = ship + random.integers(1, 31, rows)
    starts = np.repeat(np.cumsum(lines) - lines, lines)
    returned = np.where(random.integers(0, 2, rows) == 0, "A", "R")
    return pa.record_batch(
        {
            "l_orderkey": _ints(keys),
            "l_partkey": _ints(random.integers(1, max(int(200_000 * scale), 2), rows)),
            "l_suppkey": _ints(random.integers(1, max(int(10_000 * scale), 2), rows)),
            "l_linenumber": _ints(np.arange(rows) - starts + 1),
            "l_quantity": _decimals(quantity * 100),
            "l_extendedprice": _decimals(quantity * random.integers(90_000, 200_000, rows)),
            "l_discount": _decimals(random.integers(0, 11, rows)),
            "l_tax": _decimals(random.integers(0, 9, rows)),
            "l_returnflag": pa.array(np.where(receipt <= _TODAY, returned, "N")),
            "l_linestatus": pa.array(np.where(ship > _TODAY, "O", "F")),
            "l_shipdate": _dates(ship),
            "l_commitdate": _dates(order_days + random.integers(30, 91, rows)),
            "l_receiptdate": _dates(receipt),
            "l_shipinstruct": _choice(random, rows, _INSTRUCTIONS),
            "l_shipmode": _choice(random, rows, _MODES),
            "l_comment": _texts(random, rows, 10, 44),
        }
    )


def _ints(values: Numbers) -> Column:
    return pa.array(values.astype(np.int32))


def _dates(values: Numbers) -> Column:
    return _ints(values).cast(pa.date32())


def _decimals(values: Numbers) -> Column:
    """Two words per value, the upper one the sign."""
    words = np.stack([values, values >> 63], axis=1).astype("<i8")
    return pa.Array.from_buffers(pa.decimal128(15, 2), len(values), [None, pa.py_buffer(words.tobytes())])


def _choice(random: np.random.Generator, rows: int, words: tuple[str, ...]) -> Column:
    return pa.array(words).take(random.integers(0, len(words), rows))


def _texts(random: np.random.Generator, rows: int, shortest: int, longest: int) -> Column:
    """Of 1,000 different texts: nothing in the benchmark depends on more, and they are quick to make."""
    words = ["".join(random.choice(_LETTERS, length)) for length in random.integers(shortest, longest, 1000)]
    return pa.array(words).take(random.integers(0, len(words), rows))


def write_columns(data: dict[str, pa.RecordBatch], folder: Path) -> None:
    """Arrow's buffers as plain files, which a C++ program reads without any library."""
    folder.mkdir(parents=True, exist_ok=True)
    for relation, batch in data.items():
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            first, *others = (buffer.to_pybytes() for buffer in column.buffers()[1:] if buffer is not None)
            if pa.types.is_string(column.type):
                (folder / f"{relation}.{name}.offsets").write_bytes(first[: (len(column) + 1) * 4])
                (folder / f"{relation}.{name}.values").write_bytes(others[0])
            else:
                width = column.type.bit_width // 8
                (folder / f"{relation}.{name}.values").write_bytes(first[: len(column) * width])
