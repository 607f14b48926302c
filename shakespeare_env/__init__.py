"""Shakespeare, the board game, as a reinforcement-learning environment.

`Position` is one game, with its positions and moves in text. `Batch` is many games that are stepped
together. `env` and `parallel_env` make PettingZoo environments, and `gymnasium.make` makes
`Shakespeare-v0`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shakespeare_env.core import registry

if TYPE_CHECKING:
    from shakespeare_env.checking import check_game as check_game
    from shakespeare_env.compile.decorators import rule as rule
    from shakespeare_env.core.batch import Batch as Batch
    from shakespeare_env.core.device_batch import DeviceBatch as DeviceBatch
    from shakespeare_env.core.game import ActionTable as ActionTable
    from shakespeare_env.core.game import Block as Block
    from shakespeare_env.core.game import ObservationLayout as ObservationLayout
    from shakespeare_env.core.position import Position as Position
    from shakespeare_env.core.records import StateField as StateField
    from shakespeare_env.core.registry import register as register
    from shakespeare_env.core.rng import below as below
    from shakespeare_env.derived.defining import GameRecord as GameRecord
    from shakespeare_env.derived.defining import GameRules as GameRules
    from shakespeare_env.derived.defining import define as define
    from shakespeare_env.derived.presentation import GamePresentation as GamePresentation
    from shakespeare_env.derived.rules import Check as Check
    from shakespeare_env.errors import IllegalMove as IllegalMove
    from shakespeare_env.errors import PositionError as PositionError
    from shakespeare_env.errors import ShakespeareEnvError as ShakespeareEnvError
    from shakespeare_env.wrappers.aec import env as env
    from shakespeare_env.wrappers.aec import parallel_env as parallel_env
    from shakespeare_env.wrappers.aec import raw_env as raw_env

    __version__: str

_PUBLIC_NAMES = {
    "checking": ("check_game",),
    "compile.decorators": ("rule",),
    "core.batch": ("Batch",),
    "core.device_batch": ("DeviceBatch",),
    "core.game": ("ActionTable", "Block", "ObservationLayout"),
    "core.position": ("Position",),
    "core.records": ("StateField",),
    "core.registry": ("register",),
    "core.rng": ("below",),
    "derived.defining": ("GameRecord", "GameRules", "define"),
    "derived.presentation": ("GamePresentation",),
    "derived.rules": ("Check",),
    "errors": ("IllegalMove", "PositionError", "ShakespeareEnvError"),
    "wrappers.aec": ("env", "parallel_env", "raw_env"),
}
"""The public names of each module. A module is imported when one of its names is first used,
because the compiler takes a while to import."""
_MODULES = {name: module for module, names in _PUBLIC_NAMES.items() for name in names}
__all__ = ["__version__", "observation_layout", "registry", *_MODULES]


def observation_layout(name: str = registry.DEFAULT) -> ObservationLayout:
    """Return the layout of a game's observations: the names, slices and ranges of their fields."""
    return registry.game(name).layout


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("shakespeare_env.version").version()
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"shakespeare_env.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
