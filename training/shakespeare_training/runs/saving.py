"""A run on disk: everything that decides how it continues, so that resuming changes nothing.

A JSON file, written last, names the files of arrays beside it: the folder always holds one complete
state, of a moment between an update and the next rollout.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from shakespeare_agents import storage
from shakespeare_agents.networks.checkpoint import (
    CARD_NAME,
    actions_digest,
    layout_digest,
    load_network,
    save_checkpoint,
    unfit,
)
from shakespeare_agents.networks.network import Tensors
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.errors import CheckpointError
from shakespeare_training.config import TrainingConfig
from shakespeare_training.expert_iteration.groups import Order
from shakespeare_training.expert_iteration.learner import ExpertIteration, orders_of
from shakespeare_training.league import Opponent
from shakespeare_training.ppo.learner import SelfPlayLearner
from shakespeare_training.runs.arrays import load_arrays, set_arrays, tensors_of
from shakespeare_training.runs.folder import STATE_NAME
from shakespeare_training.runs.history import History
from shakespeare_training.runs.state import FORMAT, RunState, parse_state

_STEM = "run"
_SNAPSHOT = "snapshot"
_ORDER = "order"


@dataclass(frozen=True)
class Moment:
    """All that decides how a run continues, unaffected by what it does later.

    Attributes:
        arrays: The arrays of the learner (`tensors_of`).
        weights: Makes the learner's weights of them.
        snapshots: The snapshots of the league.
        orders: The orders of the groups ahead (`orders_of`).
        numbers: The rest of the learner, as in the JSON.
        seconds: The training time.
        history: All measurements.
    """

    arrays: Mapping[str, torch.Tensor]
    weights: Callable[[Mapping[str, torch.Tensor]], Tensors]
    snapshots: Sequence[Opponent]
    orders: Sequence[Order]
    numbers: Mapping[str, Any]
    seconds: float
    history: History

    @property
    def decisions(self) -> int:
        """The decisions learned from."""
        return int(self.numbers["decisions"])

    @classmethod
    def of(cls, learner: SelfPlayLearner, seconds: float, history: History) -> Moment:
        """A copy of it all, on the learner's device."""
        return cls(
            arrays=tensors_of(learner),
            weights=learner.policy.tensors_of,
            snapshots=learner.league.snapshots,
            orders=orders_of(learner),
            numbers={
                "league": learner.league.to_json(),
                "decisions": learner.num_timesteps,
                "updates": learner._n_updates,
                "rng": learner.rng.bit_generator.state,
            },
            seconds=seconds,
            history=History(history),
        )


def save_run(
    folder: Path,
    config: TrainingConfig,
    moment: Moment,
    *,
    commands: Sequence[str],
    digests: Mapping[str, str],
    precision: str,
) -> None:
    """Replace the checkpoint to play from, then the state to resume from.

    After an OSError the last state is intact.
    """
    game = registry.game(config.game)
    settings, history = config.to_json(), moment.history.to_json()
    save_checkpoint(
        folder,
        moment.weights(_policy(moment.arrays)),
        game,
        players=sorted(set(config.players)),
        command=" && ".join(commands),
        settings=settings,
        figures={
            "decisions": moment.decisions,
            "games": moment.numbers["league"]["finished"],
            "seconds": round(moment.seconds, 1),
            "precision": precision,
            "history": history,
        },
    )
    arrays = {name: tensor.cpu().numpy() for name, tensor in moment.arrays.items()}
    stored = storage.store_tensors(folder, _STEM, arrays)
    snapshots = [_stored(folder, f"{_SNAPSHOT}-{one.name}", one) for one in moment.snapshots]
    ahead = [_stored(folder, _ORDER, order) for order in moment.orders]
    data = {
        "format": FORMAT,
        **_versions(game),
        "arrays": asdict(stored),
        "snapshots": [asdict(snapshot) for snapshot in snapshots],
        "orders": [
            {"weights": asdict(weights), "is_searched": order.is_searched}
            for weights, order in zip(ahead, moment.orders, strict=True)
        ],
        **moment.numbers,
        "facts": {
            "config": settings,
            "bfloat16": precision == "bfloat16",
            "commands": commands,
            "digests": digests,
            "seconds": moment.seconds,
            "history": history,
        },
    }
    text = json.dumps(data, indent=1, allow_nan=False) + "\n"
    storage.write_atomically(folder / STATE_NAME, text.encode())
    storage.forget_others(folder, _STEM, stored)
    storage.forget_others(folder, rf"{_SNAPSHOT}-\d+", *snapshots)
    storage.forget_others(folder, _ORDER, *ahead)


def read_state(folder: Path) -> RunState:
    """The JSON of a run.

    CheckpointError if it is missing, damaged, or of another game, box or version; a note says how
    to start from the checkpoint, if any.
    """
    path = folder / STATE_NAME
    try:
        state = parse_state(storage.read_json(path, (FORMAT,), "run"), str(path))
    except CheckpointError as fault:
        if (folder / CARD_NAME).is_file():
            fault.add_note(
                "It cannot be resumed, but a new run can start from its checkpoint: "
                f"shakespeare train --start {folder}"
            )
        raise
    versions = _versions(game := registry.game(state.facts.config.game))
    fault_found = unfit(game, state.model_dump(include={*versions}))
    if fault_found is None and state.state != versions["state"]:
        fault_found = "made for other records of the game; use the version it was started with"
    if fault_found is not None:
        raise CheckpointError(f"{path}: {fault_found}")
    return state


def restore_state(folder: Path, state: RunState, learner: SelfPlayLearner) -> None:
    """Put a new learner, made with the run's settings, into the state from `read_state`.

    CheckpointError if files are missing or damaged, or do not fit this run.
    """
    shapes = {name: tensor.shape for name, tensor in learner.policy.tensors().items()}
    snapshots = [load_network(folder, stored, shapes) for stored in state.snapshots]
    if isinstance(learner, ExpertIteration):
        learner.orders = [
            Order(load_network(folder, order.weights, shapes), order.is_searched, order.weights)
            for order in state.orders
        ]
    arrays = load_arrays(folder, state.arrays, learner)
    set_arrays(folder / state.arrays.file, arrays, learner, len(state.league.opponents))
    learner.league.restore(
        state.league.model_dump(), snapshots, arrays["seats"], arrays["generators"]
    )
    for snapshot, stored in zip(learner.league.snapshots, state.snapshots, strict=True):
        snapshot.stored = stored
    learner.num_timesteps = state.decisions
    learner._n_updates = state.updates
    learner.rng.bit_generator.state = state.rng


def _policy(arrays: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    start = "policy/"
    return {k.removeprefix(start): it for k, it in arrays.items() if k.startswith(start)}


def _versions(game: Game) -> dict[str, str]:
    return {
        "game": game.name,
        "box_digest": registry.box_digest(game.name),
        "actions_digest": actions_digest(game),
        "layout_digest": layout_digest(game),
        "state": str(game.state.descr),
    }


def _stored(folder: Path, stem: str, weights: Opponent | Order) -> storage.StoredTensors:
    """The file of a snapshot's or an order's weights, written once: they never change."""
    if weights.stored is None or not (folder / weights.stored.file).is_file():
        assert weights.tensors is not None
        weights.stored = storage.store_tensors(folder, stem, weights.tensors)
    return weights.stored
