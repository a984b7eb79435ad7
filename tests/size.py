"""Lines per folder, then the longest files and functions: ``python tests/size.py``."""

from __future__ import annotations

import ast
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SUFFIXES = (".py", ".hpp", ".cpp", ".h", ".j2")
LONGEST = 10
FILE_LIMIT, FUNCTION_LIMIT = 400, 40


def source_files() -> list[Path]:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / line for line in listing.splitlines() if not line.startswith("tests/golden/")]
    return [path for path in paths if path.suffix in SUFFIXES and path.is_file()]


def functions(path: Path) -> Iterator[tuple[int, str]]:
    """Length and name of every function of a Python file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            yield node.end_lineno - node.lineno + 1, f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"


def main() -> None:
    sizes = {path: len(path.read_text().splitlines()) for path in source_files()}
    folders: dict[str, list[int]] = defaultdict(list)
    for path, lines in sizes.items():
        folders[path.relative_to(ROOT).parts[0]].append(lines)
    print(f"{'folder':12} {'files':>6} {'lines':>7} {'longest':>8}")
    for folder, lengths in sorted(folders.items()):
        print(f"{folder:12} {len(lengths):6} {sum(lengths):7} {max(lengths):8}")
    print(f"{'all':12} {len(sizes):6} {sum(sizes.values()):7}")
    show("files", FILE_LIMIT, [(lines, str(path.relative_to(ROOT))) for path, lines in sizes.items()])
    show("functions", FUNCTION_LIMIT, [item for path in sizes if path.suffix == ".py" for item in functions(path)])


def show(what: str, limit: int, items: list[tuple[int, str]]) -> None:
    over = sum(lines > limit for lines, _ in items)
    print(f"\nlongest {what} ({over} over {limit} lines)")
    for lines, name in sorted(items, reverse=True)[:LONGEST]:
        print(f"{lines:6}  {name}")


if __name__ == "__main__":
    main()
