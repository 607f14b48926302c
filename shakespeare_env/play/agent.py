"""Agents: their protocols, how they are asked for actions, and how a name becomes an agent."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Game
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets


@runtime_checkable
class Agent(Protocol):
    """An agent that decides in any number of games at once.

    It draws only from `rng`, so that equal games give equal actions. What it remembers of a game it
    keeps in `rng.memory` and not in its own attributes.

    If it has an attribute `history_length`, an int k above 0, its observations are a dict of
    `observation`, int8[m, D], and `history`, int16[m, k, 2] (`Batch.history`).
    """

    def act(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: GameGenerators
    ) -> NDArray[Any]:
        """Return int[m], a legal action id for each of m games.

        Args:
            observations: int8[m, D], what the seats to move see.
            masks: bool[m, A], legal actions, at least one per row.
            rng: The generators of the m games, and the memories of the seats to move.
        """
        ...


@runtime_checkable
class Searcher(Protocol):
    """An agent that decides by trying moves in games that look to its seat like the true one."""

    def search(self, games: InformationSets, rng: GameGenerators) -> NDArray[Any]:
        """Return int[m], a legal action id for each of m games, drawing from their generators."""
        ...


@runtime_checkable
class Estimator(Protocol):
    """An agent that estimates the return of the seat to move."""

    def values(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return float32[n], the values of observations of the seats to move, int8[n, D]."""
        ...


@runtime_checkable
class Forecaster(Protocol):
    """An agent that estimates the outcome for every seat."""

    def forecasts(
        self, observations: NDArray[np.int8], players: NDArray[np.integer]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Estimate the outcomes of n games, as the seats to move see them.

        Args:
            observations: int8[n, D].
            players: int[n], the number of seats.

        Returns:
            Shares of the victory, and changes of scores until the end in units of
            `Game.score_scale`. Both are float32[n, S], clockwise from the seat to move, and 0 where
            nobody sits.
        """
        ...


@runtime_checkable
class Advisor(Protocol):
    """An agent that gives a probability to each action."""

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Return the probabilities of actions, float32[n, A], which are 0 for illegal ones.

        Args:
            observations: int8[n, D], what the seats to move see.
            masks: bool[n, A], legal actions, at least one per row.
        """
        ...


AnyAgent = Agent | Searcher
Act = Callable[[NDArray[np.int8], NDArray[np.bool_], GameGenerators], NDArray[Any]]
"""A function like `Agent.act`."""
AgentLike = str | os.PathLike[str] | AnyAgent | Act | Callable[..., AnyAgent]
"""Anything that can become an agent: a name, a checkpoint's folder, an agent, a function or a
class."""


def name_of(player: AgentLike) -> str:
    """Return a name for tables and errors: the text, or the `__name__` of the object or class."""
    if isinstance(player, str | os.PathLike):
        return str(player)
    name = getattr(player, "__name__", None)
    return name if isinstance(name, str) else type(player).__name__


def decide(
    agent: AnyAgent,
    batch: Batch,
    rows: NDArray[Any],
    rng: GameGenerators,
    masks: NDArray[np.bool_] | None = None,
) -> NDArray[Any]:
    """Return int[m], an agent's actions in the games `rows`, int[m], of a batch.

    The agent draws from the games' generators. Given `masks`, bool[m, A], it decides as if only
    these actions were legal.

    Raises:
        RuntimeError: The agent calls `sys.exit`, which must not end the process that asks it.
    """
    try:
        # `hasattr` is ten times as fast as `isinstance` with a protocol.
        if hasattr(agent, "search"):
            games = InformationSets(batch, rows)
            if masks is not None:
                games.masks = masks
            return agent.search(games, rng)
        observations = _observations_for(agent, batch, rows)
        return agent.act(observations, batch.mask[rows] if masks is None else masks, rng)
    except SystemExit as fault:
        error = RuntimeError(f"it tried to end the process (SystemExit: {fault})")
        raise error.with_traceback(fault.__traceback__) from fault


def history_length(agent: AnyAgent) -> int:
    """Return the number of last decisions that an agent observes."""
    length: int = getattr(agent, "history_length", 0)
    return length


def _observations_for(agent: AnyAgent, batch: Batch, rows: NDArray[Any]) -> Any:
    """Return the observations of the seats to move, in the form that an agent takes."""
    observations = batch.obs[rows]
    length = history_length(agent)
    if length == 0:
        return observations
    batch.keep_history(length)  # it is empty where only a position is known
    history = batch.history(batch.to_move[rows], rows)
    return {"observation": observations, "history": history[:, :length]}


def agent_for(player: AgentLike | None, game: Game) -> AnyAgent:
    """Return an agent for a game. None means the strongest bundled one.

    The package of agents is imported only here, when a game needs one.

    Raises:
        ValueError: No agent or folder has this name, or the game has no such agent.
        CheckpointError: The checkpoint is damaged, or is for another game or box.
        TypeError: `player` cannot play.
    """
    agents = import_module("shakespeare_agents")
    agent: AnyAgent = agents.make(agents.default(game) if player is None else player, game)
    return agent
