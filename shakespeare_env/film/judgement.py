"""Somebody's view of a game: forecasts along it, and the costliest decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
class Mistake:
    """A decision that cost its seat something.

    Attributes:
        number: The number of the move, from 1.
        seat: The seat that decided.
        loss: The share of the victory lost, or the points lost in a solo game.
        better: The move, in notation, that it is compared with.
        margin: Half the 95 % interval of the loss; 0 if it is not known.
    """

    number: int
    seat: int
    loss: float
    better: str
    margin: float = 0.0
