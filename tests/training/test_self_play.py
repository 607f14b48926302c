"""The learner: credit that comes by others' moves, own generators, rollouts that hang together."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from agents import RandomAgent
from agents.network import NetworkAgent
from shakespeare_env import Batch
from shakespeare_env.wrappers.sb3 import BatchVecEnv
from tests.training.toy_game import make_toy
from training.evaluate import evaluate
from training.self_play import SelfPlayPPO


def make_learner(*, players=2, games=32, seed=0, **arguments):
    settings: dict[str, Any] = {
        "width": 32,
        "n_steps": 16,
        "batch_size": 256,
        "n_epochs": 4,
        "gamma": 1.0,
        "learning_rate": 3e-3,
        "device": "cpu",
    }
    env = BatchVecEnv(make_toy(games, players=players, seed=seed, autoreset=False))
    return SelfPlayPPO(env, seed=seed, **(settings | arguments))


@pytest.fixture(scope="module")
def trained():
    learner = make_learner()
    learner.learn(30_000)
    return learner


def test_it_learns_a_game_in_which_others_decide_what_one_gets(trained):
    """Whoever takes the last counter loses: winners are paid by a move that is not theirs."""
    found = evaluate(NetworkAgent(trained.policy), [RandomAgent()], make_toy, games=400, seed=1)
    assert found.win_rate > 0.85


def test_values_are_the_deciding_seats_own(trained):
    """-1 before the loser's forced last move, and +1 for the winner one move earlier."""
    toy = make_toy(1, players=2, autoreset=False)
    expected = {1: -1.0, 2: 1.0, 3: 1.0, 4: 1.0, 5: -1.0, 6: 1.0, 9: -1.0}
    for pile, value in expected.items():
        toy.pile[:], toy.to_move[:] = pile, 1
        toy._look()
        with torch.no_grad():
            _, found = trained.policy.masked_log_probabilities(
                torch.as_tensor(toy.obs), torch.as_tensor(toy.mask)
            )
        assert found.item() == pytest.approx(value, abs=0.35), pile


def test_the_update_is_the_stock_one():
    assert SelfPlayPPO.train is MaskablePPO.train
    assert SelfPlayPPO.learn is MaskablePPO.learn


def test_one_seed_one_course():
    weights = []
    for seed in (5, 5, 6):
        learner = make_learner(seed=seed, players=3)
        learner.learn(2 * 16 * 32)
        weights.append(torch.nn.utils.parameters_to_vector(learner.policy.parameters()))
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_global_generators_are_left_alone():
    def states():
        return (
            random.getstate(),
            np.random.get_state(legacy=False)["state"]["key"].tolist(),
            torch.random.get_rng_state().tolist(),
        )

    before = states()
    make_learner().learn(16 * 32)
    assert states() == before


class StopAfter(BaseCallback):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def _on_step(self):
        return self.n_calls < self.steps


def test_broken_off_and_begun_again():
    learner = make_learner()
    learner.learn(10_000, callback=StopAfter(20))
    assert learner.num_timesteps == 20 * 32
    buffer = learner.rollout_buffer
    # Go on with the games as they stand: the broken rollout is dropped, its decisions are not
    # carried.
    learner.learn(16 * 32, reset_num_timesteps=False)
    assert np.isfinite(buffer.advantages).all()
    # Set up the games anew: nothing is carried into them.
    learner.learn(16 * 32)
    assert len(buffer.advantages) <= 16 * 32


def test_schedules_follow_the_time_if_it_is_given():
    learner = make_learner(learning_rate=lambda remaining: remaining)
    learner.remaining = lambda: 0.25
    learner.learn(16 * 32)
    assert learner.policy.optimizer.param_groups[0]["lr"] == 0.25


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rewards_in_the_learners_terms(players):
    learner = make_learner(players=players, games=4, reward_scale=2.0, win_bonus=0.5)
    env = learner.env
    env.reset()
    ended = 0
    rng = np.random.default_rng(0)
    while ended < 10:
        masks = env.action_masks()
        _, _, dones, infos = env.step((rng.random(masks.shape) * masks).argmax(1))
        rewards = learner._seat_rewards(env, dones)
        assert not rewards[~dones].any()
        for game in np.flatnonzero(dones):
            ended += 1
            won = infos[game]["winners"][:players]
            expected = np.where(won, 2.5 / (players - 1), -2.5)
            assert rewards[game, :players] == pytest.approx(expected)
            assert not rewards[game, players:].any()


def test_misuse_is_named():
    learner = make_learner()
    learner._setup_learn(100)
    callback = StopAfter(1)
    with pytest.raises(ValueError, match="use_masking=False"):
        learner.collect_rollouts(learner.env, callback, learner.rollout_buffer, 1, False)
    stock = MaskablePPO("MlpPolicy", learner.env, n_steps=8, batch_size=8)
    with pytest.raises(TypeError, match="SeatRolloutBuffer"):
        learner.collect_rollouts(learner.env, callback, stock.rollout_buffer, 1)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_few_updates_on_the_real_game(players):
    games = Batch("shakespeare", n=16, players=players, seed=1, autoreset=False, reward="prestige")
    learner = SelfPlayPPO(
        BatchVecEnv(games), width=32, n_steps=64, batch_size=256, n_epochs=1, seed=1, device="cpu"
    )
    before = torch.nn.utils.parameters_to_vector(learner.policy.parameters()).clone()
    learner.learn(4 * 64 * 16)
    after = torch.nn.utils.parameters_to_vector(learner.policy.parameters())
    assert torch.isfinite(after).all()
    assert not torch.equal(before, after)
    assert learner.num_timesteps == 4 * 64 * 16
