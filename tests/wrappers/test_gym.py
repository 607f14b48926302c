"""One seat of one game: the ecosystem's own checks, and what they do not look at.

And the mask inside the observation, in the environments of Gymnasium and PettingZoo.
"""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test
from shakespeare_env.wrappers.masked_observation import (
    MaskedAgentObservation,
    MaskedObservation,
    MaskedVectorObservation,
)
from stable_baselines3.common.env_checker import check_env as check_env_for_sb3

from shakespeare_env import env, raw_env
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract.batches import games
from tests.contract.each_table import full_tables, small_tables
from tests.wrappers.lives import learn
from tests.wrappers.test_autoreset import act


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


@games
@pytest.mark.parametrize("masked", [False, True], ids=["any action", "legal actions"])
def test_gymnasium_finds_no_fault(name, masked):
    env = SingleAgentEnv(name)
    if masked:
        env.action_space = Legal(env)
    check_env(env, skip_render_check=True)


@games
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


dtypes = pytest.mark.parametrize("dtype", [np.int8, np.float32])


def same(masked, plain, mask, dtype):
    assert masked["observation"].dtype == dtype
    assert masked["action_mask"].dtype == np.int8
    assert (masked["observation"] == plain).all()
    assert (masked["action_mask"] == mask).all()


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
@dtypes
@small_tables
def test_the_environment_of_one_game(table, dtype):
    """The same game as without it, its mask beside what is seen, through other wrappers, too."""
    plain = SingleAgentEnv(**table.arguments, opponents="random")
    check_env(MaskedObservation(plain, dtype), skip_render_check=True)
    view: Any = MaskedObservation(
        gymnasium.make(f"{table.game.capitalize()}-v0", players=table.players, opponents="random"),
        dtype,
    )
    seen, info = plain.reset(seed=2)
    masked, _ = view.reset(seed=2)
    over = False
    while not over:
        assert masked in view.observation_space
        same(masked, seen, info["action_mask"], dtype)
        action = int(learn(seen[None], info["action_mask"][None])[0])
        seen, _, over, _, info = plain.step(action)
        masked, _, ended, _, _ = view.step(action)
        assert ended == over
    same(masked, seen, 0, dtype)


@pytest.mark.parametrize("mode", AutoresetMode, ids=str)
@small_tables
def test_the_vector_environment(table, mode):
    dtype = np.float32
    arguments: dict[str, Any] = {**table.arguments, "opponents": "random", "autoreset_mode": mode}
    plain = SingleAgentVectorEnv(3, **arguments)
    view: Any = MaskedVectorObservation(SingleAgentVectorEnv(3, **arguments), dtype)
    seen, infos = plain.reset(seed=2)
    masked, _ = view.reset(seed=2)
    ended = 0
    while ended < 6:
        assert masked in view.observation_space
        same(masked, seen, infos["action_mask"], dtype)
        actions = act(seen, infos)
        seen, _, terminated, _, infos = plain.step(actions)
        masked, *_, masked_infos = view.step(actions)
        ended += int(terminated.sum())
        for row in np.flatnonzero(infos.get("_final_obs", [])):
            final: Any = masked_infos["final_obs"][row]
            assert final in view.single_observation_space
            same(final, infos["final_obs"][row], 0, dtype)
        if mode is AutoresetMode.DISABLED and terminated.any():
            options = {"reset_mask": terminated}
            seen, infos = plain.reset(options=options)
            masked, _ = view.reset(options=options)


@pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action mask numpy array is all zeros",
)
@full_tables
def test_the_pettingzoo_environment(table, capsys):
    dtype = np.float32
    for make in (env, raw_env):
        view: Any = MaskedAgentObservation(make(**table.arguments), dtype)
        view.reset(seed=1)
        for agent in view.agents:
            plain, seen = view.env.observe(agent), view.observe(agent)
            assert seen in view.observation_space(agent)
            assert view.observation_space(agent) is view.observation_space(agent)
            same(seen, plain["observation"], plain["action_mask"], dtype)
        assert view.last()[0]["observation"].dtype == dtype
    api_test(MaskedAgentObservation(env(**table.arguments), dtype), num_cycles=100)
    assert "Passed API test" in capsys.readouterr().out


def test_wrong_kinds_are_refused():
    with pytest.raises(TypeError, match="choose int8 or float32"):
        MaskedObservation(SingleAgentEnv(), np.uint8)
    with pytest.raises(TypeError, match="wrap a game of ours"):
        MaskedObservation(gymnasium.make("Blackjack-v1"))
