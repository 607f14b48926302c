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
    """All that decides how a run continues, unaffected by what it does later.

    Attributes:
        game: The game that it learns.
        arrays: The arrays of the learner (`arrays_of`).
        tensors: The learner's weights.
        snapshots: The snapshots of the league.
        orders: The orders of the groups ahead (`orders_of`).
        league: The rest of the league (`League.to_json`).
        decisions: The decisions learned from.
        updates: The updates of the weights, in epochs.
        rng: The state of the learner's generator.
        finished: The number of games finished.
        seconds: The training time.
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
    """A copy of it all, which takes some milliseconds."""
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
