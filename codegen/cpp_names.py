"""Identifiers of the generated C++. Names arrive lower-case and plain; here they only dodge words C++ has taken."""

from __future__ import annotations

from typing import Final

_KEYWORDS: Final = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
    compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
    default delete do double dynamic_cast else enum explicit export extern false final float for friend goto if
    import inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override
    private protected public register reinterpret_cast requires return short signed sizeof static static_assert
    static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using
    virtual void volatile wchar_t while xor xor_eq
"""
# Macros of the C library that are spelled in lower case, and words the generated code itself uses.
_TAKEN: Final = """
    assert errno stdin stdout stderr offsetof alloca unix linux i386 major minor makedev signbit isnan isinf std tg
    engine rows row record links vacant overflow values out view main
"""
_RESERVED: Final = frozenset((_KEYWORDS + _TAKEN).split())


def safe(name: str) -> str:
    """The name itself, or with an underscore behind it where C++ or the generated code uses the word."""
    return f"{name}_" if name in _RESERVED else name


def member(map_name: str) -> str:
    """The member of the engine that holds a map."""
    return f"m_{map_name}"


def record_type(map_name: str) -> str:
    return f"{map_name}_record"


def map_type(map_name: str) -> str:
    return f"{map_name}_map"
