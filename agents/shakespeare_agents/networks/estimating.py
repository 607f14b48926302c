"""A line-up that keeps what its agents expect when they decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch
from shakespeare_env.errors import AgentNote
from shakespeare_env.play.agent import AnyAgent, Estimator
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import Lineup


class EstimatingLineup(Lineup):
    """A line-up that keeps the values that its agents expect when they decide.

    These are `expected`, float32[n], at the latest decision in each game, or NaN; `estimates` says
    whether any agent has some.
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

    def _ask(self, index: int, batch: Batch, rows: NDArray[Any]) -> NDArray[np.int64]:
        actions = super()._ask(index, batch, rows)
        agent: Any = self.agents[index]
        self.expected[rows] = np.nan
        if not self._estimators[index]:
            return actions
        try:
            values = np.asarray(agent.values(batch.obs[rows]), np.float32)
            if values.shape != rows.shape:
                raise ValueError(f"values of shape {values.shape}, not {rows.shape}")
        except Exception as fault:
            games = "1 game" if len(rows) == 1 else f"{len(rows)} games"
            note = f"The agent {self.name(index)} failed to estimate {games}."
            fault.add_note(AgentNote(note))
            raise
        self.expected[rows] = values
        return actions
