"""Agents for every game: the random one, and one that looks one move ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.capabilities import Recipe
from shakespeare_agents.heuristics import heuristics_of
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game
from shakespeare_env.play.generators import GameGenerators, to_unit
from shakespeare_env.play.information_sets import InformationSets

Evaluator = Callable[[NDArray[np.int8]], NDArray[Any]]
"""int8[n, D] observations -> float[n], more is better."""

_AT_ONCE = 8192  # games tried together, to bound memory
MOST_SAMPLES = 10_000
_TIE = 1e-6


class RandomAgent:
    """Plays legal actions uniformly at random."""

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """See `Agent.act`."""
        counts = masks.cumsum(axis=1, dtype=np.int32)
        wanted = np.floor(rng.random() * counts[:, -1]).astype(np.int32)
        # The action wanted is the first with more than `wanted` legal actions up to and with it.
        actions: NDArray[np.int64] = (counts > wanted[:, None]).argmax(axis=1)
        return actions

    def identity(self) -> list[Any]:
        """Return the agent's kind, since all random agents play alike."""
        return ["random"]

    def recipe(self) -> Recipe:
        """Return a recipe for another random agent."""
        return _random_agent


def _random_agent(_game: Game) -> RandomAgent:
    return RandomAgent()


class GreedyAgent:
    """Plays the move that leaves its own position best, in determinized games; ties at random.

    `evaluate` values what the seat sees after the move and the forced moves that follow, averaged
    over `samples` determinizations.
    """

    def __init__(self, evaluate: Evaluator, samples: int = 1) -> None:
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


def greedy_agent(game: Game, *, samples: int = 1) -> GreedyAgent:
    """The agent `greedy`, by the game's rules of thumb; ValueError if it has none."""
    return GreedyAgent(heuristics_of(game).evaluate, samples)
