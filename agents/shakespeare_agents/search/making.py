"""Searching agents from options."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.forward_pass import weights_of
from shakespeare_agents.networks.inference import Weights
from shakespeare_agents.networks.network import Network
from shakespeare_agents.networks.network_agent import NetworkAgent
from shakespeare_agents.search.agent import MOST_CONSIDERED, Plan, SearchAgent
from shakespeare_agents.search.player import TO_THE_END, Player
from shakespeare_agents.search.policies import Choose, by_network
from shakespeare_env.checks.values import shown
from shakespeare_env.core.game import Game

HORIZON = TO_THE_END
"""Decisions a seat after which the network values a playout."""
TEMPERATURE = 0.0
"""The temperature of the policy in playouts; likeliest moves leave less to chance."""


def horizon_named(text: str) -> int:
    """A horizon in decisions, from its text; ValueError if it is neither a number nor `end`."""
    if text == "end":
        return TO_THE_END
    try:
        return int(text)
    except ValueError:
        raise ValueError(
            f"horizon={shown(text)} must be end, or a whole number of decisions of each seat"
        ) from None


class AnyMove:
    """A prior without preference."""

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """See `Advisor.probabilities`."""
        likely: NDArray[np.float32] = masks / masks.sum(axis=1, keepdims=True, dtype=np.float32)
        return likely


def network_search(
    game: Game, network: Network, plan: Plan, *, horizon: int, temperature: float, threads: int
) -> SearchAgent:
    """Search with a network's prior, policy and forecasts.

    A network without heads forecasts nothing of the other seats, so playouts go on to the end.
    """
    player = Player(
        game,
        by_network,
        weights_of(network),
        horizon=horizon if network.has_heads else TO_THE_END,
        temperature=temperature,
        threads=threads,
    )
    return SearchAgent(NetworkAgent(network), player, plan)


def plain_search(game: Game, choose: Choose, plan: Plan, *, threads: int) -> SearchAgent:
    """Search without a network: every move, and a policy to the end of the game."""
    player = Player(
        game, choose, no_weights(game), horizon=TO_THE_END, temperature=1.0, threads=threads
    )
    return SearchAgent(AnyMove(), player, replace(plan, considered=MOST_CONSIDERED))


def no_weights(game: Game) -> Weights:
    """The least weights, for policies that ask no network."""
    numbers, actions = game.layout.size, game.actions.size
    return Weights(
        first=np.zeros((numbers, 1), np.int16),
        unit=np.ones(1, np.float32),
        first_bias=np.zeros(1, np.float32),
        gain=np.zeros(1, np.float32),
        shift=np.zeros(1, np.float32),
        policy=np.zeros((1, 1), np.float32),
        policy_bias=np.zeros(1, np.float32),
        action=np.zeros((actions, 1), np.float32),
        action_bias=np.zeros(actions, np.float32),
        outlook=np.zeros((1, 1), np.float32),
        outlook_bias=np.zeros(1, np.float32),
        heads=np.zeros((1, 1), np.float32),
        heads_bias=np.zeros(1, np.float32),
    )
