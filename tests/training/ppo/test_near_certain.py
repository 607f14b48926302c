"""A part of the near-certain decisions stands for all of them, and the gradient stays the same."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from shakespeare_training.ppo.near_certain import Repeated, thinned
from tests.training.ppo.test_buffer import add, make_buffer, minibatches
from tests.training.ppo.test_policy import make_policy
from tests.training.toy_game import MAX_SEATS

CERTAIN, OTHERS = 12, 5
COUNT = CERTAIN + OTHERS


@pytest.mark.parametrize("share", [0.01, 0.3, 1.0])
def test_a_share_stands_for_the_rest(share):
    order = torch.randperm(CERTAIN)
    found, (kept, total) = thinned(order, share)
    assert (len(found), kept, total) == (CERTAIN, max(1, -int(-share * CERTAIN // 1)), CERTAIN)
    assert found[:kept].tolist() == order[:kept].tolist()
    used = torch.bincount(found)
    used = used[used > 0]
    assert len(used) == kept
    assert used.max() - used.min() <= 1


def data():
    """Random observations, actions and advantages of a minibatch."""
    rng = np.random.default_rng(1)
    observations = torch.as_tensor(rng.integers(0, 2, (COUNT, 20), np.int8))
    actions = torch.as_tensor(rng.integers(0, 9, COUNT))
    return observations, actions, torch.as_tensor(rng.normal(size=COUNT), dtype=torch.float32)


def gradient(policy, observations, actions, advantages, repeated):
    """Of policy, forecasts and entropy."""
    everything = torch.ones(len(observations), 9, dtype=torch.bool)
    found = policy.outputs(observations, everything)
    logs = found.log_probabilities
    taken = repeated.spread(logs.gather(1, actions[:, None])[:, 0])
    entropies = repeated.spread(-(logs.exp() * logs).sum(dim=1))
    changes = repeated.spread(found.changes)
    assert [len(one) for one in (taken, entropies, changes)] == [COUNT] * 3
    loss = (advantages * taken).mean() + (changes[:, 0] - advantages).square().mean()
    policy.zero_grad()
    (loss + entropies.mean()).backward()
    gradients = [p.grad for p in policy.parameters() if p.grad is not None]
    return torch.cat([one.flatten() for one in gradients]).double()


def test_over_all_draws_the_gradient_is_that_of_all_decisions():
    """Every rotation of the order once is as good as every order."""
    share = 0.3
    policy = make_policy()
    observations, actions, advantages = data()
    expected = gradient(policy, observations, actions, advantages, Repeated(0, 0))
    mean = torch.zeros_like(expected)
    for turn in range(CERTAIN):
        certain, repeated = thinned(torch.arange(CERTAIN).roll(turn), share)
        rows = torch.cat([torch.arange(CERTAIN, COUNT), certain])
        asked = rows[: OTHERS + repeated.kept]
        advantage = advantages[rows]
        part = gradient(policy, observations[asked], actions[asked], advantage, repeated)
        assert not torch.allclose(part, expected, atol=1e-4)
        mean += part / CERTAIN
    assert torch.allclose(mean, expected, atol=1e-6)


def filled(share):
    """A full buffer of decisions, 30 of them near-certain, and an open one."""
    buffer = make_buffer(41, players=1, actions=50, near_certain_share=share)
    buffer.reset()
    for mark in range(41):
        log_prob = np.log(0.991 if mark < 30 else 0.989)
        add(buffer, 0, rewards=(mark,) * MAX_SEATS, mark=mark, log_prob=log_prob)
    buffer.compute(0.0, 1.0)
    return buffer


def test_all_that_a_minibatch_holds_goes_together():
    buffer = filled(0.3)
    for data in minibatches(buffer, 20):
        rows, repeated = data.observations, data.repeated
        assert len(rows) == len(data.masks) == 20 - repeated.total + repeated.kept < 20
        assert rows[:, 0].tolist() == data.actions.tolist()
        marks = repeated.spread(rows[:, 0])
        assert marks.tolist() == data.changes[:, 0].tolist()
        assert ((data.log_probs.exp() > 0.99) == (marks < 30)).all()
        assert (data.advantages.argsort() == marks.argsort()).all()


def test_each_pass_learns_from_another_part():
    buffer = filled(0.1)
    passes = [
        {mark for data in minibatches(buffer, 20, seed) for mark in data.actions.tolist()}
        for seed in range(40)
    ]
    assert all({*range(30, 40)} < marks for marks in passes)
    assert all(a != b for a, b in itertools.pairwise(passes))
    assert set.union(*passes) == {*range(40)}
