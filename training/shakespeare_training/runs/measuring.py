"""The progress of an evaluation, and how long it will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shakespeare_training.config import TrainingConfig
from shakespeare_training.runs.history import ITSELF, SOLO, seats_text


@dataclass(frozen=True)
class Measuring:
    """An evaluation under way.

    Attributes:
        what: The games being played.
        games: The number of games finished.
        total: The number of games in the whole evaluation.
        share: The share of its work that is done, 0 to 1.
        seconds_left: An estimate; None at the start.
    """

    what: str
    games: int
    total: int
    share: float
    seconds_left: float | None


class Meter:
    """Follows an evaluation of some kinds of games: pairs of seat count and opponent.

    The games of a kind are played side by side and finish together, so work is measured in
    decisions.  A seat makes about as many in every game, estimated from the kinds played so far.
    """

    def __init__(
        self,
        kinds: Sequence[tuple[int, str]],
        games: int,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._began = clock()
        self._sizes = {kind: whole_rotations(games, kind[0]) for kind in kinds}
        self._seats = sum(size * kind[0] for kind, size in self._sizes.items())
        self._kind = (0, "")
        self._played_games = self._played_seats = self._played_decisions = self._decisions = 0

    def begin(self, kind: tuple[int, str]) -> Measuring:
        """Go on to a kind of games."""
        if self._decisions:
            games = self._sizes[self._kind]
            self._played_games += games
            self._played_seats += games * self._kind[0]
            self._played_decisions += self._decisions
        self._kind = kind
        return self.reading(0, 0)

    def reading(self, decisions: int, games: int) -> Measuring:
        """The progress after decisions and finished games of the kind begun last."""
        self._decisions = decisions
        now = 0.0
        if self._played_decisions:
            per_decision = self._played_seats / self._played_decisions
            now = min(decisions * per_decision, self._sizes[self._kind] * self._kind[0])
        share = (self._played_seats + now) / self._seats
        seconds = self._clock() - self._began
        return Measuring(
            _words(*self._kind),
            self._played_games + games,
            sum(self._sizes.values()),
            share,
            seconds * (1.0 - share) / share if share else None,
        )


def kinds_of_games(config: TrainingConfig) -> list[tuple[int, str]]:
    """The games of an evaluation: pairs of seat count and opponent."""
    rivals = dict.fromkeys(config.evaluation_opponents)
    return [
        (players, opponent)
        for players in sorted(set(config.players))
        for opponent in ([*rivals, ITSELF] if players > 1 else [SOLO])
    ]


def whole_rotations(games: int, players: int) -> int:
    """A number of games, rounded up so that every agent has every seat equally often."""
    return -(-games // players) * players


def _words(players: int, opponent: str) -> str:
    return seats_text(players) + (f" against {opponent}" if opponent else " solo")
