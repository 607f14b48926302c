"""A run on disk: everything that decides how it continues, so that a resumed run is the same run.

A JSON file, written last, names the files of arrays beside it: the folder always holds one complete
state, of a moment between an update and the next rollout.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from shakespeare_agents import storage
from shakespeare_agents.checkpoint import CARD_NAME, actions_digest, layout_digest
from shakespeare_env.errors import CheckpointError
from shakespeare_env.game import Game
from shakespeare_env.registry import box_digest
from shakespeare_training.league import Opponent
from shakespeare_training.ppo.self_play import SelfPlayPPO

FORMAT = 2
STATE_NAME = "run.json"
FACTS = {"config", "bfloat16", "commands", "digests", "seconds", "history"}
"""Saved besides the learner (`Run.save`)."""
_STEM = "run"
_SNAPSHOT = "snapshot"

Arrays = dict[str, NDArray[Any]]


def save_state(folder: Path, learner: SelfPlayPPO, facts: Mapping[str, Any]) -> None:
    """Replace the state of a run; the folder is created if missing.

    Raises:
        OSError: a file cannot be written; the last state is intact.
    """
    league = learner.league
    stored = storage.store_tensors(folder, _STEM, _arrays(learner))
    snapshots = [_stored_snapshot(folder, snapshot) for snapshot in league.snapshots]
    data = {
        "format": FORMAT,
        **_versions(league.batch.game),
        "arrays": asdict(stored),
        "league": league.to_json(),
        "snapshots": [asdict(snapshot) for snapshot in snapshots],
        "decisions": learner.num_timesteps,
        "updates": learner._n_updates,
        "rng": learner.rng.bit_generator.state,
        "facts": dict(facts),
    }
    text = json.dumps(data, indent=1, allow_nan=False) + "\n"
    storage.write_atomically(folder / STATE_NAME, text.encode())
    storage.forget_others(folder, _STEM, stored)
    storage.forget_others(folder, rf"{_SNAPSHOT}-\d+", *snapshots)


def read_state(folder: Path) -> dict[str, Any]:
    """The JSON of a run.

    Raises:
        CheckpointError: it is missing, damaged or of another version; a note says how to start from
            the checkpoint, if any.
    """
    path = folder / STATE_NAME
    try:
        data = storage.read_json(path, FORMAT, "run")
        facts = data.get("facts")
        missing = sorted(FACTS - facts.keys()) if isinstance(facts, dict) else ["facts"]
        if missing:
            lacks = ", ".join(missing)
            raise CheckpointError(f"{path}: lacks {lacks}; copy all files of the run again")
    except CheckpointError as fault:
        if (folder / CARD_NAME).is_file():
            fault.add_note(
                "It cannot be resumed, but a new run can start from its checkpoint: "
                f"shakespeare train --start {folder}"
            )
        raise
    return data


def restore_state(folder: Path, data: Mapping[str, Any], learner: SelfPlayPPO) -> None:
    """Put a new learner, made with the run's settings, into the state from `read_state`.

    Raises:
        CheckpointError: files are missing or damaged, or the state belongs to another game, box,
            version or settings.
    """
    path = folder / STATE_NAME
    for name, value in _versions(learner.league.batch.game).items():
        if data.get(name) != value:
            raise CheckpointError(
                f"{path}: made for {name} {data.get(name)!r}, but this is {value!r}; "
                "use the game, box and version it was started with"
            )
    try:
        arrays = storage.load_tensors(folder, storage.StoredTensors(**data["arrays"]))
        stored = [storage.StoredTensors(**snapshot) for snapshot in data["snapshots"]]
        snapshots = [storage.load_tensors(folder, snapshot) for snapshot in stored]
        _set_arrays(learner, arrays)
        learner.league.restore(data["league"], snapshots, arrays["seats"], arrays["generators"])
        for snapshot, file in zip(learner.league.snapshots, stored, strict=True):
            snapshot.stored = file
        learner.num_timesteps = int(data["decisions"])
        learner._n_updates = int(data["updates"])
        learner.rng.bit_generator.state = data["rng"]
    except CheckpointError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, RuntimeError) as error:
        raise CheckpointError(
            f"{path}: does not describe this run ({type(error).__name__}: {error}); "
            "copy all files of the run again"
        ) from error


def _versions(game: Game) -> dict[str, str]:
    return {
        "game": game.name,
        "box_digest": box_digest(game.name),
        "actions_digest": actions_digest(game),
        "layout_digest": layout_digest(game),
        "state": str(game.state.descr),
    }


def _stored_snapshot(folder: Path, snapshot: Opponent) -> storage.StoredTensors:
    """The file of a snapshot, written once: it never changes."""
    if snapshot.stored is None or not (folder / snapshot.stored.file).is_file():
        assert snapshot.tensors is not None
        snapshot.stored = storage.store_tensors(
            folder, f"{_SNAPSHOT}-{snapshot.name}", snapshot.tensors
        )
    return snapshot.stored


def _arrays(learner: SelfPlayPPO) -> Arrays:
    lineup = learner.league.lineup
    arrays: Arrays = {"seats": lineup.seats, "generators": lineup.generators.states}
    for name, tensor in learner.policy.state_dict().items():
        arrays[f"policy/{name}"] = tensor.cpu().numpy()
    for number, state in learner.policy.optimizer.state_dict()["state"].items():
        for name, tensor in state.items():
            arrays[f"optimizer/{number}/{name}"] = tensor.cpu().numpy()
    for name, array in learner.rollout_buffer.open_decisions.items():
        arrays[f"open/{name}"] = array
    records = learner.league.batch.save(slice(None))
    arrays["games"] = records.view(np.uint8).reshape(len(records), -1)
    return arrays


def _set_arrays(learner: SelfPlayPPO, arrays: Arrays) -> None:
    policy = _part(arrays, "policy")
    learner.policy.load_state_dict({name: torch.tensor(array) for name, array in policy.items()})
    states: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in _part(arrays, "optimizer").items():
        number, _, kind = name.partition("/")
        states.setdefault(int(number), {})[kind] = torch.tensor(array)
    optimizer = learner.policy.optimizer
    optimizer.load_state_dict({**optimizer.state_dict(), "state": states})
    learner.rollout_buffer.open_decisions = _part(arrays, "open")
    batch = learner.league.batch
    records = np.ascontiguousarray(arrays["games"]).view(batch.game.state).reshape(-1)
    batch.load(slice(None), records)
    learner.continue_from(batch.obs)


def _part(arrays: Arrays, kind: str) -> Arrays:
    start = f"{kind}/"
    return {name.removeprefix(start): a for name, a in arrays.items() if name.startswith(start)}
