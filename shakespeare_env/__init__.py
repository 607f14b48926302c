"""Shakespeare, the board game, as a reinforcement-learning environment.

`Position` is one game in text, `Batch` many games stepped together, `env` the PettingZoo
environment; Gymnasium makes `Shakespeare-v0`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shakespeare_env import registration, registry
from shakespeare_env.batch import Batch
from shakespeare_env.errors import IllegalMove, PositionError, ShakespeareEnvError
from shakespeare_env.game import ObservationLayout
from shakespeare_env.position import Position

if TYPE_CHECKING:
    from shakespeare_env.wrappers.aec import env, raw_env

__all__ = [
    "Batch",
    "IllegalMove",
    "ObservationLayout",
    "Position",
    "PositionError",
    "ShakespeareEnvError",
    "env",
    "observation_layout",
    "raw_env",
]

registration.register()


def observation_layout(name: str = registry.DEFAULT) -> ObservationLayout:
    """The names, slices and ranges in a game's observations."""
    return registry.game(name).layout


def __getattr__(name: str) -> Any:
    # Wrappers are imported by those who use them.
    if name in ("env", "raw_env"):
        from shakespeare_env.wrappers import aec

        return getattr(aec, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
