"""One seat of one game: the ecosystem's own checks, and what they do not look at."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

from shakespeare_env.core import registry
from shakespeare_env.wrappers.gym import SingleAgentEnv
from tests.contract.each_table import small_tables
from tests.wrappers.lives import learn

each_game = pytest.mark.parametrize("name", registry.names())


class Legal(spaces.Discrete):
    """An action space that draws from what the environment allows."""

    def __init__(self, env):
        super().__init__(env.action_space.n)
        self.env = env

    def sample(self, mask=None, probability=None):
        legal = self.env.action_masks().astype(np.int8)
        return super().sample(mask=legal if legal.any() else None)


def choose(observation, info):
    return int(learn(observation[None], info["action_mask"][None])[0])


def game(env, seed=None):
    """Play a game; yields what `reset` and every `step` return."""
    shown = env.reset(seed=seed)
    yield shown
    observation, info = shown
    over = False
    while not over:
        shown = env.step(choose(observation, info))
        observation, _, terminated, truncated, info = shown
        yield shown
        over = terminated or truncated


@each_game
@pytest.mark.parametrize("masked", [False, True], ids=["any action", "legal actions"])
def test_gymnasium_finds_no_fault(name, masked):
    env = SingleAgentEnv(name)
    if masked:
        env.action_space = Legal(env)
    check_env(env, skip_render_check=True)


@each_game
def test_sb3_finds_no_fault(name):
    check_env_for_sb3(SingleAgentEnv(name))


@small_tables
@pytest.mark.parametrize("illegal", [True, False])
def test_after_the_end_it_must_be_reset(table, illegal):
    env = SingleAgentEnv(**table.arguments)
    before, info = env.reset(seed=2)
    if illegal:
        observation, *rest, info = env.step(int(info["action_mask"].argmin()))
        assert rest == [-1.0, True, False]
        assert (observation == before).all()
        assert info["illegal_action"] is True
        assert not info["winners"].any()
        assert not info["action_mask"].any()
    else:
        for _ in game(env):
            pass
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(int(env.games.batch.mask[0].argmax()))
    _, info = env.reset()
    assert env.step(int(info["action_mask"].argmax()))[2] is False


@small_tables
def test_only_what_is_an_action_id_is_an_action(table):
    env = SingleAgentEnv(**table.arguments)
    _, info = env.reset(seed=1)
    legal = info["action_mask"].argmax()
    actions: list[Any] = [int(legal), legal, np.array(legal)]
    for action in actions:
        assert copy.deepcopy(env).step(action)[2] is False
    others: list[Any] = [0.0, [0], None, "pass"]
    for other in others:
        with pytest.raises((TypeError, ValueError)):
            env.step(other)
    *_, info = env.step(2**70)
    assert info["illegal_action"]
