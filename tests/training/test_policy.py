"""The policy that is trained: the network in plain arrays, and heads that come and go."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from shakespeare_agents.networks.network import Network
from shakespeare_env.core.game import ObservationLayout
from shakespeare_training.policy import PolicyNetwork
from tests.agents.networks import PlainNetwork, random_heads, random_tensors, random_views

ACTIONS, SEATS, SITUATIONS, WIDTH = 9, 4, 64, 16
LAYOUT = ObservationLayout([("signed", 10, -3, 100, ""), ("small", 10, 0, 1, "")])
HEADLESS = random_tensors(WIDTH, LAYOUT.size, ACTIONS)
HEADS_ALONE = random_heads(WIDTH, SEATS)
# The value is the own seat's change of score.
VALUE = {f"value.{kind}": HEADS_ALONE[f"score.{kind}"][:1] for kind in ("weight", "bias")}
TENSORS = {**HEADLESS, **HEADS_ALONE, **VALUE}


def make_policy():
    """A fresh one, always the same."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return PolicyNetwork(LAYOUT, actions=ACTIONS, seats=SEATS, width=WIDTH)


@pytest.fixture
def policy():
    """Random weights in every tensor; fresh layers have none in their biases."""
    policy = make_policy()
    policy.set_tensors(TENSORS)
    return policy


@pytest.fixture
def views():
    return random_views(LAYOUT, SITUATIONS, ACTIONS)


def outputs(policy, views):
    with torch.no_grad():
        return policy.outputs(*map(torch.as_tensor, views))


@pytest.mark.parametrize("fresh", [False, True])
def test_the_network_in_plain_arrays_is_the_same_one(policy, views, fresh):
    policy = make_policy() if fresh else policy
    found = outputs(policy, views)
    network = PlainNetwork(policy.tensors(), LAYOUT)
    players = np.arange(SITUATIONS) % SEATS + 1
    present = np.arange(SEATS) < players[:, None]
    shares, changes = network.forecasts(views[0], players)
    logits = found.win_logits.masked_fill(~torch.as_tensor(present), -torch.inf)
    assert np.allclose(torch.softmax(logits, 1).numpy(), shares, atol=1e-4)
    assert np.allclose(np.where(present, found.changes, 0), changes, rtol=1e-4, atol=1e-4)
    assert np.allclose(found.changes[:, 0], network.values(views[0]), rtol=1e-4, atol=1e-4)
    logits = np.where(views[1], network.logits(views[0]), -np.inf)
    logits -= np.logaddexp.reduce(logits, axis=1, keepdims=True)
    assert np.allclose(found.log_probabilities.numpy()[views[1]], logits[views[1]], atol=1e-3)
    assert (found.log_probabilities.exp().numpy()[~views[1]] == 0).all()


@pytest.mark.parametrize("bfloat16", [False, True])
def test_judging_actions_is_what_autograd_makes_of_the_outputs(policy, views, bfloat16):
    """Log-probabilities, entropies, and the gradients of both."""
    policy.use_bfloat16 = bfloat16
    observations, masks = map(torch.as_tensor, views)
    actions = masks.float().argmax(dim=1)
    chance = torch.Generator().manual_seed(0)
    weights = torch.randn(2, len(actions), generator=chance)
    logs = policy.outputs(observations, masks).log_probabilities
    plain = logs.gather(1, actions[:, None]).squeeze(1), -(logs.softmax(dim=1) * logs).sum(dim=1)
    found = policy.judged(observations, masks, actions)
    gradients = []
    for of in (plain, (found.log_probs, found.entropies)):
        policy.zero_grad()
        sum((one * weight).sum() for one, weight in zip(of, weights, strict=True)).backward()
        gradients.append([p.grad.clone() for p in policy.parameters() if p.grad is not None])
    for one, other in zip(plain, (found.log_probs, found.entropies), strict=True):
        assert torch.equal(one, other)
    for one, other in zip(*gradients, strict=True):
        assert torch.allclose(
            one, other, rtol=0.02 if bfloat16 else 1e-4, atol=1e-2 if bfloat16 else 1e-5
        )


def test_tensors_round_trip(policy):
    tensors = policy.tensors()
    shapes = Network.shapes(WIDTH, LAYOUT.size, ACTIONS) | Network.head_shapes(WIDTH, SEATS)
    assert {name: tensor.shape for name, tensor in tensors.items()} == shapes
    for name, tensor in tensors.items():
        assert tensor.dtype == np.float32
        assert (tensor == TENSORS[name]).all()
    other = make_policy()
    other.set_tensors(tensors)
    for tensor in tensors.values():
        tensor += 1  # copies, both ways
    ours, theirs = policy.state_dict(), other.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert (policy.tensors()["action.bias"] == TENSORS["action.bias"]).all()
    # Every weight that is trained is among them.
    trained = sum(parameter.numel() for parameter in policy.parameters())
    saved = [tensor.size for name, tensor in policy.tensors().items() if name not in VALUE]
    assert sum(saved) == trained == sum(p.numel() for part in policy.parts() for p in part)


def test_tensors_without_heads_make_them_fresh(policy, views):
    """Whatever they were: heads of one network mean nothing on another."""
    policy.set_tensors(HEADLESS)
    for network in (policy, make_policy()):
        assert not outputs(network, views).win_logits.any()
        assert not outputs(network, views).changes.any()
    kept = HEADLESS.keys() - VALUE.keys()
    assert all((policy.tensors()[name] == HEADLESS[name]).all() for name in kept)
