"""SuperSuit's wrappers around all seats, one seat, and copies of one seat."""

import gymnasium
import numpy as np
import supersuit
from pettingzoo.utils import BaseWrapper

import shakespeare_env


class ArraysOnly(BaseWrapper):
    """A wrapper that leaves the mask out of observations.

    SuperSuit's wrappers take arrays, not dictionaries. The mask is still in
    the infos.
    """

    def observation_space(self, agent):
        return super().observation_space(agent)["observation"]

    def observe(self, agent):
        return super().observe(agent)["observation"]


rng = np.random.default_rng(0)
game = ArraysOnly(shakespeare_env.env(players=3, reward="score"))
game = supersuit.dtype_v0(game, np.float32)
game = supersuit.normalize_obs_v0(game)
game = supersuit.frame_stack_v1(game, 4)
game = supersuit.agent_indicator_v0(game)
game = supersuit.clip_reward_v0(game, -1, 1)
game.reset(seed=0)
decisions = 0
lowest = np.inf
highest = -np.inf
for _ in game.agent_iter():
    observation, reward, terminated, truncated, info = game.last()
    lowest = min(lowest, observation.min())
    highest = max(highest, observation.max())
    if terminated or truncated:
        game.step(None)
    else:
        game.step(rng.choice(np.flatnonzero(info["action_mask"])))
        decisions += 1
print(f"{decisions} decisions, {observation.dtype}{observation.shape}")


def seat():
    """Return the environment of one seat, with observations from 0 to 1."""
    env = gymnasium.make("Shakespeare-v0", players=2, opponents="random")
    return supersuit.normalize_obs_v0(supersuit.dtype_v0(env, np.float32))


envs = supersuit.gym_vec_env_v0(seat(), 4)
observations, infos = envs.reset(seed=0)
finished = 0
illegal = 0
for _ in range(200):
    masks = infos["action_mask"]
    actions = [rng.choice(np.flatnonzero(mask)) for mask in masks]
    observations, rewards, ended, truncated, infos = envs.step(actions)
    finished += ended.sum()
    illegal += np.sum(infos.get("illegal_action", 0))
print(f"{finished} games, {illegal} of them ended by illegal actions")
