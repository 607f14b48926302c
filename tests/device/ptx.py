"""Compile all that GPUs run for two kinds of them, without one: `python -m tests.device.ptx`.

It needs the extra `cuda`. Numba asks the GPU at hand what it is; here something else answers.
"""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import numba.cuda.dispatcher
import numpy as np
import torch
from numba import cuda, typeof

from shakespeare_env import Batch
from shakespeare_env.compile import device
from shakespeare_env.core import registry
from shakespeare_training.league import League

ARCHITECTURES = ((8, 0), (9, 0))
"""Compute capabilities: an A100's and an H100's."""


def compile_instead(row: Any, owner: str, purpose: str, *of: Any) -> None:
    """`device.launch`, but for launching."""
    rows, _, *arguments = of
    kernel = device.kernel_over_rows(row, owner, purpose)
    kinds = typeof(rows), typeof(device._as_kernel_argument(tuple(arguments)))
    for capability in ARCHITECTURES:
        began = time.perf_counter()
        numba.cuda.dispatcher.get_current_device = lambda of=capability: SimpleNamespace(
            compute_capability=of
        )
        text, _ = cuda.compile_ptx(kernel.py_func, kinds, cc=capability)
        assert f".target sm_{capability[0]}{capability[1]}" in text
        size = f"{len(text) // 1000:,} kB"
        seconds = time.perf_counter() - began
        print(f"{owner}: {purpose}: sm_{capability[0]}{capability[1]}, {size}, {seconds:.0f} s")


def main() -> None:
    device.SIMULATED = True
    device.launch = compile_instead  # type: ignore[assignment]
    from shakespeare_training.device import DeviceGames

    for name in registry.names():
        batch = Batch(name, n=4, players=3, autoreset=False, reward="score")
        league = League({"heuristic": 1.0}, batch, max_snapshots=1, seed=0)
        games = DeviceGames(league, 2, torch.device("cuda"))
        games.begin_rollout(np.random.default_rng(0))
        games.batch.random_actions()
        games.step(games.fill_in_opponents(torch.zeros(4, dtype=torch.int64)))


if __name__ == "__main__":
    main()
