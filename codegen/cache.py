"""The build cache: folders named by a content hash and published by one rename: nobody sees half of one."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from toastergen.errors import EnvironmentProblem

try:
    import fcntl
except (
    ImportError
):  # pragma: no cover - no file locks there: two builds may do the same work, the rename decides
    fcntl = None  # type: ignore[assignment]


def cache_root() -> Path:
    """``$TOASTERGEN_CACHE``, else the user's cache folder."""
    chosen = os.environ.get("TOASTERGEN_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "toastergen"


def content_key(parts: Iterable[tuple[str, str | bytes]]) -> str:
    """A hash of labelled parts. Lengths are hashed too, so that no two lists of parts run together."""
    digest = hashlib.sha256()
    for label, value in parts:
        data = value.encode() if isinstance(value, str) else value
        digest.update(f"{len(label)}:{label}{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()[:40]


def folder_parts(folder: Path, suffixes: tuple[str, ...]) -> list[tuple[str, bytes]]:
    """The files of a folder as parts of a key, in a fixed order."""
    files = sorted(path for path in folder.iterdir() if path.suffix in suffixes)
    return [(path.name, path.read_bytes()) for path in files]


def obtain(kind: str, key: str, files: Iterable[str], make: Callable[[Path], None]) -> tuple[Path, bool]:
    """The folder ``kind/key`` holding ``files``, and whether it was there already.

    ``make`` fills a fresh folder. Of several processes that want the same key one works and the others wait.
    """
    wanted = tuple(files)
    target = cache_root() / kind / key
    if _complete(target, wanted):
        return target, True
    with _lock(kind, key):
        if _complete(target, wanted):
            return target, True
        with scratch(kind) as folder:
            make(folder)
            _publish(folder, target)
    return target, False


def keep_log(key: str, text: str) -> Path:
    """Keep the log of a failed build where the message can point to it."""
    path = _folder("logs") / f"{key}.log"
    path.write_text(text)
    return path


@contextlib.contextmanager
def scratch(purpose: str) -> Iterator[Path]:
    """A temporary folder on the cache's file system, so that a rename out of it is atomic."""
    folder = Path(tempfile.mkdtemp(prefix=f"{purpose}-", dir=_folder("work")))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _complete(folder: Path, files: tuple[str, ...]) -> bool:
    return all((folder / name).is_file() for name in files)


def _publish(folder: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        # Only an incomplete entry gets here: somebody deleted files by hand.
        shutil.rmtree(target, ignore_errors=True)
    try:
        folder.rename(target)
    except OSError:
        if not target.is_dir():
            raise


@contextlib.contextmanager
def _lock(kind: str, key: str) -> Iterator[None]:
    if fcntl is None:  # pragma: no cover
        yield
        return
    with (_folder("locks") / f"{kind}-{key}").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _folder(name: str) -> Path:
    folder = cache_root() / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentProblem(
            f"the build cache {folder} cannot be written: {error.strerror}",
            hint="set TOASTERGEN_CACHE to a folder you own",
        ) from None
    return folder
