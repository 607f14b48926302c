"""What one seat sees of a trace: its own decisions and their rewards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.equality.trace import Decision, Setting, Trace


@dataclass(frozen=True)
class SeatDecision:
    """A decision of the learner's seat.

    Attributes:
        seat: The learner's seat in this game.
        observation: int8[D], what it saw.
        mask: bool[A], what it might do.
        action: What it did.
        reward: What it received until its next decision or the end; the first also includes what
            came before.
        last: Whether it did not decide again.
        final: int8[D], what it saw at the end of the game; empty before.
        scores: int16[S], the final scores.
        winners: bool[S], who had won.
    """

    seat: int
    observation: NDArray[np.int8]
    mask: NDArray[np.bool_]
    action: int
    reward: np.float32
    last: bool
    final: NDArray[np.int8]
    scores: NDArray[np.int16]
    winners: NDArray[np.bool_]


def seat_trace(setting: Setting, trace: Trace) -> list[list[SeatDecision]]:
    """What the learner sees of each row as its seat moves round, starting in row i with seat i.

    Games in which it never decides are left out.
    """
    seen = []
    for row, decisions in enumerate(trace):
        seat, mine = row, []
        for game in _games(decisions):
            found = list(_own(game, seat % setting.players))
            mine += found
            seat += 1
        seen.append(mine)
    return seen


def _games(decisions: list[Decision]) -> Iterator[list[Decision]]:
    game: list[Decision] = []
    for decision in decisions:
        game.append(decision)
        if decision.last:
            yield game
            game = []


def _own(game: list[Decision], seat: int) -> Iterator[SeatDecision]:
    """The decisions of a seat in one game."""
    end, waiting = game[-1], None
    owed = np.float32(0)
    for decision in game:
        if decision.seat == seat:
            if waiting is not None:
                yield _made(waiting, owed, end, last=False)
                owed = np.float32(0)
            waiting = decision
        owed += decision.rewards[seat]
    if waiting is not None:
        yield _made(waiting, owed, end, last=True)


def _made(decision: Decision, reward: np.float32, end: Decision, *, last: bool) -> SeatDecision:
    return SeatDecision(
        decision.seat,
        decision.observation,
        decision.mask,
        decision.action,
        reward,
        last,
        end.final[decision.seat] if last else end.final[:0],
        end.scores,
        end.winners,
    )
