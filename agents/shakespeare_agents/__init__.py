"""Agents that play every game, and how they are found by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shakespeare_agents.baselines import GreedyAgent, RandomAgent
    from shakespeare_agents.naming import default, make, names

__all__ = ["GreedyAgent", "RandomAgent", "default", "make", "names"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "naming" if name.islower() else "baselines"
    return getattr(import_module(f"{__name__}.{home}"), name)
