"""A run as it was between an update and the next rollout, to be saved then or later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shakespeare_agents.network import Tensors
from shakespeare_agents.storage import Arrays
from shakespeare_env.game import Game
from shakespeare_training.expert_iteration.groups import Order
from shakespeare_training.expert_iteration.learner import orders_of
from shakespeare_training.league import Opponent
from shakespeare_training.ppo.self_play import SelfPlayPPO
from shakespeare_training.runs.arrays import arrays_of
from shakespeare_training.runs.history import History


@dataclass(frozen=True)
class Moment:
    """All that decides how a run continues, whatever it has done since.

    Attributes:
        game: What it learns.
        arrays: Of the learner (`arrays_of`).
        tensors: Its weights.
        snapshots: Of the league.
        orders: Of the groups ahead (`orders_of`).
        league: The rest of it (`League.to_json`).
        decisions: Learned from.
        updates: Of the weights, in epochs.
        rng: State of the learner's generator.
        finished: Games.
        seconds: Trained for.
        history: All measurements.
    """

    game: Game
    arrays: Arrays
    tensors: Tensors
    snapshots: tuple[Opponent, ...]
    orders: Sequence[Order]
    league: Mapping[str, Any]
    decisions: int
    updates: int
    rng: Mapping[str, Any]
    finished: int
    seconds: float
    history: History


def moment_of(learner: SelfPlayPPO, seconds: float, history: History) -> Moment:
    """Copy it all: some milliseconds."""
    league = learner.league
    return Moment(
        game=league.batch.game,
        arrays={name: array.copy() for name, array in arrays_of(learner).items()},
        tensors=learner.policy.tensors(),
        snapshots=tuple(league.snapshots),
        orders=orders_of(learner),
        league=league.to_json(),
        decisions=learner.num_timesteps,
        updates=learner._n_updates,
        rng=learner.rng.bit_generator.state,
        finished=league.finished,
        seconds=seconds,
        history=History(history),
    )
