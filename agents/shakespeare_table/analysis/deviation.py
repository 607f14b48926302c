"""What it costs to play another move than a suggested one, in points."""

from __future__ import annotations

from dataclasses import dataclass

from shakespeare_env.core.position import Position
from shakespeare_table.analysis.analyst import Analyst, MoveTrials, mean_and_margin
from shakespeare_table.analysis.thoughts import reasons

_PLAYOUTS = 256  # of each of the two moves
_LEAST_COST = 0.5  # points; a smaller difference is never called clear


@dataclass(frozen=True)
class Deviation:
    """The mean difference between a suggested move and the one that was played.

    Attributes:
        points: How many points more the mover has at the end after the suggested move.
        margin: Half the width of the 95 % interval.
        row: The row of the score sheet that differs most in the same direction; empty without one.
    """

    points: float
    margin: float
    row: str

    @property
    def is_clear(self) -> bool:
        """Whether one of the moves is clearly better."""
        return abs(self.points) > max(self.margin, _LEAST_COST)


def judge_deviation(
    position: Position,
    suggested: str,
    played: str,
    analyst: Analyst,
    *,
    seed: int = 0,
    number: int = 0,
) -> Deviation:
    """Compare the move that was played with the suggested one, by playing both to the end.

    Both are played in the same possible games, which depend only on what the seat to move knows.

    Args:
        position: The position.
        suggested: The suggested move.
        played: The move that was played.
        analyst: The agent that judges.
        seed: The seed of all draws.
        number: The number of moves before the decision.

    Raises:
        ValueError: A move is not legal, or the game is over.
    """
    trials = MoveTrials(analyst, position, seed, number)
    actions = [position.action_id(move) for move in (suggested, played)]
    _, scores = trials.outcomes(actions, _PLAYOUTS)
    after_suggested, after_played = scores[:, :, trials.seat]
    points, margin = mean_and_margin(after_suggested - after_played)
    *_, compared = reasons(position, analyst, seed=seed, number=number, moves=(suggested, played))
    is_worse = points > 0
    sign = 1 if compared.move == suggested else -1  # the rows' gains are those of `compared.move`
    gains = {row.source: sign * row.gain for row in compared.rows}
    row = (max if is_worse else min)(gains, key=gains.__getitem__, default="")
    is_same_direction = row != "" and (gains[row] > 0) == is_worse
    return Deviation(points, margin, row if is_same_direction else "")
