"""The compiled entry points over arrays of records, built for each game from its `Rules`.

They allocate nothing and release the interpreter lock; ranges `first` to `last - 1` of `rows` let
threads share a batch.  They take plain tuples of arrays: Numba would look up a named tuple's
type at every call, which takes longer than a move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.compile.decorators import P, R, kernel, rule
from shakespeare_env.core.game import Game, Records, Rules
from shakespeare_env.core.rng import below_in, mix, stream
from shakespeare_env.core.row_rules import SCORE, forced_moves_of, row_rules_of

# Counts eight flags of a mask at a time, one per byte of a word: multiplying by a word of ones adds
# to every byte all bytes below it, so the top byte holds the sum.
_ONE_PER_BYTE, _TOP_BYTE = np.uint64(0x0101010101010101), np.uint64(56)
_BYTE, _BYTE_MASK = np.uint64(8), np.uint64(0xFF)
# The same with lanes of 16 bits, for sums over many words.
_EVERY_OTHER_BYTE = np.uint64(0x00FF00FF00FF00FF)
_ONE_PER_LANE, _TOP_LANE = np.uint64(0x0001000100010001), np.uint64(48)

NO_MOVE = -1
"""The fault of a seat that is to move and cannot; games number theirs from 1."""


def plain(array: NDArray[Any], kind: type[Any]) -> NDArray[Any]:
    """The array, or a copy, contiguous, aligned and writeable.

    Numba would compile a kernel anew for any other.
    """
    found = np.ascontiguousarray(array, kind)
    return found if found.flags.carray else found.copy()


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view of an array that compiled code relies on."""
    view = array.view()
    view.flags.writeable = False
    return view


def taken(games: Records, rows: NDArray[Any]) -> Records:
    """Copies of records, by their bytes.

    NumPy alone copies field by field, 30 times as slowly, and leaves stray memory between them.
    """
    whole = np.dtype((np.void, games.dtype.itemsize))
    copies: Records = games.view(whole)[rows].view(games.dtype)
    return copies


class GameArrays(NamedTuple):
    """Records of n games and what their seats to move see; see `Batch`."""

    games: Records
    mask: NDArray[np.bool_]
    obs: NDArray[np.int8]
    to_move: NDArray[np.int8]

    @staticmethod
    def of(
        game: Game, n: int
    ) -> tuple[Records, NDArray[np.bool_], NDArray[np.int8], NDArray[np.int8]]:
        """Room for n games, as the plain tuple that kernels take."""
        return (
            np.zeros(n, game.state),
            np.zeros((n, game.actions.size), np.bool_),
            np.zeros((n, game.layout.size), np.int8),
            np.full(n, -1, np.int8),
        )


class Outcome(NamedTuple):
    """What a step brings; see `Batch`.  `scores_before` and `scores_after` are scratch."""

    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    scores_before: NDArray[np.int16]
    scores_after: NDArray[np.int16]
    final_scores: NDArray[np.int16]
    final_winners: NDArray[np.bool_]

    @classmethod
    def of(cls, game: Game, n: int) -> Outcome:
        """Room for n games."""
        by_seat = (n, game.max_seats)
        return cls(
            np.zeros(by_seat, np.float32),
            np.zeros(n, np.bool_),
            np.zeros(by_seat, np.int16),
            np.zeros(by_seat, np.int16),
            np.zeros(by_seat, np.int16),
            np.zeros(by_seat, np.bool_),
        )


class Terms(NamedTuple):
    """The variants and rewards of a batch.

    Attributes:
        options: A bit per variant (`Game.option_bits`).
        reward: A code of `row_rules.py`.
        scale: Points that count as one unit of reward.
        target: The solo game's target; 0 without a solo game.
    """

    options: int
    autoreset: bool
    reward: int
    scale: float
    target: float

    @classmethod
    def of(cls, game: Game, options: int, autoreset: bool, reward: int) -> Terms:
        """A game's terms."""
        return cls(options, autoreset, reward, float(game.score_scale), game.solo_target or 0.0)


@cache
def bytes_per_game(game: Game) -> int:
    """Memory that a game in a batch takes."""
    return sum(array.nbytes for array in (*GameArrays.of(game, 1), *Outcome.of(game, 1)))


@dataclass(frozen=True)
class Kernels:
    """A game's entry points; `_build` shows their arguments, which go together entry by entry.

    Attributes:
        set_up: New games, drawn from each record's `random`, forced moves played.
        refresh: Write what the seats to move see of changed records.
        step: Play legal actions in games not over, and all forced moves after them.
        play: The same in game 0, without observation and rewards.
        choose: Uniformly random legal actions, -1 when over.
        first_illegal: The first illegal action's place, or -1; when over only -1 is legal.
        first_fault: The first record with a fault, which it writes, or -1; numbers are in range.
    """

    set_up: Callable[..., None]
    refresh: Callable[..., None]
    step: Callable[..., None]
    play: Callable[..., None]
    observe: Callable[..., None]
    determinize: Callable[..., None]
    choose: Callable[..., None]
    first_illegal: Callable[..., int]
    scores: Callable[..., None]
    first_fault: Callable[..., int]


@cache
def kernels_of(game: Game) -> Kernels:
    """A game's entry points, each compiled, or loaded from the cache, when it is first called."""
    return _build(game)


def rules_of(game: Game) -> list[Callable[..., Any]]:
    """A game's rules, which all its kernels are kept with."""
    return [getattr(game.rules, field.name) for field in fields(Rules)]


def _build(game: Game) -> Kernels:
    """Define the entry points around the rules of a game.

    They close over functions alone: code on disk would not follow a change of anything else.
    """
    rules, row_rules = game.rules, row_rules_of(game)
    begin, show, advance = row_rules.begin, row_rules.show, row_rules.advance
    rules_legal, rules_play = rules.legal, rules.play
    rules_observe, rules_determinize, rules_scores = rules.observe, rules.determinize, rules.scores
    rules_fault = rules.fault
    play_forced_moves = forced_moves_of(game)
    functions = rules_of(game)

    def compiled(what: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
        purpose = f"{game.name.capitalize()}'s rules ({what})"
        return kernel(game.name, *functions, purpose=purpose)

    @rule
    def n_set(word: np.uint64) -> int:
        """How many of a word's eight flags are set."""
        return np.int64((word * _ONE_PER_BYTE) >> _TOP_BYTE)  # type: ignore[return-value]

    @rule
    def place_of(word: np.uint64, left: int) -> int:
        """Which byte of a word holds its flag number `left`, from 0, without a branch."""
        so_far = word * _ONE_PER_BYTE
        place = 0
        for byte in range(8):
            place += int(np.int64((so_far >> np.uint64(8 * byte)) & _BYTE_MASK) <= left)
        return place

    @compiled("new games")
    def set_up(entries: Any, rows: Any, first: int, last: int, players: Any, options: int) -> None:
        arrays = GameArrays(*entries)
        for k in range(first, last):
            i = rows[k]
            begin(arrays, i, players[i], options)

    @compiled("changed positions")
    def refresh(entries: Any, rows: Any) -> None:
        arrays = GameArrays(*entries)
        for i in rows:
            show(arrays, i)

    @compiled("moves of many games")
    def step(
        entries: Any,
        results: Any,
        rows: Any,
        first: int,
        last: int,
        actions: Any,
        players: Any,
        played_for: Any,
    ) -> None:
        arrays, outcome, terms = GameArrays(*entries), Outcome(*results), Terms(*played_for)
        for k in range(first, last):
            i = rows[k]
            advance(arrays, outcome, terms, i, actions[k], players[i])

    @compiled("moves of one game")
    def play(games: Any, mask: Any, to_move: Any, action: int) -> None:
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
        for i in range(len(chance)):
            actions[i] = -1
            if to_move[i] < 0:
                continue
            legal = mask[i]
            words = legal[: len(legal) // 8 * 8].view(np.uint64)
            lanes = np.uint64(0)
            for word in range(len(words)):
                lanes += (words[word] + (words[word] >> _BYTE)) & _EVERY_OTHER_BYTE
            count = int(np.int64((lanes * _ONE_PER_LANE) >> _TOP_LANE))
            for action in range(len(words) * 8, len(legal)):
                count += legal[action]
            if count == 0:
                continue
            left = below_in(chance, i, count)
            word = 0
            while word < len(words) and left >= n_set(words[word]):
                left -= n_set(words[word])
                word += 1
            if word < len(words):
                actions[i] = word * 8 + place_of(words[word], left)
                continue
            # With one legal action at least it ends by itself, unless another thread writes.
            action = word * 8
            while action < len(legal) - 1 and (left > 0 or not legal[action]):
                left -= legal[action]
                action += 1
            actions[i] = action

    @compiled("checks of moves")
    def first_illegal(actions: Any, rows: Any, mask: Any, to_move: Any) -> int:
        for k in range(len(rows)):
            i, action = rows[k], actions[k]
            if to_move[i] < 0:
                if action != -1:
                    return k
            elif not 0 <= action < mask.shape[1] or not mask[i, action]:
                return k
        return -1

    @compiled("scores")
    def write_scores(games: Any, rows: Any, out: Any) -> None:
        for k in range(len(rows)):
            rules_scores(games[rows[k]], out[k])

    @compiled("checks of positions")
    def first_fault(games: Any, mask: Any, faults: Any) -> int:
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

    return Kernels(
        set_up,
        refresh,
        step,
        play,
        observe,
        determinize,
        choose,
        first_illegal,
        write_scores,
        first_fault,
    )


def compile_all(game: Game) -> None:
    """Call every entry point, with the argument types of `Batch` and `Position`."""
    kernels = kernels_of(game)
    arrays, outcome = GameArrays.of(game, 1), Outcome.of(game, 1)
    games, mask, obs, to_move = arrays
    players = np.full(1, game.min_seats, np.int8)
    actions = np.zeros(1, np.int32)
    rows = np.zeros(1, np.int64)
    terms = tuple(Terms.of(game, options=0, autoreset=True, reward=SCORE))
    results = tuple(outcome)
    kernels.set_up(arrays, rows, 0, 1, players, 0)
    kernels.refresh(arrays, rows)
    kernels.choose(np.zeros(1, np.uint64), mask, to_move, actions)
    kernels.first_illegal(actions, rows, mask, to_move)
    kernels.step(arrays, results, rows, 0, 1, actions, players, terms)
    kernels.play(games, mask, to_move, int(np.argmax(mask[0])))
    kernels.observe(games, rows, to_move, obs)
    kernels.determinize(games, to_move, np.zeros(1, np.uint64))
    kernels.scores(games, rows, outcome.final_scores)
    kernels.first_fault(games, mask[0], np.zeros(1, np.int64))
