"""Agents by name, by checkpoint, or as they are."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, AnyAgent, Searcher
from agents.greedy import GreedyAgent
from agents.random_agent import RandomAgent
from shakespeare_env.game import Game

Act = Callable[[NDArray[np.int8], NDArray[np.bool_], np.random.Generator], NDArray[Any]]
"""A function that chooses as `Agent.act` does."""
Player = str | os.PathLike[str] | AnyAgent | Act
"""Whatever `make` turns into an agent."""


def _random(game: Game) -> AnyAgent:
    return RandomAgent()


def _greedy(game: Game) -> AnyAgent:
    return GreedyAgent(_knowledge(game).evaluate)


def _heuristic(game: Game) -> AnyAgent:
    agent: Agent = _knowledge(game).HeuristicAgent()
    return agent


def _knowledge(game: Game) -> Any:
    """The module that knows what is good in a game."""
    name = f"agents.heuristics.{game.name}"
    if find_spec(name) is None:
        raise ValueError(f"there is no heuristic player of {game.name}; write {name}")
    return import_module(name)


_NAMED: dict[str, Callable[[Game], AnyAgent]] = {
    "random": _random,
    "greedy": _greedy,
    "heuristic": _heuristic,
}


def names() -> tuple[str, ...]:
    """The agents that have names.

    `random`; `greedy`, which looks one move ahead with the heuristic's evaluation; `heuristic`, a
    beginner that follows the rule book's advice.
    """
    return tuple(_NAMED)


def make(player: Player, game: Game) -> AnyAgent:
    """An agent for a game.

    Args:
        player: A name of `names()`; the folder of a checkpoint, played from by drawing from the
            network's probabilities; an agent; or a function with the arguments of `Agent.act`.
        game: What it is to play.

    Raises:
        ValueError: no agent has this name, and no folder; or the game has no such agent.
        CheckpointError: the checkpoint is damaged or was made for another game or box.
        TypeError: it is none of these.
    """
    if isinstance(player, str) and player in _NAMED:
        return _NAMED[player](game)
    if player == "":
        raise ValueError(f"an agent needs a name: give one of {', '.join(names())}")
    if isinstance(player, str | os.PathLike):
        return _from_checkpoint(Path(player), game)
    if isinstance(player, Agent | Searcher) and not isinstance(player, type):
        return player
    if callable(player) and not isinstance(player, type):
        return FunctionAgent(player)
    raise TypeError(
        f"{player!r} cannot play: give one of {', '.join(names())}, the folder of a checkpoint, "
        "an agent or a function of observations, masks and a generator"
    )


def _from_checkpoint(folder: Path, game: Game) -> AnyAgent:
    if not folder.is_dir():
        raise ValueError(
            f"no agent is named {str(folder)!r}, and no folder: "
            f"give one of {', '.join(names())} or the folder of a checkpoint"
        )
    # Only who plays from a network needs PyTorch.
    from agents.checkpoint import load_checkpoint
    from agents.network import NetworkAgent

    network, _ = load_checkpoint(folder, game)
    return NetworkAgent(network)


class FunctionAgent:
    """Plays what a function chooses.

    Args:
        choose: Takes what `Agent.act` takes and returns what it returns.
    """

    def __init__(self, choose: Act) -> None:
        self._choose = choose

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[Any]:
        """Choose an action for each row (see `Agent.act`)."""
        return self._choose(observations, masks, rng)
