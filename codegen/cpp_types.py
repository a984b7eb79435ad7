"""How values look in C++: as parameters and in expressions, as key fields, as payload slots, and in Arrow."""

from __future__ import annotations

from typing import Final

from toastergen.frontend.types import Type

WORD: Final = "std::int64_t"
WIDE: Final = "tg::int128"
_MAX_WORD_DIGITS: Final = 18


def value_type(type_: Type) -> str:
    if type_.nullable:
        return f"tg::nullable<{value_type(type_.plain)}>"
    match type_.kind:
        case "int" | "date":
            return "std::int32_t"
        case "long" | "timestamp":
            return WORD
        case "double":
            return "double"
        case "decimal":
            return WORD if type_.precision <= _MAX_WORD_DIGITS else WIDE
        case "string":
            return "std::string_view"
        case "bool":
            return "bool"
        case _:
            raise AssertionError(f"no C++ type for {type_}")


def key_type(type_: Type) -> str:
    if type_.kind == "string":
        return "tg::nullable_text" if type_.nullable else "tg::text"
    return value_type(type_)


def slot_type(type_: Type) -> str:
    return "tg::compensated" if type_.kind == "double" else value_type(type_)


def is_wide(type_: Type) -> bool:
    return value_type(type_.plain) == WIDE


def arrow_format(type_: Type) -> str:
    match type_.kind:
        case "decimal":
            return f"d:{type_.precision},{type_.scale}"
        case kind:
            return {
                "int": "i",
                "long": "l",
                "double": "g",
                "date": "tdD",
                "timestamp": "tsu:",
                "string": "U",
                "bool": "b",
            }[kind]


def column_reader(type_: Type, column: int) -> str:
    """The call of tg::batch ``rows`` that reads a column of this type."""
    read = f"rows.{_reader(type_)}({column})"
    return f"rows.with_nulls({column}, {read})" if type_.nullable else read


def _reader(type_: Type) -> str:
    match type_.kind:
        case "decimal":
            return "decimals128" if is_wide(type_) else "decimals64"
        case kind:
            return {
                "int": "ints",
                "long": "longs",
                "double": "doubles",
                "date": "dates",
                "timestamp": "timestamps",
                "string": "texts",
                "bool": "bools",
            }[kind]


def unpack_value(type_: Type, source: str) -> str:
    """Read a tg_value that the border has checked."""
    if type_.nullable:
        plain = type_.plain
        value = f"tg::to_nullable({unpack_value(plain, source)})"
        return f"{source}.kind == TG_NULL ? tg::null_of<{value_type(plain)}>() : {value}"
    match type_.kind:
        case "int" | "date":
            return f"static_cast<std::int32_t>({source}.i)"
        case "long" | "timestamp":
            return f"{source}.i"
        case "double":
            return f"{source}.d"
        case "bool":
            return f"{source}.i != 0"
        case "string":
            return f"std::string_view({source}.s.data, {source}.s.size)"
        case "decimal" if is_wide(type_):
            return f"tg::int128_of({source}.decimal.high, {source}.decimal.low)"
        case "decimal":
            return f"static_cast<std::int64_t>({source}.decimal.low)"
        case _:
            raise AssertionError(f"no value of {type_}")
