"""The line that an agent's search expects from a position on."""

from __future__ import annotations

from shakespeare_agents.analysis.analyst import Analyst
from shakespeare_agents.analysis.trials import Trials
from shakespeare_env.core.position import Position
from shakespeare_env.play.course import Course

MOVES = 8
"""The number of moves of a line."""


def best_line(
    position: Position, analyst: Analyst, *, seed: int = 0, number: int = 0, most: int = MOVES
) -> Course:
    """What the analyst's search would play from a position on, for every seat in turn.

    Each seat decides by what it may know. Chance is that of the position, so a line of a finished
    game shows what would have happened there.

    Args:
        position: A position with all its secrets, which waits for a seat.
        analyst: The analyst that searches.
        seed: Decides everything drawn.
        number: The number of the decision in its game; with it and the seed, the first move is that
            of `verdict_on`, unless the move played was near-certain.
        most: The number of moves after which the line ends, if the game does not.

    Raises:
        ValueError: the game is over.
    """
    line = Course([position], [])
    for step in range(most):
        trials = Trials(analyst, line.position, seed, number + step)
        line = line.pushed(line.position.move_text(trials.searched()))
        if line.is_over:
            break
    return line
