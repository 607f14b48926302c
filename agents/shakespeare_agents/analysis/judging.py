"""The worth of played moves, compared with the best that a search finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shakespeare_agents.analysis.analyst import Analyst
from shakespeare_agents.analysis.trials import Outcomes, Trials
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.position import Position
from shakespeare_env.film.judgement import KINDS, Forecasts, Judged

PLAYOUTS = 64
"""Playouts of each move in the first look."""
_AGAIN = 4
"""How many times as many a second look has, for a move that looks like a mistake."""
_NEAR_CERTAIN = 0.95
"""The probability from which a move is not questioned."""


@dataclass(frozen=True)
class Verdict(Judged):
    """What a decision was worth.

    Attributes:
        played: The move, in notation.
        chances: Shares of the victory after the played move, by seat, as the decider could know.
        scores: Final scores after it, by seat, as the decider could know.
    """

    played: str
    chances: tuple[float, ...]
    scores: tuple[float, ...]


def verdicts(
    positions: Sequence[Position],
    moves: Sequence[str],
    analyst: Analyst,
    *,
    seed: int = 0,
    playouts: int = PLAYOUTS,
) -> Iterator[Verdict]:
    """Judge the decisions of a game, one after the other.

    Where the agent's search would play another move, both are played on to the end in the same
    possible games, which depend only on what the decider may know. Those games are no part of the
    search, so that its luck does not count as loss. A verdict is as good as the agent: it assumes
    that the agent goes on for all seats.

    Args:
        positions: The n + 1 positions, with all their secrets.
        moves: The n between them.
        analyst: The analyst that judges.
        seed: Decides everything drawn; the verdict on a decision depends on no other decision.
        playouts: The number of playouts of each move, at least 2. A move that looks like a mistake
            is judged anew by four times as many, since the first may have looked bad by luck.

    Raises:
        ValueError: a number is out of range.
    """
    if checked_count("playouts", playouts) < 2:
        raise ValueError("playouts=1: an interval needs 2 or more")
    return (
        verdict_on(positions[number], move, number, analyst, seed=seed, playouts=playouts)
        for number, move in enumerate(moves)
    )


def refined(forecasts: Forecasts, judged: Iterable[Verdict], by: str) -> Forecasts:
    """The same forecasts, replaced by those of playouts for positions judged."""
    chances, scores = forecasts.chances.copy(), forecasts.scores.copy()
    for one in judged:
        chances[one.number - 1], scores[one.number - 1] = one.chances, one.scores
    return Forecasts(chances, scores, by)


def verdict_on(
    position: Position,
    move: str,
    number: int,
    analyst: Analyst,
    *,
    seed: int = 0,
    playouts: int = PLAYOUTS,
) -> Verdict:
    """The verdict on one decision, the one after `number` moves; see `verdicts`."""
    trials = Trials(analyst, position, seed, number)
    unit = float(position.game.score_scale) if trials.players == 1 else 1.0
    played = position.action_id(move)
    best = played if trials.prior[played] >= _NEAR_CERTAIN else trials.searched()
    tried = np.array([played] if best == played else [played, best])
    found = trials.play(tried, playouts)
    loss, margin = _compared(found, trials.seat)
    if loss >= KINDS[-1].least * unit:
        found = trials.play(tried, _AGAIN * playouts)
        loss, margin = _compared(found, trials.seat)
    chances, scores = (tuple(kind[0].mean(axis=0).tolist()) for kind in found)
    text = position.move_text(best)
    return Verdict(number + 1, trials.seat, text, loss, margin, move, chances, scores)


def _compared(found: Outcomes, seat: int) -> tuple[float, float]:
    """By how much the last move is worth more than the first, and half the 95 % interval."""
    worth = found.worth(seat)
    gain = worth[-1] - worth[0]
    return float(gain.mean()), 1.96 * float(gain.std(ddof=1)) / len(gain) ** 0.5
