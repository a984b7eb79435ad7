"""Runs CMake and Ninja out of source, and turns a failure into a few lines and a kept log."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
from pathlib import Path

from toastergen.codegen import cache
from toastergen.codegen.toolchain import Toolchain
from toastergen.errors import BuildError

_SHOWN_LINES = 4
_PATIENCE = 10  # seconds


def package_folder(package: str) -> Path:
    """The folder of a package, without importing it."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations is not None, package
    return Path(next(iter(spec.submodule_search_locations))).resolve()


def build(tree: Path, tools: Toolchain, key: str, what: str) -> str:
    """Build the project in ``tree`` into ``tree/out`` and return the log."""
    configure = [
        str(tools.cmake), "-S", str(tree), "-B", str(tree / "out"), "-G", "Ninja",
        f"-DCMAKE_MAKE_PROGRAM={tools.ninja}", f"-DCMAKE_CXX_COMPILER={tools.compiler.path}",
        "-DCMAKE_BUILD_TYPE=",
    ]  # fmt: skip
    log = _run(configure, tree, key, what)
    return log + _run([str(tools.ninja), "-C", str(tree / "out")], tree, key, what, before=log)


def _run(command: list[str], tree: Path, key: str, what: str, before: str = "") -> str:
    # Flags from the user's shell would make equal keys give unequal results.
    unwanted = ("CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CFLAGS", "CMAKE_GENERATOR", "NINJA_STATUS")
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    environment |= {"LC_ALL": "C", "SOURCE_DATE_EPOCH": "0"}
    code, output = _finished(command, environment)
    # The tree is temporary: file names inside it are what a reader can use.
    text = output.replace(f"{tree}/", "")
    if code != 0:
        path = cache.keep_log(key, before + text)
        raise BuildError(
            f"compiling {what} failed:\n{_first_errors(text)}", hint=f"the full log is in {path}"
        )
    return text


def _finished(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Exit code and output. The command is a process group of its own, so that all of it can be stopped."""
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,  # a group in the background may not read from the terminal
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        process_group=0,
    ) as process:
        try:
            output, _ = process.communicate()
        except BaseException:
            # Interrupted: a compiler nobody waits for must not go on for minutes.
            _stop(process)
            raise
    return process.returncode, output


def _stop(process: subprocess.Popen[str]) -> None:
    """Ask first: Ninja runs each compiler in a group of its own and passes the request on, if it is let live."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def _first_errors(log: str) -> str:
    lines = log.splitlines()
    found = [
        line for line in lines if "error:" in line or "undefined reference" in line or "CMake Error" in line
    ]
    shown = found[:_SHOWN_LINES] or [line for line in lines if line.strip()][-_SHOWN_LINES:]
    more = [f"… and {len(found) - _SHOWN_LINES} more"] if len(found) > _SHOWN_LINES else []
    return "\n".join(f"    {line[:300]}" for line in [*shown, *more])
