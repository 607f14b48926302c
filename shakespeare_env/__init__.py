"""Shakespeare, the board game, as a reinforcement-learning environment.

`Position` is one game in text, `Batch` many games stepped together, `env` and `parallel_env` the
PettingZoo environments; Gymnasium makes `Shakespeare-v0`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shakespeare_env.core import registry

if TYPE_CHECKING:
    from shakespeare_env.compile.decorators import rule
    from shakespeare_env.core.batch import Batch
    from shakespeare_env.core.device_batch import DeviceBatch
    from shakespeare_env.core.game import ActionTable, Block, ObservationLayout
    from shakespeare_env.core.position import Position
    from shakespeare_env.core.records import StateField
    from shakespeare_env.core.registry import register
    from shakespeare_env.core.rng import below
    from shakespeare_env.derived.defining import define
    from shakespeare_env.derived.rules import Check
    from shakespeare_env.errors import IllegalMove, PositionError, ShakespeareEnvError
    from shakespeare_env.wrappers.aec import env, parallel_env, raw_env

    __version__: str

__all__ = [
    "ActionTable",
    "Batch",
    "Block",
    "Check",
    "DeviceBatch",
    "IllegalMove",
    "ObservationLayout",
    "Position",
    "PositionError",
    "ShakespeareEnvError",
    "StateField",
    "__version__",
    "below",
    "define",
    "env",
    "observation_layout",
    "parallel_env",
    "raw_env",
    "register",
    "registry",
    "rule",
]
_HOMES = {
    "ActionTable": "core.game",
    "Batch": "core.batch",
    "Block": "core.game",
    "Check": "derived.rules",
    "DeviceBatch": "core.device_batch",
    "IllegalMove": "errors",
    "ObservationLayout": "core.game",
    "Position": "core.position",
    "PositionError": "errors",
    "ShakespeareEnvError": "errors",
    "StateField": "core.records",
    "below": "core.rng",
    "define": "derived.defining",
    "env": "wrappers.aec",
    "parallel_env": "wrappers.aec",
    "raw_env": "wrappers.aec",
    "register": "core.registry",
    "rule": "compile.decorators",
}
"""The modules of public names, imported on first use because the compiler takes a while."""


def observation_layout(name: str = registry.DEFAULT) -> ObservationLayout:
    """The names, slices and ranges in a game's observations."""
    return registry.game(name).layout


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("shakespeare_env.version").version()
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"shakespeare_env.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
