"""Turns among processes that need the same machine code: one compiles it, the others wait.

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
"""Seconds after which a waiting process compiles, too, and seconds between its checks."""


class Turns:
    """The turns of this process, by the file to be made."""

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
        """End all turns: the files are made, or will not be."""
        while self._held:
            path, lock = self._held.popitem()
            # The file goes before the lock: a waiting process then finds the code made.
            with suppress(OSError):
                path.with_suffix(_SUFFIX).unlink()
            lock.close()
