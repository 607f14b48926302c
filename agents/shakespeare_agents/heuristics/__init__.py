"""Rules of thumb per game, seeing what any agent sees."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shakespeare_env.core.game import Game


def has_heuristics(game: Game) -> bool:
    """Whether there is a heuristic agent for a game."""
    return find_spec(f"{__name__}.{game.name}") is not None


def heuristics_of(game: Game) -> Any:
    """The module of a game's rules of thumb; ValueError if it has none."""
    if not has_heuristics(game):
        raise ValueError(
            f"heuristic and greedy cannot play {game.name}, for which there are no rules of thumb; "
            "give random or search, which play every game, or an agent of your own, as my.py:NAME"
        )
    return import_module(f"{__name__}.{game.name}")


def best_untrained_agent(game: Game) -> str:
    """The best way to play a game without a network: `heuristic`, or `random` if it has none."""
    return "heuristic" if has_heuristics(game) else "random"


def heuristic_agent(game: Game) -> Any:
    """The agent `heuristic`; ValueError if the game has no rules of thumb."""
    return heuristics_of(game).HeuristicAgent()
