from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

from agents import Agent
from agents.network import NetworkAgent, build_network, draw_actions

NUMBERS, ACTIONS, SITUATIONS = 20, 9, 64


@pytest.fixture
def network():
    space = gymnasium.spaces.Box(-3, 100, (NUMBERS,), np.int8)
    return build_network(space, ACTIONS, 16)


@pytest.fixture
def views():
    rng = np.random.default_rng(0)
    observations = rng.integers(-3, 100, (SITUATIONS, NUMBERS)).astype(np.int8)
    masks = rng.random((SITUATIONS, ACTIONS)) < 0.3
    masks[np.arange(SITUATIONS), rng.integers(ACTIONS, size=SITUATIONS)] = True
    return observations, masks


@pytest.mark.parametrize("greedy", [True, False])
def test_plays_legal_actions_and_repeats_itself(network, views, greedy):
    observations, masks = views
    agent = NetworkAgent(network, greedy=greedy)
    assert isinstance(agent, Agent)
    first, again = (agent.act(observations, masks, np.random.default_rng(3)) for _ in range(2))
    assert (first == again).all()
    assert masks[np.arange(SITUATIONS), first].all()


def test_a_situation_is_judged_alone_as_in_company(network, views):
    observations, masks = views
    agent = NetworkAgent(network, greedy=True)
    rng = np.random.default_rng(0)
    together = agent.act(observations, masks, rng)
    alone = [agent.act(observations[i : i + 1], masks[i : i + 1], rng)[0] for i in range(8)]
    assert together[:8].tolist() == alone


def test_log_probabilities_are_the_stock_ones(network, views):
    """One masked log-softmax gives what the distribution of sb3-contrib gives."""
    observations, masks = map(torch.as_tensor, views)
    actions = masks.float().argmax(dim=1)
    values, taken, entropies = network.evaluate_actions(observations, actions, masks)
    stock = super(type(network), network).evaluate_actions(observations, actions, masks)
    assert torch.allclose(values, stock[0].flatten(), atol=1e-6)
    assert torch.allclose(taken, stock[1], atol=1e-5)
    assert torch.allclose(entropies, stock[2], atol=1e-5)
    log_probabilities, _ = network.masked_log_probabilities(observations, masks)
    assert (log_probabilities.exp()[~masks] == 0).all()


def test_without_a_mask_everything_is_legal(network, views):
    observations = torch.as_tensor(views[0])
    actions = torch.zeros(SITUATIONS, dtype=torch.long)
    everything = torch.ones(SITUATIONS, ACTIONS, dtype=torch.bool)
    for ours, masked in zip(
        network.evaluate_actions(observations, actions),
        network.evaluate_actions(observations, actions, everything),
        strict=True,
    ):
        assert torch.equal(ours, masked)


def test_making_a_network_leaves_the_global_generator_alone():
    before = torch.random.get_rng_state()
    build_network(gymnasium.spaces.Box(0, 1, (3,), np.int8), 2, 4)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_actions_are_drawn_by_probability():
    probabilities = np.tile(np.array([0.0, 0.5, 0.0, 0.2, 0.3, 0.0], np.float32), (20_000, 1))
    actions = draw_actions(probabilities, np.random.default_rng(0))
    shares = np.bincount(actions, minlength=6) / 20_000
    assert shares == pytest.approx([0, 0.5, 0, 0.2, 0.3, 0], abs=0.015)


def test_no_draw_falls_on_an_impossible_action():
    class Highest:
        def random(self, size):
            return np.full(size, np.nextafter(1.0, 0.0))

    highest: Any = Highest()
    probabilities = np.array([[0.1, 0.2, 0.7, 0.0], [1.0, 0.0, 0.0, 0.0]], np.float32)
    assert draw_actions(probabilities, highest).tolist() == [2, 0]
