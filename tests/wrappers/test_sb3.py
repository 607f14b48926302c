"""The vector environment: the batch as stable-baselines3 sees it."""

from __future__ import annotations

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from shakespeare_env import Batch, IllegalMove
from shakespeare_env.wrappers.sb3 import BatchVecEnv

GAMES = 8


def make(players=4, seed=0, n=GAMES, **options):
    batch = Batch("shakespeare", n=n, players=players, seed=seed, autoreset=False, **options)
    return BatchVecEnv(batch)


def test_spaces_hold_what_comes_out():
    games = make()
    observations = games.reset()
    assert games.num_envs == GAMES
    assert observations.shape == (GAMES, *games.observation_space.shape)
    for _ in range(100):
        assert observations.dtype == games.observation_space.dtype == np.int8
        assert all(games.observation_space.contains(row) for row in observations)
        observations, rewards, dones, infos = games.step(games.batch.random_actions())
        assert (rewards.dtype, rewards.shape) == (np.float32, (GAMES,))
        assert (dones.dtype, dones.shape) == (np.bool_, (GAMES,))
        assert len(infos) == GAMES


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("reward", ["win", "prestige"])
def test_it_is_the_batch(players, reward):
    games = make(players, seed=3, reward=reward)
    batch = Batch("shakespeare", n=GAMES, players=players, seed=3, reward=reward)
    observations = games.reset()
    ended = 0
    for _ in range(400):
        assert (observations == batch.obs).all()
        assert (games.action_masks() == batch.mask).all()
        assert (games.seats == batch.to_move).all()
        movers = games.seats.copy()
        actions = batch.random_actions()
        observations, own, dones, infos = games.step(actions)
        rewards, done = batch.step(actions)
        assert (games.seat_rewards == rewards).all()
        assert (own == rewards[np.arange(GAMES), movers]).all()
        assert (dones == done).all()
        for game, info in enumerate(infos):
            assert bool(info) == done[game]
            if info:
                ended += 1
                assert (info["final_scores"] == batch.final_scores[game]).all()
                assert (info["winners"] == batch.final_winners[game]).all()
    assert ended > GAMES


def test_every_seat_is_paid_when_a_game_ends():
    games = make(players=4)
    games.reset()
    seen = 0
    while seen < 20:
        _, _, dones, infos = games.step(games.batch.random_actions())
        assert not games.seat_rewards[~dones].any()
        for game in np.flatnonzero(dones):
            seen += 1
            won = infos[game]["winners"]
            assert (games.seat_rewards[game, won] > 0).all()
            assert (games.seat_rewards[game, ~won] < 0).all()


def test_what_is_given_out_stays_as_it_was():
    games = make(reward="prestige")
    observations = games.reset()
    masks = games.action_masks()
    kept = observations.copy(), masks.copy()
    out = games.step(games.batch.random_actions())
    rewards = games.seat_rewards
    kept_rewards = rewards.copy()
    for _ in range(5):
        games.step(games.batch.random_actions())
    assert (observations == kept[0]).all()
    assert (masks == kept[1]).all()
    assert (rewards == kept_rewards).all()
    assert not np.shares_memory(out[0], games.batch.obs)


def test_masks_reach_sb3_contrib():
    games = make()
    games.reset()
    assert is_masking_supported(games)
    assert (get_action_masks(games) == games.batch.mask).all()
    assert (games.env_method("action_masks", indices=[2])[0] == games.batch.mask[2]).all()
    assert games.get_attr("render_mode") == [None] * GAMES
    assert not games.has_attr("no_such_thing")
    assert games.env_is_wrapped(VecMonitor, indices=[0, 1]) == [False, False]
    with pytest.raises(AttributeError, match="cannot be set"):
        games.set_attr("players", 3)


def test_seeds():
    def course(games):
        seen = [games.reset()]
        for _ in range(30):
            rng = np.random.default_rng(len(seen))
            masks = games.action_masks()
            seen.append(games.step((rng.random(masks.shape) * masks).argmax(1))[0])
        return np.stack(seen)

    games, others = make(seed=1), make(seed=2)
    assert (course(games) != course(others)).any()
    assert games.seed(7) == [7] * GAMES
    others.seed(7)
    first = course(games)
    assert (first == course(others)).all()
    assert (first == course(make(seed=7))).all()
    # A seed counts for one reset; later ones go on with other games.
    assert (course(games)[0] != first[0]).any()


def test_reset_keeps_the_deal_of_a_fresh_batch():
    batch = Batch("shakespeare", n=2, players=2, seed=5, autoreset=False)
    dealt = batch.obs.copy()
    games = BatchVecEnv(batch)
    assert (games.reset() == dealt).all()
    assert (games.reset() == dealt).all()
    games.step(batch.random_actions())
    assert (games.reset() != dealt).any()


def test_illegal_actions_change_nothing():
    games = make()
    games.reset()
    actions = games.batch.random_actions()
    actions[3] = np.flatnonzero(~games.action_masks()[3])[0]
    before = games.batch.obs.copy()
    with pytest.raises(IllegalMove) as caught:
        games.step(actions)
    assert caught.value.game_index == 3
    assert (games.batch.obs == before).all()


def test_misuse_is_named():
    with pytest.raises(ValueError, match="autoreset=False"):
        BatchVecEnv(Batch("shakespeare", n=2, players=2))
    with pytest.raises(RuntimeError, match="step_async"):
        make().step_wait()


def test_stock_maskable_ppo_learns_on_one_seat():
    """With one seat a row is one player's life, and the stock learner may be used as it is."""
    learner = MaskablePPO("MlpPolicy", make(players=1), n_steps=16, batch_size=64, n_epochs=1)
    learner.learn(256)
    assert learner.num_timesteps == 256
