"""The compiled entry points over arrays of records, built once for every game from its `Rules`.

All of them release the interpreter lock, and those that work on entries `first` .. `last - 1` of
`rows`, the games of a batch that are meant, let threads share them; none allocates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from shakespeare_env.compiled import announced, kernel, rule
from shakespeare_env.game import Game
from shakespeare_env.rewards import SCORE, write_change, write_outcome
from shakespeare_env.rng import below_in, mix, stream

# Eight flags of a mask at a time, as the bytes of a word: multiplying by one in every byte adds up
# all bytes below each byte, and so the highest holds the sum.
_ONE_A_BYTE, _TOP_BYTE = np.uint64(0x0101010101010101), np.uint64(56)
_BYTE, _BYTE_MASK = np.uint64(8), np.uint64(0xFF)
# The same with lanes of 16 bits, for sums over many words.
_EVERY_OTHER_BYTE = np.uint64(0x00FF00FF00FF00FF)
_ONE_A_LANE, _TOP_LANE = np.uint64(0x0001000100010001), np.uint64(48)


@dataclass(frozen=True)
class Kernels:
    """Entry points of one game; arrays are those of `Batch`.

    Attributes:
        begin: (games, rows, first, last, players, options, mask, obs, to_move) -> None. New games
            from each record's `random`, forced decisions played, views written.
        view: (games, rows, mask, obs, to_move) -> None. Write the views of some games as they
            stand.
        step: (games, rows, first, last, actions, autoreset, players, options, reward, mask, obs,
            to_move, rewards, done, before, after, scores, winners) -> None. Play one legal action,
            `actions[k]` in game `rows[k]`, in each of those games that is not over; `before` and
            `after` are room for its scores.
        play: (games, action, mask, to_move) -> None. Play one legal action in game 0.
        observe: (games, rows, seats, obs) -> None. What `seats[k]` sees of game `rows[k]`, into
            `obs[k]`.
        determinize: (games, seats, seeds) -> None. Draw anew what a given seat of each game does
            not know.
        choose: (chance, mask, to_move, actions) -> None. A uniformly random legal action for each
            game.
        first_illegal: (actions, rows, mask, to_move) -> int. The first k for which `actions[k]` is
            not legal in game `rows[k]`, -1 if there is none; a game that is over takes the action
            -1.
        scores: (games, rows, out) -> None. Every seat's score so far in game `rows[k]`, into
            `out[k]`.
    """

    begin: Callable[..., None]
    view: Callable[..., None]
    step: Callable[..., None]
    play: Callable[..., None]
    observe: Callable[..., None]
    determinize: Callable[..., None]
    choose: Callable[..., None]
    first_illegal: Callable[..., int]
    scores: Callable[..., None]


@cache
def kernels_of(game: Game) -> Kernels:
    """Compile, or load from the cache, the entry points of a game."""
    kernels = _build(game)
    with announced(game.name):
        _warm_up(game, kernels)
    return kernels


def _build(game: Game) -> Kernels:
    """Define the entry points around the rules of a game."""
    rules = game.rules
    rules_begin, rules_legal, rules_play = rules.begin, rules.legal, rules.play
    rules_observe, rules_determinize, rules_scores = rules.observe, rules.determinize, rules.scores
    seats = game.max_seats
    # Where nobody can play alone there is no target, and none is asked for.
    scale, target = float(game.score_scale), float(game.solo_target or 0)
    compiled = kernel(game.name)

    @rule
    def settle(record: Any, mask: Any) -> None:
        """Write the legal actions, playing on while there is exactly one (rule D1)."""
        mask[:] = False
        count = rules_legal(record, mask)
        while count == 1:
            action = 0
            while not mask[action]:
                action += 1
            rules_play(record, action)
            mask[action] = False
            count = rules_legal(record, mask) if record["to_move"] >= 0 else 0

    @rule
    def look(record: Any, obs: Any) -> None:
        """Write the observation of the seat to move, all 0 when the game is over."""
        obs[:] = 0
        if record["to_move"] >= 0:
            rules_observe(record, record["to_move"], obs)

    @rule
    def ones(word: np.uint64) -> int:
        """How many of eight flags, the bytes of a word, are set."""
        return np.int64((word * _ONE_A_BYTE) >> _TOP_BYTE)  # type: ignore[return-value]

    @rule
    def place_of(word: np.uint64, left: int) -> int:
        """Which byte of a word holds its flag number `left`, counted from 0, without a branch."""
        so_far = word * _ONE_A_BYTE
        place = 0
        for byte in range(8):
            place += int(np.int64((so_far >> np.uint64(8 * byte)) & _BYTE_MASK) <= left)
        return place

    @compiled
    def begin(
        games: Any,
        rows: Any,
        first: int,
        last: int,
        players: Any,
        options: int,
        mask: Any,
        obs: Any,
        to_move: Any,
    ) -> None:
        for k in range(first, last):
            i = rows[k]
            rules_begin(games[i], players[i], options)
            settle(games[i], mask[i])
            look(games[i], obs[i])
            to_move[i] = games[i]["to_move"]

    @compiled
    def view(games: Any, rows: Any, mask: Any, obs: Any, to_move: Any) -> None:
        for i in rows:
            mask[i, :] = False
            if games[i]["to_move"] >= 0:
                rules_legal(games[i], mask[i])
            look(games[i], obs[i])
            to_move[i] = games[i]["to_move"]

    @compiled
    def step(
        games: Any,
        rows: Any,
        first: int,
        last: int,
        actions: Any,
        autoreset: bool,
        players: Any,
        options: int,
        reward: int,
        mask: Any,
        obs: Any,
        to_move: Any,
        rewards: Any,
        done: Any,
        before: Any,
        after: Any,
        scores: Any,
        winners: Any,
    ) -> None:
        for k in range(first, last):
            i = rows[k]
            game = games[i]
            done[i] = False
            rewards[i, :] = 0
            if game["to_move"] < 0:
                continue
            if reward == SCORE:
                rules_scores(game, before[i])
            rules_play(game, actions[k])
            settle(game, mask[i])
            over = game["to_move"] < 0
            if over or reward == SCORE:
                rules_scores(game, after[i])
                if reward == SCORE:
                    write_change(game["players"], before[i], after[i], scale, rewards[i])
                else:
                    write_outcome(reward, game, after[i], scale, target, rewards[i])
            if over:
                done[i] = True
                for seat in range(seats):
                    scores[i, seat] = after[i, seat]
                    winners[i, seat] = game["winners"][seat] != 0
                if autoreset:
                    rules_begin(game, players[i], options)
                    settle(game, mask[i])
            look(game, obs[i])
            to_move[i] = game["to_move"]

    @compiled
    def play(games: Any, action: int, mask: Any, to_move: Any) -> None:
        rules_play(games[0], action)
        settle(games[0], mask[0])
        to_move[0] = games[0]["to_move"]

    @compiled
    def observe(games: Any, rows: Any, of: Any, obs: Any) -> None:
        obs[:, :] = 0
        for k in range(len(rows)):
            rules_observe(games[rows[k]], of[k], obs[k])

    @compiled
    def determinize(games: Any, of: Any, seeds: Any) -> None:
        for i in range(len(games)):
            games[i]["random"] = stream(seeds[i], of[i])
            rules_determinize(games[i], of[i])
            games[i]["random"] = mix(games[i]["random"])

    @compiled
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
            count = int(np.int64((lanes * _ONE_A_LANE) >> _TOP_LANE))
            for action in range(len(words) * 8, len(legal)):
                count += legal[action]
            left = below_in(chance, i, count)
            word = 0
            while word < len(words) and left >= ones(words[word]):
                left -= ones(words[word])
                word += 1
            if word < len(words):
                actions[i] = word * 8 + place_of(words[word], left)
                continue
            action = word * 8
            while left > 0 or not legal[action]:
                left -= legal[action]
                action += 1
            actions[i] = action

    @compiled
    def first_illegal(actions: Any, rows: Any, mask: Any, to_move: Any) -> int:
        for k in range(len(rows)):
            i, action = rows[k], actions[k]
            if to_move[i] < 0:
                if action != -1:
                    return k
            elif not 0 <= action < mask.shape[1] or not mask[i, action]:
                return k
        return -1

    @compiled
    def write_scores(games: Any, rows: Any, out: Any) -> None:
        for k in range(len(rows)):
            rules_scores(games[rows[k]], out[k])

    return Kernels(
        begin, view, step, play, observe, determinize, choose, first_illegal, write_scores
    )


def _warm_up(game: Game, kernels: Kernels) -> None:
    """Call every entry point once, with the argument types that `Batch` and `Position` use."""
    seats = game.max_seats
    games = np.zeros(1, game.state)
    players = np.full(1, game.min_seats, np.int8)
    mask = np.zeros((1, game.actions.size), np.bool_)
    obs = np.zeros((1, game.layout.size), np.int8)
    to_move = np.zeros(1, np.int8)
    actions = np.zeros(1, np.int32)
    rows = np.zeros(1, np.int64)
    kernels.begin(games, rows, 0, 1, players, 0, mask, obs, to_move)
    kernels.view(games, rows, mask, obs, to_move)
    kernels.choose(np.zeros(1, np.uint64), mask, to_move, actions)
    kernels.first_illegal(actions, rows, mask, to_move)
    kernels.step(
        games,
        rows,
        0,
        1,
        actions,
        True,
        players,
        0,
        SCORE,
        mask,
        obs,
        to_move,
        np.zeros((1, seats), np.float32),
        np.zeros(1, np.bool_),
        np.zeros((1, seats), np.int16),
        np.zeros((1, seats), np.int16),
        np.zeros((1, seats), np.int16),
        np.zeros((1, seats), np.bool_),
    )
    kernels.play(games, int(np.argmax(mask[0])), mask, to_move)
    kernels.observe(games, rows, to_move, obs)
    kernels.determinize(games, to_move, np.zeros(1, np.uint64))
    kernels.scores(games, rows, np.zeros((1, seats), np.int16))
