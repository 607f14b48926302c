"""What played moves were worth, against the best that a search finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.analysis.analyst import Analyst
from shakespeare_agents.analysis.trials import Trials
from shakespeare_env.batch_checks import checked_count
from shakespeare_env.film.judgement import Mistake
from shakespeare_env.position import Position

PLAYOUTS = 64
"""By which the best move is compared with the played one."""
MOST_MARKED = 8
_CANDIDATES = 6
_FIRST = 8
"""Playouts of each candidate before the worse half is dropped."""
_NEAR_CERTAIN = 0.95
"""A move that the agent finds as likely is not questioned."""
_LEAST_LOSS = 0.02
"""Share of the victory; less is not marked."""
_LEAST_POINTS = 0.5


@dataclass(frozen=True)
class Verdict:
    """What a decision was worth.

    Attributes:
        number: Of the move, from 1.
        seat: Who decided.
        played: The move, in notation.
        best: The best found, which may be the same.
        loss: What the best is worth more to the decider: share of the victory, alone points.
            0 where nothing better was found.
        margin: Half the 95 % interval of that.
        playouts: Spent on it; 0 where the agent would have played the same without a thought.
    """

    number: int
    seat: int
    played: str
    best: str
    loss: float
    margin: float
    playouts: int


def verdicts(
    positions: Sequence[Position],
    moves: Sequence[str],
    analyst: Analyst,
    *,
    seed: int = 0,
    playouts: int = PLAYOUTS,
) -> Iterator[Verdict]:
    """Judge the decisions of a game, one after the other.

    The played move and the likeliest others are tried in the same possible games, which only what
    the decider may know decides. What then looks best is compared with the played move once more
    in new ones, so that luck in the search does not count as loss.

    Args:
        positions: n + 1, with all their secrets.
        moves: The n between them.
        analyst: Who judges.
        seed: Of everything drawn; the verdict on a decision depends on no other decision.
        playouts: Of each of the two moves compared, at least 2.

    Raises:
        ValueError: a number is out of range.
    """
    checked_count("playouts", playouts)
    if playouts < 2:
        raise ValueError("playouts=1: an interval needs 2 or more")
    return (
        _verdict(positions[number], move, Trials(analyst, positions[number], seed, number), number,
                 playouts)
        for number, move in enumerate(moves)
    )  # fmt: skip


def worst(judged: Iterable[Verdict], players: int, most: int = MOST_MARKED) -> list[Mistake]:
    """The decisions that certainly lost something, those that lost most first."""
    least = _LEAST_POINTS if players == 1 else _LEAST_LOSS
    lost = [one for one in judged if one.loss > max(one.margin, least)]
    lost.sort(key=lambda one: -one.loss)
    return [Mistake(one.number, one.seat, one.loss, one.best, one.margin) for one in lost[:most]]


def _verdict(position: Position, move: str, trials: Trials, number: int, playouts: int) -> Verdict:
    played = position.action_id(move)

    def verdict(best: int, loss: float, margin: float, spent: int) -> Verdict:
        text = position.move_text(best)
        return Verdict(number + 1, trials.seat, move, text, loss, margin, spent)

    if trials.prior[played] >= _NEAR_CERTAIN:
        return verdict(played, 0.0, 0.0, 0)
    best, spent = _best(trials, played)
    if best == played:
        return verdict(played, 0.0, 0.0, spent)
    worth = trials.play(np.array([best, played]), playouts).worth(trials.seat)
    lost = worth[0] - worth[1]
    margin = 1.96 * float(lost.std(ddof=1)) / playouts**0.5
    return verdict(best, max(float(lost.mean()), 0.0), margin, spent + 2 * playouts)


def _best(trials: Trials, played: int) -> tuple[int, int]:
    """The move that does best, and the playouts it took to find it."""
    others = trials.candidates(_CANDIDATES)
    # The played move stays to the end, and wins a tie.
    actions: NDArray[np.int64] = np.append([played], others[others != played])
    sums = np.zeros(len(actions))
    each, spent = _FIRST, 0
    while True:
        sums = sums + trials.play(actions, each).worth(trials.seat).sum(axis=1)
        spent += len(actions) * each
        if len(actions) <= 2:
            return int(actions[sums.argmax()]), spent
        order = 1 + np.argsort(-sums[1:], kind="stable")[: len(actions) // 2]
        kept = np.append([0], order)
        actions, sums = actions[kept], sums[kept]
        each *= 2
