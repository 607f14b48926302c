"""A game in progress. Agents hold some of its seats, and people or programs hold the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shakespeare_env import Batch, Position
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.history import GameHistory
from shakespeare_env.play.lineup import NOBODY, OUTSIDE, Lineup, play_out

OnMove = Callable[[GameHistory], None]
"""Called after a move with the history of the game so far."""


class Session:
    """A game in which agents play their own seats, and `push` plays the others.

    Args:
        position: The first position.
        agents: The agents by seat. The other seats are played from outside.
        seed: Decides the agents' draws.
        names: The players' names by seat, for errors and descriptions.
        generator: The number of the agents' generator under the seed.

    Attributes:
        history: The positions and moves so far.
        failed: The seat whose agent raised an exception or chose an illegal move, or None.
        seconds: The time that each seat has taken to decide.
        decisions: The number of decisions that each seat has made.
    """

    def __init__(
        self,
        position: Position,
        agents: Mapping[int, AnyAgent] | None = None,
        seed: int = 0,
        *,
        names: Sequence[str] | None = None,
        generator: int = 0,
    ) -> None:
        agents = agents or {}
        self._batch = Batch(position.game.name, 1, players=position.players, autoreset=False)
        seats = np.full((1, position.game.max_seats), NOBODY)
        seats[0, : position.players] = OUTSIDE
        for index, seat in enumerate(agents):
            seats[0, seat] = index
        self._generators = GameGenerators.of_games(seed, np.array([generator]))
        called = [names[seat] for seat in agents] if names else ()
        self._lineup = Lineup(list(agents.values()), seats, self._generators, called)
        self._before_moves = [self._generators.saved()]
        self.history = GameHistory([position], [], names)
        self.failed: int | None = None
        self.seconds = [0.0] * position.players
        self.decisions = [0] * position.players
        self._since = time.monotonic()

    @property
    def position(self) -> Position:
        """The current position."""
        return self.history.position

    @property
    def positions(self) -> Sequence[Position]:
        """The positions from the first to the current one. Do not push moves on them."""
        return self.history.positions

    @property
    def moves(self) -> Sequence[str]:
        """The moves between the positions."""
        return self.history.moves

    def play_out(self, on_move: OnMove | None = None, max_moves: int | None = None) -> None:
        """Let agents play until another seat is to move or the game is over.

        Args:
            on_move: Called after every move.
            max_moves: The most moves to play. None means no limit.

        Raises:
            Exception: Whatever an agent raises. `failed` is then its seat.
        """
        last = None if max_moves is None else len(self.moves) + max_moves
        decided: list[int] = []

        def after_step(_rows: object, actions: NDArray[np.int64]) -> None:
            decided.append(int(actions[0]))

        while last is None or len(self.moves) < last:
            record = self.position.record()
            self._batch.load([0], np.array([record], record.dtype))
            try:
                play_out(self._batch, self._lineup, after_step=after_step, max_steps=1)
            except Exception:
                self.failed = self.position.to_move
                raise
            if not decided:
                return
            self.push(self.position.move_text(decided.pop()), on_move)

    def push(self, move: str, on_move: OnMove | None = None) -> None:
        """Play a move, or raise IllegalMove."""
        seat = self.position.to_move
        self.history = self.history.pushed(move)
        assert seat is not None
        now = time.monotonic()
        self.seconds[seat] += now - self._since
        self.decisions[seat] += 1
        self._since = now
        self._before_moves.append(self._generators.saved())
        if on_move is not None:
            on_move(self.history)

    def take_back(self, seat: int) -> str:
        """Undo a seat's last move, which must be the last of all, and return it.

        Raises:
            ValueError: The move cannot be undone. The message says why.
        """
        number = self.history.undoable_move(seat)
        move = self.moves[number]
        self.history = self.history.up_to(number)
        del self._before_moves[number + 1 :]
        self._generators.restore(self._before_moves[-1])
        return move


def choose(agent: AnyAgent, position: Position, seed: int = 0, number: int = 0) -> str:
    """Return an agent's move in a position.

    The agent's draws depend on nothing but the seed and the number of the decision, so a game that
    is resumed goes on as if it had never stopped.

    Raises:
        IllegalMove: The move is not legal.
        Exception: Whatever the agent raises.
    """
    assert position.to_move is not None
    session = Session(position, {position.to_move: agent}, seed, generator=number)
    session.play_out(max_moves=1)
    return session.moves[0]
