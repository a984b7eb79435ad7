"""Sources of a small engine written by hand: what the generator would emit, without the generator."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent


def sample_sources(name: str = "sample") -> dict[str, str]:
    """The engine's sources under another name, for tests that need several engines."""
    schema = (_FOLDER / "schema.json").read_text().replace('"name": "sample"', f'"name": "{name}"')
    texts = {file: (_FOLDER / file).read_text() for file in ("engine.hpp", "engine.cpp")}
    renamed = {
        file: text.replace("sample_program", f"{name}_program")
        .replace('"sample"', f'"{name}"')
        .replace("@SCHEMA@", schema)
        for file, text in texts.items()
    }
    return {**renamed, "schema.json": schema}
