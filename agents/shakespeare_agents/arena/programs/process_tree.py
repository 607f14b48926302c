"""A process and all that it has started: how much memory they take, and how they are ended."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress

from shakespeare_env.extras import needing

with needing("arena", "external programs need"):
    import psutil

MARK = "SHAKESPEARE_ARENA_PROGRAM"
"""A variable whose value is the same in all processes of a program, and in no others."""
_ROUNDS = 20
"""Looks for processes that were started while others were ended."""


def resident_bytes(pid: int) -> int:
    """Resident memory of a process and its descendants."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.Error):
                total += process.memory_info().rss
    return total


def has_ended(pid: int) -> bool:
    """Whether a process not waited for yet has ended."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def end_tree(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill a process not waited for yet, its group, and all that bear its mark; then wait for it.

    Its number stays taken until then, so that nobody else is killed. The mark finds what has left
    the group and outlived its parent.
    """
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):  # only a zombie is left, on macOS
            os.killpg(process.pid, signal.SIGKILL)
    for _ in range(_ROUNDS):
        found = list(_marked(mark))
        for other in found:
            with suppress(psutil.Error):
                other.kill()
        if not found:
            break
    process.wait()


def _marked(mark: str) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            # Ended ones have no variables any more.
            if process.environ().get(MARK) == mark:
                yield process
