"""In which precision this machine learns fastest."""

from __future__ import annotations

import math
import time

import torch

from shakespeare_training.ppo.policy import PolicyNetwork

_REPEATS = 7
_WORTH_IT = 1.1
"""Half precision must be so many times as fast to be taken."""


def half_is_faster(policy: PolicyNetwork, batch_size: int) -> bool:
    """Whether an update takes less time in bfloat16 than in float32.

    It takes about half a second to find out.  The policy is left as it was; nothing random is
    drawn.

    Args:
        policy: On the device it is to be trained on.
        batch_size: Decisions in a minibatch.
    """
    before = policy.half_precision
    # In turns, and the best of each counts: other work on the machine makes single times longer.
    seconds = {False: math.inf, True: math.inf}
    for _ in range(_REPEATS):
        for half in seconds:
            policy.half_precision = half
            seconds[half] = min(seconds[half], _update_seconds(policy, batch_size))
    policy.half_precision = before
    policy.optimizer.zero_grad()
    return seconds[False] > _WORTH_IT * seconds[True]


def _update_seconds(policy: PolicyNetwork, batch_size: int) -> float:
    """Seconds of a forward and a backward pass over a minibatch of zeros."""
    shape = policy.observation_space.shape
    assert shape is not None
    observations = torch.zeros(batch_size, *shape, dtype=torch.int8, device=policy.device)
    actions = torch.zeros(batch_size, dtype=torch.long, device=policy.device)
    began = time.perf_counter()
    values, log_probs, _ = policy.evaluate_actions(observations, actions)
    (values.mean() + log_probs.mean()).backward()  # type: ignore[no-untyped-call]
    if policy.device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - began
