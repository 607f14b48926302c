"""One game, played by agents and perhaps by somebody else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shakespeare_env import Batch, Position
from shakespeare_env.agent import AnyAgent
from shakespeare_env.generators import GameGenerators
from shakespeare_env.lineup import NOBODY, OUTSIDE, Lineup, play_out

OnMove = Callable[[Position, int, str, Position], None]
"""Called with a position, a move numbered from 1, and the position after it."""


class SingleGame:
    """One game in which agents play their seats, and `push` the others.

    `seed` decides the agents' draws; moves are numbered after the `n_moves` before `position`;
    errors call the agents by `names`, one for each seat.

    Attributes:
        positions: The positions from the first to the current one; do not play on them.
        moves: The moves between them.
        failed: The seat whose agent raised an exception or chose an illegal move, if one has.
    """

    def __init__(
        self,
        position: Position,
        agents: Mapping[int, AnyAgent],
        seed: int,
        n_moves: int = 0,
        names: Sequence[str] = (),
    ) -> None:
        self._moves_before = n_moves
        self._batch = Batch(position.game.name, 1, players=position.players, autoreset=False)
        record = position.record()
        self._batch.load([0], np.array([record], record.dtype))
        seats = np.full((1, position.game.max_seats), NOBODY)
        seats[0, : position.players] = OUTSIDE
        for index, seat in enumerate(agents):
            seats[0, seat] = index
        self._generators = GameGenerators.of_games(seed, np.zeros(1, np.int64))
        called = [names[seat] for seat in agents] if names else ()
        self._lineup = Lineup(list(agents.values()), seats, self._generators, called)
        self.positions = [position]
        self.moves: list[str] = []
        self.failed: int | None = None
        self._generator_states = [self._generators.states.copy()]

    @property
    def n_moves(self) -> int:
        """Moves played, those before it included."""
        return self._moves_before + len(self.moves)

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    def play_out(self, on_move: OnMove, most: int | None = None) -> None:
        """Let agents play, `most` moves at most, until another seat is to move or all is over."""
        last = None if most is None else len(self.moves) + most
        while last is None or len(self.moves) < last:
            if (action := self._decided()) is None:
                return
            self._note(self.position.move_text(action), on_move)

    def push(self, move: str, on_move: OnMove) -> None:
        """Play a legal move."""
        self._batch.step([self.position.action_id(move)])
        self._note(move, on_move)

    def take_back(self) -> None:
        """Undo the last move, as if it had never been played."""
        del self.positions[-1], self.moves[-1], self._generator_states[-1]
        record = self.position.record()
        self._batch.load([0], np.array([record], record.dtype))
        self._generators.states[:] = self._generator_states[-1]

    def _decided(self) -> int | None:
        """An agent's action, played; None if no agent is to move."""
        played: list[int] = []

        def after_step(_rows: object, actions: NDArray[np.int64]) -> None:
            played.append(int(actions[0]))

        try:
            play_out(self._batch, self._lineup, after_step=after_step, most=1)
        except Exception:
            self.failed = self.position.to_move
            raise
        return played[0] if played else None

    def _note(self, move: str, on_move: OnMove) -> None:
        before = self.position
        after = Position.of_record(self._batch.game, self._batch.save(slice(None))[0])
        self._generator_states.append(self._generators.states.copy())
        self.positions.append(after)
        self.moves.append(move)
        on_move(before, self.n_moves, move, after)
