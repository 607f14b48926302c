"""Playouts on threads of their own, by a policy and its network."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.inference import Scratch, Weights
from shakespeare_agents.search.checks import check_number, check_whole
from shakespeare_agents.search.halving import Playouts
from shakespeare_agents.search.playouts import playouts_of
from shakespeare_agents.search.policies import Choose, Room
from shakespeare_agents.search.utility import Ends
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.thread_pool import MOST_THREADS, ThreadPool

TO_THE_END = 1_000_000
"""A horizon beyond any game's end."""
_FEW = 16
"""The number of playouts below which one thread plays them."""


class Player:
    """Plays possible games on.

    Args:
        game: The game played.
        choose: The policy of all seats.
        weights: The weights of its network.
        horizon: See `playouts_of`, as is `temperature`.
        threads: The threads that share the playouts; they change no result.

    Attributes:
        decisions: The decisions made and valued so far, each by the network if there is one.

    Raises:
        TypeError: an option is of another kind.
        ValueError: one is out of range.
    """

    def __init__(
        self,
        game: Game,
        choose: Choose,
        weights: Weights,
        *,
        horizon: int,
        temperature: float,
        threads: int = 1,
    ) -> None:
        check_whole("horizon", horizon, 0, 2**31)
        check_number("temperature", temperature, 0)
        check_whole("threads", threads, 1, MOST_THREADS)
        if len(weights.heads) == 1 and horizon < TO_THE_END:
            raise ValueError(
                f"horizon={horizon}: without heads that forecast all seats, playouts go to the end"
            )
        self.game = game
        self.decisions = 0
        self.horizon, self.temperature = horizon, float(temperature)
        self._weights = weights
        self._play_on = playouts_of(game, choose)
        self._pool = ThreadPool(threads)
        self._rooms: SimpleQueue[tuple[Any, Any]] = SimpleQueue()
        for _ in range(threads):
            width = len(weights.gain)
            self._rooms.put((tuple(Scratch.of(weights)), tuple(Room.of(game, width))))

    def play(self, played: Playouts, records: Records, chance: NDArray[np.uint64]) -> Ends:
        """Play the playouts and return their ends.

        Args:
            played: k playouts.
            records: Possible games[d].
            chance: uint64[d], the random states of policies in each of them.
        """
        size = len(played.sources)
        win = np.zeros((size, self.game.max_seats), np.float32)
        score = np.zeros_like(win)
        unit = float(self.game.score_scale)
        draws = chance[played.sources]
        made: list[int] = []

        def play(first: int, last: int) -> None:
            scratch, room = self._rooms.get()
            try:
                found = self._play_on(
                    records,
                    played.sources,
                    played.games,
                    played.actions,
                    draws,
                    first,
                    last,
                    self.horizon,
                    self.temperature,
                    unit,
                    tuple(self._weights),
                    scratch,
                    room,
                    win,
                    score,
                )
                made.append(found)
            finally:
                self._rooms.put((scratch, room))

        if size < _FEW:
            play(0, size)
        else:
            self._pool.share(size, play)
        self.decisions += sum(made)
        roots = played.sources
        return Ends(
            win,
            score / np.float32(unit),
            records["to_move"][roots].astype(np.int64),
            records["players"][roots].astype(np.int64),
        )
