"""A worker's progress in a file that outlives it, however it ends."""

from __future__ import annotations

import json
import mmap
import struct
from collections import Counter
from pathlib import Path

_SIZE = 1 << 14
_HEAD = struct.Struct("<qqq")
_NONE = -1


class Progress:
    """Which case is running, how many are done and how they went.

    A process that dies leaves the number of its case; writing costs a microsecond or two.
    """

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(_HEAD.pack(_NONE, 0, 0).ljust(_SIZE, b"\0"))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _SIZE)
        self.words = Counter(self._tally())

    @property
    def number(self) -> int | None:
        """The case that is running, or None."""
        number, _, _ = _HEAD.unpack_from(self._map)
        return None if number == _NONE else int(number)

    @property
    def done(self) -> int:
        """Cases that have ended."""
        return int(_HEAD.unpack_from(self._map)[1])

    @property
    def peak(self) -> int:
        """Most memory a process has held, in bytes."""
        return int(_HEAD.unpack_from(self._map)[2])

    def begin(self, number: int) -> None:
        """A case is about to run."""
        _HEAD.pack_into(self._map, 0, number, self.done, self.peak)

    def end(self, word: str, peak: int = 0) -> None:
        """The case has ended in a word."""
        self.words[word] += 1
        text = json.dumps(self.words).encode()
        struct.pack_into("<q", self._map, _HEAD.size, len(text))
        start = _HEAD.size + 8
        self._map[start : start + len(text)] = text
        _HEAD.pack_into(self._map, 0, _NONE, self.done + 1, max(peak, self.peak))

    def _tally(self) -> dict[str, int]:
        (length,) = struct.unpack_from("<q", self._map, _HEAD.size)
        start = _HEAD.size + 8
        tally: dict[str, int] = json.loads(self._map[start : start + length] or b"{}")
        return tally
