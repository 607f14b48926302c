"""How fast a run learns, from whole cycles of playing and updating."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

_CYCLES = 20
"""The number of latest cycles from which the pace is taken."""


class Pace:
    """Decisions a second while learning; evaluations and the start of a run do not count.

    A cycle lasts from the first step of a rollout to the end of the update after it; a part of one
    would overstate the pace, as only playing adds decisions.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: tuple[int, float] | None = None
        self._cycles: deque[tuple[int, float]] = deque(maxlen=_CYCLES)

    def step(self, decisions: int) -> None:
        """Note that a step is done; the first one after `rest` begins a cycle."""
        if self._begun is None:
            self._begun = (decisions, self._clock())

    def rest(self, decisions: int) -> None:
        """Note that a cycle is over."""
        if self._begun is not None:
            before, since = self._begun
            self._cycles.append((decisions - before, self._clock() - since))
            self._begun = None

    @property
    def rate(self) -> float:
        """Decisions per second; 0 before the first cycle is over."""
        decisions, seconds = map(sum, zip(*self._cycles, strict=True)) if self._cycles else (0, 0.0)
        return decisions / seconds if seconds > 0 else 0.0
