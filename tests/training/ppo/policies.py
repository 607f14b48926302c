"""Policies for tests."""

import gymnasium
import numpy as np
import torch

from shakespeare_training.ppo.policy import PolicyNetwork, policy_arguments


def make_policy(layout, actions, width, seats):
    """A fresh one, always the same."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return PolicyNetwork(
            gymnasium.spaces.Box(layout.low, layout.high, dtype=np.int8),
            gymnasium.spaces.Discrete(actions),
            lr_schedule=lambda _: 0.1,
            **policy_arguments(width, layout, seats),
        )
