"""A worker's progress in a file that outlives it, however it ends."""

from __future__ import annotations

import json
import mmap
import struct
from collections import Counter
from pathlib import Path

from tests.fuzz.findings import KINDS

_SIZE = 1 << 14
_HEAD = struct.Struct("<qqqq")
_NONE = -1


class Progress:
    """Which case is running, how many are done and how they went.

    A process that dies leaves the number of its case; writing costs a microsecond or two.
    """

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(_HEAD.pack(_NONE, 0, 0, 0).ljust(_SIZE, b"\0"))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _SIZE)

    @property
    def number(self) -> int | None:
        """The case that is running, or None."""
        number = _HEAD.unpack_from(self._map)[0]
        return None if number == _NONE else int(number)

    @property
    def done(self) -> int:
        """Cases that have ended."""
        return int(_HEAD.unpack_from(self._map)[1])

    @property
    def peak(self) -> int:
        """Most memory a process has held, in bytes."""
        return int(_HEAD.unpack_from(self._map)[2])

    @property
    def found(self) -> int:
        """How many of the cases are findings."""
        return int(_HEAD.unpack_from(self._map)[3])

    @property
    def words(self) -> Counter[str]:
        """How many cases ended in each word; not to be read while another process writes it."""
        (length,) = struct.unpack_from("<q", self._map, _HEAD.size)
        start = _HEAD.size + 8
        return Counter(json.loads(self._map[start : start + length] or b"{}"))

    def begin(self, number: int) -> None:
        """A case is about to run."""
        _HEAD.pack_into(self._map, 0, number, self.done, self.peak, self.found)

    def end(self, word: str, peak: int = 0) -> None:
        """The case has ended in a word."""
        words = self.words
        words[word] += 1
        text = json.dumps(words).encode()
        struct.pack_into("<q", self._map, _HEAD.size, len(text))
        start = _HEAD.size + 8
        self._map[start : start + len(text)] = text
        found = self.found + (word in KINDS)
        _HEAD.pack_into(self._map, 0, _NONE, self.done + 1, max(peak, self.peak), found)
