"""Is everything there? Each check says what was found, or what to install."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from toastergen.errors import EnvironmentProblem


@dataclass(frozen=True, slots=True)
class Finding:
    """``needed`` tells what cannot be done without it: ``build`` or ``spark``."""

    what: str
    ok: bool
    detail: str
    needed: str
    next_step: str = ""


def _python() -> str:
    return f"{platform.python_version()} ({platform.python_implementation()})"


def _compiler() -> str:
    from toastergen.codegen.toolchain import find_compiler

    return find_compiler().identity


def _cmake() -> str:
    from toastergen.codegen.toolchain import find_cmake

    return str(find_cmake())


def _ninja() -> str:
    from toastergen.codegen.toolchain import find_ninja

    return str(find_ninja())


def _headers() -> str:
    from toastergen.codegen.toolchain import find_python_headers

    return str(find_python_headers())


def _pybind11() -> str:
    from toastergen.codegen.toolchain import find_pybind11

    return find_pybind11()[1]


def _pyarrow() -> str:
    return importlib.metadata.version("pyarrow")


def _java() -> str:
    found = shutil.which("java")
    if found is None:
        raise EnvironmentProblem(
            "not found", hint="install a Java runtime, e.g. `apt-get install openjdk-17-jre-headless`"
        )
    return found


def _spark() -> str:
    if importlib.util.find_spec("pyspark") is None:
        raise EnvironmentProblem("not found", hint="run `pip install toastergen[spark]`")
    return importlib.metadata.version("pyspark")


CHECKS: Final[tuple[tuple[str, str, Callable[[], str]], ...]] = (
    ("Python", "build", _python),
    ("C++ compiler", "build", _compiler),
    ("CMake", "build", _cmake),
    ("Ninja", "build", _ninja),
    ("Python headers", "build", _headers),
    ("pybind11", "build", _pybind11),
    ("pyarrow", "build", _pyarrow),
    ("Java", "spark", _java),
    ("PySpark", "spark", _spark),
)


def examine() -> tuple[Finding, ...]:
    return tuple(_finding(what, needed, check) for what, needed, check in CHECKS)


def _finding(what: str, needed: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(what, True, check(), needed)
    except EnvironmentProblem as problem:
        return Finding(what, False, problem.message, needed, problem.hint or "")
    except ModuleNotFoundError as problem:
        next_step = "install toastergen again: `pip install .`"
        return Finding(what, False, f"{problem.name} is not installed", needed, next_step)


def findings_text(findings: tuple[Finding, ...]) -> str:
    lines = []
    for finding in findings:
        mark = "ok     " if finding.ok else "missing"
        lines.append(f"{mark} {finding.what:15} {finding.detail}")
        if not finding.ok:
            lines.append(f"        needed for {finding.needed}; next: {finding.next_step}")
    return "\n".join(lines) + "\n"


def can_build(findings: tuple[Finding, ...]) -> bool:
    return all(finding.ok for finding in findings if finding.needed == "build")
