"""Builds the learner, its games and its league from settings."""

from __future__ import annotations

from typing import Any

import numpy as np

from shakespeare_agents.search.agent import Plan
from shakespeare_env.batch import Batch
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.config import TrainingConfig
from shakespeare_training.expert_iteration.learner import ExpertIteration
from shakespeare_training.league import League
from shakespeare_training.needs import check_memory
from shakespeare_training.ppo.device import checked_device
from shakespeare_training.ppo.self_play import SelfPlayPPO, linear

_SHARED = {"width", "batch_size", "n_epochs", "vf_coef", "win_coef", "seed"}
_PPO = {"win_reward_coef", "n_steps", "gae_lambda", "clip_range", "target_kl"}
_PPO |= {"near_certain_share"}
_SEARCH = {"groups_ahead", "horizon", "temperature", "warmup_decisions", "target_sharpness"}
_PLAN = {"simulations", "considered", "utility", "sharpness", "near_certain", "noise"}
"""Settings that are arguments of the learners and of a search's plan."""


def make_learner(config: TrainingConfig, device: str) -> SelfPlayPPO:
    """Build the learner on a device (see `checked_device`).

    Raises:
        ValueError: an opponent cannot play, or there is no such device.
        MemoryLimitError: it would not fit the machine (`check_memory`).
    """
    device = checked_device(device)
    check_memory(config, device)
    players = np.tile(np.resize(config.players, config.n_envs), config.groups_ahead + 1)
    batch = Batch(
        config.game,
        n=len(players),
        players=players,
        seed=config.seed,
        autoreset=False,
        reward="score",
    )
    league = League(config.opponents, batch, max_snapshots=config.max_snapshots, seed=config.seed)
    env = SB3SelfPlayVecEnv(batch)
    last_rate = config.learning_rate * config.learning_rate_end
    arguments: dict[str, Any] = {
        **config.model_dump(include=_SHARED),
        "learning_rate": linear(config.learning_rate, last_rate),
        "device": device,
    }
    if config.algorithm == "expert_iteration":
        return ExpertIteration(
            env,
            league,
            plan=Plan(**config.model_dump(include=_PLAN)),
            threads=config.search_threads,
            n_steps=1,
            **config.model_dump(include=_SEARCH),
            **arguments,
        )
    return SelfPlayPPO(
        env,
        league,
        score_reward_coef=linear(config.score_reward_coef, config.score_reward_coef_end),
        ent_coef=linear(config.ent_coef, config.ent_coef_end),
        **config.model_dump(include=_PPO),
        **arguments,
    )
