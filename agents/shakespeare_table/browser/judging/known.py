"""The positions that agents have evaluated, so that every page goes on from the same playouts."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from shakespeare_env import Position
from shakespeare_table.analysis.playouts import evaluation_key

_KEPT = 2048
"""The number of positions whose playouts are kept, of 0.5 to 30 kB each, and rarely 115 kB."""


class KnownPositions:
    """The playouts of positions, by all that the seat to move knows and by the agent that played.

    A position is known to those who may see it as that seat. Whoever knows no more than the seat
    may therefore be told.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def of(self, position: Position, agent: str) -> KnownPosition:
        """Return what is known of a position by an agent, named as `make` takes it."""
        return KnownPosition(self, evaluation_key(position, agent))

    def get(self, key: str) -> bytes:
        """Return the playouts with a key; none if there are none."""
        with self._lock:
            return self._kept.get(key, b"")

    def keep(self, key: str, stored: bytes) -> None:
        """Keep playouts. Those that no analysis has kept for longest are forgotten."""
        with self._lock:
            if len(stored) >= len(self._kept.get(key, b"")):  # of two analyses the longer one
                self._kept[key] = stored
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


@dataclass(frozen=True)
class KnownPosition:
    """A position that is being evaluated.

    Attributes:
        positions: All positions.
        key: The position's key.
    """

    positions: KnownPositions
    key: str

    @property
    def stored(self) -> bytes:
        """The playouts so far."""
        return self.positions.get(self.key)

    def keep(self, stored: bytes) -> None:
        """Keep the playouts of an analysis that has gone on."""
        self.positions.keep(self.key, stored)
