"""A run on disk: all that decides how it goes on, so that a resumed run is the same run.

A JSON file names the files of arrays beside it and is written last, so that the folder always holds
one whole state.  It is taken between an update and the next rollout.
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

from shakespeare_agents.checkpoint import actions_digest, layout_digest
from shakespeare_agents.storage import (
    StoredTensors,
    forget_others,
    load_tensors,
    read_json,
    store_tensors,
    write_atomically,
)
from shakespeare_env.errors import CheckpointError
from shakespeare_env.game import Game
from shakespeare_env.registry import box_digest, current_digest
from shakespeare_training.league import Member
from shakespeare_training.ppo.self_play import SelfPlayPPO

FORMAT = 1
STATE_NAME = "run.json"
FACTS = {"config", "half_precision", "commands", "yardsticks", "seconds", "history"}
"""What a run keeps besides its learner (`Run.save`)."""
_STEM = "run"
_VERSION = "version"

Arrays = dict[str, NDArray[Any]]


def save_state(folder: Path, learner: SelfPlayPPO, facts: Mapping[str, Any]) -> None:
    """Write the state of a run in place of the one before.

    Args:
        folder: Made if it does not exist.
        learner: Between an update and the next rollout.
        facts: What else is to be kept, such as settings and measurements; must be JSON.

    Raises:
        OSError: a file cannot be written; the state before is as it was.
    """
    league = learner.league
    stored = store_tensors(folder, _STEM, _arrays(learner))
    versions = {
        number: _stored_version(folder, number, member)
        for number, member in league.members.items()
        if member.tensors is not None
    }
    data = {
        "format": FORMAT,
        **_versions_of(league.game),
        "arrays": asdict(stored),
        "league": league.to_json(),
        "versions": {str(number): asdict(kept) for number, kept in versions.items()},
        "decisions": learner.num_timesteps,
        "updates": learner._n_updates,
        "rng": learner.rng.bit_generator.state,
        "facts": dict(facts),
    }
    text = json.dumps(data, indent=1, allow_nan=False) + "\n"
    write_atomically(folder / STATE_NAME, text.encode())
    forget_others(folder, _STEM, stored)
    forget_others(folder, rf"{_VERSION}-\d+", *versions.values())


def read_state(folder: Path) -> dict[str, Any]:
    """The JSON of a run, without its arrays.

    Raises:
        CheckpointError: there is none, or it is damaged or of another version.
    """
    path = folder / STATE_NAME
    data = read_json(path, FORMAT, "run")
    facts = data.get("facts")
    if not isinstance(facts, dict) or (missing := sorted(FACTS - facts.keys())):
        said = "nothing" if not isinstance(facts, dict) else f"no {', '.join(missing)}"
        raise CheckpointError(f"{path}: says {said} about the run; copy all its files again")
    return data


def restore_state(folder: Path, data: Mapping[str, Any], learner: SelfPlayPPO) -> None:
    """Let a learner that has just been made go on where a run stood.

    Args:
        folder: Of the run.
        data: What `read_state` gave.
        learner: Made with the run's settings.

    Raises:
        CheckpointError: files are missing or damaged, or the state is of another game, box or
            version of it, or does not go with the settings.
    """
    path = folder / STATE_NAME
    game = learner.league.game
    data = {**data, "box_digest": current_digest(game.name, str(data.get("box_digest")))}
    for name, value in _versions_of(game).items():
        if data.get(name) != value:
            raise CheckpointError(
                f"{path}: made for {name} {data.get(name)!r}, but this is {value!r}; "
                "use the game, box and version it was begun with"
            )
    try:
        arrays = load_tensors(folder, StoredTensors(**data["arrays"]))
        versions = {
            int(number): load_tensors(folder, StoredTensors(**stored))
            for number, stored in data["versions"].items()
        }
        _set_arrays(learner, arrays)
        learner.league.restore(data["league"], versions, arrays["lineup"])
        for number, stored in data["versions"].items():
            learner.league.members[int(number)].stored = StoredTensors(**stored)
        learner.num_timesteps = int(data["decisions"])
        learner._n_updates = int(data["updates"])
        learner.rng.bit_generator.state = data["rng"]
    except CheckpointError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, RuntimeError) as error:
        raise CheckpointError(
            f"{path}: does not describe this run ({type(error).__name__}: {error}); "
            "copy all its files again"
        ) from error


def _versions_of(game: Game) -> dict[str, str]:
    return {
        "game": game.name,
        "box_digest": box_digest(game.name),
        "actions_digest": actions_digest(game),
        "layout_digest": layout_digest(game),
        "state": str(game.state.descr),
    }


def _stored_version(folder: Path, number: int, member: Member) -> StoredTensors:
    """The file of an earlier version, which never changes: it is written once."""
    if member.stored is None or not (folder / member.stored.file).is_file():
        assert member.tensors is not None
        member.stored = store_tensors(folder, f"{_VERSION}-{number}", member.tensors)
    return member.stored


def _arrays(learner: SelfPlayPPO) -> Arrays:
    """All numbers of a run that come in arrays."""
    arrays: Arrays = {"lineup": learner.league.lineup}
    for name, tensor in learner.policy.state_dict().items():
        arrays[f"policy/{name}"] = tensor.cpu().numpy()
    for number, state in learner.policy.optimizer.state_dict()["state"].items():
        for name, tensor in state.items():
            arrays[f"optimizer/{number}/{name}"] = tensor.cpu().numpy()
    for name, array in learner.rollout_buffer.open_decisions().items():
        arrays[f"open/{name}"] = array
    records = learner.league.batch.save(slice(None))
    arrays["games"] = records.view(np.uint8).reshape(len(records), -1)
    return arrays


def _set_arrays(learner: SelfPlayPPO, arrays: Arrays) -> None:
    device = learner.device
    learner.policy.load_state_dict(
        {
            name: torch.tensor(array, device=device)
            for name, array in _part(arrays, "policy").items()
        }
    )
    optimizer = learner.policy.optimizer
    states: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in _part(arrays, "optimizer").items():
        number, _, kind = name.partition("/")
        states.setdefault(int(number), {})[kind] = torch.tensor(array)
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": states, "param_groups": groups})
    learner.rollout_buffer.set_open_decisions(_part(arrays, "open"))
    batch = learner.league.batch
    records = np.ascontiguousarray(arrays["games"]).view(batch.game.state).reshape(-1)
    batch.load(slice(None), records)
    learner.go_on(batch.obs)


def _part(arrays: Arrays, kind: str) -> Arrays:
    """The arrays of a kind, named without it."""
    start = f"{kind}/"
    return {name[len(start) :]: a for name, a in arrays.items() if name.startswith(start)}
