"""Reading views: Arrow, pandas, rows, single keys, text."""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import json
import math
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa

from toastergen.errors import DataError, EngineError
from toastergen.runtime.arrange import ordered
from toastergen.runtime.schema import ViewInfo

Values = tuple[Any, ...]
_SHOWN_ROWS = 10


class _Exported:
    """What the Arrow C Data Interface calls a producer."""

    def __init__(self, capsules: tuple[Any, Any]) -> None:
        self._capsules = capsules

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        return self._capsules


class View:
    """One answer of an engine. Each read sees the state between two changes, never the middle of one.

    What was read is kept until the engine changes, so reading several keys in a row costs one export.
    """

    def __init__(self, native: Any, info: ViewInfo) -> None:
        self._native = native
        self._info = info
        self._version = -1
        self._batch: pa.RecordBatch | None = None
        self._index: dict[Values, Values] | None = None

    @property
    def name(self) -> str:
        return self._info.name

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self._info.columns)

    @property
    def key(self) -> tuple[str, ...]:
        return self._info.key

    @property
    def is_ordered(self) -> bool:
        """Does the view say in which order its rows come?"""
        return self._info.order is not None

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table, without a copy unless the view orders them."""
        return pa.Table.from_batches([self._current()])

    def to_pandas(self) -> Any:
        return self.to_arrow().to_pandas()

    def rows(self) -> list[Values]:
        """The rows as tuples of Python values, in the order of the view's ORDER BY, else in no particular one."""
        columns = [column.to_pylist() for column in self._current().columns]
        return list(zip(*columns, strict=True))

    def get(self, *key: Any) -> Values | None:
        """The row with this key, or None. A view without GROUP BY has one row and an empty key."""
        if len(key) != len(self._info.key) or self._info.shape == "bag":
            expected = ", ".join(self._info.key) or "none"
            raise DataError(
                f"view {self.name!r} cannot be asked for the key {key!r}; its key columns: {expected}",
                hint="give one value per key column, or read rows()",
            )
        try:
            return self._indexed().get(key)
        except TypeError:
            raise DataError(
                f"view {self.name!r}: {key!r} holds something that is no value",
                hint="give one value per key column: view.get(1, 'x')",
            ) from None

    def to_csv(self, path: str | Path | None = None) -> str:
        """The rows as CSV text with a header; NULL is an empty field. Also written to ``path`` if given."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([[_plain(value) for value in row] for row in self.rows()])
        return _written(text.getvalue(), path)

    def to_json(self, path: str | Path | None = None) -> str:
        """The rows as a JSON array of objects; decimals are strings, so that no digit is lost."""
        rows = [dict(zip(self.columns, map(_json_value, row), strict=True)) for row in self.rows()]
        return _written(json.dumps(rows, ensure_ascii=False, allow_nan=False), path)

    def __len__(self) -> int:
        return int(self._current().num_rows)

    def __iter__(self) -> Iterator[Values]:
        return iter(self.rows())

    def __reduce__(self) -> NoReturn:
        raise EngineError(
            f"the view {self.name} cannot be pickled: it reads an engine of this process",
            hint="pickle what you read from it: to_arrow(), to_pandas() or rows()",
        )

    def __repr__(self) -> str:
        rows = self.rows()
        lines = [
            f"<View {self.name}: {len(rows)} row{'' if len(rows) == 1 else 's'}>",
            "  ".join(self.columns),
        ]
        lines += ["  ".join(str(_plain(value)) for value in row) for row in rows[:_SHOWN_ROWS]]
        return "\n".join([*lines, "…"] if len(rows) > _SHOWN_ROWS else lines)

    def _repr_html_(self) -> str:
        """Notebooks show the first rows as a table."""
        rows = self.rows()
        lines = [f"<table><caption>{escape(self.name)}: {len(rows)} row{'' if len(rows) == 1 else 's'}</caption>"]
        lines.append(f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in self.columns)}</tr>")
        for row in rows[:_SHOWN_ROWS]:
            lines.append(f"<tr>{''.join(f'<td>{escape(str(_plain(value)))}</td>' for value in row)}</tr>")
        return "\n".join([*lines, "<tr><td>…</td></tr></table>" if len(rows) > _SHOWN_ROWS else "</table>"])

    def _current(self) -> pa.RecordBatch:
        # Asked before exporting: a change in between makes the next read export again, never miss it.
        version = self._native.version
        if self._batch is None or version != self._version:
            batch = pa.record_batch(_Exported(self._native.export_view(self.name)))
            self._batch = batch if self._info.order is None else ordered(batch, self._info.order)
            self._index = None
            self._version = version
        return self._batch

    def _indexed(self) -> dict[Values, Values]:
        self._current()
        if self._index is None:
            places = [self.columns.index(name) for name in self._info.key]
            self._index = {tuple(row[place] for place in places): row for row in self.rows()}
        return self._index


def _plain(value: Any) -> Any:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case decimal.Decimal():
            return format(value, "f")
        case _:
            return value


def _json_value(value: Any) -> Any:
    match value:
        case decimal.Decimal():
            return format(value, "f")
        case datetime.date():
            return value.isoformat()
        case float() if not math.isfinite(value):
            return str(value)
        case _:
            return value


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="")
    return text
