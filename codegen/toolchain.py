"""The tools a build needs: found once, described precisely enough to key a cache, or reported in one line."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from toastergen.errors import EnvironmentProblem

_OLDEST_GCC = 11
_OLDEST_CLANG = 14
_COMPILER_HINT = "install a C++20 compiler, e.g. `apt-get install g++` or `xcode-select --install`"


@dataclass(frozen=True, slots=True)
class Compiler:
    """``identity`` is the first line of ``--version``: part of every cache key."""

    path: Path
    identity: str
    major: int
    is_clang: bool


@dataclass(frozen=True, slots=True)
class Toolchain:
    compiler: Compiler
    cmake: Path
    ninja: Path
    python_include: Path
    pybind11_include: Path
    pybind11_version: str

    @property
    def python_abi(self) -> str:
        return extension_suffix()


def extension_suffix() -> str:
    """What Python calls extension modules: `.cpython-…so`."""
    return str(sysconfig.get_config_var("EXT_SUFFIX") or ".so")


def find_toolchain(compiler: str | None = None) -> Toolchain:
    """All tools, or an EnvironmentProblem that says what to install."""
    include, version = find_pybind11()
    return Toolchain(
        compiler=find_compiler(compiler),
        cmake=find_cmake(),
        ninja=find_ninja(),
        python_include=find_python_headers(),
        pybind11_include=include,
        pybind11_version=version,
    )


def find_compiler(wanted: str | None = None) -> Compiler:
    """The compiler asked for, else ``$CXX``, else the first of c++, g++, clang++ on the path."""
    asked = wanted or os.environ.get("CXX")
    for candidate in (asked,) if asked else ("c++", "g++", "clang++"):
        found = shutil.which(candidate)
        if found is not None:
            return _checked(_describe(Path(found)))
    what = (
        f"the C++ compiler {asked!r} is not on the path" if asked else "there is no C++ compiler on the path"
    )
    raise EnvironmentProblem(what, hint=_COMPILER_HINT)


def _describe(path: Path) -> Compiler:
    """Keyed by the file behind the name, so that an upgraded compiler is seen in a long-lived process."""
    status = path.resolve().stat()
    return _ask(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=16)
def _ask(path: Path, _modified: int, _size: int) -> Compiler:
    run = subprocess.run([str(path), "--version"], capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    if run.returncode != 0 or not lines:
        raise EnvironmentProblem(f"{path} does not answer to --version", hint=_COMPILER_HINT)
    match = re.search(r"(\d+)\.\d+", re.sub(r"\([^)]*\)", "", lines[0]))
    major = int(match.group(1)) if match else 0
    return Compiler(path, lines[0], major, "clang" in run.stdout.lower())


def _checked(compiler: Compiler) -> Compiler:
    oldest = _OLDEST_CLANG if compiler.is_clang else _OLDEST_GCC
    if 0 < compiler.major < oldest:
        kind = "clang" if compiler.is_clang else "GCC"
        raise EnvironmentProblem(
            f"{compiler.path} is too old: {compiler.identity}",
            hint=f"install {kind} {oldest} or newer, or name another compiler with CXX=…",
        )
    return compiler


def find_cmake() -> Path:
    """The cmake of the running environment; the system's where that is missing."""
    return _bundled("cmake", "CMAKE_BIN_DIR") or _on_path("cmake", "CMake")


def find_ninja() -> Path:
    return _bundled("ninja", "BIN_DIR") or _on_path("ninja", "Ninja")


def _bundled(package: str, attribute: str) -> Path | None:
    if importlib.util.find_spec(package) is None:
        return None
    folder = getattr(importlib.import_module(package), attribute, None)
    if folder is None:
        return None
    path = Path(folder) / package
    return path if os.access(path, os.X_OK) else None


def _on_path(program: str, title: str) -> Path:
    found = shutil.which(program)
    if found is None:
        raise EnvironmentProblem(
            f"{title} is missing", hint=f"run `pip install {program}` or install it with your system"
        )
    return Path(found)


def find_python_headers() -> Path:
    folder = Path(sysconfig.get_path("include"))
    if not (folder / "Python.h").is_file():
        raise EnvironmentProblem(
            "the C headers of this Python are missing",
            hint="install them, e.g. `apt-get install python3-dev`",
        )
    return folder


def find_pybind11() -> tuple[Path, str]:
    """Include folder and version."""
    if importlib.util.find_spec("pybind11") is None:
        raise EnvironmentProblem("pybind11 is missing", hint="run `pip install pybind11`")
    module = importlib.import_module("pybind11")
    return Path(module.get_include()), str(module.__version__)


@functools.cache
def processor_identity() -> str:
    """What ``-march=native`` depends on: a cache may be shared by machines with different processors."""
    text = platform.machine() + platform.processor()
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    kept = [line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part"))]
    return hashlib.sha256("\n".join([text, *sorted(set(kept))]).encode()).hexdigest()


def sanitizer_environment(compiler: Compiler) -> dict[str, str]:
    """What a Python process needs to load a sanitized module: the sanitizer's runtime must come first."""
    asan = "libclang_rt.asan-x86_64.so" if compiler.is_clang else "libasan.so"
    # With the C++ library beside it: the sanitizer looks up where exceptions are thrown when it starts.
    libraries = ":".join(_library_path(compiler, name) for name in (asan, "libstdc++.so"))
    # Python keeps much memory until exit on purpose: leak reports would name the interpreter, not the engine.
    return {"LD_PRELOAD": libraries, "ASAN_OPTIONS": "detect_leaks=0"}


def _library_path(compiler: Compiler, library: str) -> str:
    ask = [str(compiler.path), f"-print-file-name={library}"]
    run = subprocess.run(ask, capture_output=True, text=True, check=True)
    return str(Path(run.stdout.strip()).resolve())
