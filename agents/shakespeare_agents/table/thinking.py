"""Agents that decide at tables, on threads that give way to people."""

from __future__ import annotations

import os
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np

from shakespeare_agents.registry import make
from shakespeare_agents.table.live_table import LiveTable, Snapshot, TableError
from shakespeare_env import Batch, IllegalMove, Position
from shakespeare_env.agent import AnyAgent, decide
from shakespeare_env.agent_faults import own_steps
from shakespeare_env.batch_checks import as_actions
from shakespeare_env.game import Game
from shakespeare_env.generators import GameGenerators

_THREADS = 2
_GIVE_WAY = 10
"""Niceness of the threads on which agents think."""


def choose(agent: AnyAgent, position: Position, seed: int, number: int) -> str:
    """An agent's move in a position.

    Its draws depend only on the seed and the number of the decision, so a resumed table continues
    as if it had never stopped.

    Raises:
        Exception: whatever the agent raises; IllegalMove if its move is not legal.
    """
    batch = Batch(position.game.name, 1, players=position.players, autoreset=False)
    record = position.record()
    batch.load([0], np.array([record], record.dtype))
    generators = GameGenerators.of_games(seed, np.array([number]))
    actions = as_actions(decide(agent, batch, np.zeros(1, np.int64), generators), 1)
    if not batch.mask[0, actions[0]]:
        move = position.move_text(int(actions[0]))
        raise IllegalMove(move, seat=position.to_move, phase=position.phase, legal=position.moves())
    return position.move_text(int(actions[0]))


class Thinkers:
    """Lets agents decide at tables, one decision at a time at each."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, "thinking", initializer=give_way)
        self._lock = threading.Lock()
        self._busy: set[str] = set()
        self._agents: dict[tuple[str, str], tuple[threading.Lock, AnyAgent]] = {}

    def wake(self, table: LiveTable) -> None:
        """If an agent is to move, let it."""
        now = table.now()
        if _agent_to_move(now) is None or now.fault:
            return
        with self._lock:
            if table.id in self._busy:
                return
            self._busy.add(table.id)
        self._pool.submit(self._think, table)

    def close(self) -> None:
        """Wait for decisions under way; begin none."""
        self._pool.shutdown(cancel_futures=True)

    def _think(self, table: LiveTable) -> None:
        try:
            now = table.now()
            name = _agent_to_move(now)
            if name is None:
                return
            number = len(now.moves)
            try:
                lock, agent = self._agent(name, now.position.game)
                with lock:
                    move = choose(agent, now.position, now.plan.seed, number)
            except Exception as fault:  # an agent may be anybody's
                seat = now.plan.seats[now.position.to_move or 0].name
                table.fail(number, f"{seat} has failed: {_for_everybody(fault)}")
                return
            # Somebody may have taken back a move meanwhile, or another server has played it.
            with suppress(TableError):
                table.play(number, move)
        finally:
            with self._lock:
                self._busy.discard(table.id)
            self.wake(table)

    def _agent(self, name: str, game: Game) -> tuple[threading.Lock, AnyAgent]:
        """An agent, and the lock to hold while it thinks."""
        with self._lock:
            if (game.name, name) not in self._agents:
                self._agents[game.name, name] = threading.Lock(), make(name, game)
            return self._agents[game.name, name]


def _agent_to_move(now: Snapshot) -> str | None:
    seat = now.position.to_move
    return None if seat is None else now.plan.seats[seat].agent


def _for_everybody(fault: Exception) -> str:
    """A fault in words that all may read; details may reveal a hand, so the server prints them."""
    if isinstance(fault, IllegalMove):
        return "the move it has chosen is not legal"
    steps = own_steps(fault)
    if not steps:
        return f"{type(fault).__name__}: {fault}"
    traceback.print_exception(fault)
    where = f"{Path(steps[-1].filename).name}, line {steps[-1].lineno}"
    return f"{type(fault).__name__} in {where} (the server's terminal shows more)"


def give_way() -> None:
    """Let every other thread go first, if the system can do that."""
    if hasattr(os, "setpriority"):
        # On Linux a thread has a niceness of its own; elsewhere there is no such process.
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _GIVE_WAY)
