"""Steps of one game in a batch, built from a game's `Rules` and compiled for CPU and GPU.

Forced moves are played automatically (rule D1). A batch gives every seat one of these rewards:

`win`     at the end: the winners share +1, the others share -1.
`margin`  at the end: the score minus the best score of the others, in units of `score_scale`.
`rank`    at the end: from +1 for the best score to -1 for the worst; equal scores share the mean.
`score`   at every step: the change of the score, in units of `score_scale`.

In a solo game, the first three are the score minus the solo target, in units of `score_scale`, at
the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.compile.decorators import inlined_rule, rule
from shakespeare_env.core.game import Game, Record, Records
from shakespeare_env.core.rng import below_in

REWARDS = ("win", "margin", "rank", "score")
WIN, MARGIN, RANK, SCORE = range(len(REWARDS))
ILLEGAL_REWARD = -1.0
"""The reward of an illegal action where it ends the game, equal to that of a defeat."""
_MOST_DEALS = 1000
"""The most deals of a game until one has a decision. The last one is kept even if it has none."""


def reward_code(name: str) -> int:
    """Return the number of a reward by its name; ValueError if there is no such reward."""
    if not isinstance(name, str) or name not in REWARDS:
        question = did_you_mean(str(name), REWARDS)
        raise ValueError(f"reward={short_repr(name)}{question}: choose one of {', '.join(REWARDS)}")
    return REWARDS.index(name)


class GameArrays(NamedTuple):
    """The records of n games and the observations of their seats to move, as in `Batch`.

    Kernels take it as a plain tuple, because Numba looks up the type of a named tuple at every
    call, which takes longer than a move.
    """

    games: Records
    mask: NDArray[np.bool_]
    obs: NDArray[np.int8]
    to_move: NDArray[np.int8]

    @classmethod
    def of(cls, game: Game, n: int) -> GameArrays:
        """Allocate the arrays for n games."""
        return cls(
            np.zeros(n, game.state),
            np.zeros((n, game.actions.size), np.bool_),
            np.zeros((n, game.layout.size), np.int8),
            np.full(n, -1, np.int8),
        )


class StepOutcome(NamedTuple):
    """The results of a step of n games, as in `Batch`.

    `scores_before` and `scores_after` are scratch memory of the step.
    """

    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    scores_before: NDArray[np.int16]
    scores_after: NDArray[np.int16]
    final_scores: NDArray[np.int16]
    final_winners: NDArray[np.bool_]

    @classmethod
    def of(cls, game: Game, n: int) -> StepOutcome:
        """Allocate the arrays for n games."""
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
    """The settings of a batch that its steps read.

    Attributes:
        options: The variants in play, one bit for each.
        autoreset: Whether the step that ends a game starts the next.
        reward: The code of the reward, such as `WIN`.
        scale: The points that count as one unit of reward.
        target: The target score of solo games, or 0.
    """

    options: int
    autoreset: bool
    reward: int
    scale: float
    target: float


@dataclass(frozen=True)
class RowRules:
    """Compiled functions that act on game `rows[k]` of a batch.

    They take `GameArrays`, `StepOutcome` and `StepSettings` as plain tuples.

    Attributes:
        set_up: (k, arrays, rows, players, options). Deal a game from the record's `random`, and
            play up to the first decision.
        refresh: (k, arrays, rows). Write the mask and the observation of a record that has changed.
        is_legal: (k, arrays, rows, actions) -> bool. Return whether the action is legal. When the
            game is over, only -1 is legal.
        step: (k, arrays, outcome, rows, actions, players, settings). Play a legal action, unless
            the game is over, and all forced moves after it.
    """

    set_up: Callable[..., None]
    refresh: Callable[..., None]
    is_legal: Callable[..., bool]
    step: Callable[..., None]


@cache
def forced_moves_of(game: Game) -> Callable[[Any, Any], None]:
    """Return a game's compiled function (record, mask) that plays all forced moves.

    The function plays while there is exactly one legal action. It writes the legal actions of the
    decision at which it stops into `mask`, bool[A], which is all False when the game is over.
    """
    rules_legal = game.rules.legal
    rules_play = game.rules.play

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
    """Return the functions that play a game row by row."""
    rules_set_up = game.rules.set_up
    rules_legal = game.rules.legal
    rules_play = game.rules.play
    rules_observe = game.rules.observe
    rules_scores = game.rules.scores
    play_forced_moves = forced_moves_of(game)

    @rule
    def deal(record: Any, players: int, options: int, mask: Any) -> None:
        """Deal a game and play to its first decision. A game without decisions is dealt again."""
        for _ in range(_MOST_DEALS):
            rules_set_up(record, players, options)
            play_forced_moves(record, mask)
            if record["to_move"] >= 0:
                break

    @inlined_rule
    def observe_mover(arrays_tuple: Any, i: int) -> None:
        """Write the seat to move and its observation, all 0 when the game is over."""
        arrays = GameArrays(*arrays_tuple)
        game = arrays.games[i]
        obs = arrays.obs[i]
        obs[:] = 0
        if game["to_move"] >= 0:
            rules_observe(game, game["to_move"], obs)
        arrays.to_move[i] = game["to_move"]

    @rule
    def set_up(k: int, arrays_tuple: Any, rows: Any, players: Any, options: int) -> None:
        arrays = GameArrays(*arrays_tuple)
        i = rows[k]
        deal(arrays.games[i], players[i], options, arrays.mask[i])
        observe_mover(arrays_tuple, i)

    @rule
    def refresh(k: int, arrays_tuple: Any, rows: Any) -> None:
        arrays = GameArrays(*arrays_tuple)
        i = rows[k]
        game = arrays.games[i]
        mask = arrays.mask[i]
        mask[:] = False
        if game["to_move"] >= 0:
            rules_legal(game, mask)
        observe_mover(arrays_tuple, i)

    @rule
    def is_legal(k: int, arrays_tuple: Any, rows: Any, actions: Any) -> bool:
        arrays = GameArrays(*arrays_tuple)
        i = rows[k]
        action = actions[k]
        if arrays.to_move[i] < 0:
            return bool(action == -1)
        return bool(0 <= action < arrays.mask.shape[1] and arrays.mask[i, action])

    @inlined_rule
    def step(
        k: int,
        arrays_tuple: Any,
        outcome_tuple: Any,
        rows: Any,
        actions: Any,
        players: Any,
        settings_tuple: Any,
    ) -> None:
        arrays = GameArrays(*arrays_tuple)
        outcome = StepOutcome(*outcome_tuple)
        settings = StepSettings(*settings_tuple)
        i = rows[k]
        game = arrays.games[i]
        mask = arrays.mask[i]
        rewards = outcome.rewards[i]
        reward = settings.reward

        outcome.done[i] = False
        rewards[:] = 0
        if game["to_move"] < 0:
            return
        before = outcome.scores_before[i]
        after = outcome.scores_after[i]
        if reward == SCORE:
            rules_scores(game, before)

        rules_play(game, actions[k])
        play_forced_moves(game, mask)

        over = game["to_move"] < 0
        if over or reward == SCORE:
            rules_scores(game, after)
            if reward == SCORE:
                for seat in range(game["players"]):
                    rewards[seat] = (after[seat] - before[seat]) / settings.scale
            else:
                write_final_rewards(reward, game, after, settings.scale, settings.target, rewards)
        if over:
            outcome.done[i] = True
            for seat in range(len(after)):
                outcome.final_scores[i, seat] = after[seat]
                outcome.final_winners[i, seat] = game["winners"][seat] != 0
            if settings.autoreset:
                deal(game, players[i], settings.options, mask)
        observe_mover(arrays_tuple, i)

    return RowRules(set_up, refresh, is_legal, step)


@rule
def choose(i: int, chance: Any, mask: Any, to_move: Any, actions: Any) -> None:
    """Draw a random legal action of game i, or -1 if the game is over."""
    actions[i] = -1
    count = 0
    for action in range(mask.shape[1]):
        count += mask[i, action]
    if to_move[i] < 0 or count == 0:
        return
    left = below_in(chance, i, count)  # legal actions to skip before the drawn one
    for action in range(mask.shape[1]):
        left -= mask[i, action]
        if left < 0:
            actions[i] = action
            return


@rule
def write_final_rewards(
    code: int, game: Record, scores: Any, scale: float, target: float, out: Any
) -> None:
    """Write a finished game's rewards into `out`, float32[seats]; absent seats keep 0."""
    players = game["players"]
    winners = 0
    for seat in range(players):
        winners += game["winners"][seat]
    for seat in range(players):
        if players == 1:  # a solo game, for every reward but `score`
            out[seat] = (scores[seat] - target) / scale
        elif code == WIN:
            out[seat] = 1.0 / winners if game["winners"][seat] else -1.0 / (players - winners)
        elif code == MARGIN:
            best = -32768  # the least int16
            for other in range(players):
                if other != seat and scores[other] > best:
                    best = scores[other]
            out[seat] = (scores[seat] - best) / scale
        else:  # RANK
            balance = 0
            for other in range(players):
                balance += int(scores[other] < scores[seat]) - int(scores[other] > scores[seat])
            out[seat] = balance / (players - 1)
