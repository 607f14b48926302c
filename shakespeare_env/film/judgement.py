"""Somebody's view of a game: forecasts along it, what decisions cost, and which were mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Forecasts:
    """What every seat could expect in n + 1 positions, NaN where unknown.

    Attributes:
        chances: float[n + 1, P], shares of the victory; without meaning in solo games.
        scores: float[n + 1, P], final scores.
        by: The name of the forecaster.
    """

    chances: NDArray[np.floating[Any]]
    scores: NDArray[np.floating[Any]]
    by: str


@dataclass(frozen=True)
class Judged:
    """A decision, compared with the best move that somebody knows.

    Attributes:
        number: The number of the move, from 1.
        seat: The seat that decided.
        best: That move, in notation.
        loss: By how much it is worth more to the decider, in shares of the victory or, alone, in
            points; below 0 where it looks worse than the move played.
        margin: Half the 95 % interval of the loss.
    """

    number: int
    seat: int
    best: str
    loss: float
    margin: float


class Kind(NamedTuple):
    """A kind of mistake.

    Attributes:
        name: In a word.
        sign: As in the notation of chess.
        colour: The colour of its mark.
        least: The least loss, in shares of the victory or, alone, in units of `Game.score_scale`.
    """

    name: str
    sign: str
    colour: str
    least: float


KINDS = (
    Kind("blunder", "??", "#b3261e", 0.15),
    Kind("mistake", "?", "#b45309", 0.10),
    Kind("inaccuracy", "?!", "#1f6fa8", 0.05),
)
"""The worst first."""


def kind_of(judged: Judged, unit: float = 1.0) -> Kind | None:
    """The kind of mistake that a decision was; None if it was none, or is not certain to be one.

    Args:
        judged: The decision.
        unit: `Game.score_scale` for a game played alone, otherwise 1.
    """
    if judged.loss <= judged.margin:
        return None
    return next((kind for kind in KINDS if judged.loss >= kind.least * unit), None)
