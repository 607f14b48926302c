"""Exact chance: every deal of a small game and every result of a move, with their probabilities.

A game draws its random numbers with `below`. Here Python runs its rules without the compiler, and
`below` returns every number in turn instead of a random one.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.game import Game, Record, Records
from shakespeare_env.core.rng import below
from shakespeare_env.play.tracing import interpreted


class NotEnumerableError(Exception):
    """A game has too many random events, or draws them in a way that cannot be enumerated."""


RandomResults = tuple[Records, NDArray[np.float64]]
"""The different records that a random event may lead to, all with 0 in the field `random`, and
their probabilities, which sum to 1."""


class Chance:
    """Enumerates the random events of a game exactly.

    Each of the n numbers that `below(game, n)` may return is given the probability 1 / n. In the
    engine, `below` has a bias of less than n / 2**32, which is ignored here.

    Args:
        game: The game.
        most: The most sequences of draws that are followed, in all calls together.
    """

    def __init__(self, game: Game, most: int) -> None:
        self._game = game
        self._left = most  # the sequences of draws that may still be followed
        replacements = {below: self._draw}
        self._set_up = interpreted(game.rules.set_up, replacements)
        self._legal = interpreted(game.rules.legal, replacements)
        self._play = interpreted(game.rules.play, replacements)
        # The draws of the current run: the number drawn, and how many there are to draw.
        self._path: list[tuple[int, int]] = []
        self._depth = 0  # the number of these draws that the current run has made

    def deals(self, players: int) -> RandomResults:
        """Return all games at their first decision. Deals without a decision are left out.

        Raises:
            NotEnumerableError: as in `after`, or no deal has a decision.
        """
        blank = np.zeros(1, self._game.state)[0]

        def deal(game: Record) -> None:
            self._set_up(game, players, 0)
            self._play_forced_moves(game)

        records, probabilities = self._results(blank, deal)
        goes_on = records["to_move"] >= 0
        if not goes_on.any():
            raise NotEnumerableError("no deal has a decision")
        probabilities = probabilities[goes_on]
        return records[goes_on], probabilities / probabilities.sum()

    def after(self, record: Record, action: int) -> RandomResults:
        """Return all games that a legal action and the forced moves after it may lead to.

        Raises:
            NotEnumerableError: There are too many draws, or the rules draw without `below`.
        """

        def play(game: Record) -> None:
            self._play(game, action)
            self._play_forced_moves(game)

        return self._results(record, play)

    def _results(self, record: Record, run: Callable[[Record], None]) -> RandomResults:
        before = record.tobytes()
        found: dict[bytes, float] = {}
        self._path = []
        while True:
            # NumPy's own copy would leave arbitrary bytes between the fields.
            game = np.frombuffer(bytearray(before), self._game.state)[0]
            game["random"] = 0
            self._depth = 0
            with np.errstate(over="ignore"):  # generators overflow on purpose
                run(game)
            if game["random"] != 0:
                raise NotEnumerableError("the rules draw otherwise than with `below(game, n)`")
            after = game.tobytes()
            found[after] = found.get(after, 0.0) + 1 / prod(count for _, count in self._path)
            self._left -= 1
            if not self._advance():
                break
        records = np.frombuffer(bytearray().join(found), self._game.state)
        return records, np.array([*found.values()])

    def _draw(self, _game: Record, n: int) -> int:
        """Return the number that the current run draws, in place of `below`."""
        if n <= 1:
            return 0
        if self._depth == len(self._path):
            self._path.append((0, int(n)))
            # This also ends rules that draw until a number suits them.
            if prod(count for _, count in self._path) > self._left:
                raise NotEnumerableError("there are too many random events")
        drawn, _ = self._path[self._depth]
        self._depth += 1
        return drawn

    def _advance(self) -> bool:
        """Go to the next sequence of draws, and return whether there is one."""
        while self._path:
            drawn, count = self._path.pop()
            if drawn + 1 < count:
                self._path.append((drawn + 1, count))
                return True
        return False

    def _play_forced_moves(self, game: Record) -> None:
        mask = np.zeros(self._game.actions.size, np.bool_)
        while game["to_move"] >= 0 and self._legal(game, mask) == 1:
            self._play(game, int(mask.argmax()))
            mask[:] = False
