"""The evaluation of a position: what each move is worth, from playouts that more playouts refine.

Hints, thoughts, best lines and reviews all ask for this evaluation, so that they agree. The
playouts of a position depend only on what the seat to move knows, on the analyst and on their
number. Every number of playouts therefore has one result, whoever asks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LOST_BELOW = 0.05
WON_ABOVE = 0.95
"""Between these chances of victory a position is open. Beyond them rank and points decide."""
POINTS_PER_PLACE = 0.2
"""A place in the final ranking counts as much as this many units of `Game.score_scale`."""
SHARE_PER_UNIT = 0.2
"""A unit of `Game.score_scale` counts as much as this share of the victory."""
SMALLEST_LOSS = 0.01
"""The least loss that is called a mistake, in shares of the victory."""
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Difference:
    """How much better one move is than another, in games in which both were played.

    Attributes:
        amount: The mean difference, in shares of the victory or in points.
        margin: Half the width of its 95 % interval, which holds however often more playouts
            followed because the difference was not settled.
        in_points: Whether it is in points. They decide where both moves win almost surely or
            hardly ever, and in solo games. They include `POINTS_PER_PLACE`.
    """

    amount: float
    margin: float
    in_points: bool

    @property
    def is_clear(self) -> bool:
        """Whether the difference exceeds its margin."""
        return abs(self.amount) > self.margin

    def in_shares(self, score_scale: float) -> float:
        """Return the amount in shares of the victory.

        Args:
            score_scale: `Game.score_scale`.
        """
        return self.amount * (SHARE_PER_UNIT / score_scale if self.in_points else 1.0)

    def is_mistake(self, score_scale: float, margin: float | None = None) -> bool:
        """Return whether the worse move is a mistake.

        The difference is at least the smallest loss, and surely at least half of it.

        Args:
            score_scale: `Game.score_scale`.
            margin: Another margin, such as that of more playouts.
        """
        surely = replace(self, amount=self.amount - (self.margin if margin is None else margin))
        is_large = self.in_shares(score_scale) >= SMALLEST_LOSS
        return is_large and surely.in_shares(score_scale) >= SMALLEST_LOSS / 2


@dataclass(frozen=True)
class MoveWorth:
    """The worth of a move to the seat that decides.

    Attributes:
        move: The move, in notation.
        probability: How likely the analyst finds the move; None if it finds all equally likely.
        playouts: The number of playouts of the move.
        chance: The seat's share of the victory; 0 in solo games.
        score: Its final score.
        place: Its place in the final ranking, from 1. Seats of equal score share places.
        loss: How much better the best move is.
    """

    move: str
    probability: float | None
    playouts: int
    chance: float
    score: float
    place: float
    loss: Difference


@dataclass(frozen=True)
class Evaluation:
    """The worth of the moves of a position, for all that the seat to move knows.

    Attributes:
        seat: The seat to move.
        moves: The moves that were tried, the best first. No move is worth more than the first.
        equal_count: The number of moves, from the first on, between which there is no clear
            difference. They were all tried as often as the first.
        chances: The share of the victory by seat after the first move.
        scores: The final score by seat after the first move.
        playouts: The number of playouts of all moves together.
    """

    seat: int
    moves: tuple[MoveWorth, ...]
    equal_count: int
    chances: tuple[float, ...]
    scores: tuple[float, ...]
    playouts: int

    @property
    def best(self) -> MoveWorth:
        """The move that looks best."""
        return self.moves[0]

    @property
    def equals(self) -> tuple[MoveWorth, ...]:
        """The best move and those of which the evaluation cannot tell it."""
        return self.moves[: self.equal_count]

    @property
    def is_clear(self) -> bool:
        """Whether the best move is clearly better than every other one that was tried as often."""
        return self.equal_count == 1

    @property
    def standing(self) -> str:
        """The state of the game for the seat: `open`, `lost`, `won`, or `solo`."""
        if len(self.chances) == 1:
            return "solo"
        if self.best.chance < LOST_BELOW:
            return "lost"
        return "won" if self.best.chance > WON_ABOVE else "open"

    def worth(self, move: str) -> MoveWorth | None:
        """Return the worth of a move; None if it was not tried."""
        return next((found for found in self.moves if found.move == move), None)


def mean_and_margin(differences: Floats, unseen: float, pairs: int) -> tuple[float, float]:
    """Return a mean, and half the width of an interval that holds for several pairs of moves.

    Args:
        differences: float64[n].
        unseen: A deviation that might have been seen but was not. It counts as one more playout
            with this difference, since few playouts that agree do not prove that all do.
        pairs: The number of pairs of moves for whose intervals the confidence holds together.
    """
    n = len(differences)
    mean = float(differences.mean())
    variance = (float(((differences - mean) ** 2).sum()) + unseen**2) / max(n - 1, 1)
    quantile = NormalDist().inv_cdf(1 - (1 - _CONFIDENCE) / 2 / pairs)
    return mean, quantile * (variance / n) ** 0.5
