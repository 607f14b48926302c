"""Gymnasium's views: the ecosystem's own checks, and what they do not look at."""

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
def test_gymnasium_and_sb3_find_no_fault(name):
    check_env_for_sb3(SingleAgentEnv(name))
    check_env(SingleAgentEnv(name), skip_render_check=True)


@small_tables
def test_after_an_illegal_action_it_must_be_reset(table):
    env = SingleAgentEnv(**table.arguments)
    before, info = env.reset(seed=2)
    observation, *rest, info = env.step(int(info["action_mask"].argmin()))
    assert rest == [-1.0, True, False]
    assert (observation == before).all()
    assert info["illegal_action"] is True
    assert not info["winners"].any()
    assert info["action_mask"].all()
    with pytest.raises(ResetNeeded):
        env.step(int(env.games.batch.mask[0].argmax()))
    _, info = env.reset()
    assert env.step(int(info["action_mask"].argmax()))[2] is False


class Row(SingleAgentEnv):
    """A row of the native environment: game `row` of the seed, not game 0."""

    def __init__(self, row: int, **arguments: Any) -> None:
        super().__init__(**arguments)
        deal = self.games.batch.reset
        self.games.batch.reset = lambda seed, rows: deal(seed, [row], rows)  # type: ignore[assignment, method-assign, misc]


def act(observations, infos):
    """Legal actions; -1, which is none, where a game is over."""
    mask = infos["action_mask"]
    return np.where(mask.all(axis=1), -1, learner_actions(observations, mask))


def comparable(infos):
    """Infos with lists in place of arrays of arrays, and kinds beside values."""
    if isinstance(infos, dict):
        return {key: comparable(value) for key, value in infos.items()}
    return list(infos) if infos.dtype == object else (infos, infos.dtype)


@full_tables
def test_it_is_gymnasiums_own_vector_environment(table):
    """Step by step the same observations, rewards, ends and infos; row 2 ends games illegally."""
    arguments: dict[str, Any] = {"seat": 1, "opponents": ObservationHashAgent(2), "reward": "score"}
    arguments |= table.arguments
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
        actions[2] = -1 if steps % 12 == 0 else actions[2]
        observations, rewards, terminated, truncated, infos = ours.step(actions)
        expected, *rest, expected_infos = theirs.step(actions)
        assert rewards.dtype == np.float32
        np.testing.assert_allclose(rewards, np.asarray(rest[0], np.float32))
        np.testing.assert_array_equal(terminated, rest[1])
        np.testing.assert_array_equal(truncated, rest[2])
        ended += int(terminated.sum())
        illegal += int(rewards[2] == -1 and terminated[2])
