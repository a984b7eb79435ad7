"""The command line: arguments in, one driver call, results on standard output, everything else on standard error."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from toastergen import __version__, driver
from toastergen.errors import EnvironmentProblem, SourceError, ToastergenError, counted
from toastergen.process import ending_kindly, open_standard_streams

if TYPE_CHECKING:
    from toastergen.codegen.build import BuildOptions
    from toastergen.driver import Job
    from toastergen.runtime.ingest import Source

_FORMATS: Final = ("table", "csv", "json", "arrow")
_INTERRUPTED: Final = 130
_UNMATCHED_HELP: Final = "a delete of a row that is not there is an error (default), or leaves a negative count"
_DATA_HELP: Final = "optional: a file for a relation, in place of the declared one; - is standard input"


class _Parser(argparse.ArgumentParser):
    """Wrong arguments are the user's error: exit code 1, where argparse would say 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(1, f"{self.prog}: {message}\n  usage: {self._brief()}\n  next: see `{self.prog} --help`\n")

    def _brief(self) -> str:
        """The usage on one line; the options are for --help."""
        words = [item.metavar or item.dest for item in self._get_positional_actions() if item.nargs != "*"]
        more = [f"[{item.metavar} …]" for item in self._get_positional_actions() if item.nargs == "*"]
        return " ".join(map(str, (self.prog, *words, *more, "[OPTIONS]")))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code. 0 fine, 1 the user's input, 2 the machine, 130 interrupted."""
    open_standard_streams()
    options = _parse(arguments)
    try:
        command: Callable[[argparse.Namespace], int] = options.run
        with ending_kindly():
            code = command(options)
            sys.stdout.flush()
        return code
    except ToastergenError as error:
        _say(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        _say("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader, say `head`, has what it wanted. Python would complain once more when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        _say(f"{error.filename or 'a file'}: {(error.strerror or str(error)).lower()}\n  next: check space and rights")
        return 2
    except Exception as error:
        if getattr(options, "verbose", False):
            raise
        if isinstance(error, ModuleNotFoundError) and not (error.name or "toastergen").startswith("toastergen"):
            _say(f"{error.name} is not installed in this Python\n  next: install toastergen again: `pip install .`")
            return 2
        _say(f"internal error: {type(error).__name__}: {error}\n  next: report it together with the output of -v")
        return 2


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


# -- arguments ---------------------------------------------------------------------------------------------------------


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """As parse_args, but ``run``'s files may also stand behind options, where argparse leaves them over."""
    parser = _parser()
    options, rest = parser.parse_known_args(arguments)
    stray = [word for word in rest if word.startswith("-") or not hasattr(options, "data")]
    if stray:
        parser.error(f"unrecognized arguments: {' '.join(stray)}")
    if rest:
        options.data += rest
    options.arguments = sys.argv[1:] if arguments is None else list(arguments)
    return options


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="toastergen", description="Turn SQL into a native engine that keeps the answer fresh while data changes."
    )
    parser.add_argument("--version", action="version", version=f"toastergen {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_build(commands)
    _add_run(commands)
    _add_explain(commands)
    _add_verify(commands)
    _add_bench(commands)
    doctor = commands.add_parser("doctor", help="check compiler, CMake, Ninja, Java, Spark")
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.set_defaults(run=_doctor)
    return parser


def _add_build(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser("build", help="compile a program to a Python module and a C library")
    _add_program(parser)
    _add_build_flags(parser)
    parser.add_argument("--emit", choices=driver.STAGE_NAMES, help="print this stage and stop")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.set_defaults(run=_build)


def _add_run(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser("run", help="build if needed, read the sources, show the views")
    _add_program(parser)
    parser.add_argument("data", nargs="*", metavar="RELATION=PATH", help=_DATA_HELP)
    _add_build_flags(parser)
    parser.add_argument("--format", choices=_FORMATS, help="how to show the views (default: table)")
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="same as --format=json")
    parser.add_argument("--view", action="append", metavar="NAME", help="show this view only; may be repeated")
    parser.add_argument("--to", type=Path, metavar="DIR", help="write each view to a file in this folder")
    parser.add_argument("--on-error", choices=("stop", "skip"), default="stop", help="what to do with a bad CSV row")
    parser.add_argument("--batch-size", type=_positive, default=65_536, metavar="ROWS", help="rows per batch")
    parser.set_defaults(run=_run, format="table")


def _add_explain(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser("explain", help="show maps, triggers and what each event costs")
    _add_program(parser)
    parser.add_argument("--emit", choices=driver.STAGE_NAMES, help="print this stage instead")
    parser.add_argument("--json", action="store_true", help="print JSON")
    html_help = "draw the dependency graph as a page, with the M3 program beside it"
    parser.add_argument("--html", nargs="?", const="-", metavar="FILE", help=html_help)
    parser.add_argument("-o", "--output", metavar="FILE", help="write to this file, not to standard output")
    parser.set_defaults(run=_explain)


def _add_verify(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser("verify", help="replay the sources beside DuckDB: is every view right?")
    _add_program(parser)
    parser.add_argument("data", nargs="*", metavar="RELATION=PATH", help=_DATA_HELP)
    _add_native_flags(parser)
    parser.add_argument("--stream", type=Path, metavar="FILE", help="replay the changes in this file, not the sources")
    parser.add_argument("--every", type=_positive, default=1000, metavar="ROWS", help="rows between comparisons")
    parser.add_argument("--on-error", choices=("stop", "skip"), default="stop", help="what to do with a bad CSV row")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where the smallest stream goes")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_verify)


def _add_bench(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser("bench", help="measure rows per second and memory, against re-evaluation")
    _add_program(parser)
    parser.add_argument("data", nargs="*", metavar="RELATION=PATH", help=_DATA_HELP)
    _add_native_flags(parser)
    parser.add_argument("--generate", action="store_true", help="draw rows, even where there are sources")
    parser.add_argument("--rows", type=_positive, default=200_000, help="how many rows at most (tables are whole)")
    parser.add_argument("--batch-size", type=_positive, default=1000, metavar="ROWS", help="rows per batch")
    parser.add_argument("--seconds", type=_positive, default=6, help="how long each way to push is measured, about")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_bench)


def _add_program(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", metavar="PROGRAM", help="a .sql or .m3 file")
    parser.add_argument("--name", help="name of the engine (default: the file's)")
    parser.add_argument("--mode", choices=driver.MODES, default=driver.MODES[0], help="how views are maintained")
    parser.add_argument("--strict", action="store_true", help="refuse views whose events cost more the more is stored")
    parser.add_argument("--unmatched", choices=("error", "allow"), default="error", help=_UNMATCHED_HELP)
    parser.add_argument("-v", "--verbose", action="store_true", help="show stages and their times")


def _add_build_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="where the build's files go")
    _add_native_flags(parser)


def _add_native_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--debug", action="store_true", help="no optimisation, debug symbols")
    parser.add_argument("--sanitize", action="store_true", help="with ASan and UBSan")
    parser.add_argument("--portable", action="store_true", help="for any processor of this kind, not just this one")


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


# -- commands ----------------------------------------------------------------------------------------------------------


def _job(options: argparse.Namespace) -> Job:
    job = driver.with_unmatched(driver.read_job(options.program, options.name, options.mode), options.unmatched)
    if options.strict:
        from toastergen.strict import check_strict

        check_strict(job)
    return job


def _build_options(options: argparse.Namespace) -> BuildOptions:
    from toastergen.codegen.build import BuildOptions

    return BuildOptions(debug=options.debug, sanitize=options.sanitize, portable=options.portable)


def _say_times(job: Job, options: argparse.Namespace) -> None:
    if options.verbose:
        for stage, seconds in job.seconds.items():
            _say(f"{stage:10} {seconds * 1000:10.1f} ms")


def _say_compiling(name: str) -> None:
    _say(f"compiling {name} …")


def _emit(job: Job, options: argparse.Namespace) -> int:
    text = driver.show(job, options.emit)
    _say_times(job, options)
    print(text.rstrip("\n"))
    return 0


def _build(options: argparse.Namespace) -> int:
    from toastergen.codegen.names import module_name
    from toastergen.report import REPORT, build_report, write_report

    job = _job(options)
    if options.emit:
        return _emit(job, options)
    output = options.output or Path("build") / module_name(job.name)
    built = driver.build(job, _build_options(options), output, _say_compiling)
    report = build_report(job, built, output)
    write_report(report, output)
    _say_times(job, options)
    if options.json:
        print(json.dumps(report, indent=2, ensure_ascii=False))
        return 0
    _say(f"{built.name}: {'nothing had to be compiled' if built.cached else 'compiled'}")
    for title, path in (
        ("program", output / f"{built.name}.m3"),
        ("C++", output / "engine.cpp"),
        ("Python", built.module),
        ("library", built.library),
        ("header", built.header),
        ("CMake", built.package),
        ("report", output / REPORT),
    ):
        print(f"{title:8} {path}")
    return 0


def _run(options: argparse.Namespace) -> int:
    from toastergen.feed import FeedOptions, open_feeds, parse_assignments, pump
    from toastergen.output import check_output, show_views
    from toastergen.progress import watch
    from toastergen.runtime import load

    paths = parse_assignments(options.data)
    job = _job(options)
    check_output(len(options.view or job.program.views), options.format, options.to)
    built = driver.build(job, _build_options(options), options.output, _say_compiling)
    _say_times(job, options)
    if options.sanitize:
        _restart_sanitized(options.arguments)
    module = load(built.module)
    views = [module.schema.view(name).name for name in options.view or ()] or [v.name for v in module.schema.views]
    settings = FeedOptions(Path(options.program).parent, options.on_error, options.batch_size)
    feeds, silent = open_feeds(module, paths, settings)
    if silent:
        _say(f"note: no source for {', '.join(silent)}: empty; give one with {silent[0]}=PATH")
    engine = module.engine()
    start = time.perf_counter()
    with watch(feeds) as watcher:
        rows = pump(engine, feeds, watcher)
    seconds = time.perf_counter() - start
    for feed in feeds:
        if feed.source.rows_rejected:
            bad = counted(feed.source.rows_rejected, "bad row")
            _say(f"{feed.source.label}: {bad} left out{_first_of(feed.source)}:")
            _say("\n".join(f"  {message}" for message in feed.source.messages))
    if feeds:
        _say(f"{counted(rows, 'row')} in {seconds:.3f} s ({rows / max(seconds, 1e-9):,.0f} rows/s)")
    show_views([engine.view(name) for name in views], options.format, options.to)
    return 0


def _verify(options: argparse.Namespace) -> int:
    from toastergen.verify_command import run_verify

    job = _job(options)
    if options.sanitize:
        _restart_sanitized(options.arguments)
    return run_verify(job, options, _build_options(options), _say)


def _bench(options: argparse.Namespace) -> int:
    from toastergen.bench_command import run_bench

    job = _job(options)
    if options.sanitize:
        _restart_sanitized(options.arguments)
    return run_bench(job, options, _build_options(options), _say)


def _first_of(source: Source) -> str:
    return ", the first of them" if source.rows_rejected > len(source.messages) else ""


def _restart_sanitized(arguments: Sequence[str]) -> None:
    """A sanitized engine loads only where the sanitizer was loaded first: begin again in such a process."""
    from toastergen.codegen.toolchain import find_compiler, sanitizer_environment

    needed = sanitizer_environment(find_compiler())
    if os.environ.get("LD_PRELOAD") != needed["LD_PRELOAD"]:
        sys.stdout.flush()
        command = [sys.executable, "-m", "toastergen", *arguments]
        os.execve(sys.executable, command, os.environ | needed)


def _explain(options: argparse.Namespace) -> int:
    job = _job(options)
    with driver.depth_guarded(job):
        text = _explained(job, options)
    _say_times(job, options)
    path = options.html if options.html not in (None, "-") else options.output
    if path is None:
        print(text, end="")
    else:
        _write(text, Path(path))
    return 0


def _write(text: str, path: Path) -> None:
    if path.suffix in (".sql", ".m3"):
        raise SourceError(f"{path} would be overwritten", hint="name a file that is no program, for example graph.html")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
        raise EnvironmentProblem(f"cannot write {path}: {problem}", hint="choose another file") from None


def _explained(job: Job, options: argparse.Namespace) -> str:
    if options.emit:
        return driver.show(job, options.emit).rstrip("\n") + "\n"
    program, plan = job.program, job.plan
    if options.html:
        from toastergen.drawing import html_page

        return html_page(program, plan, job.name)
    if options.json:
        from toastergen.explain import explanation

        return json.dumps(explanation(program, plan), indent=2, ensure_ascii=False) + "\n"
    from toastergen.explain_text import explain_text

    return explain_text(program, plan)


def _doctor(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from toastergen.doctor import can_build, examine, findings_text

    findings = examine()
    if options.json:
        print(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        print(findings_text(findings), end="")
    return 0 if can_build(findings) else 2
