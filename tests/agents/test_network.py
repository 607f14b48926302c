"""The network in plain arrays, and the actions that are played from it.

`tests/training/test_policy.py` compares what it computes with PyTorch.
"""

import numpy as np
import pytest

from shakespeare_agents.networks.network import Network, input_scale
from shakespeare_agents.networks.network_agent import NetworkAgent
from shakespeare_env.core.game import ObservationLayout
from shakespeare_env.play.agent import Advisor, Agent
from tests.agents.networks import random_heads, random_tensors, random_views
from tests.generators import generators

ACTIONS, SEATS, SITUATIONS, WIDTH = 9, 4, 64, 16
LAYOUT = ObservationLayout(
    [
        ("small", 5, 0, 1, ""),
        ("signed", 5, -100, 3, ""),
        ("large", 9, 0, 90, ""),
        ("0", 1, 0, 0, ""),
    ]
)


@pytest.fixture
def network():
    return Network(random_tensors(WIDTH, LAYOUT.size, ACTIONS), LAYOUT)


@pytest.fixture
def forecasting():
    tensors = random_tensors(WIDTH, LAYOUT.size, ACTIONS)
    return Network({**tensors, **random_heads(WIDTH, SEATS)}, LAYOUT)


@pytest.fixture
def views():
    return random_views(LAYOUT, SITUATIONS, ACTIONS)


def test_numbers_are_scaled_by_the_root_of_their_greatest_size():
    scale = input_scale(LAYOUT)
    assert scale.dtype == np.float32
    assert scale == pytest.approx([1] * 5 + [0.1] * 5 + [90**-0.5] * 9 + [1])


def test_hopeless_logits_stay_shares():
    tensors = random_tensors(WIDTH, LAYOUT.size, ACTIONS) | random_heads(WIDTH, SEATS)
    tensors["win.bias"][:] = -1e6, 1e6, 0, -1e6
    network, nothing = Network(tensors, LAYOUT), np.zeros((1, LAYOUT.size), np.int8)
    assert network.forecasts(nothing, np.array([4]))[0].tolist() == [[0, 1, 0, 0]]
    assert network.forecasts(nothing, np.array([1]))[0].tolist() == [[1, 0, 0, 0]]
    assert network.forecasts(nothing[:0], np.zeros(0, np.int8))[0].shape == (0, SEATS)


def test_what_cannot_be_forecast_is_refused(network, forecasting, views):
    with pytest.raises(ValueError, match=r"only the seat to move; give one whose card\.json lists"):
        network.forecasts(views[0], np.full(SITUATIONS, 4))
    for players in (0, 5):
        with pytest.raises(ValueError, match=f"players = {players}: tables have 1 to 4 seats"):
            forecasting.forecasts(views[0][:3], np.array([2, players, 4]))


def test_heads_change_nothing_but_the_digest(network, forecasting, views):
    assert (network.logits(views[0]) == forecasting.logits(views[0])).all()
    assert (network.values(views[0]) == forecasting.values(views[0])).all()
    others = {**network.tensors, **random_heads(WIDTH, SEATS, seed=1)}
    digests = {one.digest() for one in (network, forecasting, Network(others, LAYOUT))}
    assert len(digests) == 3


@pytest.mark.parametrize("greedy", [True, False])
def test_plays_legal_actions_and_repeats_itself(network, views, greedy):
    observations, masks = views
    agent = NetworkAgent(network, greedy=greedy)
    assert isinstance(agent, Agent)
    first, again = (agent.act(observations, masks, generators(SITUATIONS, 3)) for _ in range(2))
    assert (first == again).all()
    assert masks[np.arange(SITUATIONS), first].all()
    if greedy:
        for logits, mask, action in zip(network.logits(observations), masks, first, strict=True):
            assert logits[action] == max(logits[mask])


def test_the_others_are_drawn_by_their_probability(network, views):
    draws = 20_000
    observations = np.repeat(views[0][:1], draws, axis=0)
    mask = np.arange(ACTIONS) % 2 == 0
    agent = NetworkAgent(network, greedy=False)
    expected = agent.probabilities(observations[:1], mask[None])[0]
    drawn = agent.act(observations, np.tile(mask, (draws, 1)), generators(draws))
    shares = np.bincount(drawn, minlength=ACTIONS) / draws
    assert shares == pytest.approx(expected, abs=0.015)


def test_probabilities_are_the_softmax_over_legal_actions(network, views):
    observations, masks = views
    agent = NetworkAgent(network)
    assert isinstance(agent, Advisor)
    likely = agent.probabilities(observations, masks)
    assert likely.dtype == np.float32
    weights = np.where(masks, np.exp(network.logits(observations).astype(np.float64)), 0)
    expected = weights / weights.sum(axis=1, keepdims=True)
    # Weights of the first layer are rounded to 16 bits (`weights_of`).
    assert likely == pytest.approx(expected, abs=2e-3)
    assert likely.sum(axis=1) == pytest.approx(1.0, abs=1e-6)
    assert not likely[~masks].any()
