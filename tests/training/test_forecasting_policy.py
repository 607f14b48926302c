"""The policy with heads: the network in plain arrays, and heads that come and go with tensors."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
import torch

from shakespeare_agents.network import Network
from shakespeare_env.game import ObservationLayout
from shakespeare_training.expert_iteration.policy import ForecastingPolicy
from shakespeare_training.ppo.policy import PolicyNetwork, policy_arguments
from tests.agents.networks import random_heads, random_tensors, random_views

ACTIONS, SEATS, SITUATIONS, WIDTH = 9, 4, 64, 16
LAYOUT = ObservationLayout([("signed", 10, -3, 100, ""), ("small", 10, 0, 1, "")])
HEADLESS = random_tensors(WIDTH, LAYOUT.size, ACTIONS)
TENSORS = {**HEADLESS, **random_heads(WIDTH, SEATS)}


def made(kind, width=WIDTH, **own):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return kind(
            gymnasium.spaces.Box(LAYOUT.low, LAYOUT.high, dtype=np.int8),
            gymnasium.spaces.Discrete(ACTIONS),
            lr_schedule=lambda _: 0.1,
            **policy_arguments(width, LAYOUT),
            **own,
        )


@pytest.fixture
def policy():
    policy = made(ForecastingPolicy, seats=SEATS)
    policy.set_tensors(TENSORS)
    return policy


@pytest.fixture
def views():
    return random_views(LAYOUT, SITUATIONS, ACTIONS)


def outputs(policy, views):
    with torch.no_grad():
        return policy.heads(*map(torch.as_tensor, views))


def test_the_network_in_plain_arrays_is_the_same_one(policy, views):
    found = outputs(policy, views)
    network = Network(policy.tensors(), LAYOUT)
    players = np.arange(SITUATIONS) % SEATS + 1
    present = np.arange(SEATS) < players[:, None]
    shares, changes = network.forecasts(views[0], players)
    logits = found.win_logits.masked_fill(~torch.as_tensor(present), -torch.inf)
    assert np.allclose(torch.softmax(logits, 1).numpy(), shares, atol=1e-4)
    assert np.allclose(np.where(present, found.scores, 0), changes, rtol=1e-4, atol=1e-4)
    assert np.allclose(found.values, network.values(views[0]), rtol=1e-4, atol=1e-4)
    logits = np.where(views[1], network.logits(views[0]), -np.inf)
    logits -= np.logaddexp.reduce(logits, axis=1, keepdims=True)
    assert np.allclose(found.log_probabilities.numpy()[views[1]], logits[views[1]], atol=1e-3)


@pytest.mark.parametrize("use_bfloat16", [False, True])
def test_policy_and_value_are_those_without_heads(policy, views, use_bfloat16):
    plain = made(PolicyNetwork)
    plain.set_tensors(TENSORS)
    policy.use_bfloat16 = plain.use_bfloat16 = use_bfloat16
    found = outputs(policy, views)
    with torch.no_grad():
        expected = plain.masked_log_probabilities(*map(torch.as_tensor, views))
    assert all(output.dtype == torch.float32 for output in found)
    assert torch.equal(found.log_probabilities, expected[0])
    assert torch.equal(found.values, expected[1])
    assert found.win_logits.shape == found.scores.shape == (SITUATIONS, SEATS)


def test_bfloat16_rounds_the_heads_and_no_more(policy, views):
    exact = outputs(policy, views)
    policy.use_bfloat16 = True
    rounded = outputs(policy, views)
    for one, other in ((exact.win_logits, rounded.win_logits), (exact.scores, rounded.scores)):
        assert not torch.equal(one, other)
        assert (one - other).abs().max() < 0.1 * one.abs().max()


def test_tensors_round_trip(policy):
    tensors = policy.tensors()
    shapes = Network.shapes(WIDTH, LAYOUT.size, ACTIONS) | Network.head_shapes(WIDTH, SEATS)
    assert {name: tensor.shape for name, tensor in tensors.items()} == shapes
    assert all((tensor == TENSORS[name]).all() for name, tensor in tensors.items())
    assert sum(p.numel() for p in policy.parameters()) == sum(t.size for t in tensors.values())


def test_tensors_without_heads_make_them_fresh(policy, views):
    """Whatever they were: heads of one network mean nothing on another."""
    policy.set_tensors(HEADLESS)
    fresh = made(ForecastingPolicy, seats=SEATS)
    for one in (policy, fresh):
        assert not outputs(one, views).win_logits.any()
        assert not outputs(one, views).scores.any()
    assert all((policy.tensors()[name] == tensor).all() for name, tensor in HEADLESS.items())


def test_a_policy_without_heads_leaves_them_out():
    policy = made(PolicyNetwork)
    policy.set_tensors(TENSORS)
    assert policy.tensors().keys() == HEADLESS.keys()


def test_the_optimiser_trains_heads_and_what_they_stand_on(policy, views):
    found = policy.heads(*map(torch.as_tensor, views))
    loss = torch.nn.functional.cross_entropy(
        found.win_logits, torch.zeros(SITUATIONS, dtype=torch.long)
    )
    (loss + found.scores.square().mean()).backward()
    policy.optimizer.step()
    moved = {name for name, t in policy.tensors().items() if (t != TENSORS[name]).any()}
    assert {"win.weight", "score.weight", "outlook.weight", "trunk.weight"} <= moved
    assert not {"action.weight", "value.weight", "policy.weight"} & moved


@pytest.mark.parametrize(("width", "seats"), [(WIDTH + 8, SEATS), (WIDTH, SEATS + 1)])
def test_tensors_of_other_shapes_are_refused(policy, width, seats):
    with pytest.raises(RuntimeError, match="size"):
        policy.set_tensors(made(ForecastingPolicy, width=width, seats=seats).tensors())
