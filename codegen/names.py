"""Names of what a build produces: one word that is safe as a file, a Python module and a C identifier."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from toastergen.errors import ResolveError

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_MAX_LENGTH = 100


def module_name(text: str) -> str:
    """The module name for a program called ``text``; refuses what has no readable form.

    Spaces, dots and dashes become underscores, so ``tpch-q3.sql`` without its suffix stays recognisable.
    """
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")
    if name and name[0].isdigit():
        name = f"q{name}"
    if not _PLAIN.match(name) or len(name) > _MAX_LENGTH:
        raise ResolveError(
            f"{text!r} cannot name an engine",
            hint="choose a name of letters, digits and underscores that starts with a letter (--name)",
        )
    if keyword.iskeyword(name):
        raise ResolveError(
            f"{name!r} is a Python keyword and cannot name a module",
            hint=f"choose another name, e.g. {name}_view",
        )
    if name.lower() == "tg":
        raise ResolveError(
            "the C interface of engines has taken the name tg", hint="choose another name, e.g. tg_view (--name)"
        )
    return name


def namespace(name: str) -> str:
    """The C++ namespace of a program. The suffix keeps names like ``int`` or ``time`` harmless."""
    return f"{name}_program"


def api_symbol(name: str) -> str:
    """The one function an engine library exports."""
    return f"{name}_engine_api"


def constants(prefix: str, names: Iterable[str], beside: Iterable[str] = ()) -> tuple[str, ...]:
    """Distinct upper-case C constants for names from SQL, in order; readable where the name allows it.

    ``beside`` are constants of the same header.
    """
    taken = set(beside)
    result = []
    for index, name in enumerate(names):
        word = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper() if name.isascii() else ""
        constant = f"{prefix}_{word or index}"
        while constant in taken:
            constant = f"{constant}_{index}"
        taken.add(constant)
        result.append(constant)
    return tuple(result)
