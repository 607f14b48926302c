"""One game in the terminal, played by agents and perhaps a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from shakespeare_env import Batch, Position
from shakespeare_env.agent import AnyAgent
from shakespeare_env.generators import GameGenerators
from shakespeare_env.lineup import NOBODY, OUTSIDE, Lineup, play_out

OnMove = Callable[[Position, int, str], None]
"""Called with a position and an agent's move before it is played, numbered from 1."""


class SingleGame:
    """One game in which agents play their seats, and `push` the others.

    Args:
        position: Where it starts.
        agents: By seat.
        seed: Of their draws.
        n_moves: Moves before that, to number the others.
    """

    def __init__(
        self, position: Position, agents: Mapping[int, AnyAgent], seed: int, n_moves: int = 0
    ) -> None:
        self.n_moves = n_moves
        self._batch = Batch(position.game.name, 1, players=position.players, autoreset=False)
        record = position.record()
        self._batch.load([0], np.array([record], record.dtype))
        seats = np.full((1, position.game.max_seats), NOBODY)
        seats[0, : position.players] = OUTSIDE
        for index, seat in enumerate(agents):
            seats[0, seat] = index
        generators = GameGenerators.of_games(seed, np.zeros(1, np.int64))
        self._lineup = Lineup(list(agents.values()), seats, generators)

    @property
    def position(self) -> Position:
        """The current position."""
        return Position.of_record(self._batch.game, self._batch.save(slice(None))[0])

    def play_out(self, on_move: OnMove, most: int | None = None) -> None:
        """Let agents play, `most` moves at most, until another seat is to move or all is over."""

        def before_step(_rows: object, actions: NDArray[np.int64]) -> None:
            position = self.position
            self.n_moves += 1
            on_move(position, self.n_moves, position.move_text(int(actions[0])))

        play_out(self._batch, self._lineup, before_step=before_step, most=most)

    def push(self, move: str) -> None:
        """Play a legal move."""
        self._batch.step([self.position.action_id(move)])
        self.n_moves += 1
