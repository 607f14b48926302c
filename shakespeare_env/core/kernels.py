"""The compiled entry points over arrays of records, built for each game from its `Rules`.

They allocate nothing and release the interpreter lock; ranges `first` to `last - 1` of `rows` let
threads share a batch.
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

_BYTE, _TOP_BYTE, _TOP_LANE = np.uint64(8), np.uint64(56), np.uint64(48)
_ONE_PER_BYTE, _ONE_PER_LANE = np.uint64(0x0101010101010101), np.uint64(0x0001000100010001)
_EVERY_OTHER_BYTE = np.uint64(0x00FF00FF00FF00FF)

NO_MOVE = -1
"""The fault of a seat that is to move and cannot; games number theirs from 1."""


def as_kernel_array(array: NDArray[Any], kind: type[Any]) -> NDArray[Any]:
    """The array, or a copy, contiguous, aligned and writeable, as kernels are compiled for."""
    contiguous = np.ascontiguousarray(array, kind)
    return contiguous if contiguous.flags.carray else contiguous.copy()


def copy_records(games: Records, rows: NDArray[Any]) -> Records:
    """Copies of records, by their bytes.

    NumPy alone copies field by field, 30 times as slowly, and leaves stray memory between them.
    """
    whole = np.dtype((np.void, games.dtype.itemsize))
    copies: Records = games.view(whole)[rows].view(games.dtype)
    return copies


@cache
def kernels_of(game: Game) -> SimpleNamespace:
    """A game's entry points, each compiled, or loaded from the cache, when it is first called."""
    rules, rows_do = game.rules, row_rules_of(game)
    row_set_up, row_refresh, row_step = rows_do.set_up, rows_do.refresh, rows_do.step
    is_legal = rows_do.is_legal
    rules_legal, rules_play, rules_fault = rules.legal, rules.play, rules.fault
    play_forced_moves = forced_moves_of(game)
    rules_observe, rules_determinize, rules_scores = rules.observe, rules.determinize, rules.scores
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
        terms: Any,
    ) -> None:
        for k in range(first, last):
            row_step(k, arrays, outcome, rows, actions, players, terms)

    @compiled("moves of one game")
    def play(games: Any, mask: Any, to_move: Any, action: int) -> None:
        """`step` in game 0, without observation and rewards."""
        rules_play(games[0], action)
        play_forced_moves(games[0], mask[0])
        to_move[0] = games[0]["to_move"]

    @compiled("what a seat sees")
    def observe(games: Any, rows: Any, of: Any, obs: Any) -> None:
        obs[:, :] = 0
        for k in range(len(rows)):
            rules_observe(games[rows[k]], of[k], obs[k])

    @compiled("what a seat does not know")
    def determinize(games: Any, of: Any, seeds: Any) -> None:
        for i in range(len(games)):
            games[i]["random"] = stream(seeds[i], of[i])
            rules_determinize(games[i], of[i])
            games[i]["random"] = mix(games[i]["random"])

    @compiled("random moves")
    def choose(chance: Any, mask: Any, to_move: Any, actions: Any) -> None:
        """`row_rules.choose`, counting eight flags of a mask at a time, a byte each.

        Multiplying a word by ones adds to every byte, or lane of 16 bits, all those below it.
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
            left = below_in(chance, i, count)
            first = 0
            for word in range(len(words)):
                held = int(np.int64((words[word] * _ONE_PER_BYTE) >> _TOP_BYTE))
                if left < held:
                    break
                left -= held
                first += 8
            for action in range(first, len(legal)):
                left -= legal[action]
                if left < 0:
                    actions[i] = action
                    break

    @compiled("checks of moves")
    def first_illegal(arrays: Any, rows: Any, actions: Any) -> int:
        """The place of the first illegal action, or -1."""
        for k in range(len(rows)):
            if not is_legal(k, arrays, rows, actions):
                return k
        return -1

    @compiled("scores")
    def scores(games: Any, rows: Any, out: Any) -> None:
        for k in range(len(rows)):
            rules_scores(games[rows[k]], out[k])

    @compiled("checks of positions")
    def first_fault(games: Any, mask: Any, faults: Any) -> int:
        """The first record with a fault, which it writes, or -1; numbers are in range."""
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
