"""A player that looks one move ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.information_sets import InformationSets

Evaluation = Callable[[NDArray[np.int8]], NDArray[Any]]
"""How good the situations in int8[n, D] observations are: float[n], more is better."""

_AT_ONCE = 8192
"""Games tried out together, to bound the memory."""
_TIE = 1e-6


class GreedyAgent:
    """Plays the move after which its own situation is best.

    Every legal move is tried, with all that is forced after it, in a game that the seat cannot tell
    from the true one.  Of equally good moves chance picks one.

    Args:
        evaluate: What is best; it sees what the seat sees after the move.
        samples: Possible games that each move is tried in; the mean counts.
    """

    def __init__(self, evaluate: Evaluation, samples: int = 1) -> None:
        if samples < 1:
            raise ValueError(f"samples={samples}: each move must be tried at least once")
        self.evaluate = evaluate
        self.samples = samples

    def search(self, views: InformationSets, rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose an action for each view.

        Args:
            views: What the deciding seats see.
            rng: Draws the possible games, and picks among equally good moves.

        Returns:
            int64[n], legal action ids.
        """
        places, moves = views.masks.nonzero()
        worth = np.zeros(len(places))
        for _ in range(self.samples):
            for start in range(0, len(places), _AT_ONCE):
                part = slice(start, start + _AT_ONCE)
                games = views.possible(places[part], rng)
                games.step(moves[part])
                worth[part] += self.evaluate(games.observe(views.seats[places[part]]))
        worth += rng.random(len(worth)) * _TIE
        order = np.lexsort((worth, places))
        last = np.flatnonzero(np.append(np.diff(places[order]) > 0, True))
        best: NDArray[np.int64] = moves[order[last]]
        return best
