"""The memory that a run needs, and its refusal before memory is taken."""

from __future__ import annotations

import math

import torch

from shakespeare_agents.network import Network
from shakespeare_env import registry
from shakespeare_env.errors import MemoryLimitError
from shakespeare_env.game import Game
from shakespeare_env.memory import readable_size, require_memory
from shakespeare_training.config import CURRENT, TrainingConfig
from shakespeare_training.game_length import random_decisions

_FLOAT = 4
_COPIES = 4
"""Copies of the weights: themselves, their gradients and Adam's two moments."""
_LAYERS = 5
"""Layers' outputs that wait for their gradients: trunk, norm, policy, outlook, and activations."""


def check_memory(config: TrainingConfig, device: str) -> None:
    """Refuse settings whose run cannot fit the machine, or its GPU.

    The estimate counts the large arrays that a run surely has at once, so refused settings do not
    fit; accepted ones may still be too much beside other programs.

    Raises:
        MemoryLimitError: names the estimate, the memory there is, and the setting to lower.
    """
    parts = needs(config)
    on_gpu = ("width", "batch_size") if device != "cpu" else ()
    here = {name: size for name, size in parts.items() if name not in on_gpu}
    require_memory("the run", sum(here.values()), f"lower {_largest(here)}")
    if on_gpu:
        total = torch.cuda.get_device_properties(device).total_memory
        there = {name: parts[name] for name in on_gpu}
        if (needed := sum(there.values())) > total:
            raise MemoryLimitError(
                f"the run needs about {readable_size(needed)} of the GPU's memory, but {device} "
                f"has {readable_size(total)}: lower {_largest(there)}"
            )


def needs(config: TrainingConfig) -> dict[str, int]:
    """Bytes, by the setting that lowers them first."""
    return _of_search(config) if config.algorithm == "expert_iteration" else _of_ppo(config)


def _of_ppo(config: TrainingConfig) -> dict[str, int]:
    game = registry.game(config.game)
    observation, actions, seats = game.layout.size, game.actions.size, game.max_seats
    weights = _weights(config, game)
    # Bytes of a decision in `SeatRolloutBuffer`: its inputs, seat and end, then two numbers a seat
    # for forecasts, gains, targets, results and what was gained.
    decision = observation + actions + 12 + 2 + 5 * 2 * _FLOAT * seats
    rows = seats + config.n_steps
    learned = _learned(config, game, 3)
    return {
        "n_envs or n_steps": config.n_envs * rows * decision,
        "batch_size": min(config.batch_size, config.n_envs * rows) * learned,
        **_of_both(config, game, weights),
    }


def _of_search(config: TrainingConfig) -> dict[str, int]:
    game = registry.game(config.game)
    observation, actions, seats = game.layout.size, game.actions.size, game.max_seats
    weights = _weights(config, game)
    # An update learns from these games, in which the learner has every seat or one.
    alone = 1.0 - config.opponents.get(CURRENT, 0.0) / sum(config.opponents.values())
    shares = [1.0 - alone * (1.0 - 1.0 / n) for n in config.players]
    own = [
        random_decisions(config.game, n) * share
        for n, share in zip(config.players, shares, strict=True)
    ]
    decisions = int(config.n_envs * sum(own) / len(own))
    example = observation + actions + 2 * _FLOAT * (actions + seats) + 8
    minibatch = min(config.batch_size, decisions)
    return {
        **_of_both(config, game, weights),
        "n_envs": _batch(config, game) + decisions * example,
        "groups_ahead": config.groups_ahead * weights,
        # These are targets, log-probabilities, their gaps, and copies for the gradient.
        "batch_size": minibatch * _learned(config, game, 5),
    }


def _of_both(config: TrainingConfig, game: Game, weights: int) -> dict[str, int]:
    snapshots = min(config.max_snapshots, config.decisions // config.snapshot_every)
    return {
        "n_envs": _batch(config, game),
        "width": _COPIES * weights,
        "max_snapshots": snapshots * weights,
    }


def _batch(config: TrainingConfig, game: Game) -> int:
    games = config.n_envs * (config.groups_ahead + 1)
    return games * (game.state.itemsize + game.layout.size + game.actions.size)


def _learned(config: TrainingConfig, game: Game, floats: int) -> int:
    """Bytes of a decision in a minibatch: its copy, the layers, and `floats` floats an action."""
    observation, actions = game.layout.size, game.actions.size
    unit = _FLOAT // 2 if config.precision == "bfloat16" else _FLOAT
    layers = unit * (observation + _LAYERS * config.width)
    return observation + actions + layers + _FLOAT * floats * actions


def _weights(config: TrainingConfig, game: Game) -> int:
    shapes = Network.shapes(config.width, game.layout.size, game.actions.size)
    shapes |= Network.head_shapes(config.width, game.max_seats)
    return _FLOAT * sum(map(math.prod, shapes.values()))


def _largest(parts: dict[str, int]) -> str:
    return max(parts, key=lambda name: parts[name])
