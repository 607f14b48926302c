"""Agents that decide and estimate in one forward pass of a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.forward_pass import RememberingPass
from shakespeare_agents.networks.network_agent import NetworkAgent
from shakespeare_env.core.batch import Batch
from shakespeare_env.errors import AgentNote
from shakespeare_env.play.agent import AnyAgent, Estimator
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import Lineup


class _EstimatingNetworkAgent(NetworkAgent):
    """Plays as another network agent does and estimates while it decides.

    Attributes:
        forward: The forward pass; its `places` must be set before each call.
    """

    def __init__(self, agent: NetworkAgent) -> None:
        super().__init__(agent.network, greedy=agent.greedy)
        self._forward = self.forward = RememberingPass(agent.network)


def estimating(agents: Sequence[AnyAgent]) -> list[AnyAgent]:
    """Agents that play as these do and estimate the same, for an `EstimatingLineup`."""
    # A subclass of the network's agent may decide otherwise.
    made = {
        id(agent): _EstimatingNetworkAgent(agent) if type(agent) is NetworkAgent else agent
        for agent in agents
    }
    return [made[id(agent)] for agent in agents]


class EstimatingLineup(Lineup):
    """A line-up that keeps the values that its agents expect when they decide.

    Attributes:
        expected: float32[n], at the latest decision in each game; NaN where the agent that made it
            estimates none.
        estimates: Whether any agent does.
    """

    def __init__(
        self,
        agents: Sequence[AnyAgent],
        seats: NDArray[Any],
        generators: GameGenerators,
        names: Sequence[str] = (),
    ) -> None:
        super().__init__(agents, seats, generators, names)
        self.expected = np.full(len(seats), np.nan, np.float32)
        # It is checked once, as isinstance of a protocol is slow.
        self._estimators = [isinstance(agent, Estimator) for agent in agents]
        self.estimates = any(self._estimators)
        for agent in agents:
            if isinstance(agent, _EstimatingNetworkAgent):
                agent.forward.remember(seats.size)

    def _ask(self, index: int, batch: Batch, rows: NDArray[Any]) -> NDArray[np.int64]:
        agent = self.agents[index]
        if isinstance(agent, _EstimatingNetworkAgent):
            agent.forward.places = rows * self.seats.shape[1] + batch.to_move[rows]
        actions = super()._ask(index, batch, rows)
        if self.estimates:
            self.expected[rows] = self._estimate(index, batch, rows)
        return actions

    def _estimate(self, index: int, batch: Batch, rows: NDArray[Any]) -> NDArray[Any] | float:
        agent: Any = self.agents[index]
        if isinstance(agent, _EstimatingNetworkAgent):
            return agent.forward.latest
        if not self._estimators[index]:
            return np.nan
        try:
            found = np.asarray(agent.values(batch.obs[rows]), np.float32)
            if found.shape != rows.shape:
                raise ValueError(f"values of shape {found.shape}, not {rows.shape}")
        except Exception as fault:
            games = "1 game" if len(rows) == 1 else f"{len(rows)} games"
            note = f"The agent {self.name(index)} failed to estimate {games}."
            fault.add_note(AgentNote(note))
            raise
        return found
