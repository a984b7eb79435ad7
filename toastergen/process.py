"""The process around a command: standard streams that may be closed, signals that end it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Final, NoReturn

_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)


def open_standard_streams() -> None:
    """Give closed standard streams (``>&-``) a place where nothing is kept.

    Otherwise the next file that is opened would get the number of a closed one, and children would write into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
            os.set_inheritable(number, True)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - lives as long as the process
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


@contextlib.contextmanager
def ending_kindly() -> Iterator[None]:
    """Let a signal that ends the process unwind it first: compilers are stopped, scratch folders removed."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what signals do
        return
    # What is ignored stays ignored: nohup works by that.
    before = {number: signal.getsignal(number) for number in _ENDING}
    for number, handler in before.items():
        if handler is signal.SIG_DFL:
            signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
