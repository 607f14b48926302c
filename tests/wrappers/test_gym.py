"""Gymnasium's views pass the checks of Gymnasium and SB3, and stricter ones."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv
from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

from shakespeare_env.wrappers.gym import SingleAgentEnv, SingleAgentVectorEnv
from tests.contract.batches import games
from tests.contract.each_table import full_tables, small_tables
from tests.wrappers.learners import ObservationHashAgent, learner_actions

ROWS = 4


@games
def test_gymnasium_finds_no_fault(name):
    check_env(SingleAgentEnv(name), skip_render_check=True)


@games
def test_sb3_finds_no_fault(name):
    check_env_for_sb3(SingleAgentEnv(name))


@small_tables
def test_an_illegal_action_ends_the_game_and_changes_nothing_on_the_table(table):
    env = SingleAgentEnv(**table.arguments)
    before, info = env.reset(seed=2)
    observation, *rest, info = env.step(int(info["action_mask"].argmin()))
    assert rest == [-1.0, True, False]
    assert (observation == before).all()
    assert info["illegal_action"] is True
    assert not info["winners"].any()
    assert info["action_mask"].all()


@small_tables
def test_after_an_illegal_action_a_reset_is_needed_and_enough(table):
    env = SingleAgentEnv(**table.arguments)
    _, info = env.reset(seed=2)
    env.step(int(info["action_mask"].argmin()))
    with pytest.raises(ResetNeeded):
        env.step(int(env.games.batch.mask[0].argmax()))
    _, info = env.reset()
    _, _, terminated, *_ = env.step(int(info["action_mask"].argmax()))
    assert terminated is False


class Row(SingleAgentEnv):
    """A single environment that plays game `row` of a seed instead of game 0."""

    def __init__(self, row: int, **arguments: Any) -> None:
        super().__init__(**arguments)
        deal = self.games.batch.reset
        self.games.batch.reset = lambda seed, rows: deal(seed, [row], rows)  # type: ignore[assignment, method-assign, misc]


def act(observations, infos):
    """Return the learner's actions, and -1, which is no action, where a game is over."""
    mask = infos["action_mask"]
    return np.where(mask.all(axis=1), -1, learner_actions(observations, mask))


def comparable(infos):
    """Return infos with the dtype beside every array, and arrays of arrays as lists."""
    if isinstance(infos, dict):
        return {key: comparable(value) for key, value in infos.items()}
    if infos.dtype == object:
        return list(infos)
    return infos, infos.dtype


@full_tables
def test_the_vector_environment_equals_gymnasiums_own_of_single_ones(table):
    """Observations, rewards, ends and infos are the same. Row 2 ends its games illegally."""
    arguments: dict[str, Any] = {
        "seat": 1,
        "opponents": ObservationHashAgent(2),
        "reward": "score",
        **table.arguments,
    }
    ours: Any = SingleAgentVectorEnv(ROWS, **arguments, threads=2)
    theirs = SyncVectorEnv([partial(Row, row, **arguments) for row in range(ROWS)])
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
    observations, infos = ours.reset(seed=9)
    expected, expected_infos = theirs.reset(seed=[9] * ROWS)
    ended = 0
    illegal = 0
    steps = 0
    while ended < 2 * ROWS or illegal < 2:
        assert observations in ours.observation_space
        np.testing.assert_array_equal(observations, expected)
        np.testing.assert_equal(comparable(infos), comparable(expected_infos))
        actions = act(observations, infos)
        steps += 1
        if steps % 12 == 0:
            actions[2] = -1
        observations, rewards, terminated, truncated, infos = ours.step(actions)
        expected, paid, expected_terminated, expected_truncated, expected_infos = theirs.step(
            actions
        )
        assert rewards.dtype == np.float32
        np.testing.assert_allclose(rewards, np.asarray(paid, np.float32))
        np.testing.assert_array_equal(terminated, expected_terminated)
        np.testing.assert_array_equal(truncated, expected_truncated)
        ended += int(terminated.sum())
        illegal += int(rewards[2] == -1 and terminated[2])
