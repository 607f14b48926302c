"""The learner that some settings describe, with its games and its league."""

from __future__ import annotations

import numpy as np

from shakespeare_env.batch import Batch
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.config import TrainingConfig
from shakespeare_training.league import League
from shakespeare_training.ppo.device import checked_device
from shakespeare_training.ppo.self_play import SelfPlayPPO, linear


def make_learner(config: TrainingConfig, device: str) -> SelfPlayPPO:
    """Build the learner.

    Args:
        config: Its settings.
        device: `cpu`, `cuda`, `cuda:1`, ... or `auto`.

    Raises:
        ValueError: an opponent cannot play, or there is no such device.
    """
    batch = Batch(
        config.game,
        n=config.n_envs,
        players=np.resize(config.players, config.n_envs),
        seed=config.seed,
        autoreset=False,
        reward="score",
    )
    league = League(
        config.opponents, batch, max_snapshots=config.max_snapshots, seed=config.seed
    )
    return SelfPlayPPO(
        SB3SelfPlayVecEnv(batch),
        league,
        width=config.width,
        score_reward_coef=linear(config.score_reward_coef, config.score_reward_coef_end),
        win_reward_coef=config.win_reward_coef,
        ent_coef=linear(config.ent_coef, config.ent_coef_end),
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        learning_rate=linear(config.learning_rate, config.learning_rate * config.learning_rate_end),
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        vf_coef=config.vf_coef,
        target_kl=config.target_kl,
        seed=config.seed,
        device=checked_device(device),
    )
