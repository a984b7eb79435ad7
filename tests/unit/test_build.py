"""Building: what comes out, what the cache saves, and how failures read."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sample_engine import sample_sources

from toastergen.codegen import cmake_run, names, toolchain
from toastergen.codegen.build import BuildOptions, Built, build_engine
from toastergen.errors import BuildError, EnvironmentProblem, ResolveError

# Unoptimised: these tests are about building, not about speed.
QUICK = BuildOptions(debug=True, werror=True)


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOASTERGEN_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="module")
def built() -> Built:
    return build_engine(sample_sources(), "sample", QUICK)


def refuse_to_run(*_: object, **__: object) -> str:
    raise AssertionError("a compiler was started")


def test_a_build_gives_module_library_header_package_and_log(built: Built) -> None:
    assert not built.cached
    assert built.module.name == f"sample{toolchain.extension_suffix()}"
    assert built.library.name == "libsample.so"
    for path in (built.module, built.library, built.header, built.package, built.log):
        assert path.stat().st_size > 0


def test_the_second_build_starts_no_cmake(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cmake_run, "build", refuse_to_run)
    again = build_engine(sample_sources(), "sample", QUICK)
    assert again.cached
    assert again.module == built.module


@pytest.mark.parametrize(
    ("sources", "options"),
    [
        ({**sample_sources(), "note.hpp": "// new"}, QUICK),
        (sample_sources(), BuildOptions(debug=True)),
    ],
    ids=["sources", "options"],
)
def test_every_change_of_input_is_another_entry(
    built: Built, monkeypatch: pytest.MonkeyPatch, sources: dict[str, str], options: BuildOptions
) -> None:
    monkeypatch.setattr(cmake_run, "build", refuse_to_run)
    with pytest.raises(AssertionError, match="compiler was started"):
        build_engine(sources, "sample", options)


def test_an_entry_with_a_missing_file_is_built_again(built: Built) -> None:
    built.header.unlink()
    again = build_engine(sample_sources(), "sample", QUICK)
    assert not again.cached
    assert again.header.is_file()


def test_two_builds_are_equal_byte_for_byte(built: Built, own_cache: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "a much longer folder name, with a comma"
    elsewhere.mkdir()
    shutil.copytree(own_cache / "bindings", elsewhere / "bindings")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOASTERGEN_CACHE", str(elsewhere))
        other = build_engine(sample_sources(), "sample", QUICK)
    assert not other.cached
    for one, two in ((built.module, other.module), (built.library, other.library), (built.header, other.header)):
        assert one.read_bytes() == two.read_bytes(), one.name


def test_concurrent_builds_of_one_program_compile_once(built: Built) -> None:
    sources = {**sample_sources(), "note.hpp": "// concurrent"}
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _: build_engine(sources, "sample", QUICK), range(2)))
    assert sorted(result.cached for result in results) == [False, True]
    assert results[0].module == results[1].module


def test_output_gets_copies_that_replace_old_ones(built: Built, tmp_path: Path) -> None:
    (tmp_path / "libsample.so").write_text("old")
    copied = build_engine(sample_sources(), "sample", QUICK, tmp_path)
    assert copied.library == tmp_path / "libsample.so"
    assert copied.library.read_bytes() == built.library.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        path.name for path in (copied.module, copied.library, copied.header, copied.package, copied.log)
    )


def test_the_library_needs_no_python_and_exports_its_table_only(built: Built) -> None:
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", str(built.library)], capture_output=True, text=True, check=True
    ).stdout
    own = [line.split()[-1] for line in listing.splitlines() if "_ZNS" not in line and "_ZNK" not in line]
    assert "sample_engine_api" in own
    assert not [symbol for symbol in own if "sample_program" in symbol or "2tg" in symbol]
    needed = subprocess.run(["nm", "-D", "-u", str(built.library)], capture_output=True, text=True, check=True).stdout
    assert " Py" not in needed


def test_the_header_is_self_contained_c(built: Built, tmp_path: Path) -> None:
    program = tmp_path / "use.c"
    program.write_text('#include "sample.h"\nint main(void) { return SAMPLE_R + SAMPLE_VIEW_BY_K; }\n')
    compiler = str(toolchain.find_compiler().path)
    command = [compiler, "-x", "c", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([*command, f"-I{built.header.parent}", str(program)], check=True)


def test_the_cmake_package_links(built: Built, tmp_path: Path) -> None:
    (tmp_path / "main.cpp").write_text(
        '#include <sample.h>\nint main() { return sample_engine_api()->abi_version == TG_ABI_VERSION ? 0 : 1; }\n'
    )
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(use LANGUAGES CXX)\n"
        f"find_package(sample REQUIRED PATHS [==[{built.package.parent}]==])\n"
        "add_executable(use main.cpp)\ntarget_link_libraries(use PRIVATE sample::sample)\n"
    )
    tools = toolchain.find_toolchain()
    cmake_run.build(tmp_path, tools, "package", "a program that uses the package")
    subprocess.run([str(tmp_path / "out" / "use")], check=True)


# -- failures ------------------------------------------------------------------------------------------


def test_a_failing_compile_is_short_and_keeps_its_log(built: Built) -> None:
    broken = {**sample_sources(), "engine.cpp": '#include "engine.hpp"\nint broken = "text";\n'}
    with pytest.raises(BuildError) as caught:
        build_engine(broken, "sample", QUICK)
    text = str(caught.value)
    assert "engine.cpp:2" in text and "error:" in text
    assert len(text.splitlines()) <= 8
    log = Path(text.rsplit("the full log is in ", 1)[1])
    assert "engine.cpp:2" in log.read_text()


def test_a_failed_build_leaves_no_entry(built: Built, own_cache: Path) -> None:
    before = sorted(path.name for path in (own_cache / "engines").iterdir())
    with pytest.raises(BuildError):
        build_engine({**sample_sources(), "engine.cpp": "#error no"}, "sample", QUICK)
    assert sorted(path.name for path in (own_cache / "engines").iterdir()) == before
    assert list((own_cache / "work").iterdir()) == []


def test_a_missing_compiler_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(EnvironmentProblem, match="no C\\+\\+ compiler") as caught:
        build_engine(sample_sources(), "sample", QUICK)
    assert "install" in str(caught.value)
    assert caught.value.exit_code == 2


def test_an_unknown_compiler_is_named() -> None:
    with pytest.raises(EnvironmentProblem, match="no-such-compiler"):
        build_engine(sample_sources(), "sample", BuildOptions(compiler="no-such-compiler"))


def test_an_old_compiler_is_refused(tmp_path: Path) -> None:
    fake = tmp_path / "g++"
    fake.write_text("#!/bin/sh\necho 'g++ (Debian 8.3.0-6) 8.3.0'\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(EnvironmentProblem, match="too old"):
        toolchain.find_compiler(str(fake))


def test_missing_cmake_and_ninja_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_bundled", lambda *_: None)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(EnvironmentProblem, match="CMake is missing") as caught:
        toolchain.find_cmake()
    assert "pip install cmake" in str(caught.value)
    with pytest.raises(EnvironmentProblem, match="Ninja is missing"):
        toolchain.find_ninja()


def test_flags_of_the_shell_do_not_reach_the_build(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXXFLAGS", "-fno-such-flag-exists")
    sources = {**sample_sources(), "note.hpp": "// flags"}
    assert not build_engine(sources, "sample", QUICK).cached


# -- names ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [("q", "q"), ("tpch-q3", "tpch_q3"), ("my query.v2", "my_query_v2"), ("3way", "q3way"), ("int", "int")],
)
def test_names_become_identifiers(given: str, expected: str) -> None:
    assert names.module_name(given) == expected


@pytest.mark.parametrize("given", ["", "***", "été"[0] * 3, "class", "None", "a" * 200])
def test_impossible_names_are_refused(given: str) -> None:
    with pytest.raises(ResolveError):
        names.module_name(given)


def test_constants_are_distinct_whatever_the_names_are() -> None:
    given = ["a b", "a_b", "*/", "été", "A_B", ""]
    constants = names.constants("P", given)
    assert len(set(constants)) == len(given)
    assert all(constant.isidentifier() and constant.isascii() for constant in constants)


@pytest.mark.slow
def test_a_sanitized_engine_runs_clean(tmp_path: Path) -> None:
    """Every path through the border under ASan and UBSan, in a process of its own."""
    made = build_engine(sample_sources(), "sample", BuildOptions(sanitize=True, werror=True))
    script = Path(__file__).parent / "sample_engine" / "exercise.py"
    environment = {**os.environ, **toolchain.sanitizer_environment(toolchain.find_compiler())}
    run = subprocess.run(
        [sys.executable, str(script), str(made.module)], env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout == "ok\n"
