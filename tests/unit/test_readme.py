"""The README's examples are run, so that they stay true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
BLOCK = re.compile(r"(?:`([\w.]+)`\n\n)?```(\w*)\n(.*?)```\n", re.DOTALL)


def blocks() -> list[tuple[str, str, str]]:
    """Fenced blocks as (file name or nothing, language, text)."""
    return [(name, language, text) for name, language, text in BLOCK.findall(README)]


def test_the_first_example_prints_what_the_readme_shows(tmp_path: Path) -> None:
    console = next(text for _, language, text in blocks() if language == "console")
    for name, _, text in blocks()[: [block[1] for block in blocks()].index("console")]:
        (tmp_path / name).write_text(text)
    command, expected = console.split("\n", 1)
    words = command.removeprefix("$ python ").split()
    assert words[:2] == ["-m", "toastergen"]
    run = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout == expected


def test_the_python_example_prints_what_its_comments_say(tmp_path: Path) -> None:
    code = next(text for _, language, text in blocks() if language == "python")
    expected = re.findall(r"^print\(.*?\)  # (.*)$", code, re.MULTILINE)
    assert len(expected) == 2
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == expected


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *ROOT.glob("[A-Z]*.md"), *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#\s]+?)\)", page.read_text()):
            assert target.startswith("https://") or (page.parent / target).exists(), f"{page.name}: {target}"
