"""What kernels do to one game of a batch, around the `Rules` of a game; every device runs it.

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
from typing import Any

from shakespeare_env.checks.values import shown
from shakespeare_env.compile.decorators import part_of_kernel, rule
from shakespeare_env.core.game import Game, Record

NAMES = ("win", "margin", "rank", "score")
WIN, MARGIN, RANK, SCORE = range(len(NAMES))
_ALSO_NAMED = {"prestige": "score"}
ILLEGAL_REWARD = -1.0
"""The reward of an illegal action where it ends the game: that of a defeat."""


def reward_code(name: str) -> int:
    """The number of a reward; ValueError if there is none of that name."""
    name = _ALSO_NAMED.get(name, name) if isinstance(name, str) else name
    if not isinstance(name, str) or name not in NAMES:
        raise ValueError(f"reward={shown(name)}: choose one of {', '.join(NAMES)}")
    return NAMES.index(name)


_MOST_DEALS = 1000
"""Deals of a game before it counts as one without decisions."""


@dataclass(frozen=True)
class RowRules:
    """A game's compiled functions on row i of `GameArrays`.

    Attributes:
        begin: (arrays, i, players, options). Deal a game, from its record's `random`, and play its
            forced moves.
        show: (arrays, i). Write what the seat to move sees of a changed record.
        is_legal: (arrays, i, action) -> bool; when over only -1 is legal.
        advance: (arrays, outcome, terms, i, action, players). Play a legal action, unless the game
            is over, and all forced moves after it; `Outcome` and `Terms` say what comes of it.
    """

    begin: Callable[..., None]
    show: Callable[..., None]
    is_legal: Callable[..., bool]
    advance: Callable[..., None]


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
    def look(arrays: Any, i: int) -> None:
        """Write the mover and its observation, all 0 when over."""
        game, obs = arrays.games[i], arrays.obs[i]
        obs[:] = 0
        if game["to_move"] >= 0:
            rules_observe(game, game["to_move"], obs)
        arrays.to_move[i] = game["to_move"]

    @rule
    def begin(arrays: Any, i: int, players: int, options: int) -> None:
        deal(arrays.games[i], players, options, arrays.mask[i])
        look(arrays, i)

    @rule
    def show(arrays: Any, i: int) -> None:
        game, mask = arrays.games[i], arrays.mask[i]
        mask[:] = False
        if game["to_move"] >= 0:
            rules_legal(game, mask)
        look(arrays, i)

    @rule
    def is_legal(arrays: Any, i: int, action: int) -> bool:
        if arrays.to_move[i] < 0:
            return action == -1
        if not 0 <= action < arrays.mask.shape[1]:
            return False
        legal: bool = arrays.mask[i, action]
        return legal

    @part_of_kernel
    def advance(arrays: Any, outcome: Any, terms: Any, i: int, action: int, players: int) -> None:
        game, mask, reward = arrays.games[i], arrays.mask[i], terms.reward
        outcome.done[i] = False
        rewards = outcome.rewards[i]
        rewards[:] = 0
        if game["to_move"] < 0:
            return
        before, after = outcome.scores_before[i], outcome.scores_after[i]
        if reward == SCORE:
            rules_scores(game, before)
        rules_play(game, action)
        play_forced_moves(game, mask)
        over = game["to_move"] < 0
        if over or reward == SCORE:
            rules_scores(game, after)
            if reward == SCORE:
                write_change(game["players"], before, after, terms.scale, rewards)
            else:
                write_outcome(reward, game, after, terms.scale, terms.target, rewards)
        if over:
            outcome.done[i] = True
            for seat in range(len(after)):
                outcome.final_scores[i, seat] = after[seat]
                outcome.final_winners[i, seat] = game["winners"][seat] != 0
            if terms.autoreset:
                deal(game, players, terms.options, mask)
        look(arrays, i)

    return RowRules(begin, show, is_legal, advance)


@rule
def write_change(players: int, before: Any, after: Any, scale: float, out: Any) -> None:
    """Write the reward `score` into float32[seats]."""
    for seat in range(players):
        out[seat] = (after[seat] - before[seat]) / scale


@rule
def write_outcome(
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
            out[seat] = margin(players, scores, seat) / scale
        else:
            out[seat] = rank(players, scores, seat)


@rule
def margin(players: int, scores: Any, seat: int) -> int:
    """A seat's score less the best of the others."""
    best = -32768
    for other in range(players):
        if other != seat and scores[other] > best:
            best = scores[other]
    return scores[seat] - best


@rule
def rank(players: int, scores: Any, seat: int) -> float:
    """From +1 for the best score to -1 for the worst."""
    balance = 0
    for other in range(players):
        if scores[other] < scores[seat]:
            balance += 1
        elif scores[other] > scores[seat]:
            balance -= 1
    return balance / (players - 1)
