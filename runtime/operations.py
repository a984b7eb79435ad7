"""What to do with a row, in words: insert, delete, update, upsert, delete_key, and short forms of change streams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from toastergen.errors import DataError

INSERT: Final = 1
DELETE: Final = 2
UPDATE: Final = 3
UPSERT: Final = 4
DELETE_KEY: Final = 5

# The codes of tg_operation in abi.h. The short forms are those of change streams: +I -U +U -D, and c r u d.
WORDS: Final = {
    **dict.fromkeys(("insert", "i", "+", "1", "+1", "+i", "+u", "c", "r"), INSERT),
    **dict.fromkeys(("delete", "d", "-", "-1", "-d", "-u"), DELETE),
    **dict.fromkeys(("update", "u"), UPDATE),
    "upsert": UPSERT,
    "delete_key": DELETE_KEY,
}
HINT: Final = "write insert or +, delete or -, update, upsert or delete_key"


def codes_of(words: Any, known: Mapping[str, int] = WORDS) -> tuple[Any, list[int]]:
    """An Arrow array of codes, NULL where a word means nothing, and the places of those."""
    places = pc.index_in(pc.utf8_lower(pc.utf8_trim_whitespace(words)), pa.array(list(known)))
    codes = pa.array(list(known.values()), pa.uint8()).take(places)
    wrong: Any = pc.indices_nonzero(codes.is_null()).to_pylist() if codes.null_count else []
    return codes, wrong


def to_codes(relation: str, operations: Any, rows: int) -> memoryview:
    """One byte per row. ``operations`` is a word for all rows, words one per row, or an Arrow array of codes."""
    codes = _codes(relation, operations, rows)
    if len(codes) != rows:
        raise DataError(
            f"relation {relation!r}: {len(codes)} operations for {rows} rows", hint="give one operation per row"
        )
    if rows == 0:
        return memoryview(b"")
    return memoryview(codes.buffers()[1])[codes.offset : codes.offset + rows]


def _codes(relation: str, operations: Any, rows: int) -> Any:
    if isinstance(operations, str):
        codes, wrong = codes_of(pa.array([operations]))
        if wrong:
            raise DataError(f"relation {relation!r}: there is no operation {operations!r}", hint=HINT)
        return pa.repeat(codes[0], rows)
    if isinstance(operations, pa.Array) and pa.types.is_uint8(operations.type):
        return operations
    try:
        words = pa.array(operations.to_pylist() if hasattr(operations, "to_pylist") else operations, pa.string())
    except (pa.ArrowException, TypeError) as error:
        raise DataError(f"relation {relation!r}: operations are not words: {error}", hint=HINT) from None
    codes, wrong = codes_of(words)
    if wrong:
        word = words[wrong[0]].as_py()
        raise DataError(f"relation {relation!r}, row {wrong[0] + 1}: there is no operation {word!r}", hint=HINT)
    return codes
