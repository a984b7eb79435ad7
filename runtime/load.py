"""Loading a built engine into this process."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from toastergen.errors import EngineError, SourceError
from toastergen.runtime.engine import Engine
from toastergen.runtime.schema import Schema, read_schema

_REBUILD = "build the engine again with this Python and this version of toastergen"


@dataclass(frozen=True)
class EngineModule:
    """A loaded engine program. Engines made from it are independent of each other."""

    path: Path
    schema: Schema
    native: ModuleType = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        return self.schema.name

    @property
    def CsvReader(self) -> Any:
        """The native CSV reader, where sources look for it."""
        return self.native.CsvReader

    def engine(self) -> Engine:
        """A new engine with empty relations."""
        return Engine(self.native, self.schema)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        # Native code does not travel; another process loads it from the same place.
        return load, (str(self.path),)


def load(module_path: str | os.PathLike[str]) -> EngineModule:
    """Load the Python module that a build made."""
    path = Path(module_path).absolute()
    if not path.is_file():
        raise SourceError(
            f"there is no engine module {path}", hint="build the program first, or check the path"
        )
    native = _import(path)
    return EngineModule(path, read_schema(native.schema_json), native)


def _import(path: Path) -> ModuleType:
    name = _unique_name(path)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise EngineError(
            f"{path} is not a Python module", hint="give the file with the suffix of extension modules"
        )
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError as error:
        raise EngineError(f"{path} cannot be loaded: {error}", hint=_REBUILD) from error
    sys.modules[name] = module
    return module


def _unique_name(path: Path) -> str:
    """A name of its own per build: an engine called ``json`` must not replace Python's; a rebuilt file is new.

    Python looks for ``PyInit_`` and the last part of the name, which therefore is the engine's.
    """
    status = path.stat()
    identity = f"{path.resolve()}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"
    digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
    return f"_toastergen_engine_{digest}.{path.name.split('.')[0]}"
