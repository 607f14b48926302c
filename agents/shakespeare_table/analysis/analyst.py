"""An agent as an analyst: how likely it finds moves, and what they lead to in possible games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.naming import default, make
from shakespeare_agents.networks.inference import ForwardPass
from shakespeare_agents.search.agent import (
    SearchSettings,
    UniformPrior,
    improving_search,
    network_search,
)
from shakespeare_agents.search.halving import Playouts
from shakespeare_agents.search.playouts import TO_THE_END
from shakespeare_arena.intervals import mean_interval
from shakespeare_env.core.game import Game
from shakespeare_env.core.position import Position
from shakespeare_env.play.agent import Advisor, AgentLike, AnyAgent, name_of
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_research.counterfactual import batch_of

_SIMULATIONS = 128
"""Playouts of the search for a better move, if the agent does not search by itself."""
_LEAST_LIKELY = 1e-3  # the least probability of moves that are tried
_ALWAYS_TRIED = 3  # the number of likeliest moves that are tried however unlikely they are
Floats = NDArray[np.float64]


class Analyst:
    """An agent that is asked what it thinks of positions.

    Possible games are played to their end by the agent's network, or by the heuristic, or at random
    if the game has no heuristic. A network's own forecasts are immediate but say less.

    Attributes:
        game: The game.
        name: The agent's name.
        agent: The agent; the game's default one if none is given (see `naming.make`).
        searcher: Finds better moves.
        prior: Says how likely each move is.
        network: The agent's network, if it has one with heads.
    """

    def __init__(self, game: Game, player: AgentLike | None = None) -> None:
        player = default(game) if player is None else player
        self.game = game
        self.name = name_of(player)
        self.agent: AnyAgent = make(player, game)
        settings = SearchSettings(_SIMULATIONS)
        self.searcher = improving_search(self.agent, game, settings)
        self.prior: Advisor = self.searcher.prior
        self.network: ForwardPass | None = None
        self._playouts = self.searcher.runner
        network = self.searcher.network
        if network is not None:
            to_the_end = network_search(game, network, settings, horizon=TO_THE_END)
            self._playouts = to_the_end.runner
            self.network = ForwardPass(network) if network.has_heads else None
        elif isinstance(self.agent, Advisor):
            self.prior = self.agent

    @property
    def has_preferences(self) -> bool:
        """Whether the prior finds some moves more likely than others."""
        return not isinstance(self.prior, UniformPrior)

    def outcomes(
        self, games: InformationSets, rng: GameGenerators, actions: NDArray[np.int64], each: int
    ) -> Floats:
        """Play k moves of each of n positions to the end, each in `each` possible games.

        All moves of a position meet the same possible games and chance.

        Args:
            games: The n positions, as the seats to move see them.
            rng: Draws the possible games and chance.
            actions: int64[n, k], the moves.
            each: The number of possible games.

        Returns:
            float64[2, n, k, each, S], every seat's share of the victory and final score.
        """
        n, k = actions.shape
        position, candidate, number = np.indices((n, k, each)).reshape(3, -1)
        places = np.repeat(np.arange(n), each)
        playouts = Playouts(
            places, position * each + number, position, candidate, actions[position, candidate]
        )
        records = games.records(places, rng)
        ends = self._playouts.play(playouts, records, rng.words(places))
        both = np.stack([ends.win, ends.score]).astype(np.float64)
        both[1] *= float(self.game.score_scale)
        return both.reshape(2, n, k, each, -1)


class MoveTrials:
    """Trials of the moves of a position, by what the seat to move may know.

    The seed and the number of the decision in its game decide the possible games and all chance.

    Attributes:
        analyst: Plays the possible games.
        players: The number of seats.
        seat: The seat to move.
        games: The position as that seat sees it.
        rng: Draws the possible games and chance.
        prior: float64[A], how likely the analyst finds each action.

    Raises:
        ValueError: the game is over.
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
        """Return the likeliest moves, int64[k]; all legal ones if the analyst has no preference."""
        legal: NDArray[np.int64] = np.flatnonzero(self.games.masks[0])
        if not self.analyst.has_preferences:
            return legal
        order: NDArray[np.int64] = legal[np.argsort(-self.prior[legal], kind="stable")][:most]
        is_likely: NDArray[np.bool_] = self.prior[order] >= _LEAST_LIKELY
        is_likely[:_ALWAYS_TRIED] = True
        return order[is_likely]

    def search(self) -> int:
        """Return the move that the analyst's search prefers."""
        return int(self.analyst.searcher.search(self.games, self.rng)[0])

    def outcomes(self, actions: Sequence[int] | NDArray[np.int64], each: int) -> Floats:
        """Play k moves to the end in `each` more possible games.

        Returns:
            float64[2, k, each, P], every seat's share of the victory and final score.
        """
        outcomes = self.analyst.outcomes(self.games, self.rng, np.array([actions]), each)
        return outcomes[:, 0, :, :, : self.players]

    def worth(self, outcomes: Floats) -> Floats:
        """Return the seat's share of the victory, in a solo game its score, float64[k, each]."""
        return outcomes[0 if self.players > 1 else 1, :, :, self.seat]


def mean_and_margin(values: NDArray[Any]) -> tuple[float, float]:
    """Return the mean of two values or more, and half its 95 % interval."""
    mean, low, _ = mean_interval(values)
    return mean, np.nan if low is None else mean - low
