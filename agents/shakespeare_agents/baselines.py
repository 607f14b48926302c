"""Two agents for every game: one plays at random, one looks one move ahead."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.capabilities import Recipe
from shakespeare_agents.heuristics import heuristics_of
from shakespeare_agents.heuristics.best_action import HeuristicEvaluator
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game
from shakespeare_env.play.generators import GameGenerators, to_unit
from shakespeare_env.play.information_sets import InformationSets

Evaluator = Callable[[NDArray[np.int8]], NDArray[Any]]
"""A function of observations, int8[n, D], that returns their values, float[n]. Higher is better."""

_AT_ONCE = 8192  # the most moves that are tried together, to bound memory
MOST_SAMPLES = 10_000
_TIE = 1e-6  # random numbers from 0 to this are added to values, to break ties


class RandomAgent:
    """Plays legal actions uniformly at random."""

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[np.int64]:
        """Draw a legal action in each game, as `Agent.act` asks."""
        counts = masks.cumsum(axis=1, dtype=np.int32)
        wanted = np.floor(rng.random() * counts[:, -1]).astype(np.int32)
        # Counted from 0, action number `wanted` is the first whose count is greater than `wanted`.
        actions: NDArray[np.int64] = (counts > wanted[:, None]).argmax(axis=1)
        return actions

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return equal probabilities of the legal actions, as `Advisor.probabilities` asks."""
        counts = masks.sum(axis=1, keepdims=True, dtype=np.float32)
        probabilities: NDArray[np.float32] = masks / counts
        return probabilities

    def identity(self) -> list[Any]:
        """Return only the agent's kind, since all random agents play alike."""
        return ["random"]

    def recipe(self) -> Recipe:
        """Return a recipe for another random agent."""
        return _random_agent


def _random_agent(_game: Game) -> RandomAgent:
    return RandomAgent()


class GreedyAgent:
    """Plays the move after which `evaluate` rates its own position best. Ties break at random.

    A move's value is its mean over `samples` determinizations of the game. In each of them,
    `evaluate` rates what the seat observes after the move and the forced moves that follow it.
    """

    def __init__(self, evaluate: Evaluator, samples: int = 1) -> None:
        self.evaluate = evaluate
        self.samples = checked_count("samples", samples, MOST_SAMPLES)

    def search(self, games: InformationSets, rng: GameGenerators) -> NDArray[np.int64]:
        """Choose the best move in each game, as `Searcher.search` asks."""
        rows, moves = games.masks.nonzero()
        values = np.zeros(len(rows))
        for _ in range(self.samples):
            for start in range(0, len(rows), _AT_ONCE):
                part = slice(start, start + _AT_ONCE)
                possible = games.determinized(rows[part], rng)
                possible.step(moves[part])
                values[part] += self.evaluate(possible.observe(games.seats[rows[part]]))

        values += to_unit(rng.words(rows)) * _TIE
        # Sorted by game and then by value, the last move of each game is its best.
        order = np.lexsort((values, rows))
        is_last_of_game = np.append(np.diff(rows[order]) > 0, True)
        best: NDArray[np.int64] = moves[order[is_last_of_game]]
        return best

    def identity(self) -> list[Any] | None:
        """Return the agent's kind and options; None if `evaluate` is not a game's heuristic."""
        if not isinstance(self.evaluate, HeuristicEvaluator):
            return None
        return ["greedy", {} if self.samples == 1 else {"samples": self.samples}]

    def recipe(self) -> Recipe | None:
        """Return a recipe for this agent. Return None if `evaluate` is not a game's heuristic."""
        if not isinstance(self.evaluate, HeuristicEvaluator):
            return None
        return partial(greedy_agent, samples=self.samples)


def greedy_agent(game: Game, *, samples: int = 1) -> GreedyAgent:
    """Make the agent `greedy`, which evaluates positions with the game's heuristic.

    Raises:
        ValueError: the game has no heuristic.
    """
    return GreedyAgent(heuristics_of(game).evaluate, samples)
