"""Tianshou's PPO learns one seat with masks, then plays in PettingZoo."""

import gymnasium
import numpy as np
import torch
from gymnasium.spaces import Dict, MultiBinary
from gymnasium.wrappers import TransformObservation
from tianshou.algorithm import PPO, MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OnPolicyTrainerParams
from torch import nn

import shakespeare_env


def seat():
    """Return one seat's environment. Its masks are as in PettingZooEnv."""
    env = gymnasium.make(
        "Shakespeare-v0", players=2, opponents="random", reward="score"
    )
    space = Dict(
        obs=env.observation_space, mask=MultiBinary(int(env.action_space.n))
    )
    legal = env.unwrapped.action_masks
    return TransformObservation(
        env, lambda observation: {"obs": observation, "mask": legal()}, space
    )


def table():
    """Return the environment of all seats of a game."""
    return PettingZooEnv(shakespeare_env.env(players=2, reward="score"))


class Network(nn.Module):
    """A network for the critic's values or the actor's logits."""

    def __init__(self, outputs):
        super().__init__()
        self.layers = nn.Sequential(
            nn.LazyLinear(128), nn.ReLU(), nn.Linear(128, outputs)
        )

    def forward(self, obs, state=None, info=None):
        return self.layers(torch.tensor(np.array(obs.obs), dtype=torch.float))


class Actor(Network):
    """A network for logits of actions, with illegal actions masked."""

    def forward(self, obs, state=None, info=None):
        illegal = ~torch.tensor(np.array(obs.mask), dtype=torch.bool)
        return super().forward(obs).masked_fill(illegal, -1e9), state


def mean_scores(policy, make):
    """Return the mean scores of 16 games. A reward of 1 is 10 points."""
    collector = Collector(policy, DummyVectorEnv([make] * 8))
    collector.reset()
    return 10 * collector.collect(n_episode=16).returns.mean(axis=0)


np.random.seed(0)
torch.manual_seed(0)
actions = seat().action_space
actor = Actor(int(actions.n))
critic = Network(1)
# A first call sets the sizes of the lazy layers.
size = seat().observation_space["obs"].shape[0]
for network in (actor, critic):
    network.layers[0](torch.zeros(1, size))
policy = ProbabilisticActorPolicy(
    actor=actor,
    dist_fn=lambda logits: torch.distributions.Categorical(logits=logits),
    action_space=actions,
    action_scaling=False,
    action_bound_method=None,
)
learner = PPO(
    policy=policy,
    critic=critic,
    optim=AdamOptimizerFactory(lr=1e-3),
    gamma=1.0,
    ent_coef=0.01,
)
before = mean_scores(policy, seat)
envs = DummyVectorEnv([seat] * 8)
collector = Collector(learner, envs, VectorReplayBuffer(1024, 8))
collector.reset()
learner.run_training(
    OnPolicyTrainerParams(
        training_collector=collector,
        max_epochs=3,
        epoch_num_steps=1024,
        collection_step_num_env_steps=1024,
        update_step_num_repetitions=4,
        batch_size=256,
        show_progress=False,
        verbose=False,
    )
)
after = mean_scores(policy, seat)
print(f"mean score: {before:.1f} untrained, {after:.1f} trained")

random = MARLRandomDiscreteMaskedOffPolicyAlgorithm(actions).policy
seated = MultiAgentPolicy({"player_0": policy, "player_1": random})
at_table = mean_scores(seated, table)
print("at a table with random play:", at_table.round(1))
