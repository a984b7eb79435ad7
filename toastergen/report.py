"""What a build leaves behind, as data: maps, costs, files and their sizes. The same build gives the same report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toastergen.explain import explanation

if TYPE_CHECKING:
    from toastergen.codegen.build import Built
    from toastergen.driver import Job

REPORT = "report.json"


def build_report(job: Job, built: Built, output: Path) -> dict[str, Any]:
    """The report; file names are relative to the output folder."""
    files = [f"{built.name}.m3", *job.sources]
    files += [path.name for path in (built.module, built.library, built.header, built.package)]
    return {
        "name": built.name,
        "mode": job.mode,
        **explanation(job.program, job.plan),
        "files": {file: (output / file).stat().st_size for file in files},
    }


def write_report(report: dict[str, Any], output: Path) -> None:
    (output / REPORT).write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
