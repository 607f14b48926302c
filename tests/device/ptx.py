"""Compile all GPU code for two kinds of GPUs on a machine without one.

Run `python -m tests.device.ptx`. It needs the extra `cuda`. Numba asks the current GPU for its
compute capability, and gets the answer from this module.
"""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import numba.cuda.dispatcher
import numpy as np
import torch
from numba import cuda, typeof

from shakespeare_agents.search.halving import Playouts
from shakespeare_env import Batch
from shakespeare_env.compile import device
from shakespeare_env.core import registry
from shakespeare_training.learners.league import League
from shakespeare_training.networks.mlp import MlpPolicy

ARCHITECTURES = ((8, 0), (9, 0))
"""The compute capabilities of an A100 and an H100."""
_compiled: set[Any] = set()
"""The kernels that are compiled, with the types of their arguments."""


def compile_only(row: Any, owner: str, purpose: str, rows: Any, _: Any, *arguments: Any) -> None:
    """Compile what `device.launch` would launch, once, and print the size of the code."""
    kernel = device.kernel_over_rows(row, owner, purpose)
    argument_types = typeof(rows), typeof(device._as_kernel_argument(arguments))
    if (kernel, argument_types) in _compiled:
        return
    _compiled.add((kernel, argument_types))
    for capability in ARCHITECTURES:
        gpu = SimpleNamespace(compute_capability=capability)
        numba.cuda.dispatcher.get_current_device = lambda gpu=gpu: gpu
        began = time.perf_counter()
        text, _ = cuda.compile_ptx(kernel.py_func, argument_types, cc=capability)
        seconds = time.perf_counter() - began
        major, minor = capability
        assert f".target sm_{major}{minor}" in text
        size = f"{len(text) // 1000:,} kB"
        print(f"{owner}: {purpose}: sm_{major}{minor}, {size}, {seconds:.0f} s")


def main() -> None:
    device.SIMULATED = True
    device.launch = compile_only  # type: ignore[assignment]
    from shakespeare_training.learners.device import DeviceGames
    from shakespeare_training.learners.device_search import DevicePlayouts

    for name in registry.names():
        batch = Batch(name, n=4, players=3, autoreset=False, reward="score")
        league = League({"heuristic": 1.0}, batch, max_snapshots=1, seed=0)
        games = DeviceGames(league, 2, torch.device("cuda"))
        games.begin_rollout(np.random.default_rng(0))
        games.batch.random_actions()
        games.scores()
        games.step(games.fill_in_opponents(torch.zeros(4, dtype=torch.int64)))
        policy = MlpPolicy.fresh(batch.game, torch.Generator(), width=8)
        runner = DevicePlayouts(policy, horizon=1, temperature=1.0, device=torch.device("cuda"))
        # As nothing is run, seat 0 is to move in every row of the playouts.
        one = np.zeros(1, np.int64)
        records = batch.save(one)
        records["to_move"] = 0
        runner.play(Playouts(one, one, one, one, one), records, one.view(np.uint64))


if __name__ == "__main__":
    main()
