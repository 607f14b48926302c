"""Who thinks: an agent's prior, and a player of possible games."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.forward_pass import ForwardPass
from shakespeare_agents.networks.network import Network
from shakespeare_agents.networks.network_agent import NetworkAgent
from shakespeare_agents.registry import default, make, unlearned, usual_horizon
from shakespeare_agents.search.agent import TEMPERATURE, AnyMove, Plan, SearchAgent, network_search
from shakespeare_agents.search.playouts import TO_THE_END
from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import Advisor, AnyAgent, Player, name_of

_SIMULATIONS = 128
"""Playouts of the search for a better move, if the agent does not search by itself."""


class Analyst:
    """An agent that can be asked what it thinks.

    Possible games are played on to their end by the agent's network, or by rules of thumb, or at
    random where the game has none. A network's own forecasts are immediate but say less.

    Args:
        game: The game played.
        player: See `shakespeare_agents.make`; None is the game's default agent.
        threads: The threads that share playouts; they change no result.

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

    def __init__(self, game: Game, player: Player | None = None, *, threads: int = 1) -> None:
        named = default(game) if player is None else player
        self.game = game
        self.name = name_of(named)
        self.agent: AnyAgent = make(named, game)
        self.searching = _searching(game, self.agent, threads)
        self.prior: Advisor = self.searching.prior
        self.playing = self.searching.player
        self.network: ForwardPass | None = None
        prior = self.searching.prior
        if isinstance(prior, NetworkAgent):
            self.playing = _of_network(game, prior.network, TO_THE_END, threads).player
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


def _searching(game: Game, agent: AnyAgent, threads: int) -> SearchAgent:
    """A search by the agent itself, or else by what the game has."""
    if isinstance(agent, SearchAgent):
        return agent
    if isinstance(agent, NetworkAgent):
        return _of_network(game, agent.network, usual_horizon(game), threads)
    options = {"rollouts": unlearned(game), "simulations": _SIMULATIONS, "threads": threads}
    made = make("search", game, **options)
    assert isinstance(made, SearchAgent)
    return made


def _of_network(game: Game, network: Network, horizon: int, threads: int) -> SearchAgent:
    plan = Plan(_SIMULATIONS)
    return network_search(
        game, network, plan, horizon=horizon, temperature=TEMPERATURE, threads=threads
    )
