"""Running built engines. Imports neither the frontend nor the code generator."""

from __future__ import annotations

from toastergen.runtime.engine import Engine
from toastergen.runtime.load import EngineModule, load
from toastergen.runtime.schema import Schema
from toastergen.runtime.views import View

__all__ = ["Engine", "EngineModule", "Schema", "View", "load"]
