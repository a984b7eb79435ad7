"""The walls between the rooms, and the lists in pyproject.toml that nothing else compares with the folders."""

from __future__ import annotations

import ast
import fnmatch
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = {"toastergen": "toastergen"} | {
    f"toastergen.{room}": room for room in ("frontend", "codegen", "runtime", "bindings")
}
SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
# The nodes of the calculus and the package that holds them are no passes.
NODES = ("toastergen.frontend.calculus", "toastergen.frontend.calculus.agca")

# room -> what its files may not import
WALLS = {
    "codegen": ("toastergen.frontend.sql", "toastergen.frontend.maintain", "toastergen.frontend.calculus", "sqlglot"),
    "runtime": ("toastergen.frontend", "toastergen.codegen", "sqlglot", "jinja2"),
    "bindings": ("toastergen",),
    "frontend": ("toastergen.codegen", "toastergen.runtime", "toastergen.bindings"),
}


def imported(source: str) -> Iterator[str]:
    """Every module a text imports; for ``from a import b`` both ``a`` and ``a.b``, which may be a module."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module
                yield from (f"{module}.{alias.name}" for alias in node.names)
            case ast.ImportFrom():
                yield "a relative import"


def breaches(source: str, forbidden: tuple[str, ...]) -> list[str]:
    def is_forbidden(name: str) -> bool:
        return any(name == wall or name.startswith(f"{wall}.") for wall in forbidden)

    def is_node(name: str) -> bool:
        return name in NODES or name.startswith("toastergen.frontend.calculus.agca.")

    names = [name for name in imported(source) if name == "a relative import" or is_forbidden(name)]
    return [name for name in names if not is_node(name)]


def test_no_room_reaches_through_its_walls() -> None:
    found = {
        str(path.relative_to(ROOT)): names
        for room, forbidden in WALLS.items()
        for path in sorted((ROOT / room).rglob("*.py"))
        if (names := breaches(path.read_text(), forbidden))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("codegen", "from toastergen.frontend.sql import read_script"),
        ("codegen", "from toastergen.frontend import sql"),
        ("codegen", "import toastergen.frontend.maintain.hoivm as m"),
        ("codegen", "def f():\n    from toastergen.frontend.calculus.delta import delta"),
        ("codegen", "from toastergen.frontend.calculus import simplify"),
        ("runtime", "from toastergen.frontend.types import Type"),
        ("runtime", "from toastergen import codegen"),
        ("runtime", "from ..frontend import types"),
        ("frontend", "import toastergen.codegen.plan"),
    ],
)
def test_a_breach_is_seen(room: str, line: str) -> None:
    assert breaches(line, WALLS[room])


def test_the_nodes_of_the_calculus_may_pass() -> None:
    assert not breaches("from toastergen.frontend.calculus.agca import Rel", WALLS["codegen"])
    assert not breaches("from toastergen.frontend.calculus import agca", WALLS["codegen"])


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("toastergen", ("toastergen.frontend", "toastergen.codegen", "pyarrow", "sqlglot")),
        ("toastergen.runtime", ("toastergen.frontend", "toastergen.codegen", "sqlglot", "jinja2")),
        ("toastergen.codegen.emit", ("toastergen.frontend.sql", "toastergen.frontend.maintain", "sqlglot")),
    ],
)
def test_an_import_loads_nothing_behind_the_wall(module: str, absent: tuple[str, ...]) -> None:
    """Files can be clean one by one and still reach the other side together."""
    code = f"import sys, {module}; print(*(name for name in {absent!r} if name in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_the_package_list_names_every_folder() -> None:
    found = [
        ".".join((package, *init.parent.relative_to(ROOT / folder).parts))
        for package, folder in ROOMS.items()
        for init in (ROOT / folder).rglob("__init__.py")
    ]
    assert sorted(SETUP["packages"]) == sorted(found)


def test_every_folder_with_python_files_is_a_package() -> None:
    lonely = {
        str(path.parent.relative_to(ROOT))
        for folder in ROOMS.values()
        for path in (ROOT / folder).rglob("*.py")
        if not (path.parent / "__init__.py").exists()
    }
    assert lonely == set()


def test_every_pattern_of_package_data_matches_a_file() -> None:
    for package, patterns in SETUP["package-data"].items():
        for pattern in patterns:
            assert list((ROOT / ROOMS[package]).glob(pattern)), f"{package}: nothing matches {pattern}"


def test_every_data_file_travels_with_its_package() -> None:
    """A header or template that is not listed works from a clone and is missing from the wheel."""
    for package, folder in ROOMS.items():
        patterns = SETUP["package-data"].get(package, [])
        for path in (ROOT / folder).rglob("*"):
            inside = path.relative_to(ROOT / folder)
            if path.is_dir() or path.suffix in (".py", ".pyc") or inside.parts[:2] == ("cpp", "tests"):
                continue
            assert any(fnmatch.fnmatch(str(inside), pattern) for pattern in patterns), f"{folder}/{inside}"
