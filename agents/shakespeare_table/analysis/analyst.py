"""An agent that evaluates the moves of a position by playing possible games to their end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.baselines import RandomAgent
from shakespeare_agents.making import make
from shakespeare_agents.naming import default
from shakespeare_agents.networks.inference import ForwardPass
from shakespeare_agents.search.agent import (
    SearchSettings,
    advisor_search,
    improving_search,
    network_search,
)
from shakespeare_agents.search.halving import Playouts
from shakespeare_agents.search.playouts import TO_THE_END
from shakespeare_arena.intervals import mean_interval
from shakespeare_env.core.game import Game
from shakespeare_env.core.position import Position
from shakespeare_env.play.agent import Advisor, AgentLike, AnyAgent, Forecaster, name_of
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_research.counterfactual import batch_of

_SIMULATIONS = 128
"""Playouts of the search for a better move, for an agent that does not search by itself."""
_MIN_PROBABILITY = 1e-3  # less likely moves are not tried
_MIN_CANDIDATES = 3  # at least so many moves are tried, however unlikely they are
Floats = NDArray[np.float64]


class Analyst:
    """An agent that evaluates positions and moves.

    It plays possible games to their end by its network or model. A possible game is a full game
    state, drawn at random, that agrees with all that the seat to move knows. Without either the
    analyst plays by the game's heuristic, and at random in a game without one. A network or model
    that has outputs for results also forecasts them without playing on, which is faster but less
    exact.

    Args:
        game: The game.
        agent: The agent, or a name that `making.make` takes. None means the game's default agent.

    Attributes:
        game: The game.
        name: The agent's name.
        agent: The agent.
        searcher: The search that finds better moves.
        prior: The advisor that tells how likely each move is.
        forecaster: The agent's network or model, if it forecasts results, and else None.
    """

    def __init__(self, game: Game, agent: AgentLike | None = None) -> None:
        agent = default(game) if agent is None else agent
        self.game = game
        self.name = name_of(agent)
        self.agent: AnyAgent = make(agent, game)
        settings = SearchSettings(_SIMULATIONS)
        self.searcher = improving_search(self.agent, game, settings)
        self.prior: Advisor = self.searcher.prior
        self.forecaster: Forecaster | None = None
        self._runner = self.searcher.runner  # plays the possible games
        network = self.searcher.network
        if network is not None:
            to_the_end = network_search(game, network, settings, horizon=TO_THE_END)
            self._runner = to_the_end.runner
            self.forecaster = ForwardPass(network) if network.has_heads else None
        elif self.has_preferences:
            to_the_end = advisor_search(game, self.prior, settings, horizon=TO_THE_END)
            self._runner = to_the_end.runner
            self.forecaster = self.prior if isinstance(self.prior, Forecaster) else None

    @property
    def has_preferences(self) -> bool:
        """Whether the prior finds some moves more likely than others."""
        return not isinstance(self.prior, RandomAgent)

    def outcomes(
        self, games: InformationSets, rng: GameGenerators, actions: NDArray[np.int64], count: int
    ) -> Floats:
        """Play k moves of each of n positions to the end, each move in `count` possible games.

        All moves of a position meet the same possible games and the same chance.

        Args:
            games: The n positions, as the seats to move see them.
            rng: The generators that draw the possible games and chance.
            actions: int64[n, k], the moves.
            count: The number of possible games of each position.

        Returns:
            float64[2, n, k, count, S], every seat's share of the victory and final score.
        """
        n, k = actions.shape
        # One playout for each position, candidate move and number of a possible game.
        position, candidate, number = np.indices((n, k, count)).reshape(3, -1)
        places = np.repeat(np.arange(n), count)  # the position of each possible game
        playouts = Playouts(
            source_games=places,
            sources=position * count + number,
            games=position,
            candidates=candidate,
            actions=actions[position, candidate],
        )
        records = games.records(places, rng)
        results = self._runner.play(playouts, records, rng.words(places))
        outcomes = np.stack([results.win, results.score]).astype(np.float64)
        outcomes[1] *= float(self.game.score_scale)
        return outcomes.reshape(2, n, k, count, -1)


class MoveTrials:
    """Trials of the moves of a position, in games that are possible for all the seat to move knows.

    Args:
        analyst: The analyst that plays the possible games.
        position: The position.
        seed: The seed of the possible games and of all chance.
        number: The number of the decision in its game, which gives each decision draws of its own.

    Attributes:
        analyst: The analyst.
        players: The number of seats.
        seat: The seat to move.
        games: The position as that seat sees it.
        rng: The generator that draws the possible games and chance.
        prior: float64[A], how likely the analyst finds each action.

    Raises:
        ValueError: The game is over.
    """

    def __init__(self, analyst: Analyst, position: Position, seed: int, number: int) -> None:
        if position.to_move is None:
            raise ValueError("the game is over; ask about a position that waits for a seat")
        self.analyst = analyst
        self.players = position.players
        self.seat = position.to_move
        self.games = InformationSets(
            batch_of(position.game, [position.record()]), np.zeros(1, np.int64)
        )
        self.rng = GameGenerators.of_games(seed, np.array([number]))
        probabilities = analyst.prior.probabilities(self.games.observations, self.games.masks)
        self.prior = probabilities[0].astype(np.float64)

    def candidates(self, most: int) -> NDArray[np.int64]:
        """Return the likeliest actions, or all legal ones if the analyst has no preferences.

        Args:
            most: The largest number of actions, for an analyst with preferences.

        Returns:
            int64[k], the likeliest action first if the analyst has preferences.
        """
        legal: NDArray[np.int64] = np.flatnonzero(self.games.masks[0])
        if not self.analyst.has_preferences:
            return legal
        order: NDArray[np.int64] = legal[np.argsort(-self.prior[legal], kind="stable")][:most]
        is_likely: NDArray[np.bool_] = self.prior[order] >= _MIN_PROBABILITY
        is_likely[:_MIN_CANDIDATES] = True
        return order[is_likely]

    def search(self) -> int:
        """Return the action that the analyst's search prefers."""
        return int(self.analyst.searcher.search(self.games, self.rng)[0])

    def outcomes(self, actions: Sequence[int] | NDArray[np.int64], count: int) -> Floats:
        """Play k moves to the end, each in the same `count` new possible games.

        Returns:
            float64[2, k, count, P], every seat's share of the victory and final score.
        """
        outcomes = self.analyst.outcomes(self.games, self.rng, np.array([actions]), count)
        return outcomes[:, 0, :, :, : self.players]

    def values(self, outcomes: Floats) -> Floats:
        """Return the seat's share of the victory, in a solo game its score, float64[k, count]."""
        shares, scores = outcomes
        seat_values: Floats = (shares if self.players > 1 else scores)[:, :, self.seat]
        return seat_values


def mean_and_margin(values: NDArray[Any]) -> tuple[float, float]:
    """Return the mean of two values or more, and half the width of its 95 % interval."""
    mean, low, _ = mean_interval(values)
    return mean, np.nan if low is None else mean - low
