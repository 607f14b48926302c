"""The worth of played moves, compared with the best that a search finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shakespeare_agents.analysis.analyst import Analyst
from shakespeare_agents.analysis.trials import Trials
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.position import Position
from shakespeare_env.film.judgement import Forecasts, Mistake

PLAYOUTS = 64
"""Playouts of each move."""
MOST_MARKED = 8
_NEAR_CERTAIN = 0.95
"""The probability from which a move is not questioned."""
_LEAST_SHARE = 0.02
_LEAST_POINTS = 0.5
"""The least loss of victory, or of points in a solo game, that is marked."""


@dataclass(frozen=True)
class Verdict:
    """What a decision was worth.

    Attributes:
        number: The number of the move, from 1.
        seat: The seat that decided.
        played: The move, in notation.
        best: The move that the search would play, which may be the same.
        loss: By how much that is worth more to the decider, in shares of the victory or, alone, in
            points; not below 0.
        margin: Half the 95 % interval of the loss.
        chances: Shares of the victory after the played move, by seat, as the decider could know.
        scores: Final scores after it, by seat, as the decider could know.
    """

    number: int
    seat: int
    played: str
    best: str
    loss: float
    margin: float
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
        playouts: The number of playouts of each move, at least 2.

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


def worst(judged: Iterable[Verdict], players: int, most: int = MOST_MARKED) -> list[Mistake]:
    """The decisions that certainly lost something, the largest loss first."""
    least = _LEAST_POINTS if players == 1 else _LEAST_SHARE
    lost = [one for one in judged if one.loss > max(one.margin, least)]
    lost.sort(key=lambda one: -one.loss)
    return [Mistake(one.number, one.seat, one.loss, one.best, one.margin) for one in lost[:most]]


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
    played = position.action_id(move)
    best = played
    if trials.prior[played] < _NEAR_CERTAIN:
        best = int(analyst.searching.search(trials.games, trials.rng)[0])
    tried = np.array([played] if best == played else [played, best])
    found = trials.play(tried, playouts)
    worth = found.worth(trials.seat)
    gain = worth[-1] - worth[0]
    chances, scores = (tuple(kind[0].mean(axis=0).tolist()) for kind in found)
    return Verdict(
        number + 1,
        trials.seat,
        move,
        position.move_text(best),
        max(float(gain.mean()), 0.0),
        1.96 * float(gain.std(ddof=1)) / playouts**0.5,
        chances,
        scores,
    )
