"""The line that an agent's search expects from a position on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.analysis.analyst import Analyst
from shakespeare_agents.analysis.forecasting import forecasts_of
from shakespeare_agents.analysis.trials import Trials
from shakespeare_env.core.position import Position
from shakespeare_env.film.judgement import Forecasts
from shakespeare_env.play.course import Course

MOVES = 8
"""The number of moves of a line."""
_PLAYOUTS = 64
"""Playouts of each of its moves, for what every seat may expect."""


@dataclass(frozen=True)
class Line:
    """Moves that a search prefers, one after the other.

    Attributes:
        course: The positions and moves.
        forecasts: What every seat could expect in each position, as the seat to move knows it.
    """

    course: Course
    forecasts: Forecasts


def best_line(
    position: Position, analyst: Analyst, *, seed: int = 0, number: int = 0, most: int = MOVES
) -> Line:
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
    course = Course([position], [])
    chances: list[NDArray[np.floating]] = []
    scores: list[NDArray[np.floating]] = []
    for step in range(most):
        trials = Trials(analyst, course.position, seed, number + step)
        action = trials.searched()
        found = trials.play(np.array([action]), _PLAYOUTS)
        chances.append(found.shares[0].mean(axis=0))
        scores.append(found.scores[0].mean(axis=0))
        course = course.pushed(course.position.move_text(action))
        if course.is_over:
            break
    if course.is_over:
        end = forecasts_of([course.position], analyst)
        chances.append(end.chances[0])
        scores.append(end.scores[0])
    else:
        chances.append(chances[-1])
        scores.append(scores[-1])
    return Line(course, Forecasts(np.array(chances), np.array(scores), analyst.name))
