"""Views as a table, CSV, JSON or an Arrow file, on standard output or one file per view in a folder."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from toastergen.errors import EnvironmentProblem, SourceError, counted

if TYPE_CHECKING:
    from toastergen.runtime import View

FORMATS: Final = ("table", "csv", "json", "arrow")
_SUFFIXES: Final = {"table": "txt", "csv": "csv", "json": "json", "arrow": "arrow"}
TERMINAL_ROWS: Final = 40
_ENDLESS: Final = 100_000  # columns: nothing is cut off in a pipe


def show_views(views: Sequence[View], format_: str, folder: Path | None = None) -> None:
    """Write the views; with ``folder``, each to a file of its name there."""
    if folder is not None:
        _write_files(views, format_, folder)
    elif format_ == "arrow":
        _write_arrow(views[0], sys.stdout.buffer)
    else:
        limit = TERMINAL_ROWS if sys.stdout.isatty() else None
        for position, view in enumerate(views):
            sys.stdout.write(_section(view, format_, position, len(views), limit))


def check_output(views: int, format_: str, folder: Path | None) -> None:
    """Refuse what could not be written, before rows are read that may take hours."""
    if folder is not None:
        prepare_folder(folder)
    elif format_ == "arrow":
        _refuse_odd_arrow(views)


def prepare_folder(folder: Path) -> None:
    """Make sure that files can be written there."""
    if folder.exists() and not folder.is_dir():
        raise EnvironmentProblem(f"{folder} is a file", hint="choose a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from None


def _unwritable(folder: Path, error: OSError) -> EnvironmentProblem:
    problem = (error.strerror or str(error)).lower()
    return EnvironmentProblem(f"cannot write to {folder}: {problem}", hint="choose another folder")


def _refuse_odd_arrow(views: int) -> None:
    if views != 1:
        raise SourceError(
            f"an Arrow file holds one view, the program has {views}",
            hint="choose one with --view NAME, or write them all with --to DIR",
        )
    if sys.stdout.isatty():
        raise SourceError("an Arrow file is not for a terminal", hint="redirect it, or write with --to DIR")


def _section(view: View, format_: str, position: int, count: int, limit: int | None) -> str:
    match format_:
        case "csv":
            # One view is plain CSV; several need a line that says where the next one starts.
            title = f"# {view.name}\n" if count > 1 else ""
            return ("\n" if position else "") + title + view.to_csv()
        case "json":
            return json_object(view) + "\n"
        case _:
            return ("\n" if position else "") + table_text(view, limit)


def json_object(view: View) -> str:
    """One line: the view's name and its rows."""
    return f'{{"view": {json.dumps(view.name, ensure_ascii=False)}, "rows": {view.to_json()}}}'


def table_text(view: View, limit: int | None) -> str:
    """An aligned table; rows in the view's own order, else by their first columns, so that two runs look alike."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    rows = view.rows() if view.is_ordered else _sorted(view.rows())
    shown = rows if limit is None or len(rows) <= limit else rows[:limit]
    table = Table(box=box.SIMPLE_HEAD)
    for name, kind in zip(view.columns, view.to_arrow().schema.types, strict=True):
        table.add_column(Text(name), justify="right" if _is_number(kind) else "left", no_wrap=True)
    for row in shown:
        # Text, not markup: a value such as "[red]" is data.
        table.add_row(*map(Text, _cells(row)))
    console = Console(file=sys.stdout, highlight=False, width=_ENDLESS if limit is None else None)
    with console.capture() as capture:
        console.print(table)
    # The title stands outside: the table would fold one that is longer than its rows.
    body = capture.get().split("\n")[1:-2]  # without the empty lines of the frame
    lines = [f"{_cell(view.name)} ({counted(len(rows), 'row')})", *(line.rstrip() for line in body)]
    if len(shown) < len(rows):
        lines.append(f"  … {counted(len(rows) - len(shown), 'row')} more; all of them with --format=csv")
    return "\n".join(lines) + "\n"


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _cells(row: tuple[Any, ...]) -> list[str]:
    """A row of nothing but blanks is quoted: it must not look like an empty line."""
    cells = [_cell(value) for value in row]
    return cells if any(cell.strip() for cell in cells) else [f"'{cell}'" for cell in cells]


def _cell(value: Any) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case str():
            return value if value.isprintable() else repr(value)[1:-1]
        case _:
            return str(value)


def _sorted(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(rows, key=lambda row: [(value is None, value if value is not None else 0) for value in row])


def _write_arrow(view: View, stream: Any) -> None:
    table = view.to_arrow()
    with pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)


def _write_files(views: Sequence[View], format_: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for view in views:
            path = folder / f"{_file_name(view.name)}.{_SUFFIXES[format_]}"
            if format_ == "arrow":
                with path.open("wb") as stream:
                    _write_arrow(view, stream)
            else:
                path.write_text(_section(view, format_, 0, 1, None), encoding="utf-8")
    except OSError as error:
        raise _unwritable(folder, error) from None


def _file_name(name: str) -> str:
    """A view may be called anything; a file may not."""
    return "".join(letter if letter.isalnum() or letter in "_-" else "_" for letter in name)
