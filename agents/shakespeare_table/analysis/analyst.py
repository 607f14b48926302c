"""Who thinks, and how: an agent's prior, and moves tried in possible games."""

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
_LEAST = 1e-3  # the least probability of moves that are tried
_ALWAYS = 3  # the number of likeliest moves that are tried all the same
Floats = NDArray[np.float64]


class Analyst:
    """An agent that can be asked what it thinks; None is the game's default one (see `make`).

    Possible games are played on to their end by the agent's network, by a heuristic, or at
    random where the game has none. A network's own forecasts are immediate but say less.
    """

    def __init__(self, game: Game, player: AgentLike | None = None) -> None:
        named = default(game) if player is None else player
        self.game, self.name = game, name_of(named)
        self.agent: AnyAgent = make(named, game)
        settings = SearchSettings(_SIMULATIONS)
        self.searching = improving_search(self.agent, game, settings)  # finds better moves
        self._playing = self.searching.runner
        self.prior: Advisor = self.searching.prior  # says how likely each move is
        self.network: ForwardPass | None = None  # the agent's, if it has one with heads
        network = self.searching.network
        if network is not None:
            self._playing = network_search(game, network, settings, horizon=TO_THE_END).runner
            self.network = ForwardPass(network) if network.has_heads else None
        elif isinstance(self.agent, Advisor):
            self.prior = self.agent

    @property
    def prefers(self) -> bool:
        """Whether its prior prefers some moves to others."""
        return not isinstance(self.prior, UniformPrior)

    def play_on(
        self, games: InformationSets, rng: GameGenerators, actions: NDArray[np.int64], each: int
    ) -> Floats:
        """What n positions come to after k moves each, int64[n, k], in `each` possible games.

        Returns:
            float64[2, n, k, each, S], every seat's share of the victory and final score; all moves
            of a position meet the same possible games and chance.
        """
        n, k = actions.shape
        position, candidate, number = np.indices((n, k, each)).reshape(3, -1)
        places = np.repeat(np.arange(n), each)
        playouts = Playouts(
            places, position * each + number, position, candidate, actions[position, candidate]
        )
        records = games.records(places, rng)
        ends = self._playing.play(playouts, records, rng.words(places))
        both = np.stack([ends.win, ends.score]).astype(np.float64)
        both[1] *= float(self.game.score_scale)
        return both.reshape(2, n, k, each, -1)


class Trials:
    """A position as the seat to move sees it, and the outcomes of its moves.

    The seed and the number of the decision in its game decide the possible games and all chance.

    Raises:
        ValueError: the game is over.
    """

    def __init__(self, analyst: Analyst, position: Position, seed: int, number: int) -> None:
        if position.to_move is None:
            raise ValueError("the game is over; ask about a position that waits for a seat")
        self.analyst, self.players, self.seat = analyst, position.players, position.to_move
        self.games = InformationSets(
            batch_of(position.game, [position.record()]), np.zeros(1, np.int64)
        )
        self.rng = GameGenerators.of_games(seed, np.array([number]))
        seen = self.games.observations, self.games.masks
        self.prior = analyst.prior.probabilities(*seen)[0].astype(np.float64)

    def candidates(self, most: int) -> NDArray[np.int64]:
        """int64[k]: the likeliest moves, all legal ones where the analyst has no preference."""
        legal: NDArray[np.int64] = np.flatnonzero(self.games.masks[0])
        if not self.analyst.prefers:
            return legal
        order: NDArray[np.int64] = legal[np.argsort(-self.prior[legal], kind="stable")][:most]
        likely: NDArray[np.bool_] = self.prior[order] >= _LEAST
        likely[:_ALWAYS] = True
        return order[likely]

    def searched(self) -> int:
        """The move that the analyst's search prefers."""
        return int(self.analyst.searching.search(self.games, self.rng)[0])

    def play(self, actions: Sequence[int] | NDArray[np.int64], each: int) -> Floats:
        """float64[2, k, each, P]: outcomes of k moves in `each` more possible games."""
        ends = self.analyst.play_on(self.games, self.rng, np.array([actions]), each)
        return ends[:, 0, :, :, : self.players]

    def worth(self, ends: Floats) -> Floats:
        """float64[k, each]: the seat's share of the victory, its score if it is alone."""
        return ends[0 if self.players > 1 else 1, :, :, self.seat]


def with_margin(values: NDArray[Any]) -> tuple[float, float]:
    """The mean of two values or more, and half its 95 % interval."""
    mean, low, _ = mean_interval(values)
    return mean, np.nan if low is None else mean - low
