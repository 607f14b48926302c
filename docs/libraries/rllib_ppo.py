"""RLlib's PPO learns one seat, then all seats, with action masks.

It uses RLlib's new API stack.
"""

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env
from torch import nn

import shakespeare_env


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """A network for observations that come with an `action_mask`."""

    def setup(self):
        size = self.observation_space["observation"].shape[0]
        self.body = nn.Sequential(nn.Linear(size, 128), nn.ReLU())
        self.policy = nn.Linear(128, int(self.action_space.n))
        self.critic = nn.Linear(128, 1)

    def _forward(self, batch, **kwargs):
        inputs = batch[Columns.OBS]
        logits = self.policy(self.body(inputs["observation"].float()))
        logits = logits.masked_fill(inputs["action_mask"] == 0, -1e9)
        return {Columns.ACTION_DIST_INPUTS: logits}

    def compute_values(self, batch, embeddings=None):
        observations = batch[Columns.OBS]["observation"].float()
        return self.critic(self.body(observations)).squeeze(-1)


class MaskedObservation(gymnasium.ObservationWrapper):
    """A wrapper that puts the mask into the observation, as in PettingZoo."""

    def __init__(self, env):
        super().__init__(env)
        mask = Box(0, 1, (int(env.action_space.n),), np.int8)
        self.observation_space = Dict(
            observation=env.observation_space, action_mask=mask
        )

    def observation(self, observation):
        mask = self.unwrapped.action_masks().astype(np.int8)
        return {"observation": observation, "action_mask": mask}


def seat(settings):
    """Return the environment of one seat."""
    env = gymnasium.make(
        "Shakespeare-v0", players=2, opponents="random", reward="score"
    )
    return MaskedObservation(env)


def table(settings):
    """Return the environment of all seats of a game."""
    return PettingZooEnv(shakespeare_env.env(players=2, reward="score"))


def mean_returns(config):
    """Train for three iterations, and return each one's mean return per game.

    A return is the sum over all learning seats. A reward of 1 is 10 points.
    """
    algorithm = config.build_algo()
    results = [algorithm.train()["env_runners"] for _ in range(3)]
    algorithm.stop()
    return [float(result["episode_return_mean"]) for result in results]


register_env("shakespeare_seat", seat)
register_env("shakespeare_table", table)
config = (
    PPOConfig()
    .env_runners(num_env_runners=0)
    .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
    .training(
        train_batch_size_per_learner=1024,
        minibatch_size=256,
        num_epochs=4,
        lr=1e-3,
        gamma=1.0,
        entropy_coeff=0.01,
    )
    .debugging(seed=0)
)
one_seat = mean_returns(config.copy().environment("shakespeare_seat"))
print("one seat:", one_seat)
all_seats = mean_returns(
    config.copy()
    .environment("shakespeare_table")
    .multi_agent(
        policies={"shared"}, policy_mapping_fn=lambda seat, episode: "shared"
    )
)
print("all seats, one network:", all_seats)
