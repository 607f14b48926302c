"""What a learner is measured against while it trains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import shakespeare_agents
from shakespeare_agents import AnyAgent
from shakespeare_agents.arena.evaluate import Seated, evaluate
from shakespeare_agents.network import Network, NetworkAgent, Tensors
from shakespeare_env import registry
from shakespeare_env.batch import Batch
from shakespeare_training.config import TrainingConfig
from shakespeare_training.runs.history import ITSELF, SOLO, Measurement

_LEARNER = "\0learner"
"""No agent and no folder can have this name."""
_APART = 10**9
"""Parts the seeds of measured games from those of the training's."""


def yardsticks_of(config: TrainingConfig) -> dict[str, AnyAgent]:
    """The agents that a learner is measured against, by name.

    Raises:
        ValueError: one of them cannot play.
    """
    game = registry.game(config.game)
    return {name: shakespeare_agents.make(name, game) for name in config.yardsticks}


def measure(
    tensors: Tensors,
    yardsticks: Mapping[str, AnyAgent],
    config: TrainingConfig,
    games: int,
    decisions: int,
    seconds: float,
    *,
    on_table: Callable[[str], None],
) -> Iterator[Measurement]:
    """Play against each yardstick and against copies, at every seat count of the training.

    The deals are the same in every measurement, so that differences come from the learner.

    Args:
        tensors: The learner's weights; it plays the likeliest action.
        yardsticks: Whom it is measured against.
        config: Settings of the run.
        games: At each table, rounded up to whole rotations.
        decisions: Learnt from so far.
        seconds: Length of the run so far.
        on_table: Told what is being played.

    Yields:
        One measurement for each table.
    """
    game = registry.game(config.game)
    learner = Seated(_LEARNER, NetworkAgent(Network(tensors, game.layout)))
    for players in sorted(set(config.players)):
        others = [*yardsticks, ITSELF] if players > 1 else [SOLO]
        for name in others:
            on_table(f"measuring at {players} seats" + (f" against {name}" if name else ""))
            copies = name in (ITSELF, SOLO)
            opponent = learner if copies else Seated(name, yardsticks[name])
            found = evaluate(
                [learner, *[opponent] * (players - 1)],
                partial(Batch, config.game),
                games=-(-games // players) * players,
                seed=config.seed + _APART,
            )
            own = found.agents[0]
            winning = found.mean_winning_score  # nobody wins who plays alone
            yield Measurement(
                decisions=decisions,
                seconds=round(seconds, 1),
                players=players,
                opponent=name,
                games=found.games,
                win_rate=None if copies else own.win_rate,
                low=None if copies else own.low,
                high=None if copies else own.high,
                mean_score=own.mean_score,
                mean_winning_score=own.mean_score if winning is None else winning,
            )
