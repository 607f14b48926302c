"""A run on disk: everything that decides how it continues, so that resuming changes nothing.

A JSON file, written last, names the files of arrays beside it: the folder always holds one complete
state, of a moment between an update and the next rollout.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shakespeare_agents import storage
from shakespeare_agents.checkpoint import (
    CARD_NAME,
    actions_digest,
    layout_digest,
    load_network,
    unfit,
)
from shakespeare_env import registry
from shakespeare_env.errors import CheckpointError
from shakespeare_env.game import Game
from shakespeare_training.expert_iteration.groups import Order
from shakespeare_training.expert_iteration.learner import ExpertIteration
from shakespeare_training.league import Opponent
from shakespeare_training.ppo.self_play import SelfPlayPPO
from shakespeare_training.runs.arrays import load_arrays, set_arrays
from shakespeare_training.runs.folder import STATE_NAME
from shakespeare_training.runs.moment import Moment
from shakespeare_training.runs.state import FORMAT, RunState, parse_state

_STEM = "run"
_SNAPSHOT = "snapshot"
_ORDER = "order"


def save_state(folder: Path, moment: Moment, facts: Mapping[str, Any]) -> None:
    """Replace the state of a run; the folder is created if missing.

    Raises:
        OSError: a file cannot be written; the last state is intact.
    """
    stored = storage.store_tensors(folder, _STEM, moment.arrays)
    snapshots = [
        _stored(folder, f"{_SNAPSHOT}-{snapshot.name}", snapshot) for snapshot in moment.snapshots
    ]
    ahead = [_stored(folder, _ORDER, order) for order in moment.orders]
    data = {
        "format": FORMAT,
        **_versions(moment.game),
        "arrays": asdict(stored),
        "league": moment.league,
        "snapshots": [asdict(snapshot) for snapshot in snapshots],
        "orders": [
            {"weights": asdict(weights), "is_searched": order.is_searched}
            for weights, order in zip(ahead, moment.orders, strict=True)
        ],
        "decisions": moment.decisions,
        "updates": moment.updates,
        "rng": moment.rng,
        "facts": dict(facts),
    }
    text = json.dumps(data, indent=1, allow_nan=False) + "\n"
    storage.write_atomically(folder / STATE_NAME, text.encode())
    storage.forget_others(folder, _STEM, stored)
    storage.forget_others(folder, rf"{_SNAPSHOT}-\d+", *snapshots)
    storage.forget_others(folder, _ORDER, *ahead)


def read_state(folder: Path) -> RunState:
    """The JSON of a run.

    Raises:
        CheckpointError: it is missing, damaged or of another version; a note says how to start from
            the checkpoint, if any.
    """
    path = folder / STATE_NAME
    try:
        return parse_state(storage.read_json(path, (FORMAT,), "run"), str(path))
    except CheckpointError as fault:
        if (folder / CARD_NAME).is_file():
            fault.add_note(
                "It cannot be resumed, but a new run can start from its checkpoint: "
                f"shakespeare train --start {folder}"
            )
        raise


def check_versions(folder: Path, state: RunState) -> None:
    """Refuse a state of another game, box or version, with a CheckpointError."""
    game = registry.game(state.facts.config.game)
    fault = unfit(game, state.model_dump(include={*_versions(game)}))
    if fault is None and state.state != _versions(game)["state"]:
        fault = "made for other records of the game; use the version it was started with"
    if fault is not None:
        raise CheckpointError(f"{folder / STATE_NAME}: {fault}")


def restore_state(folder: Path, state: RunState, learner: SelfPlayPPO) -> None:
    """Put a new learner, made with the run's settings, into the state from `read_state`.

    Raises:
        CheckpointError: files are missing or damaged, or do not fit this run.
    """
    shapes = {name: tensor.shape for name, tensor in learner.policy.tensors().items()}
    snapshots = [load_network(folder, stored, shapes) for stored in state.snapshots]
    orders = [
        Order(load_network(folder, order.weights, shapes), order.is_searched, order.weights)
        for order in state.orders
    ]
    arrays = load_arrays(folder, state.arrays, learner)
    opponents = len(state.league.opponents)
    set_arrays(folder / state.arrays.file, arrays, learner, opponents)
    learner.league.restore(
        state.league.model_dump(), snapshots, arrays["seats"], arrays["generators"]
    )
    for snapshot, stored in zip(learner.league.snapshots, state.snapshots, strict=True):
        snapshot.stored = stored
    if isinstance(learner, ExpertIteration):
        learner.orders = orders
    learner.num_timesteps = state.decisions
    learner._n_updates = state.updates
    learner.rng.bit_generator.state = state.rng.model_dump()


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
