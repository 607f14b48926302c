"""The compiled forward pass computes what the network does, and agents play by it.

`tests/training/test_ppo.py` compares what the network computes with PyTorch.
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
"""Of the largest number found: first weights are kept as whole numbers of 16 bits."""
FIGARO = registry.game("figaro")
WIDTHS = (1, 33)
"""Sums are made in 32 parts."""


@pytest.fixture(scope="module", params=PLAIN_FULL_TABLES, ids=str)
def views(request):
    """Game, observations and masks of many decisions."""
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


def same(found, expected):
    return np.abs(found - expected).max() <= TOLERANCE * np.abs(expected).max()


def test_it_computes_what_the_network_does(views, network):
    game, observations, masks = views
    forward = ForwardPass(network)
    logits = forward.legal_logits(observations, masks)
    assert logits.dtype == np.float32
    assert (logits[~masks] == -np.inf).all()
    assert same(logits[masks], network.logits(observations)[masks])
    assert same(forward.values(observations), network.values(observations))
    players = np.arange(len(masks)) % game.max_seats + 1
    if not network.has_heads:
        with pytest.raises(ValueError, match="heads"):
            forward.forecasts(observations, players)
        with_heads = network.tensors | random_heads(16, game.max_seats)
        assert Network(with_heads, game.layout).digest() != network.digest()
        return
    found = forward.forecasts(observations, players)
    expected = network.forecasts(observations, players)
    assert np.abs(found[0] - expected[0]).max() < 0.01
    assert same(found[1], expected[1])


def test_a_row_is_the_same_bit_for_bit_in_any_company(views, network):
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
def sums_in_turn(seen: Any, network: Any, room: Any, before: Any, change: Any, sums: Any) -> None:
    """The first layer of int8[n, D] into int32[2, n, W]: afresh, and from row to row."""
    weights = Weights(*network)
    scratch = Scratch(*room)
    for row in range(len(seen)):
        write_first_sums(seen[row], weights, scratch.inputs, sums[0, row])
        for j in range(sums.shape[2]):
            sums[1, row, j] = sums[1, row - 1, j]  # those of the last row are still 0 at first
        update_sums(seen[row], before, change, weights, scratch.inputs, sums[1, row])


def both_sums(network, observations):
    weights = weights_of(network)
    numbers, width = weights.first.shape
    sums = np.zeros((2, len(observations), width), np.int32)
    room = np.zeros(numbers, np.int8), np.zeros(numbers, np.int16)
    sums_in_turn(observations, tuple(weights), tuple(Scratch.of(weights)), *room, sums)
    return sums, weights


def test_sums_that_follow_what_changed_are_those_made_afresh(views, network):
    sums, _ = both_sums(network, views[1])
    assert sums.any()
    assert (sums[0] == sums[1]).all()


def test_no_sum_overflows_at_the_ends_of_all_ranges(views):
    """The largest weights times the largest numbers, and the largest change of these."""
    game = views[0]
    network = random_network(game, 33)
    network.tensors["trunk.weight"][:] = LARGEST_WEIGHT
    ends = np.array([game.layout.high, game.layout.low, game.layout.high], np.int8)
    sums, weights = both_sums(network, ends)
    exact = ends.astype(np.int64) @ weights.first.astype(np.int64)
    assert (sums == exact).all()
    whole = ends @ (input_scale(game.layout).astype(float) * LARGEST_WEIGHT)
    assert sums[0, :, 0] * float(weights.unit[0]) == pytest.approx(whole, rel=1e-3)


@pytest.mark.parametrize("scale", [LARGEST_WEIGHT, 0.0])
def test_the_most_extreme_weights_leave_legal_moves_and_numbers(views, scale):
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
        assert same(logits[masks], network.logits(observations)[masks])


def test_numbers_are_scaled_by_the_root_of_their_greatest_size():
    fields = [("small", 2, 0, 1, ""), ("signed", 1, -100, 3, ""), ("large", 1, 0, 90, "")]
    scale = input_scale(ObservationLayout([*fields, ("0", 1, 0, 0, "")]))
    assert scale == pytest.approx([1, 1, 0.1, 90**-0.5, 1])


def test_hopeless_logits_stay_shares():
    heads = random_heads(4, FIGARO.max_seats)
    heads["win.bias"][:4] = -1e6, 1e6, 0, -1e6
    network = random_network(FIGARO, 4, heads)
    nothing = np.zeros((2, FIGARO.layout.size), np.int8)
    shares, _ = ForwardPass(network).forecasts(nothing, np.array([4, 1]))
    assert shares.tolist() == [[0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]


def test_it_plays_the_likeliest_move_or_draws_by_probability_and_repeats_itself(views):
    game, observations, masks = views
    network = random_network(game, 16)
    rows = np.arange(len(masks))
    logits = ForwardPass(network).legal_logits(observations, masks).astype(np.float64)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    for greedy in (True, False):
        agent = NetworkAgent(network, greedy=greedy)
        first = agent.act(observations, masks, generators(len(masks), 3))
        again = agent.act(observations, masks, generators(len(masks), 3))
        assert (first == again).all()
        assert masks[rows, first].all()
        assert not greedy or (logits[rows, first] == logits.max(axis=1)).all()
    assert isinstance(agent, Advisor)
    likely = agent.probabilities(observations, masks)
    assert likely.dtype == np.float32
    assert likely == pytest.approx(weights / weights.sum(axis=1, keepdims=True), abs=1e-5)
    at = [likely.max(axis=1).argmin()]
    draws = 20_000
    seen = np.repeat(observations[at], draws, 0)
    legal = np.repeat(masks[at], draws, 0)
    drawn = np.bincount(agent.act(seen, legal, generators(draws)), minlength=masks.shape[1])
    assert drawn / draws == pytest.approx(likely[at[0]], abs=0.015)
