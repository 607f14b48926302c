"""The learner of some settings, on games of its own."""

from __future__ import annotations

import re

import numpy as np
import torch

from shakespeare_env.batch import Batch
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.config import TrainingConfig
from shakespeare_training.league import League
from shakespeare_training.ppo.self_play import SelfPlayPPO, linear


def make_learner(config: TrainingConfig, device: str) -> SelfPlayPPO:
    """The learner of some settings, on games of its own.

    Raises:
        ValueError: an opponent cannot play, or there is no such device.
    """
    batch = Batch(
        config.game,
        n=config.games,
        players=np.resize(config.players, config.games),
        seed=config.seed,
        autoreset=False,
        reward="score",
    )
    league = League(config.opponents, batch, snapshots=config.snapshots, seed=config.seed)
    return SelfPlayPPO(
        SB3SelfPlayVecEnv(batch),
        league,
        width=config.width,
        shaping=linear(config.shaping, config.shaping_end),
        win=config.win,
        entropy=linear(config.entropy, config.entropy_end),
        n_steps=config.steps,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        learning_rate=linear(config.learning_rate, config.learning_rate * config.learning_rate_end),
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        vf_coef=config.value,
        target_kl=config.target_kl,
        seed=config.seed,
        device=checked_device(device),
    )


def checked_device(name: str) -> str:
    """The device by its name; `auto` is the GPU where there is one.

    Raises:
        ValueError: there is no such device here.
    """
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    found = re.fullmatch(r"cpu|cuda(?::(\d+))?", name)
    if found is None:
        raise ValueError(f"device={name!r}: choose cpu, cuda, cuda:1, ... or auto")
    if name != "cpu" and int(found[1] or 0) >= torch.cuda.device_count():
        raise ValueError(
            f"device={name!r}: PyTorch {torch.__version__} finds "
            f"{torch.cuda.device_count()} CUDA devices here; use --device cpu"
        )
    return name
