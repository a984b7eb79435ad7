"""toastergen: turn SQL into a native engine that keeps the answer fresh while the data changes."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toastergen.api import Built, Program, compile
    from toastergen.errors import ToastergenError
    from toastergen.runtime import Engine, load

__version__ = "0.1.0"
__all__ = ["Built", "Engine", "Program", "ToastergenError", "__version__", "compile", "load"]

# Looked up on first use: `import toastergen` loads neither the compiler nor Arrow.
_HOMES = {
    "Built": "toastergen.api",
    "Program": "toastergen.api",
    "compile": "toastergen.api",
    "ToastergenError": "toastergen.errors",
    "Engine": "toastergen.runtime",
    "load": "toastergen.runtime",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
