"""A learner, its games and its league from settings, if they fit the machine."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch

from shakespeare_agents.search.agent import SearchSettings
from shakespeare_env.checks.limits import require_memory
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_training.config import TrainingConfig
from shakespeare_training.expert_iteration import ExpertIteration, Searching
from shakespeare_training.games import HostGames
from shakespeare_training.league import League
from shakespeare_training.learner import Learner, linear
from shakespeare_training.ppo import PPO

_SHARED = {"width", "batch_size", "n_epochs", "vf_coef", "win_coef", "seed"}
_PPO = {"n_steps", "gae_lambda", "clip_range", "target_kl", "near_certain_share", "win_reward_coef"}
_SEARCH = {"warmup_decisions", "target_sharpness"}
_PLAN = {"simulations", "considered", "utility", "sharpness", "near_certain", "noise"}
"""Settings that are arguments of the learners and of a search's plan."""
_SEAT_DECISIONS = 50
"""About the decisions of a seat in a game; those of the bundled games have 32 to 55."""


def make_learner(config: TrainingConfig, device: str) -> Learner:
    """Build the learner on a device (see `checked_device`).

    Raises:
        ValueError: an opponent cannot play, or there is no such device.
        MemoryLimitError: it would not fit the machine.
    """
    device = checked_device(device)
    if device == "cpu":
        remedy = "lower n_envs, n_steps or width"
        require_memory("the run", needed_bytes(config), remedy)
    players = np.resize(config.players, config.n_envs)
    batch = Batch(
        config.game,
        n=config.n_envs,
        players=players,
        seed=config.seed,
        autoreset=False,
        reward="score",
    )
    league = League(config.opponents, batch, max_snapshots=config.max_snapshots, seed=config.seed)
    last_rate = config.learning_rate * config.learning_rate_end
    arguments: dict[str, Any] = {
        **config.model_dump(include=_SHARED),
        "learning_rate": linear(config.learning_rate, last_rate),
        "device": device,
    }
    if config.algorithm == "expert_iteration":
        plan = SearchSettings(**config.model_dump(include=_PLAN))
        searching = Searching(plan, config.horizon, config.temperature, config.search_threads)
        arguments |= config.model_dump(include=_SEARCH)
        return ExpertIteration(HostGames(league), searching=searching, **arguments)
    games: Any = HostGames(league)
    if device != "cpu":
        from shakespeare_training.device import DeviceGames  # it needs the extra cuda

        games = DeviceGames(league, config.n_steps, torch.device(device))
    return PPO(
        games,
        score_reward_coef=linear(config.score_reward_coef, config.score_reward_coef_end),
        ent_coef=linear(config.ent_coef, config.ent_coef_end),
        **config.model_dump(include=_PPO),
        **arguments,
    )


def checked_device(name: str) -> str:
    """The name of a PyTorch device; `auto` is the GPU if there is one, and the extra `cuda`.

    Raises:
        ValueError: there is no such device here.
    """
    if name == "auto":
        is_usable = torch.cuda.is_available() and find_spec("numba_cuda") is not None
        return "cuda" if is_usable else "cpu"
    parts = re.fullmatch(r"cpu|cuda(?::(\d+))?", name)
    if parts is None:
        raise ValueError(f"device={name!r}: choose cpu, cuda, cuda:1, ... or auto")
    if name != "cpu" and int(parts[1] or 0) >= torch.cuda.device_count():
        raise ValueError(
            f"device={name!r}: PyTorch {torch.__version__} finds "
            f"{torch.cuda.device_count()} CUDA devices here; use --device cpu"
        )
    return name


def needed_bytes(config: TrainingConfig) -> int:
    """About the memory of the large arrays of a run: games, decisions, networks and a minibatch."""
    game = registry.game(config.game)
    inputs, actions, seats = game.layout.size, game.actions.size, game.max_seats
    weights = 4 * config.width * (inputs + actions + 2 * config.width)
    snapshots = min(config.max_snapshots, config.decisions // config.snapshot_every)
    if config.algorithm == "ppo":
        decisions = config.n_envs * (seats + config.n_steps)
        decision = inputs + actions + 40 * seats
    else:
        decisions = config.n_envs * max(config.players) * _SEAT_DECISIONS
        decision = 2 * (inputs + 9 * actions + 8 * seats)  # of parts, and together
    minibatch = min(config.batch_size, decisions) * (5 * inputs + 20 * (actions + config.width))
    networks = (4 + snapshots) * weights
    return (
        config.n_envs * (game.state.itemsize + inputs + actions)
        + networks
        + minibatch
        + (decisions * decision)
    )
