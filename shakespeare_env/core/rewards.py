"""The rewards of a step for each seat, by name.

`win`     at the end: the winners share +1, the others share -1.
`margin`  at the end: the score less the best of the others, in units of the game's scale.
`rank`    at the end: from +1 for the best score to -1 for the worst; equals share the mean.
`score`   at every step: the change of score in that unit; also named `prestige`.

In a solo game the first three are the score less the game's solo target, in that unit, at the end.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env.checks.values import shown
from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record

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
