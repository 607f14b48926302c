"""The arrays of a learner: gathered to save it, checked, and put back."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from shakespeare_agents.storage import Arrays, StoredTensors, check_array, load_tensors
from shakespeare_env.core.batch import Batch
from shakespeare_env.errors import CheckpointError
from shakespeare_env.play.lineup import NOBODY, OUTSIDE
from shakespeare_training.ppo.learner import SelfPlayLearner

_ROUNDING = 1e-5

Form = tuple[np.dtype[Any], tuple[int, ...]]
"""The type and shape of an array."""


def arrays_of(learner: SelfPlayLearner) -> Arrays:
    """All arrays of a learner by name."""
    return {name: tensor.cpu().numpy() for name, tensor in tensors_of(learner).items()}


def tensors_of(learner: SelfPlayLearner) -> dict[str, torch.Tensor]:
    """The same as copies on the learner's device, which may still be at work on them."""
    lineup = learner.league.lineup
    tensors = {
        "seats": torch.from_numpy(lineup.seats),
        "generators": torch.from_numpy(lineup.generators.states),
    }
    for name, tensor in learner.policy.state_dict().items():
        tensors[f"policy/{name}"] = tensor
    for number, state in learner.policy.optimizer.state_dict()["state"].items():
        for name, tensor in state.items():
            tensors[f"optimizer/{number}/{name}"] = tensor
    for name, tensor in learner.rollout_buffer.open_decisions.items():
        tensors[f"open/{name}"] = tensor
    tensors["games"] = learner.games.save()
    return {name: tensor.clone() for name, tensor in tensors.items()}


def load_arrays(folder: Path, stored: StoredTensors, learner: SelfPlayLearner) -> Arrays:
    """Read the arrays of a learner like this new one, whatever moment it was saved at.

    CheckpointError if they are missing, damaged, or of another learner.
    """
    own = arrays_of(learner)
    forms: dict[str, Form] = {name: (array.dtype, array.shape) for name, array in own.items()}
    optimizer: dict[str, Form] = {}
    for number, weights in enumerate(learner.policy.parameters()):
        for name, shape in (("step", ()), *((n, weights.shape) for n in ("exp_avg", "exp_avg_sq"))):
            optimizer[f"optimizer/{number}/{name}"] = np.dtype(np.float32), tuple(shape)
    # Each seat has at most one open decision.
    most = learner.league.lineup.seats.size
    size = sum(
        dtype.itemsize * math.prod((most, *shape[1:]) if name.startswith("open/") else shape)
        for name, (dtype, shape) in (forms | optimizer).items()
    )
    path = folder / stored.file
    arrays = load_tensors(folder, stored, size)
    if any(name.startswith("optimizer/") for name in arrays):  # not before the first update
        forms |= optimizer
    if wrong := sorted(forms.keys() ^ arrays.keys()):
        raise CheckpointError(f"{path}: arrays missing or not expected: {wrong}")
    count = arrays["open/games"].shape[:1] or (0,)
    for name, (dtype, shape) in forms.items():
        if name.startswith("open/"):
            shape = (*count, *shape[1:])
        check_array(path, name, arrays[name], dtype, shape)
    for name, buffer in learner.policy.named_buffers(remove_duplicate=False):
        same = np.array_equal(arrays[f"policy/{name}"], buffer.cpu().numpy())
        _require(path, same, f"policy/{name} is not what follows from the game")
    for name in optimizer.keys() & arrays.keys():
        fits = name.endswith("/exp_avg") or bool((arrays[name] >= 0).all())
        _require(path, fits, f"{name} holds numbers below 0")
    return arrays


def set_arrays(path: Path, arrays: Arrays, learner: SelfPlayLearner, opponents: int) -> None:
    """Put the arrays of `load_arrays` into a learner, except those of its league.

    `path` names their file in errors, and `opponents` is the number of opponents in its league.
    CheckpointError if games, seats and open decisions are invalid or do not agree.
    """
    policy = _part(arrays, "policy")
    learner.policy.load_state_dict({name: torch.tensor(array) for name, array in policy.items()})
    states: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in _part(arrays, "optimizer").items():
        number, _, kind = name.partition("/")
        states.setdefault(int(number), {})[kind] = torch.tensor(array)
    optimizer = learner.policy.optimizer
    optimizer.load_state_dict({**optimizer.state_dict(), "state": states})
    device, open_decisions = learner.games.players.device, _part(arrays, "open")
    learner.rollout_buffer.open_decisions = {
        name: torch.tensor(array, device=device) for name, array in open_decisions.items()
    }
    batch = learner.league.batch
    try:
        learner.games.load(arrays["games"].view(batch.game.state).reshape(-1))
    except (ValueError, TypeError) as fault:
        raise CheckpointError(f"{path}: games: {fault}; copy all files again") from fault
    _check_seats(path, arrays["seats"], batch, opponents)
    _check_open(path, arrays, batch)


def _part(arrays: Arrays, kind: str) -> Arrays:
    start = f"{kind}/"
    return {name.removeprefix(start): a for name, a in arrays.items() if name.startswith(start)}


def _check_seats(path: Path, seats: NDArray[Any], batch: Batch, opponents: int) -> None:
    """Check that every game is under way with the learner and at most one opponent."""
    _require(path, bool((batch.to_move >= 0).all()), "games holds one that is over")
    at_table = np.arange(seats.shape[1]) < batch.players[:, None]
    known = (seats >= OUTSIDE) & (seats < opponents)
    fits = (known == at_table).all() and (seats[~at_table] == NOBODY).all()
    _require(path, bool(fits), "seats names opponents or seats that are not there")
    highest = seats.max(axis=1, keepdims=True)
    alike = (seats == highest) | (seats == OUTSIDE) | ~at_table
    own = (seats == OUTSIDE).any(axis=1)
    _require(path, bool(alike.all() and own.all()), "seats has a game that no learner plays")


def _check_open(path: Path, arrays: Arrays, batch: Batch) -> None:
    """Check that open decisions are legal ones of seats of the games, one each."""
    found = _part(arrays, "open")
    games, seats, actions = found["games"], found["seats"], found["actions"]
    layout = batch.game.layout
    inside = (games >= 0) & (games < batch.n) & (seats >= 0)
    _require(path, bool(inside.all()), "open/games or open/seats name what is not there")
    is_own = seats < batch.players[games]
    is_own[is_own] = arrays["seats"][games[is_own], seats[is_own]] == OUTSIDE
    _require(path, bool(is_own.all()), "open/seats names a seat that the learner has not")
    pairs = np.stack([games, seats])
    _require(path, np.unique(pairs, axis=1).shape == pairs.shape, "open/seats repeats a seat")
    legal = (actions >= 0) & (actions < found["masks"].shape[1])
    legal[legal] = found["masks"][legal, actions[legal]]
    _require(path, bool(legal.all()), "open/actions holds one that is not legal")
    observed = found["observations"]
    seen = (observed >= layout.low) & (observed <= layout.high)
    _require(path, bool(seen.all()), "open/observations holds numbers beyond their bounds")
    likely = found["log_probs"] <= _ROUNDING
    _require(path, bool(likely.all()), "open/log_probs holds one above 0")


def _require(path: Path, holds: bool, fault: str) -> None:
    if not holds:
        raise CheckpointError(f"{path}: {fault}; copy all files of the run again")
