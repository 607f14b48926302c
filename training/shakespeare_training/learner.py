"""Builds the learner, its games and its league from settings."""

from __future__ import annotations

import numpy as np

from shakespeare_env.batch import Batch
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.config import TrainingConfig
from shakespeare_training.league import League
from shakespeare_training.needs import check_memory
from shakespeare_training.ppo.device import checked_device
from shakespeare_training.ppo.self_play import SelfPlayPPO, linear

_AS_NAMED = {"width", "win_reward_coef", "n_steps", "batch_size", "n_epochs", "gamma", "gae_lambda"}
_AS_NAMED |= {"clip_range", "vf_coef", "target_kl", "seed", "near_certain_share"}
"""Settings that are arguments of the learner."""


def make_learner(config: TrainingConfig, device: str) -> SelfPlayPPO:
    """Build the learner on a device (see `checked_device`).

    Raises:
        ValueError: an opponent cannot play, or there is no such device.
        MemoryLimitError: it would not fit the machine (`check_memory`).
    """
    device = checked_device(device)
    check_memory(config, device)
    batch = Batch(
        config.game,
        n=config.n_envs,
        players=np.resize(config.players, config.n_envs),
        seed=config.seed,
        autoreset=False,
        reward="score",
    )
    league = League(config.opponents, batch, max_snapshots=config.max_snapshots, seed=config.seed)
    return SelfPlayPPO(
        SB3SelfPlayVecEnv(batch),
        league,
        score_reward_coef=linear(config.score_reward_coef, config.score_reward_coef_end),
        ent_coef=linear(config.ent_coef, config.ent_coef_end),
        learning_rate=linear(config.learning_rate, config.learning_rate * config.learning_rate_end),
        device=device,
        **config.model_dump(include=_AS_NAMED),
    )
