"""The network in plain arrays: what it computes, and the actions that are played from it."""

from __future__ import annotations

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


def layers(network, observations):
    """Shared layer, own layers and heads in float64, one by one, as the tensors' names say."""
    t = {name: tensor.astype(np.float64) for name, tensor in network.tensors.items()}

    def layer(name, x):
        return x @ t[f"{name}.weight"].T + t[f"{name}.bias"]

    hidden = layer("trunk", observations * input_scale(LAYOUT))
    hidden = (hidden - hidden.mean(1, keepdims=True)) / np.sqrt(hidden.var(1, keepdims=True) + 1e-5)
    shared = np.maximum(hidden * t["norm.weight"] + t["norm.bias"], 0)
    outlook = np.maximum(layer("outlook", shared), 0)
    found = {"action": layer("action", np.maximum(layer("policy", shared), 0))}
    heads = [name for name in ("value", "win", "score") if f"{name}.weight" in t]
    return found | {name: layer(name, outlook) for name in heads}


def test_logits_and_values_are_the_layers_one_after_the_other(network, views):
    expected = layers(network, views[0])
    logits, values = expected["action"], expected["value"][:, 0]
    for found, expected in ((network.logits(views[0]), logits), (network.values(views[0]), values)):
        assert found.dtype == np.float32
        assert found.shape == expected.shape
        assert found == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_forecasts_are_of_the_seats_at_the_table(forecasting, views):
    """In tables of all sizes at once."""
    seats = np.arange(SITUATIONS) % SEATS + 1
    expected = layers(forecasting, views[0])
    shares, changes = forecasting.forecasts(views[0], seats)
    for found in (shares, changes):
        assert found.dtype == np.float32
        assert found.shape == (SITUATIONS, SEATS)
    for row, count in enumerate(seats):
        weights = np.exp(expected["win"][row, :count] - expected["win"][row, :count].max())
        assert shares[row, :count] == pytest.approx(weights / weights.sum(), rel=1e-3, abs=1e-5)
        assert changes[row, :count] == pytest.approx(expected["score"][row, :count], abs=1e-3)
        assert not shares[row, count:].any()
        assert not changes[row, count:].any()


def test_hopeless_logits_stay_shares():
    tensors = random_tensors(WIDTH, LAYOUT.size, ACTIONS) | random_heads(WIDTH, SEATS)
    tensors["win.bias"][:] = -1e6, 1e6, 0, -1e6
    network, nothing = Network(tensors, LAYOUT), np.zeros((1, LAYOUT.size), np.int8)
    assert network.forecasts(nothing, np.array([4]))[0].tolist() == [[0, 1, 0, 0]]
    assert network.forecasts(nothing, np.array([1]))[0].tolist() == [[1, 0, 0, 0]]
    assert network.forecasts(nothing[:0], np.zeros(0, np.int8))[0].shape == (0, SEATS)


def test_a_network_without_heads_says_so(network, forecasting, views):
    assert forecasting.has_heads
    assert not network.has_heads
    with pytest.raises(ValueError, match=r"only the seat to move; give one whose card\.json lists"):
        network.forecasts(views[0], np.full(SITUATIONS, 4))


@pytest.mark.parametrize("players", [0, 5])
def test_forecasts_for_tables_that_there_are_not(forecasting, views, players):
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
    logits = np.where(mask, network.logits(views[0][:1])[0].astype(float), -np.inf)
    expected = np.exp(logits - logits.max())
    agent = NetworkAgent(network, greedy=False)
    drawn = agent.act(observations, np.tile(mask, (draws, 1)), generators(draws))
    shares = np.bincount(drawn, minlength=ACTIONS) / draws
    assert shares == pytest.approx(expected / expected.sum(), abs=0.015)


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
