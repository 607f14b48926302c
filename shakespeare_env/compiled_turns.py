"""Of the processes that need the same machine code one compiles it, and the others wait for it.

Many workers begin at once on one machine; each would compile for a minute what one can.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_SUFFIX = ".turn"
_LONGEST_S, _LOOK_EVERY_S = 300.0, 0.05
"""Whoever waits longer compiles, too: the other may hang."""


class Turns:
    """The turns of this process, by the file that is to be made."""

    def __init__(self) -> None:
        self._held: dict[Path, IO[bytes]] = {}

    def wait(self, path: Path) -> None:
        """Wait until no other process makes a file; then it is this one's turn, until `end`.

        Where files cannot be locked it is everybody's turn. A process that dies ends its turn.
        """
        if fcntl is None or path in self._held:
            return
        try:
            path.parent.mkdir(0o700, exist_ok=True)
            lock = path.with_suffix(_SUFFIX).open("wb")
        except OSError:
            return
        until = time.monotonic() + _LONGEST_S
        while time.monotonic() < until:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_LOOK_EVERY_S)
            except OSError:
                break
            else:
                self._held[path] = lock
                return
        lock.close()

    def end(self) -> None:
        """The files are made, or will not be."""
        while self._held:
            path, lock = self._held.popitem()
            # Gone before the lock: who still waits finds the file made, and its own lock alone.
            with suppress(OSError):
                path.with_suffix(_SUFFIX).unlink()
            lock.close()
