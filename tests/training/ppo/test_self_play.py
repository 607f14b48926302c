"""The learner: credit for what others' moves cause, own generators, rollouts that connect."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

from shakespeare_agents import RandomAgent
from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_arena import Entrant, evaluate
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.league import League
from shakespeare_training.ppo.advantages import NO_SEAT
from shakespeare_training.ppo.device import bfloat16_is_faster
from shakespeare_training.ppo.learner import linear
from shakespeare_training.ppo.self_play import SelfPlayPPO
from tests.agents.networks import PlainNetwork
from tests.training.toy_game import NAME, make_toy, set_pile

pytestmark = pytest.mark.usefixtures("toy")

CURRENT = {"current": 1.0}


def make_learner(*, players=2, games=32, seed=0, opponents=None, **arguments):
    settings: dict[str, Any] = {
        "width": 32,
        "n_steps": 16,
        "batch_size": 256,
        "n_epochs": 4,
        "learning_rate": 3e-3,
        "win_reward_coef": 1.0,
        "device": "cpu",
    }
    batch = make_toy(games, players=players, seed=seed, autoreset=False)
    league = League(opponents or CURRENT, batch, max_snapshots=2, seed=seed)
    return SelfPlayPPO(SB3SelfPlayVecEnv(batch), league, seed=seed, **(settings | arguments))


def network_of(learner):
    return PlainNetwork(learner.policy.tensors(), learner.league.batch.game.layout)


def win_rate(learner):
    """How often it beats a random player if it draws its moves as it has learned to."""
    agent = NetworkAgent(network_of(learner), greedy=False)
    entrants = [Entrant("learner", agent), Entrant("random", RandomAgent())]
    found = evaluate(entrants, NAME, games=400, seed=1).agents[0].win_rate
    assert found is not None
    return found


@pytest.fixture(scope="module")
def trained(toy):
    learner = make_learner()
    learner.learn(20_000)
    return learner


def test_it_learns_a_game_in_which_others_decide_what_one_gets(trained):
    """Whoever takes the last counter loses: winners are paid by a move that is not theirs."""
    assert win_rate(trained) > 0.9


def test_it_learns_from_one_seat_among_opponents():
    """The rows in which opponents decide are left out, and what they cause is credited."""
    learner = make_learner(opponents={"random": 1.0})
    learner.learn(8_000)
    seats = learner.rollout_buffer._seats[4:]
    assert 0.3 < (seats != NO_SEAT).float().mean() < 0.7, "only its own decisions count"
    assert win_rate(learner) > 0.85
    assert learner.league.opponents[0].win_rate > 0.7


def test_forecasts_are_of_the_seats_clockwise(trained):
    """The share of the victory is 0 before the loser's last move, and 1 one move earlier."""
    one = make_toy(1, players=2, autoreset=False)
    expected = {1: 0.0, 2: 1.0, 3: 1.0, 4: 1.0, 5: 0.0, 6: 1.0, 9: 0.0}
    for pile, share in expected.items():
        set_pile(one, pile, to_move=1)
        shares, changes = network_of(trained).forecasts(one.obs, np.array([2]))
        assert shares[0, :2] == pytest.approx([share, 1.0 - share], abs=0.2), pile
        assert changes[0, 0] == pytest.approx(2.0 * share - 1.0, abs=0.35), pile


def test_one_seed_one_run_and_global_generators_are_left_alone():
    def states():
        return (
            random.getstate(),
            np.random.get_state(legacy=False)["state"]["key"].tolist(),
            torch.random.get_rng_state().tolist(),
        )

    before, weights = states(), []
    for seed in (5, 5, 6):
        learner = make_learner(seed=seed, players=3)
        learner.learn(2 * 16 * 32)
        weights.append(torch.nn.utils.parameters_to_vector(learner.policy.parameters()))
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
    assert states() == before


def test_schedules_follow_the_decisions_and_stay_at_their_end():
    """The last rollout overshoots: what is left of the run is then negative."""
    learner = make_learner(
        learning_rate=linear(1.0, 0.25),
        ent_coef=linear(0.8, 0.0),
        score_reward_coef=linear(8.0, 4.0),
    )
    coefs = []

    def look(*_):
        remaining = learner._current_progress_remaining
        coefs.append((learner.ent_coef, learner.score_reward_coef(remaining)))
        return True

    learner.learn(4 * 16 * 32 - 1, callback=look)
    assert learner._current_progress_remaining < 0
    assert learner.policy.optimizer.param_groups[0]["lr"] == 0.25
    # A rollout is played with the coefficients of its beginning.
    expected = [(0.8, 8.0), (0.6, 7.0), (0.4, 6.0), (0.2, 5.0)]
    assert np.array(coefs[::16]) == pytest.approx(np.array(expected), rel=2e-3)
    assert [linear(3.0, 1.0)(left) for left in (1.5, 1.0, 0.5, 0.0, -0.5)] == [3, 3, 2, 1, 1]


def test_games_begin_at_different_moments():
    """So that every rollout sees all of a game; learning that goes on does not begin."""
    learner = make_learner(games=256, players=3, n_steps=1)
    piles = []

    def look(*_):
        store = learner.rollout_buffer._stores["observations"]
        piles.append(store[-1].argmax(dim=1).numpy())
        return True

    learner.learn(1, callback=look)
    learner.learn(1, callback=look, reset_num_timesteps=False)
    before, after = piles
    assert len(set(before.tolist())) > 8
    assert ((before - after <= 3) | (before < 4)).all(), "one move was made, or a new game begun"


def test_looking_for_the_faster_precision_leaves_no_trace():
    policy = make_learner(games=4).policy
    before = {name: tensor.clone() for name, tensor in policy.state_dict().items()}
    chance = torch.random.get_rng_state()
    assert bfloat16_is_faster(policy, 64) in (True, False)
    assert policy.use_bfloat16 is False
    assert all(torch.equal(tensor, before[name]) for name, tensor in policy.state_dict().items())
    assert all(parameter.grad is None for parameter in policy.parameters())
    assert not policy.optimizer.state
    assert torch.equal(torch.random.get_rng_state(), chance)
