"""A folder that is read in the background, as often as it changes and its size allows."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

from shakespeare_agents.arena.standings import Standings, standings_of
from shakespeare_agents.table.watching.listing import Lister, Listing, State, state_of
from shakespeare_env.errors import ShakespeareEnvError

_LOOKS_APART = 1.0
"""Seconds between two looks at the files."""
_REST = 4.0
"""How long a folder is left alone, in multiples of the time that reading it took."""
_computing = threading.Lock()
"""Held while standings are computed: one folder at a time, for the sake of people at tables."""


@dataclass(frozen=True, eq=False)
class Seen:
    """What is known of a folder.

    Attributes:
        version: Rises whenever anything else here changes.
        listing: Its games; None before they are read.
        standings: The standings of an arena; None before they are computed.
        fault: Why it could not be read the last time, "" if it could.
        changed: When its newest file was written, in seconds of the clock; None without a file.
    """

    version: int = 0
    listing: Listing | None = None
    standings: Standings | None = None
    fault: str = ""
    changed: float | None = None

    @property
    def is_settled(self) -> bool:
        """Whether all that was read has been computed, too."""
        return self.listing is None or self.listing.results is None


class Watched:
    """A folder that somebody may be writing.

    Args:
        folder: An arena's or a dataset's folder, or one that becomes such a folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lister = Lister(folder)
        self._lock = threading.Lock()
        self._seen = Seen()
        self._read: State | None = None
        self._looked = self._rested = float("-inf")
        self._thread: threading.Thread | None = None

    def seen(self, wait: float = 0.0) -> Seen:
        """What is known by now; reading goes on in the background if there is more to know.

        Args:
            wait: Seconds to wait for the first reading.
        """
        with self._lock:
            idle = self._thread is None or not self._thread.is_alive()
            if idle and time.monotonic() >= max(self._looked + _LOOKS_APART, self._rested):
                self._looked = time.monotonic()
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
            thread, deadline = self._thread, time.monotonic() + wait
        while thread and self._seen.version == 0 and time.monotonic() < deadline:
            thread.join(0.01)
        return self._seen

    def _work(self) -> None:
        began = time.monotonic()
        try:
            self._look()
            self._rate()
        finally:
            self._rested = time.monotonic() + _REST * (time.monotonic() - began)

    def _look(self) -> None:
        """Read the games, unless they are those known; a fault may pass by itself."""
        try:
            state = state_of(self.folder)
        except OSError:
            state = None  # reading shows why
        if state == self._read and self._seen.version > 0 and not self._seen.fault:
            return
        listing, fault = self._seen.listing, ""
        try:
            listing = self._lister.read()
        except (ShakespeareEnvError, OSError, ModuleNotFoundError) as error:
            fault = str(error)
        self._read = state
        if fault and fault == self._seen.fault:
            return
        changed = max((time_ns for _, _, time_ns in state or ()), default=None)
        self._show(listing=listing, fault=fault, changed=None if changed is None else changed / 1e9)

    def _rate(self) -> None:
        """Compute an arena's standings, unless they are those known."""
        listing = self._seen.listing
        if listing is None or listing.results is None:
            return
        with _computing:
            standings = standings_of(listing.results) if listing.count else None
        # Results that only the standings need are dropped.
        self._show(standings=standings, listing=replace(listing, results=None))

    def _show(self, **changes: object) -> None:
        now: Seen = replace(self._seen, **changes)  # type: ignore[arg-type]
        self._seen = replace(now, version=now.version + 1)
