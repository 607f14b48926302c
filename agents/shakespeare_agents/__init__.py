"""Agents for every game, found by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shakespeare_agents.baselines import GreedyAgent, RandomAgent
    from shakespeare_agents.naming import default, make, names

__all__ = ["GreedyAgent", "RandomAgent", "default", "make", "names"]
_HOMES = {
    "GreedyAgent": "greedy",
    "RandomAgent": "random_agent",
    "default": "registry",
    "make": "registry",
    "names": "naming",
}
"""The modules that define public names, imported on first use."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"shakespeare_agents.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
