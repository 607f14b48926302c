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

from agents.base import Agent
from agents.random_agent import RandomAgent
from shakespeare_env.game import Game

Act = Callable[[NDArray[np.int8], NDArray[np.bool_], np.random.Generator], NDArray[Any]]
"""A function that chooses as `Agent.act` does."""
Player = str | os.PathLike[str] | Agent | Act
"""Whatever `make` turns into an agent."""


def _random(game: Game) -> Agent:
    return RandomAgent()


def _heuristic(game: Game) -> Agent:
    name = f"agents.heuristics.{game.name}"
    if find_spec(name) is None:
        raise ValueError(f"there is no heuristic player of {game.name}; write {name}")
    agent: Agent = import_module(name).HeuristicAgent()
    return agent


_NAMED: dict[str, Callable[[Game], Agent]] = {"random": _random, "heuristic": _heuristic}


def names() -> tuple[str, ...]:
    """The agents that have names: `random`; `heuristic`, a beginner that follows good advice."""
    return tuple(_NAMED)


def make(player: Player, game: Game) -> Agent:
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
    if isinstance(player, str | os.PathLike):
        return _from_checkpoint(Path(player), game)
    if isinstance(player, Agent) and not isinstance(player, type):
        return player
    if callable(player) and not isinstance(player, type):
        return FunctionAgent(player)
    raise TypeError(
        f"{player!r} cannot play: give one of {', '.join(names())}, the folder of a checkpoint, "
        "an agent or a function of observations, masks and a generator"
    )


def _from_checkpoint(folder: Path, game: Game) -> Agent:
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
