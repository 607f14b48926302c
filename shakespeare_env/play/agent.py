"""Agents: their protocols, how they are asked for actions, and how a name becomes an agent."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.compile.decorators import compile_seconds
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
    ) -> NDArray[Any] | Awaitable[NDArray[Any]]:
        """Return int[m], a legal action id for each of m games. It may be an `async def`.

        Args:
            observations: int8[m, D], what the seats to move see.
            masks: bool[m, A], legal actions, at least one per row.
            rng: The generators of the m games, and the memories of the seats to move.
        """
        ...


@runtime_checkable
class Searcher(Protocol):
    """An agent that decides by trying moves in games that look to its seat like the true one."""

    def search(
        self, games: InformationSets, rng: GameGenerators
    ) -> NDArray[Any] | Awaitable[NDArray[Any]]:
        """Return int[m], a legal action id for each of m games, drawing from their generators.

        It may be an `async def`.
        """
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
Act = Callable[
    [NDArray[np.int8], NDArray[np.bool_], GameGenerators], NDArray[Any] | Awaitable[NDArray[Any]]
]
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


class Decision(NamedTuple):
    """An agent's actions, and how long it has thought."""

    actions: NDArray[Any]  # int[m], as the agent has returned them
    seconds: float  # without the compilation of rules


def ask(
    agent: AnyAgent,
    batch: Batch,
    rows: NDArray[Any],
    rng: GameGenerators,
    masks: NDArray[np.bool_] | None = None,
) -> Future[Decision]:
    """Ask an agent for its actions in the games `rows`, int[m], of a batch.

    The future is done when this returns, unless the agent decides in an `async def`. Such an agent
    goes on in an event loop of its own thread, so that several agents can think at the same time.

    Args:
        agent: The agent.
        batch: The games, which must not change before the agent has decided.
        rows: int[m], the games in which it decides.
        rng: The generators of these games, from which it draws.
        masks: bool[m, A]. If given, it decides as if only these actions were legal.

    Returns:
        The decision. `result()` raises the agent's own exception if it fails, or RuntimeError if it
        calls `sys.exit`, which must not end the process that asks it.
    """
    began = perf_counter()
    compiled_before = compile_seconds()

    def decision(actions: NDArray[Any]) -> Decision:
        # Rules are compiled once, which does not count as thinking.
        compiling = compile_seconds() - compiled_before
        return Decision(actions, max(0.0, perf_counter() - began - compiling))

    async def decision_of(answer: Awaitable[NDArray[Any]]) -> Decision:
        try:
            return decision(await answer)
        except SystemExit as fault:
            raise _exit_as_error(fault) from fault

    decided: Future[Decision] = Future()
    try:
        # `hasattr` is ten times as fast as `isinstance` with a protocol.
        if hasattr(agent, "search"):
            games = InformationSets(batch, rows)
            if masks is not None:
                games.masks = masks
            answer = agent.search(games, rng)
        else:
            observations = _observations_for(agent, batch, rows)
            answer = agent.act(observations, batch.mask[rows] if masks is None else masks, rng)
        if inspect.isawaitable(answer):
            return asyncio.run_coroutine_threadsafe(decision_of(answer), _event_loop(os.getpid()))
        decided.set_result(decision(answer))
    except SystemExit as fault:
        decided.set_exception(_exit_as_error(fault))
    except Exception as fault:
        decided.set_exception(fault)
    return decided


def decide(
    agent: AnyAgent,
    batch: Batch,
    rows: NDArray[Any],
    rng: GameGenerators,
    masks: NDArray[np.bool_] | None = None,
) -> NDArray[Any]:
    """Return int[m], an agent's actions, once it has decided (see `ask`)."""
    decided = ask(agent, batch, rows, rng, masks)
    try:
        return decided.result().actions
    finally:
        decided.cancel()  # has an effect only after an interrupt


def _exit_as_error(fault: SystemExit) -> RuntimeError:
    error = RuntimeError(f"it tried to end the process (SystemExit: {fault})")
    error.__cause__ = fault
    return error.with_traceback(fault.__traceback__)


@cache
def _event_loop(_process: int) -> asyncio.AbstractEventLoop:
    """Return the event loop of this process's asynchronous agents, which runs in its own thread.

    The process id is an argument so that a forked process gets a loop of its own. All calls in a
    process share one loop, because clients of remote services keep their connections to one
    loop. The caller's thread may have a loop of its own, as in notebooks.
    """
    loop = asyncio.new_event_loop()

    def run() -> None:
        while True:
            # The exception of a task that exits is raised where it is awaited, and here, too.
            with suppress(SystemExit, KeyboardInterrupt):
                loop.run_forever()

    threading.Thread(target=run, name="agents", daemon=True).start()
    return loop


def is_asynchronous(agent: AnyAgent) -> bool:
    """Return whether an agent decides in an `async def`."""
    asked: Any = agent  # `Agent` and `Searcher` have no method in common
    decide = asked.search if hasattr(asked, "search") else asked.act
    return inspect.iscoroutinefunction(decide)


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
    batch.keep_history(length)  # the history of a loaded position stays empty
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
