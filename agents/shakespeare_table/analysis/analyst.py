"""Who thinks, and how: an agent's prior, and moves tried in possible games."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.heuristics import unlearned
from shakespeare_agents.naming import default, make
from shakespeare_agents.networks.inference import ForwardPass, NetworkAgent
from shakespeare_agents.networks.network import Network
from shakespeare_agents.search.agent import (
    TEMPERATURE,
    AnyMove,
    Plan,
    SearchAgent,
    network_search,
    usual_horizon,
)
from shakespeare_agents.search.halving import Playouts
from shakespeare_agents.search.playouts import TO_THE_END
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Game
from shakespeare_env.core.position import Position
from shakespeare_env.play.agent import Advisor, AnyAgent, Player, name_of
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets

_SIMULATIONS = 128
"""Playouts of the search for a better move, if the agent does not search by itself."""
_AT_ONCE = 1024
"""The most playouts of a move in one call, to bound memory; it changes no result."""
_LEAST = 1e-3
"""The least probability of moves that are tried."""
_ALWAYS = 3
"""The number of likeliest moves that are tried all the same."""


class Analyst:
    """An agent that can be asked what it thinks.

    Possible games are played on to their end by the agent's network, or by rules of thumb, or at
    random where the game has none. A network's own forecasts are immediate but say less.

    Args:
        game: The game played.
        player: See `shakespeare_agents.make`; None is the game's default agent.

    Attributes:
        name: The name of the agent.
        agent: Chooses moves.
        prior: Says how likely each move is.
        searching: Finds better moves: the agent itself if it searches.
        playing: Plays possible games on to the end.
        network: The agent's network with heads, if it has one.

    Raises:
        ValueError: as of `make`.
    """

    def __init__(self, game: Game, player: Player | None = None) -> None:
        named = default(game) if player is None else player
        self.game = game
        self.name = name_of(named)
        self.agent: AnyAgent = make(named, game)
        self.searching = _searching(game, self.agent)
        self.prior: Advisor = self.searching.prior
        self.playing = self.searching.player
        self.network: ForwardPass | None = None
        prior = self.searching.prior
        if isinstance(prior, NetworkAgent):
            self.playing = _of_network(game, prior.network, TO_THE_END).player
            self.network = ForwardPass(prior.network) if prior.network.has_heads else None
        elif isinstance(self.agent, Advisor):
            self.prior = self.agent

    @property
    def prefers(self) -> bool:
        """Whether its prior prefers some moves to others."""
        return not isinstance(self.prior, AnyMove)

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """float64[n, A]: how likely each move is, as of `Advisor`."""
        return self.prior.probabilities(observations, masks).astype(np.float64)


def _searching(game: Game, agent: AnyAgent) -> SearchAgent:
    """A search by the agent itself, or else by what the game has."""
    if isinstance(agent, SearchAgent):
        return agent
    if isinstance(agent, NetworkAgent):
        return _of_network(game, agent.network, usual_horizon(game))
    made = make("search", game, rollouts=unlearned(game), simulations=_SIMULATIONS)
    assert isinstance(made, SearchAgent)
    return made


def _of_network(game: Game, network: Network, horizon: int) -> SearchAgent:
    plan = Plan(_SIMULATIONS)
    return network_search(game, network, plan, horizon=horizon, temperature=TEMPERATURE, threads=1)


class Outcomes(NamedTuple):
    """How k moves did in n possible games, the same for each move.

    Attributes:
        shares: float64[k, n, P], of the victory.
        scores: float64[k, n, P], final.
    """

    shares: NDArray[np.float64]
    scores: NDArray[np.float64]

    def worth(self, seat: int) -> NDArray[np.float64]:
        """float64[k, n]: a seat's share of the victory, its score if it is alone."""
        alone = self.shares.shape[2] == 1
        worth: NDArray[np.float64] = (self.scores if alone else self.shares)[:, :, seat]
        return worth

    def followed_by(self, more: Outcomes) -> Outcomes:
        """The same moves in more games."""
        shares, scores = (np.concatenate(pair, axis=1) for pair in zip(self, more, strict=True))
        return Outcomes(shares, scores)

    def of(self, moves: NDArray[np.int64]) -> Outcomes:
        """The outcomes of some of the moves."""
        return Outcomes(self.shares[moves], self.scores[moves])


class Trials:
    """A position as the seat to move sees it, and the outcomes of its moves.

    Args:
        analyst: The analyst that tries them.
        position: A position that waits for a seat.
        seed: Decides the possible games and all chance in them.
        number: The number of the decision in its game; each has its own draws.

    Attributes:
        seat: The seat to move.
        prior: float64[A], probabilities of moves.

    Raises:
        ValueError: the game is over.
    """

    def __init__(self, analyst: Analyst, position: Position, seed: int, number: int) -> None:
        if position.to_move is None:
            raise ValueError("the game is over; ask about a position that waits for a seat")
        self.analyst = analyst
        self.players, self.seat = position.players, position.to_move
        batch = Batch(position.game.name, players=position.players, autoreset=False)
        record = position.record()
        batch.load([0], np.array([record], record.dtype))
        self.games = InformationSets(batch, np.zeros(1, np.int64))
        self.rng = GameGenerators.of_games(seed, np.array([number]))
        self.prior = analyst.probabilities(self.games.observations, self.games.masks)[0]
        self._first = self.rng.states.copy()

    def candidates(self, most: int) -> NDArray[np.int64]:
        """int64[k]: the likeliest moves, all legal ones where the analyst has no preference."""
        legal: NDArray[np.int64] = np.flatnonzero(self.games.masks[0])
        if not self.analyst.prefers:
            return legal
        order: NDArray[np.int64] = legal[np.argsort(-self.prior[legal], kind="stable")][:most]
        kept: NDArray[np.bool_] = self.prior[order] >= _LEAST
        kept[:_ALWAYS] = True
        return order[kept]

    def searched(self) -> int:
        """The move that the analyst's search prefers."""
        return int(self.analyst.searching.search(self.games, self.rng)[0])

    def play(self, actions: NDArray[np.int64], each: int) -> Outcomes:
        """Play moves, int64[k], in `each` more possible games."""
        played = self._play(actions, min(each, _AT_ONCE))
        for before in range(_AT_ONCE, each, _AT_ONCE):
            played = played.followed_by(self._play(actions, min(each - before, _AT_ONCE)))
        return played

    def _play(self, actions: NDArray[np.int64], each: int) -> Outcomes:
        places = np.zeros(each, np.int64)
        records = self.games.records(places, self.rng)
        size = len(actions)
        playouts = Playouts(
            places,
            np.tile(np.arange(each), size),
            np.zeros(size * each, np.int64),
            np.repeat(np.arange(size), each),
            np.repeat(actions, each),
        )
        ends = self.analyst.playing.play(playouts, records, self.rng.words(places))
        shape = size, each, -1
        unit = float(self.analyst.game.score_scale)
        return Outcomes(
            ends.win.astype(np.float64).reshape(shape)[:, :, : self.players],
            unit * ends.score.astype(np.float64).reshape(shape)[:, :, : self.players],
        )
