"""What memory a run needs, and a refusal before it is taken."""

from __future__ import annotations

import math

import torch

from shakespeare_agents.network import Network
from shakespeare_env import registry
from shakespeare_env.errors import MemoryLimitError
from shakespeare_env.memory import readable_size, require_memory
from shakespeare_training.config import TrainingConfig

_FLOAT = 4
_COPIES = 4
"""Of the weights: themselves, their gradients and Adam's two moments."""
_LAYERS = 5
"""Layers' outputs that wait for their gradients: trunk, norm, policy, outlook, and activations."""


def check_memory(config: TrainingConfig, device: str) -> None:
    """Refuse settings whose run cannot fit the machine, or its GPU.

    The estimate counts the large arrays that a run surely has at once, so what is refused does not
    fit; what is not refused may still be too much beside other programs.

    Raises:
        MemoryLimitError: naming the estimate, what there is, and the setting to lower.
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
    game = registry.game(config.game)
    observation, actions, seats = game.layout.size, game.actions.size, game.max_seats
    shapes = Network.shapes(config.width, observation, actions)
    weights = _FLOAT * sum(map(math.prod, shapes.values()))
    # Of a decision in `SeatRolloutBuffer`: what it is made of, then rewards, seat and end, then
    # advantages, returns and what was gained.
    decision = observation + actions + 16 + _FLOAT * seats + 2 + 3 * _FLOAT
    rows = seats + config.n_steps
    # Of one in a minibatch: its copy; then as floats the observation and the layers, and what
    # becomes of the logits.
    unit = _FLOAT // 2 if config.precision == "bfloat16" else _FLOAT
    learned = observation + actions
    learned += unit * (observation + _LAYERS * config.width) + _FLOAT * 3 * actions
    return {
        "n_envs or n_steps": config.n_envs * rows * decision,
        "n_envs": config.n_envs * (game.state.itemsize + observation + actions),
        "batch_size": min(config.batch_size, config.n_envs * rows) * learned,
        "width": _COPIES * weights,
        "max_snapshots": min(config.max_snapshots, config.decisions // config.snapshot_every)
        * weights,
    }


def _largest(parts: dict[str, int]) -> str:
    return max(parts, key=lambda name: parts[name])
