"""One seat of many games as a vector environment; `test_autoreset.py` compares it with one game."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest

from shakespeare_env import registry
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract.each_table import full_tables, small_tables
from tests.wrappers.lives import learn

ROWS = 5


def play(env, steps, seed=None):
    """Yields what `reset` and every `step` return."""
    shown = env.reset(seed=seed)
    yield shown
    for _ in range(steps):
        observations, *_, infos = shown
        shown = env.step(learn(observations, infos["action_mask"]))
        yield shown


def all_bytes(shown):
    """Everything in what an environment returned, for comparing."""
    if isinstance(shown, dict):
        return {key: all_bytes(value) for key, value in shown.items()}
    if isinstance(shown, tuple | list) or (
        isinstance(shown, np.ndarray) and shown.dtype == np.object_
    ):
        return [all_bytes(part) for part in shown]
    if isinstance(shown, np.ndarray):
        return shown.dtype, shown.shape, shown.tobytes()
    return shown


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


@pytest.mark.parametrize("name", registry.names())
def test_rows_with_different_seat_counts_are_rows_of_a_single_agent_batch(name):
    """A game that has ended is followed in the same step by the next."""
    arguments: Any = {"game": name, "players": np.resize(registry.seats(name), ROWS)}
    env = SingleAgentVectorEnv(ROWS, threads=2, **arguments)
    games = SingleAgentBatch(n=ROWS, seed=23, **arguments)
    ended = np.zeros(ROWS, np.int64)
    actions: Any = None
    for observations, *rest, infos in play(env, 250, seed=23):
        if rest:
            rewards, terminated, _ = rest
            step = games.step(actions)
            assert (rewards == step.rewards).all()
            assert (terminated == step.ended).all()
            ended += terminated
            rows = np.flatnonzero(terminated)
            if len(rows):
                scores, winners = games.results(rows)
                assert (infos["final_info"]["final_scores"][rows] == scores).all()
                assert (infos["final_info"]["winners"][rows] == winners).all()
                assert (np.stack(infos["final_obs"][rows]) == games.observe(rows)).all()
                games.restart(rows)
        assert (observations == games.batch.obs).all()
        assert (infos["action_mask"] == games.batch.mask).all()
        actions = learn(observations, infos["action_mask"])
    assert ended.min() >= 3


@full_tables
def test_what_is_given_out_stays_as_it_was_and_is_not_looked_at(table):
    env = SingleAgentVectorEnv(ROWS, **table.arguments, reward="score")
    shown, kept = [], []
    for out in play(env, 150, seed=2):
        shown.append(out)
        kept.append(copy.deepcopy(out))
        env.action_masks()[:] = False
    assert all_bytes(shown) == all_bytes(kept)
    env.reset(seed=2)
    observations, infos = env.reset()
    actions = learn(observations, infos["action_mask"])
    observations[:] = 0
    infos["action_mask"][:] = 0
    assert not env.step(actions)[2].any()
