"""Saved training runs: refused when they are resumed, or trained on."""

from __future__ import annotations

import json
import random
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
import torch
from stable_baselines3.common.callbacks import BaseCallback

from shakespeare_env.core import registry
from shakespeare_env.core.kernels import compile_all
from shakespeare_env.errors import BoxError, CheckpointError, TrainingError
from shakespeare_training.runs.folder import STATE_NAME
from shakespeare_training.runs.run import Run
from tests.fuzz.campaign import apart
from tests.fuzz.damage import change_json, damaged, digest_of, encoded
from tests.fuzz.json_mutations import bytes_mutated, mutated
from tests.fuzz.play import refused
from tests.training import short_runs

PATIENCE = 30.0
_LARGEST = 10**6
"""Observations of an update that is still trained: what settings allow may take its time."""


def prepare() -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for name in registry.names():
        compile_all(registry.game(name))
        saved(name)


@cache
def saved(name: str) -> Path:
    """A run with a snapshot, made in another process: PyTorch's threads survive no fork."""
    folder = Path(tempfile.mkdtemp(), "run")
    apart(_train, name, folder)
    return folder


def _train(name: str, folder: Path) -> None:
    run = Run.create(short_runs.small(name), folder, device="cpu")
    run.learn(short_runs.Quietly(run, leave_at=900))


class _OneRollout(BaseCallback):
    """Ends learning after it."""

    _begun = 0

    def _on_rollout_start(self) -> None:
        self._begun += 1

    def _on_step(self) -> bool:
        return self._begun == 1


def check(case: random.Random) -> str:
    made = saved(case.choice(registry.names()))
    with damaged(case, made, _change_state, _change_state, _change_arrays) as folder:
        try:
            run = Run.resume(folder, device="cpu")
        except (CheckpointError, BoxError, TrainingError):
            return "refused"
        except ValueError as error:
            return refused(error)
        settings = run.config
        if settings.n_envs * settings.n_steps * settings.width > _LARGEST:
            return "resumed"
        try:
            run.learn(_OneRollout())
            run.check_weights()
            run.save()
        except (TrainingError, OSError):  # a folder may stand where a file is to be written
            return "refused"
    return "trained"


def _change_state(case: random.Random, folder: Path) -> None:
    path = folder / STATE_NAME
    drawn = case.random()
    if drawn < 0.4:
        return change_json(case, path)
    data = json.loads(path.read_bytes())
    if drawn < 0.8:
        part = case.choice(("facts", "league", "snapshots", "rng", "arrays"))
        data[part] = mutated(case, data[part])
    else:
        data["facts"]["config"] = mutated(case, data["facts"]["config"], times=1)
    path.write_bytes(encoded(data))


def _change_arrays(case: random.Random, folder: Path) -> None:
    """Other arrays under a digest that fits them."""
    path = folder / STATE_NAME
    data = json.loads(path.read_bytes())
    stored = case.choice((data["arrays"], data["arrays"], *data["snapshots"]))
    arrays = safetensors.numpy.load((folder / stored["file"]).read_bytes())
    names = sorted(arrays)
    own = [name for name in names if name in ("games", "seats", "generators")]
    for _ in range(case.choice((1, 1, 3))):
        name = case.choice(own) if own and case.random() < 0.6 else case.choice(names)
        _change_array(case, arrays, name)
    content = safetensors.numpy.save({n: np.ascontiguousarray(a) for n, a in arrays.items()})
    (folder / stored["file"]).write_bytes(content)
    stored["digest"] = digest_of(content)
    path.write_text(json.dumps(data))


def _change_array(case: random.Random, arrays: dict[str, Any], name: str) -> None:
    if name not in arrays:
        return
    array = arrays[name].copy()
    change = case.randrange(8)
    if change == 0:
        del arrays[name]
        return
    if change == 1:
        array = array.reshape(-1)[: case.randint(0, 3)]
    elif change == 2:
        array = array.astype(case.choice((np.float32, np.float64, np.int64, np.int8, np.bool_)))
    elif change == 3 and array.dtype.kind == "f":
        array.reshape(-1)[:1] = case.choice((np.nan, np.inf, -np.inf, 1e30))
    elif change == 4:
        array = np.repeat(array, 2, axis=0) if array.ndim else array[None]
    elif change == 5 and array.size:
        data = bytes_mutated(case, array.tobytes())[: array.nbytes].ljust(array.nbytes, b"\xff")
        array = np.frombuffer(data, array.dtype).reshape(array.shape)
    elif array.size:
        flat = array.reshape(-1)
        for _ in range(case.choice((1, 2, 8))):
            flat[case.randrange(array.size)] = case.choice((0, 1, 2, 3, 5, 7, 15, 100, 127))
    arrays[name] = array
