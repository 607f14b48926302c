"""Faults by which an agent loses a game, and answers that may contain them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.information_sets import InformationSets

KINDS: Mapping[str, str] = {
    "crash": "its program ended, closed its pipes, or could not be started",
    "time": "it thought for longer than it may",
    "memory": "its program took more memory than it may",
    "flood": "its program wrote more than it may",
    "garbage": "what it answered is no choice",
    "illegal": "its choice is no legal move",
    "error": "it raised an exception",
}
"""What each kind of fault means."""

_MOST_SHOWN = 2000
"""The most characters of a fault's details."""


@dataclass(frozen=True)
class Fault:
    """Why an agent gave no legal choice: one of `KINDS`, and what it did in words."""

    kind: str
    details: str

    def __post_init__(self) -> None:
        if len(self.details) > _MOST_SHOWN:
            object.__setattr__(self, "details", f"{self.details[:_MOST_SHOWN]}...")


class Answers(NamedTuple):
    """An agent's answers in m games.

    Attributes:
        actions: int[m], -1 where there is a fault.
        seconds: float64[m], how long it thought in each, or one number for all.
        faults: Faults by index among the m games.
    """

    actions: NDArray[np.integer]
    seconds: NDArray[np.float64] | float
    faults: Mapping[int, Fault]


@runtime_checkable
class Answerer(Protocol):
    """An agent that answers for its own faults: it may fail in some games and go on in others.

    A game is known by a key, equal for all decisions of one seat in it.
    """

    def answer(self, games: InformationSets, keys: Sequence[Hashable]) -> Answers:
        """Decide in m games, known by m keys."""
        ...

    def end(self, keys: Sequence[Hashable]) -> None:
        """Take note that games are over; keys it was never asked about are ignored."""
        ...
