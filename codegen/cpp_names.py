"""Identifiers of the generated C++. Names arrive plain (``is_plain``); here they only dodge what is taken.

Different names stay different: two columns ``int`` and ``int_`` of one record are two fields.
"""

from __future__ import annotations

import re
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
    alloca assert be16toh be32toh be64toh errno htobe16 htobe32 htobe64 htole16 htole32 htole64 i386 isinf isnan
    issubnormal le16toh le32toh le64toh linux major makedev math_errhandling minor offsetof pthread_cleanup_pop
    pthread_cleanup_pop_restore_np pthread_cleanup_push pthread_cleanup_push_defer_np sched_priority signbit st_atime
    st_ctime st_mtime stderr stdin stdout strdupa strndupa unix
    engine key left links main mark out overflow propagate record row rows scratch std tg touched vacant values view
"""
_RESERVED: Final = frozenset((_KEYWORDS + _TAKEN).split())
_PLAIN: Final = re.compile(r"(?!__|_[A-Z])[A-Za-z_][A-Za-z0-9_]*\Z")
# Members of the engine and totals of loops; a column or record of such a name would hide them.
_HIDING: Final = re.compile(r"x*(m|total_of)_")
_JOURNAL: Final = re.compile(r"x*journal_of_")


def is_plain(name: str) -> bool:
    """Can a name stand in C++ at all? SQL's names are made plain early, those of hand-written M3 need not be."""
    return _PLAIN.match(name) is not None


def safe(name: str) -> str:
    """The spelling of a column, key, slot or record: its name, unless that is taken."""
    return f"x{name}" if _HIDING.match(name) else _dodged(name)


def _dodged(name: str) -> str:
    """An underscore behind taken words, and behind taken words with underscores, so that no two names meet."""
    stem = name.rstrip("_")
    is_macro_like = len(stem) > 1 and stem[0].isupper()
    return f"{name}_" if stem in _RESERVED or is_macro_like else name


def member(map_name: str) -> str:
    """The member of the engine that holds a map."""
    return f"m_x{map_name}" if _JOURNAL.match(map_name) else f"m_{_dodged(map_name)}"


def total(name: str) -> str:
    """The variable in which a loop adds up a slot; a plan calls it ``total of slot``, as no column can be called."""
    return name.replace(" ", "_")


def journal(map_name: str) -> str:
    """The member of the engine that remembers how a tracked map's records were before the event."""
    return f"m_journal_of_{map_name}"


def record_type(map_name: str) -> str:
    return f"{map_name}_record"


def map_type(map_name: str) -> str:
    return f"{map_name}_map"
