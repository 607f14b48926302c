"""Agents that play every game, and functions that make agents by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shakespeare_agents.baselines import GreedyAgent, RandomAgent
    from shakespeare_agents.making import make
    from shakespeare_agents.naming import default, names

__all__ = ["GreedyAgent", "RandomAgent", "default", "make", "names"]
_MODULES = {
    "GreedyAgent": "baselines",
    "RandomAgent": "baselines",
    "default": "naming",
    "make": "making",
    "names": "naming",
}
"""The module of each public name. Importing it on first use keeps the shell's completion quick."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
