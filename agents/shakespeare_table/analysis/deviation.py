"""The cost of playing another move than a suggested one, in points."""

from __future__ import annotations

from dataclasses import dataclass

from shakespeare_arena.intervals import mean_interval
from shakespeare_env.core.position import Position
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.analysis.playouts import PositionPlayouts

_PLAYOUTS = 256  # of each of the two moves
_LEAST_COST = 0.5  # points; a smaller difference is never called clear


@dataclass(frozen=True)
class Deviation:
    """The mean difference between a suggested move and the one that was played.

    Attributes:
        points: How many points more the mover has at the end after the suggested move.
        margin: Half the width of the 95 % interval.
        row: The row of the score sheet that differs most in the same direction, and when its points
            come; empty without one.
    """

    points: float
    margin: float
    row: str

    @property
    def is_clear(self) -> bool:
        """Whether one of the moves is clearly better."""
        return abs(self.points) > max(self.margin, _LEAST_COST)


def judge_deviation(position: Position, suggested: str, played: str, analyst: Analyst) -> Deviation:
    """Compare the move that was played with the suggested one, by playing both to the end.

    Both are played in the same possible games, which depend only on what the seat to move knows.

    Args:
        position: The position.
        suggested: The suggested move.
        played: The move that was played.
        analyst: The agent that judges.

    Raises:
        ValueError: A move is not legal, or the game is over.
    """
    known = PositionPlayouts(analyst, position)
    after_suggested = known.outcomes(suggested, _PLAYOUTS)[1, :, known.seat]
    after_played = known.outcomes(played, _PLAYOUTS)[1, :, known.seat]
    points, low, _ = mean_interval(after_suggested - after_played)
    assert low is not None
    better, worse = (suggested, played) if points > 0 else (played, suggested)
    gains = [reason for reason in known.reasons(better, worse) if reason.gain > 0]
    return Deviation(points, points - low, gains[0].row if gains else "")
