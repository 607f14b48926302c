"""What an agent is, what it is given to decide, and how one is found by its name."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.batch import Batch
from shakespeare_env.game import Game
from shakespeare_env.generators import GameGenerators
from shakespeare_env.information_sets import InformationSets


@runtime_checkable
class Agent(Protocol):
    """Decides in any number of games at once.

    An agent gets observations, never the state, so it cannot look at what is secret.  It keeps no
    memory between calls and draws from `rng` alone, so that the same games give the same actions,
    whatever is played beside them.
    """

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[Any]:
        """Choose an action in each of m games.

        Args:
            observations: int8[m, D], what the seat to move sees.
            masks: bool[m, A], its legal actions, at least one a row.
            rng: A generator for each game.

        Returns:
            int[m], a legal action id for each game.
        """
        ...


@runtime_checkable
class Searcher(Protocol):
    """Decides by trying moves in games that its seat cannot tell from the true one."""

    def search(self, games: InformationSets, rng: GameGenerators) -> NDArray[Any]:
        """Choose an action in each of m games.

        Args:
            games: What the seats to move see, and possible games to try moves in.
            rng: A generator for each game.

        Returns:
            int[m], a legal action id for each game.
        """
        ...


@runtime_checkable
class Estimator(Protocol):
    """Can say what it expects to get, besides deciding."""

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """int8[n, D], as the seats to move see their games -> float32[n], more is better."""
        ...


AnyAgent = Agent | Searcher
Act = Callable[[NDArray[np.int8], NDArray[np.bool_], GameGenerators], NDArray[Any]]
"""A function that chooses as `Agent.act` does."""
Player = str | os.PathLike[str] | AnyAgent | Act
"""Whatever can be made an agent: a name, the folder of a checkpoint, an agent or a function."""


def decide(
    agent: AnyAgent, batch: Batch, rows: NDArray[Any], rng: GameGenerators
) -> NDArray[Any]:
    """Ask an agent in some games of a batch.

    Args:
        agent: Who is to move there.
        batch: The games.
        rows: int[m], which of them.
        rng: The generators of those m games.

    Returns:
        int[m], what it chose.
    """
    if hasattr(agent, "search"):  # ten times as fast as isinstance of a protocol
        return agent.search(InformationSets(batch, rows), rng)
    return agent.act(batch.obs[rows], batch.mask[rows], rng)


def agent_for(player: Player | None, game: Game) -> AnyAgent:
    """An agent for a game; None means the strongest that is bundled for it.

    This is the one place where the engine asks for agents, and it does so by name and only when
    somebody plays: no package imports one that is built on it.

    Raises:
        ValueError: no agent has this name, and no folder; or the game has no such agent.
        CheckpointError: the checkpoint is damaged or was made for another game or box.
        TypeError: it cannot play.
    """
    registry = import_module("shakespeare_agents.registry")
    agent: AnyAgent = registry.make(registry.default(game) if player is None else player, game)
    return agent
