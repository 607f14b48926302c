"""Who thinks: an agent's prior, and a player of possible games."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.network import Network
from shakespeare_agents.network_agent import NetworkAgent
from shakespeare_agents.registry import default, has_heuristics, make
from shakespeare_agents.search.agent import Plan, Prior, SearchAgent
from shakespeare_agents.search.making import HORIZON, TEMPERATURE, AnyMove, network_search
from shakespeare_env.agent import Advisor, AnyAgent, Player, name_of
from shakespeare_env.game import Game


class Analyst:
    """An agent that can be asked what it thinks.

    A network plays possible games on and values them with its heads. An agent without one is asked
    for its moves; what comes of them, playouts by rules of thumb tell, where the game has no such
    rules random ones.

    Args:
        game: What is played.
        player: See `shakespeare_agents.make`; None is the game's default agent.
        threads: That share playouts; they change no result.

    Attributes:
        name: Of the agent.
        agent: Chooses moves.
        prior: Says how likely each move is.
        playing: Plays possible games on.
        network: With heads, if there is one.

    Raises:
        ValueError: as of `make`.
    """

    def __init__(self, game: Game, player: Player | None = None, *, threads: int = 1) -> None:
        named = default(game) if player is None else player
        self.game = game
        self.name = name_of(named)
        self.agent: AnyAgent = make(named, game)
        searching = _searching(game, self.agent, threads)
        self.prior: Prior = searching.prior
        self.playing = searching.player
        self.network: Network | None = None
        prior = searching.prior
        if isinstance(prior, NetworkAgent) and prior.network.has_heads:
            self.network = prior.network
        elif isinstance(self.agent, Advisor):
            self.prior = self.agent

    @property
    def prefers(self) -> bool:
        """Whether its prior tells moves apart."""
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
        return network_search(
            game, agent.network, Plan(), horizon=HORIZON, temperature=TEMPERATURE, threads=threads
        )
    rollouts = "heuristic" if has_heuristics(game) else "random"
    made = make("search", game, rollouts=rollouts, threads=threads)
    assert isinstance(made, SearchAgent)
    return made
