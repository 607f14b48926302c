"""The agents that a run's settings name: tried out first, and unchanged on resuming."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import numpy as np

from shakespeare_agents.identity import digest_of
from shakespeare_agents.naming import running_python
from shakespeare_env.agent import AnyAgent, decide
from shakespeare_env.batch import Batch
from shakespeare_env.errors import CheckpointError
from shakespeare_env.generators import GameGenerators
from shakespeare_env.values import shown
from shakespeare_training.config import TrainingConfig


def try_out(agents: Iterable[AnyAgent], config: TrainingConfig) -> None:
    """Ask each for a move, so that it compiles or fails before learning begins."""
    batch = Batch(config.game, n=1, players=max(config.players), seed=config.seed)
    rows = np.zeros(1, np.int64)
    for agent in agents:
        decide(agent, batch, rows, GameGenerators.of_games(config.seed, rows))


def refuse_python(folder: Path, config: TrainingConfig, trusted: Collection[str]) -> None:
    """Refuse settings naming Python that is not `trusted`, with a CheckpointError."""
    found = running_python({*config.opponents, *config.evaluation_opponents} - {*trusted})
    if found:
        raise CheckpointError(
            f"{folder}: its settings name Python, which would be run: "
            f"{', '.join(map(shown, sorted(found)))}; if you trust it, give each with --trust"
        )


def digests(agents: Mapping[str, AnyAgent]) -> dict[str, str]:
    """The `digest_of` each agent, by name."""
    return {name: digest_of(name, agent) for name, agent in agents.items()}


def check_digests(folder: Path, agents: Mapping[str, AnyAgent], saved: Mapping[str, str]) -> None:
    """Refuse other opponents than a run was saved with, with a CheckpointError."""
    for name, digest in digests(agents).items():
        if saved.get(name) != digest:
            raise CheckpointError(
                f"{folder}: the weights or the source of the opponent {name!r} have changed since "
                "the run was started, so resuming would mix two opponents; put the old ones back"
            )
