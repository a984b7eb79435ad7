"""C++ sources of one engine -> Python module, C library, header and CMake package, through CMake and Ninja.

Everything is cached by content: the sources, the options, the tools, the runtime headers. A hit starts no
other program than the compiler's ``--version``. The pybind11 part depends on no query and is compiled once
per machine.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import jinja2

from toastergen.codegen import cache, cmake_run, names
from toastergen.codegen.toolchain import Toolchain, extension_suffix, find_toolchain, processor_identity
from toastergen.errors import BuildError

_WARNINGS = ("-Wall", "-Wextra", "-Wconversion")
# Fused multiply-add would round the error terms of compensated sums differently from the sums themselves.
_NO_FUSION = "-ffp-contract=off"
_SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer")
_BINDINGS_LIBRARY = "libtoastergen_bindings.a"


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """``portable`` leaves out ``-march=native``; ``compiler`` overrides ``$CXX`` and the path."""

    debug: bool = False
    sanitize: bool = False
    portable: bool = False
    werror: bool = False
    compiler: str | None = None


@dataclass(frozen=True, slots=True)
class Built:
    """Where the results are. ``cached`` tells that nothing had to be compiled."""

    name: str
    module: Path
    library: Path
    header: Path
    package: Path
    log: Path
    cached: bool


def build_engine(
    sources: Mapping[str, str],
    name: str,
    options: BuildOptions | None = None,
    output: Path | None = None,
    started: Callable[[str], None] | None = None,
) -> Built:
    """Build the engine ``name`` from its C++ sources; copy the results to ``output`` if that is given.

    ``sources`` maps file names to texts: ``engine.hpp``, one or more ``.cpp`` files, and ``schema.json``, the
    text behind ``schema_json``, from which the header takes its constants. ``api.cpp`` is supplied when absent.
    ``started`` is called with the name when a compilation begins, so not where the cache has the engine.
    """
    name = names.module_name(name)
    options = options or BuildOptions()
    tools = find_toolchain(options.compiler)
    texts = _complete_sources(sources, name)
    key = cache.content_key(_engine_parts(texts, name, options, tools))
    files = _file_names(name)

    def make(folder: Path) -> None:
        if started is not None:
            started(name)
        bindings = _bindings(options, tools)
        _compile(texts, name, key, options, tools, bindings, folder)
        (folder / files["header"]).write_text(_public_header(name, texts))
        (folder / files["package"]).write_text(_render("package.cmake.j2", name=name))

    folder, hit = cache.obtain("engines", key, files.values(), make)
    if output is not None:
        folder = _copy_out(folder, output, tuple(files.values()))
    return Built(name=name, cached=hit, **{role: folder / file for role, file in files.items()})


def runtime_include() -> Path:
    """The folder with ``toastergen/*.hpp``."""
    return cmake_run.package_folder("toastergen.runtime") / "cpp" / "include"


def _file_names(name: str) -> dict[str, str]:
    return {
        "module": f"{name}{extension_suffix()}",
        "library": f"lib{name}.so",
        "header": f"{name}.h",
        "package": f"{name}-config.cmake",
        "log": "build.log",
    }


def _complete_sources(sources: Mapping[str, str], name: str) -> dict[str, str]:
    for file in sources:
        if Path(file).name != file or file.startswith("."):
            raise BuildError(f"{file!r} is not a plain file name", hint="give sources without folders")
    texts = dict(sources)
    names_used = {"name": name, "symbol": names.api_symbol(name), "namespace": names.namespace(name)}
    texts.setdefault("api.cpp", _render("api.cpp.j2", **names_used))
    texts["module_entry.cpp"] = _render("module_entry.cpp.j2", **names_used)
    return texts


# -- keys ------------------------------------------------------------------------------------------


def _engine_parts(
    texts: Mapping[str, str], name: str, options: BuildOptions, tools: Toolchain
) -> list[tuple[str, str | bytes]]:
    parts: list[tuple[str, str | bytes]] = [("name", name)]
    parts += [(f"source {file}", text) for file, text in sorted(texts.items())]
    parts += _tool_parts(options, tools)
    if not (options.portable or options.debug):
        parts.append(("processor", processor_identity()))
    return parts


def _tool_parts(options: BuildOptions, tools: Toolchain) -> list[tuple[str, str | bytes]]:
    parts: list[tuple[str, str | bytes]] = [
        ("compiler", f"{tools.compiler.path} {tools.compiler.identity}"),
        ("python", tools.python_abi),
        ("pybind11", tools.pybind11_version),
        ("flags", " ".join((*_compile_options(options), *_bindings_options(options)))),
    ]
    parts += cache.folder_parts(runtime_include() / "toastergen", (".h", ".hpp"))
    parts += cache.folder_parts(cmake_run.package_folder("toastergen.bindings"), (".cpp", ".hpp"))
    parts += cache.folder_parts(_templates_folder(), (".j2",))
    return parts


# -- flags -----------------------------------------------------------------------------------------


def _optimisation(options: BuildOptions) -> tuple[str, ...]:
    # Line tables are enough for backtraces; all the rest of -g takes a quarter of a debug build.
    if options.sanitize:
        return ("-O1", "-g1", *_SANITIZERS)
    if options.debug:
        return ("-O0", "-g1")
    return ("-O3", "-DNDEBUG") if options.portable else ("-O3", "-march=native", "-DNDEBUG")


def _compile_options(options: BuildOptions) -> tuple[str, ...]:
    return (*_optimisation(options), _NO_FUSION, *_WARNINGS, *(("-Werror",) if options.werror else ()))


def _bindings_options(options: BuildOptions) -> tuple[str, ...]:
    """No -march: one compiled library serves every build, and conversion of rows gains nothing from it."""
    level = _optimisation(options) if options.sanitize else ("-O2", "-DNDEBUG")
    return (*level, *_WARNINGS, *(("-Werror",) if options.werror else ()))


def _stable_paths(folder: Path) -> tuple[str, ...]:
    """Hide where a build happened: two builds of one program are equal byte for byte."""
    bindings = cmake_run.package_folder("toastergen.bindings")
    places = ((folder, "."), (runtime_include(), "include"), (bindings, "bindings"))
    return tuple(f"-ffile-prefix-map={place}={alias}" for place, alias in places)


# -- compiling -------------------------------------------------------------------------------------


def _compile(
    texts: Mapping[str, str],
    name: str,
    key: str,
    options: BuildOptions,
    tools: Toolchain,
    bindings: Path,
    folder: Path,
) -> None:
    with cache.scratch("build") as tree:
        for file, text in texts.items():
            (tree / file).write_text(text)
        units = sorted(file for file in texts if file.endswith(".cpp") and file != "module_entry.cpp")
        project = _render(
            "CMakeLists.txt.j2",
            name=name,
            sources=units,
            compile_options=(*_compile_options(options), *map(_cmake_quote, _stable_paths(tree))),
            link_options=_SANITIZERS if options.sanitize else (),
            runtime_include=runtime_include(),
            extension_suffix=extension_suffix(),
            bindings=bindings,
        )
        (tree / "CMakeLists.txt").write_text(project)
        log = cmake_run.build(tree, tools, key, f"the engine {name}")
        for file in (_file_names(name)["module"], _file_names(name)["library"]):
            shutil.move(tree / "out" / file, folder / file)
        (folder / "build.log").write_text(log)


def _bindings(options: BuildOptions, tools: Toolchain) -> Path:
    """The static library of the query-independent bindings, compiled on first use."""
    sources = sorted(cmake_run.package_folder("toastergen.bindings").glob("*.cpp"))
    key = cache.content_key(_tool_parts(options, tools))

    def make(folder: Path) -> None:
        with cache.scratch("bindings") as tree:
            project = _render(
                "bindings.cmake.j2",
                sources=sources,
                compile_options=(*_bindings_options(options), *map(_cmake_quote, _stable_paths(tree))),
                runtime_include=runtime_include(),
                pybind11_include=tools.pybind11_include,
                python_include=tools.python_include,
            )
            (tree / "CMakeLists.txt").write_text(project)
            cmake_run.build(tree, tools, key, "the Python bindings")
            shutil.move(tree / "out" / _BINDINGS_LIBRARY, folder / _BINDINGS_LIBRARY)

    folder, _ = cache.obtain("bindings", key, (_BINDINGS_LIBRARY,), make)
    return folder / _BINDINGS_LIBRARY


# -- texts -----------------------------------------------------------------------------------------


def _templates_folder() -> Path:
    return cmake_run.package_folder("toastergen.codegen") / "templates"


def _cmake_quote(value: object) -> str:
    """A bracket argument: CMake reads nothing inside it, so a path may hold spaces, quotes or ``${``."""
    return f"[==[{value}]==]"


def _render(template: str, **values: object) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_templates_folder()),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["cmake"] = _cmake_quote
    return environment.get_template(template).render(**values)


def _public_header(name: str, texts: Mapping[str, str]) -> str:
    schema = json.loads(texts.get("schema.json", "{}"))
    prefix = name.upper()
    relations = names.constants(prefix, (item["name"] for item in schema.get("relations", ())))
    views = names.constants(f"{prefix}_VIEW", (item["name"] for item in schema.get("views", ())), relations)
    return _render(
        "public_header.h.j2",
        name=name,
        symbol=names.api_symbol(name),
        abi=(runtime_include() / "toastergen" / "abi.h").read_text(),
        relations=relations,
        views=views,
    )


def _copy_out(folder: Path, output: Path, files: tuple[str, ...]) -> Path:
    """Copy beside and rename over: a process that has the old module mapped keeps running."""
    output.mkdir(parents=True, exist_ok=True)
    for file in files:
        handle, temporary = tempfile.mkstemp(prefix=f".{file}.", dir=output)
        os.close(handle)
        shutil.copyfile(folder / file, temporary)
        shutil.copymode(folder / file, temporary)
        os.replace(temporary, output / file)
    return output
