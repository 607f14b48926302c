"""How long agents think, and how often they decide, by game and seat."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_KEPT = 1024
"""The most notes that wait to be added up; adding up each by itself takes longer than a move."""


class Thinking:
    """The time and the decisions of the S seats of n games.

    Args:
        games: The number of games, n.
        seats: The number of seats, S.
    """

    def __init__(self, games: int, seats: int) -> None:
        self._seconds = np.zeros((games, seats))
        self._decisions = np.zeros((games, seats), np.int32)
        self._notes: list[tuple[NDArray[Any], NDArray[Any], NDArray[np.float64] | float]] = []

    def note(
        self, rows: NDArray[Any], seats: NDArray[Any], seconds: NDArray[np.float64] | float
    ) -> None:
        """Note a choice in m games: int[m] games, int[m] seats, the seconds of each or of all."""
        self._notes.append((rows, seats, seconds))
        if len(self._notes) == _KEPT:
            self._add_up()

    def without_choice(self, row: int, seat: int) -> None:
        """Withdraw a seat's last choice, though not the time that it took."""
        self._decisions[row, seat] -= 1

    @property
    def seconds(self) -> NDArray[np.float64]:
        """float64[n, S], seconds so far; games decided together share the time equally."""
        self._add_up()
        return self._seconds

    @property
    def decisions(self) -> NDArray[np.int32]:
        """int32[n, S], the number of legal choices so far."""
        self._add_up()
        return self._decisions

    def _add_up(self) -> None:
        if not self._notes:
            return
        rows, seats = (np.concatenate([note[k] for note in self._notes]) for k in (0, 1))
        seconds = [np.broadcast_to(note[2], note[0].shape) for note in self._notes]
        np.add.at(self._seconds, (rows, seats), np.concatenate(seconds))
        np.add.at(self._decisions, (rows, seats), 1)
        self._notes.clear()
