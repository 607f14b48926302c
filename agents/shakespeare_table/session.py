"""A game in progress, in which agents hold some seats and people or programs hold the others."""

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
        agents: The agents by seat. `push` plays the moves of the other seats.
        seed: The seed of the agents' draws.
        names: The players' names by seat, for errors and descriptions.
        generator: Which of the seed's generators the agents draw from, as in
            `GameGenerators.of_games`.

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
        # For `Lineup`, each seat holds the index of its agent, OUTSIDE if `push` plays its moves,
        # or NOBODY if the game does not have the seat.
        seats = np.full((1, position.game.max_seats), NOBODY)
        seats[0, : position.players] = OUTSIDE
        for index, seat in enumerate(agents):
            seats[0, seat] = index
        self._generators = GameGenerators.of_games(seed, np.array([generator]))
        agent_names = [names[seat] for seat in agents] if names else ()
        self._lineup = Lineup(list(agents.values()), seats, self._generators, agent_names)
        self._batch.keep_history(self._lineup.history_length)
        # The states of the generators before each move and after the last one, for `take_back`.
        self._generator_states = [self._generators.saved()]
        self.history = GameHistory([position], [], names)
        self.failed: int | None = None
        self.seconds = [0.0] * position.players
        self.decisions = [0] * position.players
        self._decision_began = time.monotonic()

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
        stop_at = None if max_moves is None else len(self.moves) + max_moves
        decided: list[int] = []  # the action of the agent to move; empty if it is no agent's turn

        def after_step(_rows: object, actions: NDArray[np.int64]) -> None:
            decided.append(int(actions[0]))

        while stop_at is None or len(self.moves) < stop_at:
            self._load()
            try:
                play_out(self._batch, self._lineup, after_step=after_step, max_steps=1)
            except Exception:
                self.failed = self.position.to_move
                raise
            if not decided:
                return
            self.push(self.position.move_text(decided.pop()), on_move)

    def _load(self) -> None:
        """Load the current position, and the last decisions for agents that observe them."""
        record = self.position.record()
        decisions = self.position.decisions(self._batch.history_length)
        self._batch.load([0], np.array([record], record.dtype), decisions)

    def push(self, move: str, on_move: OnMove | None = None) -> None:
        """Play a move of the seat to move; IllegalMove if it is not legal."""
        seat = self.position.to_move
        self.history = self.history.pushed(move)
        assert seat is not None
        now = time.monotonic()
        self.seconds[seat] += now - self._decision_began
        self.decisions[seat] += 1
        self._decision_began = now
        self._generator_states.append(self._generators.saved())
        if on_move is not None:
            on_move(self.history)

    def take_back(self, seat: int) -> str:
        """Undo a seat's last move and return it. No other seat may have decided since.

        Raises:
            ValueError: The move cannot be undone. The message says why.
        """
        number = self.history.undoable_move(seat)
        move = self.moves[number]
        self.history = self.history.up_to(number)
        del self._generator_states[number + 1 :]
        self._generators.restore(self._generator_states[-1])
        return move


def choose(agent: AnyAgent, position: Position, seed: int = 0, number: int = 0) -> str:
    """Return an agent's move in a position.

    The agent's draws depend only on the seed and the number of the decision. A game that is resumed
    therefore goes on as if it had never stopped.

    Raises:
        IllegalMove: The move is not legal.
        Exception: Whatever the agent raises.
    """
    assert position.to_move is not None
    session = Session(position, {position.to_move: agent}, seed, generator=number)
    session.play_out(max_moves=1)
    return session.moves[0]
