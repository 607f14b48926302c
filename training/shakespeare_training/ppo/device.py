"""The device to train on, the precision in which it is faster, and work recorded on a GPU."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from importlib.util import find_spec

import gymnasium
import torch

from shakespeare_training.ppo.policy import PolicyNetwork

_REPEATS = 7
_WORTH_IT = 1.1
"""The least speed-up for which bfloat16 is used."""


def checked_device(name: str) -> str:
    """The name of a PyTorch device; `auto` is the GPU if there is one, and the extra `cuda`.

    Raises:
        ValueError: there is no such device here.
    """
    if name == "auto":
        is_usable = torch.cuda.is_available() and find_spec("numba_cuda") is not None
        return "cuda" if is_usable else "cpu"
    found = re.fullmatch(r"cpu|cuda(?::(\d+))?", name)
    if found is None:
        raise ValueError(f"device={name!r}: choose cpu, cuda, cuda:1, ... or auto")
    if name != "cpu" and int(found[1] or 0) >= torch.cuda.device_count():
        raise ValueError(
            f"device={name!r}: PyTorch {torch.__version__} finds "
            f"{torch.cuda.device_count()} CUDA devices here; use --device cpu"
        )
    return name


def bfloat16_is_faster(policy: PolicyNetwork, batch_size: int) -> bool:
    """Whether an update on the policy's device is faster in bfloat16 than in float32.

    It takes about half a second, leaves the policy as it was and draws nothing random.
    """
    before = policy.use_bfloat16
    # They take turns, and the best of each counts, as other work can only slow an update down.
    seconds = {False: math.inf, True: math.inf}
    for _ in range(_REPEATS):
        for bfloat16 in seconds:
            policy.use_bfloat16 = bfloat16
            seconds[bfloat16] = min(seconds[bfloat16], _update_seconds(policy, batch_size))
    policy.use_bfloat16 = before
    policy.optimizer.zero_grad()
    return seconds[False] > _WORTH_IT * seconds[True]


def _update_seconds(policy: PolicyNetwork, batch_size: int) -> float:
    shape = policy.observation_space.shape
    assert shape is not None
    observations = torch.zeros(batch_size, *shape, dtype=torch.int8, device=policy.device)
    assert isinstance(policy.action_space, gymnasium.spaces.Discrete)
    masks = observations.new_ones((batch_size, int(policy.action_space.n)), dtype=torch.bool)
    began = time.perf_counter()
    found = policy.outputs(observations, masks)
    (found.log_probabilities[:, 0] + found.changes[:, 0]).mean().backward()  # type: ignore[no-untyped-call]
    if policy.device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - began


class Recorded:
    """A function without arguments that launches the same work on the same tensors every time.

    The first calls do the work as it comes, which compiles what it needs; then it is recorded as a
    CUDA graph, without the Python around it, which takes longer than the work, and repeated.

    Args:
        work: It must not wait for the GPU.
        chance: A generator that it draws from.
        before: Calls before it is recorded.
    """

    def __init__(
        self, work: Callable[[], None], chance: torch.Generator | None = None, before: int = 1
    ) -> None:
        self._work = work
        self._chance = chance
        self._before = before
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self) -> None:
        """Do the work."""
        if self._before > 0 or not torch.cuda.is_available():
            self._before -= 1
            self._work()
            return
        if self._graph is None:
            self._graph = torch.cuda.CUDAGraph()
            if self._chance is not None:
                self._graph.register_generator_state(self._chance)
            with torch.cuda.graph(self._graph):
                self._work()
        self._graph.replay()
