"""An agent that looks one move ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.play.generators import GameGenerators, to_unit
from shakespeare_env.play.information_sets import InformationSets

Evaluation = Callable[[NDArray[np.int8]], NDArray[Any]]
"""int8[n, D] observations -> float[n], more is better."""

_AT_ONCE = 8192
"""Games tried together, to bound memory."""
MOST_SAMPLES = 10_000
_TIE = 1e-6


class GreedyAgent:
    """Plays the move that leaves its own position best; ties break at random.

    Every legal move is tried, with the forced moves after it, in determinized games.

    Args:
        evaluate: Values what the seat sees after the move.
        samples: Determinizations each move is averaged over, `MOST_SAMPLES` at most.
    """

    def __init__(self, evaluate: Evaluation, samples: int = 1) -> None:
        self.evaluate = evaluate
        self.samples = checked_count("samples", samples, MOST_SAMPLES)

    def search(self, games: InformationSets, rng: GameGenerators) -> NDArray[np.int64]:
        """See `Searcher.search`."""
        places, moves = games.masks.nonzero()
        worth = np.zeros(len(places))
        for _ in range(self.samples):
            for start in range(0, len(places), _AT_ONCE):
                part = slice(start, start + _AT_ONCE)
                possible = games.determinized(places[part], rng)
                possible.step(moves[part])
                worth[part] += self.evaluate(possible.observe(games.seats[places[part]]))
        worth += to_unit(rng.words(places)) * _TIE
        order = np.lexsort((worth, places))
        last = np.flatnonzero(np.append(np.diff(places[order]) > 0, True))
        best: NDArray[np.int64] = moves[order[last]]
        return best
