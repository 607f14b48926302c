"""Precision is chosen by what is faster, and looking for it leaves no trace."""

from __future__ import annotations

import pytest
import torch

from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.league import League
from shakespeare_training.ppo import device
from shakespeare_training.ppo.self_play import SelfPlayPPO
from tests.training.toy_game import make_toy


@pytest.fixture
def policy(toy):
    batch = make_toy(4, players=2, autoreset=False)
    league = League({"current": 1.0}, batch, max_snapshots=1, seed=0)
    return SelfPlayPPO(SB3SelfPlayVecEnv(batch), league, width=8, n_steps=8, device="cpu").policy


@pytest.mark.parametrize(("half_takes", "is_taken"), [(0.5, True), (0.95, False)])
def test_the_best_time_counts(policy, monkeypatch, half_takes, is_taken):
    """One time in three is disturbed by other work, in whichever precision."""
    calls = 0

    def seconds(of, batch_size):
        nonlocal calls
        calls += 1
        return (half_takes if of.use_bfloat16 else 1.0) * (50.0 if calls % 3 == 0 else 1.0)

    monkeypatch.setattr(device, "_update_seconds", seconds)
    assert device.bfloat16_is_faster(policy, 64) is is_taken


def test_looking_leaves_no_trace(policy):
    before = {name: tensor.clone() for name, tensor in policy.state_dict().items()}
    chance = torch.random.get_rng_state()
    assert device.bfloat16_is_faster(policy, 64) in (True, False)
    assert policy.use_bfloat16 is False
    assert all(torch.equal(tensor, before[name]) for name, tensor in policy.state_dict().items())
    assert all(parameter.grad is None for parameter in policy.parameters())
    assert not policy.optimizer.state
    assert torch.equal(torch.random.get_rng_state(), chance)
