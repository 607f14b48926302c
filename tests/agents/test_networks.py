"""The compiled forward pass computes the same as NumPy, and agents play by it.

`tests/training/test_ppo.py` compares the NumPy network with PyTorch.
"""

from typing import Any

import numpy as np
import pytest

from shakespeare_agents import make
from shakespeare_agents.networks.inference import (
    ForwardPass,
    NetworkAgent,
    Scratch,
    Weights,
    update_sums,
    weights_of,
    write_first_sums,
)
from shakespeare_agents.networks.network import LARGEST_WEIGHT, Network, input_scale
from shakespeare_env.compile.decorators import kernel
from shakespeare_env.core import registry
from shakespeare_env.core.game import ObservationLayout
from shakespeare_env.play.agent import Advisor
from tests.agents.networks import PlainNetwork, random_heads, random_network
from tests.contract.random_games import PLAIN_FULL_TABLES, actions_by_rule
from tests.generators import generators

TOLERANCE = 1e-3
"""The error allowed, relative to the largest number: the first layer is rounded to 16 bits."""
FIGARO = registry.game("figaro")
WIDTHS = (1, 33)
"""Widths that are not multiples of the 32 partial sums of a dot product."""


@pytest.fixture(scope="module", params=PLAIN_FULL_TABLES, ids=str)
def views(request):
    """Return a game, and the observations and masks of many decisions in it."""
    batch = request.param.batch(20, seed=1)
    seen = []
    legal = []
    for step in range(100):
        if step % 10 == 0:
            deciding = batch.to_move >= 0
            seen.append(batch.obs[deciding])
            legal.append(batch.mask[deciding])
        batch.step(actions_by_rule(batch.mask, step))
    return batch.game, np.concatenate(seen), np.concatenate(legal)


@pytest.fixture(params=["bundled", *WIDTHS, "without heads"])
def network(request, views):
    if request.param == "bundled":
        agent = make("network,version=1", views[0])
        assert isinstance(agent, NetworkAgent)
        return PlainNetwork(agent.network.tensors, agent.network.layout)
    if request.param == "without heads":
        return random_network(views[0], 16, heads=False)
    return random_network(views[0], request.param)


def is_close(found, expected):
    return np.abs(found - expected).max() <= TOLERANCE * np.abs(expected).max()


def test_logits_and_values_are_those_of_the_reference(views, network):
    _, observations, masks = views
    forward = ForwardPass(network)
    logits = forward.legal_logits(observations, masks)
    assert logits.dtype == np.float32
    assert (logits[~masks] == -np.inf).all()
    assert is_close(logits[masks], network.logits(observations)[masks])
    assert is_close(forward.values(observations), network.values(observations))


def test_forecasts_are_those_of_the_reference_and_need_heads(views, network):
    game, observations, _ = views
    forward = ForwardPass(network)
    players = np.arange(len(observations)) % game.max_seats + 1
    if not network.has_heads:
        with pytest.raises(ValueError, match="heads"):
            forward.forecasts(observations, players)
        return
    shares, changes = forward.forecasts(observations, players)
    expected_shares, expected_changes = network.forecasts(observations, players)
    assert np.abs(shares - expected_shares).max() < 0.01
    assert is_close(changes, expected_changes)


def test_the_digest_covers_heads():
    network = random_network(FIGARO, 16, heads=False)
    with_heads = {**network.tensors, **random_heads(16, FIGARO.max_seats)}
    assert Network(with_heads, FIGARO.layout).digest() != network.digest()


def test_a_row_s_results_do_not_depend_on_other_rows_bit_for_bit(views, network):
    _, observations, masks = views
    forward = ForwardPass(network)
    logits = forward.legal_logits(observations, masks)
    values = forward.values(observations)
    for rows in (np.arange(len(masks))[::-1], np.arange(7), np.array([11])):
        assert (forward.legal_logits(observations[rows], masks[rows]) == logits[rows]).all()
        assert (forward.values(observations[rows]) == values[rows]).all()
    alone = [forward.values(observations[row : row + 1])[0] for row in range(60)]
    assert alone == values[:60].tolist()


@kernel("tests")
def write_sums(seen: Any, network: Any, memory: Any, before: Any, change: Any, sums: Any) -> None:
    """Write the first layer's sums for int8[n, D] into int32[2, n, W].

    The first half is computed from each row, and the second half by updates from row to row.
    """
    weights = Weights(*network)
    scratch = Scratch(*memory)
    for row in range(len(seen)):
        write_first_sums(seen[row], weights, scratch.inputs, sums[0, row])
        for j in range(sums.shape[2]):
            # For the first row, row - 1 is the last one, whose sums are still 0.
            sums[1, row, j] = sums[1, row - 1, j]
        update_sums(seen[row], before, change, weights, scratch.inputs, sums[1, row])


def both_sums(weights, observations):
    size, width = weights.first.shape
    sums = np.zeros((2, len(observations), width), np.int32)
    before = np.zeros(size, np.int8)
    change = np.zeros(size, np.int16)
    memory = Scratch.of(weights)
    write_sums(observations, tuple(weights), tuple(memory), before, change, sums)
    return sums


def test_updated_sums_are_those_computed_from_the_observation(views, network):
    _, observations, _ = views
    sums = both_sums(weights_of(network), observations)
    assert sums.any()
    assert (sums[0] == sums[1]).all()


def test_no_sum_overflows_for_the_largest_weights_observations_and_changes(views):
    game = views[0]
    network = random_network(game, 33)
    network.tensors["trunk.weight"][:] = LARGEST_WEIGHT
    observations = np.array([game.layout.high, game.layout.low, game.layout.high], np.int8)
    weights = weights_of(network)
    sums = both_sums(weights, observations)
    exact = observations.astype(np.int64) @ weights.first.astype(np.int64)
    assert (sums == exact).all()
    expected = observations @ (input_scale(game.layout).astype(float) * LARGEST_WEIGHT)
    assert sums[0, :, 0] * float(weights.unit[0]) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("scale", [LARGEST_WEIGHT, 0.0])
def test_with_the_most_extreme_weights_outputs_are_finite_and_moves_legal(views, scale):
    """No checkpoint may have larger weights than this network."""
    game, observations, masks = views
    network = random_network(game, 33)
    for tensor in network.tensors.values():
        tensor[:] = np.sign(tensor) * np.float32(scale)
    forward = ForwardPass(network)
    logits = forward.legal_logits(observations, masks)
    assert np.isfinite(logits[masks]).all()
    assert np.isfinite(forward._heads(observations)).all()
    for greedy in (True, False):
        agent = NetworkAgent(network, greedy=greedy)
        actions = agent.act(observations, masks, generators(len(masks)))
        assert masks[np.arange(len(masks)), actions].all()
        assert agent.probabilities(observations, masks).sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    if scale:
        assert is_close(logits[masks], network.logits(observations)[masks])


def test_observations_are_scaled_by_the_square_root_of_their_bounds():
    fields = [("small", 2, 0, 1, ""), ("signed", 1, -100, 3, ""), ("large", 1, 0, 90, "")]
    scale = input_scale(ObservationLayout([*fields, ("0", 1, 0, 0, "")]))
    assert scale == pytest.approx([1, 1, 0.1, 90**-0.5, 1])


def test_shares_of_the_victory_are_valid_even_for_extreme_logits():
    heads = random_heads(4, FIGARO.max_seats)
    heads["win.bias"][:4] = [-1e6, 1e6, 0, -1e6]
    network = random_network(FIGARO, 4, heads)
    observations = np.zeros((2, FIGARO.layout.size), np.int8)
    shares, _ = ForwardPass(network).forecasts(observations, np.array([4, 1]))
    assert shares.tolist() == [[0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]


@pytest.mark.parametrize("greedy", [True, False])
def test_moves_are_legal_and_repeatable(views, greedy):
    game, observations, masks = views
    agent = NetworkAgent(random_network(game, 16), greedy=greedy)
    actions = agent.act(observations, masks, generators(len(masks), 3))
    again = agent.act(observations, masks, generators(len(masks), 3))
    assert (actions == again).all()
    assert masks[np.arange(len(masks)), actions].all()


def test_the_greedy_agent_plays_the_likeliest_move(views):
    game, observations, masks = views
    network = random_network(game, 16)
    actions = NetworkAgent(network).act(observations, masks, generators(len(masks)))
    logits = ForwardPass(network).legal_logits(observations, masks)
    assert (logits[np.arange(len(masks)), actions] == logits.max(axis=1)).all()


def test_the_sampling_agent_draws_moves_with_the_policy_s_probabilities(views):
    game, observations, masks = views
    network = random_network(game, 16)
    agent = NetworkAgent(network, greedy=False)
    assert isinstance(agent, Advisor)
    logits = ForwardPass(network).legal_logits(observations, masks).astype(np.float64)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities = agent.probabilities(observations, masks)
    assert probabilities.dtype == np.float32
    assert probabilities == pytest.approx(weights / weights.sum(axis=1, keepdims=True), abs=1e-5)

    least_certain = probabilities.max(axis=1).argmin()
    draws = 20_000
    seen = np.repeat(observations[[least_certain]], draws, 0)
    legal = np.repeat(masks[[least_certain]], draws, 0)
    actions = agent.act(seen, legal, generators(draws))
    frequencies = np.bincount(actions, minlength=masks.shape[1]) / draws
    assert frequencies == pytest.approx(probabilities[least_certain], abs=0.015)
