"""The policy that is trained: stock figures at less cost, and the network in plain arrays."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
import torch

from shakespeare_agents.network import Network
from shakespeare_env.game import ObservationLayout
from shakespeare_training.ppo.policy import PolicyNetwork, policy_arguments
from tests.agents.networks import random_tensors, random_views

ACTIONS, SITUATIONS, WIDTH = 9, 64, 16
LAYOUT = ObservationLayout([("signed", 10, -3, 100, ""), ("small", 10, 0, 1, "")])


def make_policy(width=WIDTH):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return PolicyNetwork(
            gymnasium.spaces.Box(LAYOUT.low, LAYOUT.high, dtype=np.int8),
            gymnasium.spaces.Discrete(ACTIONS),
            lr_schedule=lambda _: 0.0,
            **policy_arguments(width, LAYOUT),
        )


@pytest.fixture
def policy():
    """Random weights in every tensor; fresh layers have none in their biases."""
    policy = make_policy()
    policy.set_tensors(random_tensors(WIDTH, LAYOUT.size, ACTIONS))
    return policy


@pytest.fixture
def views():
    return random_views(LAYOUT, SITUATIONS, ACTIONS)


def test_log_probabilities_are_the_stock_ones(policy, views):
    """One masked log-softmax gives what the distribution of sb3-contrib gives."""
    observations, masks = map(torch.as_tensor, views)
    actions = masks.float().argmax(dim=1)
    values, taken, entropies = policy.evaluate_actions(observations, actions, masks)
    stock = super(type(policy), policy).evaluate_actions(observations, actions, masks)
    assert torch.allclose(values, stock[0].flatten(), atol=1e-5)
    assert torch.allclose(taken, stock[1], atol=1e-4)
    assert torch.allclose(entropies, stock[2], atol=1e-4)
    log_probabilities, _ = policy.masked_log_probabilities(observations, masks)
    assert (log_probabilities.exp()[~masks] == 0).all()


def test_without_a_mask_everything_is_legal(policy, views):
    observations = torch.as_tensor(views[0])
    actions = torch.zeros(SITUATIONS, dtype=torch.long)
    everything = torch.ones(SITUATIONS, ACTIONS, dtype=torch.bool)
    for ours, masked in zip(
        policy.evaluate_actions(observations, actions),
        policy.evaluate_actions(observations, actions, everything),
        strict=True,
    ):
        assert torch.equal(ours, masked)


@pytest.mark.parametrize("fresh", [False, True])
def test_the_network_in_plain_arrays_is_the_same_one(policy, views, fresh):
    policy = make_policy() if fresh else policy
    network = Network(policy.tensors(), LAYOUT)
    everything = torch.ones(SITUATIONS, ACTIONS, dtype=torch.bool)
    with torch.no_grad():
        log_probabilities, values = policy.masked_log_probabilities(
            torch.as_tensor(views[0]), everything
        )
        logits = policy.action_net(
            policy.mlp_extractor.forward_actor(policy.features_extractor(torch.as_tensor(views[0])))
        )
    found = network.logits(views[0])
    assert np.allclose(found, logits.numpy(), rtol=1e-4, atol=1e-4)
    shifted = found - np.logaddexp.reduce(found, axis=1, keepdims=True)
    assert np.allclose(shifted, log_probabilities.numpy(), rtol=1e-4, atol=1e-4)
    assert np.allclose(network.values(views[0]), values.numpy(), rtol=1e-4, atol=1e-4)


def test_tensors_round_trip(policy):
    tensors = policy.tensors()
    expected = random_tensors(WIDTH, LAYOUT.size, ACTIONS)
    shapes = Network.shapes(WIDTH, LAYOUT.size, ACTIONS)
    assert {name: tensor.shape for name, tensor in tensors.items()} == shapes
    for name, tensor in tensors.items():
        assert tensor.dtype == np.float32
        assert (tensor == expected[name]).all()
    other = make_policy()
    other.set_tensors(tensors)
    ours, theirs = policy.state_dict(), other.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_every_weight_that_is_trained_is_among_the_tensors(policy):
    trained = sum(parameter.numel() for parameter in policy.parameters())
    assert sum(tensor.size for tensor in policy.tensors().values()) == trained


def test_tensors_are_copies(policy):
    tensors = policy.tensors()
    before = policy.action_net.bias.clone()
    tensors["action.bias"] += 1
    assert torch.equal(policy.action_net.bias, before)
    policy.set_tensors(tensors)
    taken = policy.action_net.bias.clone()
    tensors["action.bias"] += 1
    assert torch.equal(policy.action_net.bias, taken)


def test_tensors_of_another_width_are_refused(policy):
    with pytest.raises(RuntimeError, match="size"):
        policy.set_tensors(make_policy(width=WIDTH + 8).tensors())
