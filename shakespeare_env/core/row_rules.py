"""What happens to one game of a batch, around the `Rules` of a game; every device runs it.

Forced moves are played automatically (rule D1). The rewards of a step for each seat, by name:

`win`     at the end: the winners share +1, the others share -1.
`margin`  at the end: the score less the best of the others, in units of the game's scale.
`rank`    at the end: from +1 for the best score to -1 for the worst; equals share the mean.
`score`   at every step: the change of score in that unit; also named `prestige`.

In a solo game the first three are the score less the game's solo target, in that unit, at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.compile.decorators import part_of_kernel, rule
from shakespeare_env.core.game import Game, Record, Records
from shakespeare_env.core.rng import below_in

NAMES = ("win", "margin", "rank", "score")
WIN, MARGIN, RANK, SCORE = range(len(NAMES))
ILLEGAL_REWARD = -1.0
"""The reward of an illegal action where it ends the game: that of a defeat."""
_MOST_DEALS = 1000
"""Deals of a game before it counts as one without decisions."""


def reward_code(name: str) -> int:
    """The number of a reward; ValueError if there is none of that name."""
    if not isinstance(name, str) or name not in (*NAMES, "prestige"):
        question = did_you_mean(str(name), NAMES)
        raise ValueError(f"reward={short_repr(name)}{question}: choose one of {', '.join(NAMES)}")
    return SCORE if name == "prestige" else NAMES.index(name)


class GameArrays(NamedTuple):
    """Records of n games and what their seats to move see; see `Batch`.

    Kernels take plain tuples: Numba would look up a named tuple's type at every call, which takes
    longer than a move.
    """

    games: Records
    mask: NDArray[np.bool_]
    obs: NDArray[np.int8]
    to_move: NDArray[np.int8]

    @classmethod
    def of(cls, game: Game, n: int) -> GameArrays:
        """Room for n games."""
        return cls(
            np.zeros(n, game.state),
            np.zeros((n, game.actions.size), np.bool_),
            np.zeros((n, game.layout.size), np.int8),
            np.full(n, -1, np.int8),
        )


class StepOutcome(NamedTuple):
    """What a step brings; see `Batch`.  `scores_before` and `scores_after` are scratch."""

    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    scores_before: NDArray[np.int16]
    scores_after: NDArray[np.int16]
    final_scores: NDArray[np.int16]
    final_winners: NDArray[np.bool_]

    @classmethod
    def of(cls, game: Game, n: int) -> StepOutcome:
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


class StepSettings(NamedTuple):
    """The variants, a bit each, and the rewards of a batch.

    `reward` is a code, `scale` the points that count as one unit, `target` the solo game's, or 0.
    """

    options: int
    autoreset: bool
    reward: int
    scale: float
    target: float


@dataclass(frozen=True)
class RowRules:
    """A game's compiled functions on game `rows[k]`, given the arrays as plain tuples.

    Attributes:
        set_up: (k, arrays, rows, players, options). Deal, from the record's `random`, up to the
            first decision.
        refresh: (k, arrays, rows). Write what the seat to move sees of a changed record.
        is_legal: (k, arrays, rows, actions) -> bool; when over only -1 is legal.
        step: (k, arrays, outcome, rows, actions, players, terms). Play a legal action, unless the
            game is over, and all forced moves after it.
    """

    set_up: Callable[..., None]
    refresh: Callable[..., None]
    is_legal: Callable[..., bool]
    step: Callable[..., None]


@cache
def forced_moves_of(game: Game) -> Callable[[Any, Any], None]:
    """A game's compiled (record, mask): play while there is exactly one legal action.

    It writes the legal actions of the decision it ends at into bool[A], none when over.
    """
    rules_legal, rules_play = game.rules.legal, game.rules.play

    @rule
    def play_forced_moves(record: Any, mask: Any) -> None:
        mask[:] = False
        count = rules_legal(record, mask) if record["to_move"] >= 0 else 0
        while count == 1:
            action = 0
            while not mask[action] and action < len(mask) - 1:
                action += 1
            rules_play(record, action)
            mask[action] = False
            count = rules_legal(record, mask) if record["to_move"] >= 0 else 0

    return play_forced_moves


@cache
def row_rules_of(game: Game) -> RowRules:
    """The functions of a game."""
    rules = game.rules
    rules_set_up, rules_legal, rules_play = rules.set_up, rules.legal, rules.play
    rules_observe, rules_scores = rules.observe, rules.scores
    play_forced_moves = forced_moves_of(game)

    @rule
    def deal(record: Any, players: int, options: int, mask: Any) -> None:
        """A new game at its first decision; a deal without one is no game, and dealt anew."""
        for _ in range(_MOST_DEALS):
            rules_set_up(record, players, options)
            play_forced_moves(record, mask)
            if record["to_move"] >= 0:
                break

    @part_of_kernel
    def look(entries: Any, i: int) -> None:
        """Write the mover and its observation, all 0 when over."""
        arrays = GameArrays(*entries)
        game, obs = arrays.games[i], arrays.obs[i]
        obs[:] = 0
        if game["to_move"] >= 0:
            rules_observe(game, game["to_move"], obs)
        arrays.to_move[i] = game["to_move"]

    @rule
    def set_up(k: int, entries: Any, rows: Any, players: Any, options: int) -> None:
        arrays, i = GameArrays(*entries), rows[k]
        deal(arrays.games[i], players[i], options, arrays.mask[i])
        look(entries, i)

    @rule
    def refresh(k: int, entries: Any, rows: Any) -> None:
        arrays, i = GameArrays(*entries), rows[k]
        game, mask = arrays.games[i], arrays.mask[i]
        mask[:] = False
        if game["to_move"] >= 0:
            rules_legal(game, mask)
        look(entries, i)

    @rule
    def is_legal(k: int, entries: Any, rows: Any, actions: Any) -> bool:
        arrays, i, action = GameArrays(*entries), rows[k], actions[k]
        if arrays.to_move[i] < 0:
            return bool(action == -1)
        return bool(0 <= action < arrays.mask.shape[1] and arrays.mask[i, action])

    @part_of_kernel
    def step(
        k: int, entries: Any, results: Any, rows: Any, actions: Any, players: Any, played_for: Any
    ) -> None:
        arrays, outcome, terms = (
            GameArrays(*entries),
            StepOutcome(*results),
            StepSettings(*played_for),
        )
        i = rows[k]
        game, mask, reward = arrays.games[i], arrays.mask[i], terms.reward
        outcome.done[i] = False
        rewards = outcome.rewards[i]
        rewards[:] = 0
        if game["to_move"] < 0:
            return
        before, after = outcome.scores_before[i], outcome.scores_after[i]
        if reward == SCORE:
            rules_scores(game, before)
        rules_play(game, actions[k])
        play_forced_moves(game, mask)
        over = game["to_move"] < 0
        if over or reward == SCORE:
            rules_scores(game, after)
            if reward == SCORE:
                for seat in range(game["players"]):
                    rewards[seat] = (after[seat] - before[seat]) / terms.scale
            else:
                write_final_rewards(reward, game, after, terms.scale, terms.target, rewards)
        if over:
            outcome.done[i] = True
            for seat in range(len(after)):
                outcome.final_scores[i, seat] = after[seat]
                outcome.final_winners[i, seat] = game["winners"][seat] != 0
            if terms.autoreset:
                deal(game, players[i], terms.options, mask)
        look(entries, i)

    return RowRules(set_up, refresh, is_legal, step)


@rule
def choose(i: int, chance: Any, mask: Any, to_move: Any, actions: Any) -> None:
    """Draw a random legal action of game i, -1 when over."""
    actions[i] = -1
    count = 0
    for action in range(mask.shape[1]):
        count += mask[i, action]
    if to_move[i] < 0 or count == 0:
        return
    left = below_in(chance, i, count)
    for action in range(mask.shape[1]):
        left -= mask[i, action]
        if left < 0:
            actions[i] = action
            return


@rule
def write_final_rewards(
    code: int, game: Record, scores: Any, scale: float, target: float, out: Any
) -> None:
    """Write a finished game's reward into float32[seats]; absent seats get 0."""
    players = game["players"]
    winners = 0
    for seat in range(players):
        winners += game["winners"][seat]
    for seat in range(players):
        if players == 1:
            out[seat] = (scores[seat] - target) / scale
        elif code == WIN:
            out[seat] = 1.0 / winners if game["winners"][seat] else -1.0 / (players - winners)
        elif code == MARGIN:
            best = -32768
            for other in range(players):
                if other != seat and scores[other] > best:
                    best = scores[other]
            out[seat] = (scores[seat] - best) / scale
        else:
            balance = 0
            for other in range(players):
                balance += int(scores[other] < scores[seat]) - int(scores[other] > scores[seat])
            out[seat] = balance / (players - 1)
