"""Heuristics of the games, one module for each. They read the same observations as any agent."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shakespeare_env.core.game import Game


def has_heuristics(game: Game) -> bool:
    """Return whether there is a heuristic for a game."""
    return find_spec(f"{__name__}.{game.name}") is not None


def heuristics_of(game: Game) -> Any:
    """Return the module of a game's heuristic.

    Raises:
        ValueError: the game has no heuristic.
    """
    if not has_heuristics(game):
        raise ValueError(
            f"the agents heuristic and greedy cannot play {game.name}, which has no heuristic; "
            "give random or search, agents that play every game, or an agent of your own, as "
            "my.py:NAME"
        )
    return import_module(f"{__name__}.{game.name}")


def best_untrained_agent(game: Game) -> str:
    """Return the name of the best agent without a network.

    It is `heuristic` for games that have a heuristic, and `random` for others.
    """
    return "heuristic" if has_heuristics(game) else "random"


def heuristic_agent(game: Game) -> Any:
    """Make the agent `heuristic`.

    Raises:
        ValueError: the game has no heuristic.
    """
    return heuristics_of(game).HeuristicAgent()
