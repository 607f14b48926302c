"""One seat of many games as a vector environment; `test_autoreset.py` compares it with one game."""

from __future__ import annotations

import copy

import gymnasium
import numpy as np

from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract.each_table import full_tables, small_tables
from tests.wrappers.lives import bytes_of, learn

ROWS = 5


def play(env, steps, seed=None):
    """Yields what `reset` and every `step` return."""
    shown = env.reset(seed=seed)
    yield shown
    for _ in range(steps):
        observations, *_, infos = shown
        shown = env.step(learn(observations, infos["action_mask"]))
        yield shown


@small_tables
def test_spaces_hold_what_comes_out(table):
    env = SingleAgentVectorEnv(ROWS, **table.arguments)
    size, actions = env.games.batch.game.layout.size, env.games.batch.actions.size
    assert env.num_envs == ROWS
    assert env.observation_space.shape == (ROWS, size)
    assert env.single_observation_space.shape == (size,)
    assert env.action_space.shape == (ROWS,)
    assert env.single_action_space == gymnasium.spaces.Discrete(actions)
    for observations, *_, infos in play(env, 150, seed=1):
        assert observations in env.observation_space
        assert all(row in env.single_observation_space for row in observations)
        assert learn(observations, infos["action_mask"]) in env.action_space
        assert infos["action_mask"].shape == (ROWS, actions)
        assert (infos["action_mask"] == env.action_masks()).all()
        assert env.action_masks().dtype == np.bool_


@full_tables
def test_what_is_given_out_stays_as_it_was_and_is_not_looked_at(table):
    env = SingleAgentVectorEnv(ROWS, **table.arguments, reward="score")
    shown, kept = [], []
    for out in play(env, 150, seed=2):
        shown.append(out)
        kept.append(copy.deepcopy(out))
        env.action_masks()[:] = False
    assert bytes_of(shown) == bytes_of(kept)
    env.reset(seed=2)
    observations, infos = env.reset()
    actions = learn(observations, infos["action_mask"])
    observations[:] = 0
    infos["action_mask"][:] = 0
    assert not env.step(actions)[2].any()
