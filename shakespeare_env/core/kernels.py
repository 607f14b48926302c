"""Compiled entry points over arrays of records, built for each game from its `Rules`.

They allocate nothing and release the interpreter lock. Threads share a batch by ranges: each plays
`rows[first:last]`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.compile.decorators import P, R, kernel
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.rng import below_in, mix, stream
from shakespeare_env.core.row_rules import forced_moves_of, row_rules_of

# Words of 64 bits as eight bytes or as four lanes of 16 bits; see `choose`.
_BYTE = np.uint64(8)
_TOP_BYTE = np.uint64(56)
_TOP_LANE = np.uint64(48)
_ONE_PER_BYTE = np.uint64(0x0101010101010101)
_ONE_PER_LANE = np.uint64(0x0001000100010001)
_EVERY_OTHER_BYTE = np.uint64(0x00FF00FF00FF00FF)

NO_MOVE = -1
"""The fault number if the seat to move has no legal move. Games number their own faults from 1."""


def as_kernel_array(array: NDArray[Any], kind: type[Any]) -> NDArray[Any]:
    """Return an array as kernels need it: contiguous, aligned and writeable. Copy it if needed."""
    contiguous = np.ascontiguousarray(array, kind)
    return contiguous if contiguous.flags.carray else contiguous.copy()


def copy_records(games: Records, rows: NDArray[Any]) -> Records:
    """Return copies of records, byte by byte.

    NumPy copies records field by field, which is 30 times as slow and leaves arbitrary bytes
    between the fields.
    """
    of_bytes = np.dtype((np.void, games.dtype.itemsize))
    copies: Records = games.view(of_bytes)[rows].view(games.dtype)
    return copies


@cache
def kernels_of(game: Game) -> SimpleNamespace:
    """Return a game's entry points, each compiled or loaded from disk when it is first called."""
    row_rules = row_rules_of(game)
    row_set_up = row_rules.set_up
    row_refresh = row_rules.refresh
    row_step = row_rules.step
    row_is_legal = row_rules.is_legal
    play_forced_moves = forced_moves_of(game)
    rules_legal = game.rules.legal
    rules_play = game.rules.play
    rules_observe = game.rules.observe
    rules_determinize = game.rules.determinize
    rules_scores = game.rules.scores
    rules_fault = game.rules.fault
    entry_points: dict[str, Any] = {}

    def compiled(what: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
        purpose = f"{game.name.capitalize()}'s rules ({what})"

        def add(function: Callable[P, R]) -> Callable[P, R]:
            entry = kernel(game.name, purpose)(function)
            entry_points[function.__name__] = entry
            return entry

        return add

    @compiled("new games")
    def set_up(arrays: Any, rows: Any, first: int, last: int, players: Any, options: int) -> None:
        for k in range(first, last):
            row_set_up(k, arrays, rows, players, options)

    @compiled("changed positions")
    def refresh(arrays: Any, rows: Any) -> None:
        for k in range(len(rows)):
            row_refresh(k, arrays, rows)

    @compiled("moves of many games")
    def step(
        arrays: Any,
        outcome: Any,
        rows: Any,
        first: int,
        last: int,
        actions: Any,
        players: Any,
        settings: Any,
    ) -> None:
        for k in range(first, last):
            row_step(k, arrays, outcome, rows, actions, players, settings)

    @compiled("moves of one game")
    def play(games: Any, mask: Any, to_move: Any, action: int) -> None:
        """Play an action in game 0, as `step` does, without observation and rewards."""
        rules_play(games[0], action)
        play_forced_moves(games[0], mask[0])
        to_move[0] = games[0]["to_move"]

    @compiled("what a seat sees")
    def observe(games: Any, rows: Any, seats: Any, obs: Any) -> None:
        obs[:, :] = 0
        for k in range(len(rows)):
            rules_observe(games[rows[k]], seats[k], obs[k])

    @compiled("what a seat does not know")
    def determinize(games: Any, seats: Any, seeds: Any) -> None:
        for i in range(len(games)):
            games[i]["random"] = stream(seeds[i], seats[i])
            rules_determinize(games[i], seats[i])
            # The random events that follow are drawn from another stream than the secrets.
            games[i]["random"] = mix(games[i]["random"])

    @compiled("random moves")
    def choose(chance: Any, mask: Any, to_move: Any, actions: Any) -> None:
        """Draw a random legal action of each game, as `row_rules.choose` does, but faster.

        A mask is read in words of eight flags, one byte each. Multiplying a word by
        `_ONE_PER_BYTE` puts the sum of its bytes into the top byte. The sum over all words may
        exceed a byte, so it is formed in four lanes of 16 bits. Multiplying these by
        `_ONE_PER_LANE` puts their sum into the top lane.
        """
        for i in range(len(chance)):
            actions[i] = -1
            legal = mask[i]
            words = legal[: len(legal) // 8 * 8].view(np.uint64)
            lanes = np.uint64(0)
            for word in range(len(words)):
                lanes += (words[word] + (words[word] >> _BYTE)) & _EVERY_OTHER_BYTE
            count = int(np.int64((lanes * _ONE_PER_LANE) >> _TOP_LANE))
            for action in range(len(words) * 8, len(legal)):
                count += legal[action]
            if to_move[i] < 0 or count == 0:
                continue
            left = below_in(chance, i, count)  # legal actions to skip before the drawn one
            first = 0
            for word in range(len(words)):
                count_in_word = int(np.int64((words[word] * _ONE_PER_BYTE) >> _TOP_BYTE))
                if left < count_in_word:
                    break
                left -= count_in_word
                first += 8
            for action in range(first, len(legal)):
                left -= legal[action]
                if left < 0:
                    actions[i] = action
                    break

    @compiled("checks of moves")
    def first_illegal(arrays: Any, rows: Any, actions: Any) -> int:
        """Return the index of the first illegal action, or -1."""
        for k in range(len(rows)):
            if not row_is_legal(k, arrays, rows, actions):
                return k
        return -1

    @compiled("scores")
    def scores(games: Any, rows: Any, out: Any) -> None:
        for k in range(len(rows)):
            rules_scores(games[rows[k]], out[k])

    @compiled("checks of positions")
    def first_fault(games: Any, mask: Any, faults: Any) -> int:
        """Return the index of the first record with a fault, or -1, and write the fault's number.

        All numbers of the records must be in range.
        """
        for i in range(len(games)):
            game = games[i]
            fault = rules_fault(game)
            if fault == 0 and game["to_move"] >= 0:
                mask[:] = False
                fault = 0 if rules_legal(game, mask) else NO_MOVE
            if fault != 0:
                faults[0] = fault
                return i
        return -1

    return SimpleNamespace(**entry_points)
