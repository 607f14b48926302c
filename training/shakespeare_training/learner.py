"""Builds the learner, its games and its league from settings, if they fit the machine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from shakespeare_agents.networks import facts
from shakespeare_agents.networks.network import Network
from shakespeare_agents.search.agent import Plan
from shakespeare_env.checks.memory import readable_size, require_memory
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.errors import MemoryLimitError
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv
from shakespeare_training.config import CURRENT, TrainingConfig
from shakespeare_training.expert_iteration.learner import ExpertIteration
from shakespeare_training.expert_iteration.playing import Searching
from shakespeare_training.league import League
from shakespeare_training.ppo.device import checked_device
from shakespeare_training.ppo.learner import SelfPlayLearner, linear
from shakespeare_training.ppo.self_play import SelfPlayPPO

_SHARED = {"width", "batch_size", "n_epochs", "vf_coef", "win_coef", "seed"}
_PPO = {"win_reward_coef", "n_steps", "gae_lambda", "clip_range", "target_kl"}
_PPO |= {"near_certain_share"}
_SEARCH = {"groups_ahead", "warmup_decisions", "target_sharpness"}
_PLAN = {"simulations", "considered", "utility", "sharpness", "near_certain", "noise"}
"""Settings that are arguments of the learners and of a search's plan."""

_FLOAT = 4
_SEAT_DECISIONS = 50
"""About the decisions of a seat in a game; those of the bundled games have 32 to 55."""


def make_learner(config: TrainingConfig, device: str) -> SelfPlayLearner:
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
        plan = Plan(**config.model_dump(include=_PLAN))
        searching = Searching(plan, config.horizon, config.temperature, config.search_threads)
        arguments |= config.model_dump(include=_SEARCH)
        return ExpertIteration(env, league, searching=searching, n_steps=1, **arguments)
    return SelfPlayPPO(
        env,
        league,
        score_reward_coef=linear(config.score_reward_coef, config.score_reward_coef_end),
        ent_coef=linear(config.ent_coef, config.ent_coef_end),
        **config.model_dump(include=_PPO),
        **arguments,
    )


def check_memory(config: TrainingConfig, device: str) -> None:
    """Refuse settings whose run cannot fit the machine, or its GPU, before memory is taken.

    Accepted settings may still be too much beside other programs.

    Raises:
        MemoryLimitError: names the estimate, the memory there is, and the setting to lower.
    """
    here, there = needs(config), {}
    if device != "cpu":
        played_there = ("n_envs", "n_envs or n_steps") if config.algorithm == "ppo" else ()
        there = {name: here.pop(name) for name in ("width", "batch_size", *played_there)}
    require_memory("the run", sum(here.values()), f"lower {max(here, key=lambda n: here[n])}")
    needed = sum(there.values())
    if there and needed > (total := torch.cuda.get_device_properties(device).total_memory):
        raise MemoryLimitError(
            f"the run needs about {readable_size(needed)} of the GPU's memory, but {device} has "
            f"{readable_size(total)}: lower {max(there, key=lambda name: there[name])}"
        )


def needs(config: TrainingConfig) -> dict[str, int]:
    """About the bytes of the large arrays that a run has at once, by the setting to lower."""
    game = registry.game(config.game)
    inputs, actions, seats = game.layout.size, game.actions.size, game.max_seats
    shapes = Network.shapes(config.width, game.layout.size, actions)
    shapes |= Network.head_shapes(config.width, seats)
    if 1 > 1:
        shapes |= facts.shapes((), config.width)
    weights = _FLOAT * sum(map(math.prod, shapes.values()))
    games = config.n_envs * (config.groups_ahead + 1)
    found = {
        "n_envs": games * (game.state.itemsize + inputs + actions),
        "width": 4 * weights,  # themselves, their gradients and Adam's two moments
        "max_snapshots": min(config.max_snapshots, config.decisions // config.snapshot_every)
        * weights,
        "groups_ahead": config.groups_ahead * weights,
    }
    if config.algorithm == "ppo":
        # A decision in `SeatRolloutBuffer`: its inputs, seat and end, then two numbers a seat for
        # forecasts, gains, targets, results and what was gained.
        decisions = config.n_envs * (seats + config.n_steps)
        found["n_envs or n_steps"] = decisions * (inputs + actions + 14 + 10 * _FLOAT * seats)
        per_action = 3
    else:
        # Of every game the learner has all seats or one.
        own = config.opponents.get(CURRENT, 0.0) / sum(config.opponents.values())
        learning = sum(own * n + 1.0 - own for n in config.players) / len(config.players)
        decisions = int(config.n_envs * _SEAT_DECISIONS * learning)
        found["n_envs"] += decisions * (inputs + actions + 2 * _FLOAT * (actions + seats) + 8)
        per_action = 5
    # A minibatch's decision: its copy, what five layers put out, and what the loss makes of it.
    number = _FLOAT // 2 if config.precision == "bfloat16" else _FLOAT
    layers = number * (inputs + 5 * config.width)
    learned = inputs + actions + layers + _FLOAT * per_action * actions
    return {**found, "batch_size": min(config.batch_size, decisions) * learned}
