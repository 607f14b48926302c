"""What one seat sees of a trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shakespeare_env.equality.trace import Decision, Setting, Trace


@dataclass(frozen=True)
class SeatDecision(Decision):
    """A decision of the learner's seat; scores and winners are final, and of the table's seats.

    Attributes:
        reward: Until the next decision or the end; the first includes what came before.
        last: Whether it did not decide again.
        final: int8[D], what it saw at the end; empty unless last.
    """

    reward: np.float32


def seat_trace(setting: Setting, trace: Trace) -> list[list[SeatDecision]]:
    """What the learner sees of each row, its seat moving round, from seat i in row i.

    Games in which it never decides are left out.
    """
    return [
        [
            decision
            for number, game in enumerate(_games(decisions))
            for decision in _own(game, (row + number) % setting.players)
        ]
        for row, decisions in enumerate(trace)
    ]


def _games(decisions: list[Decision]) -> Iterator[list[Decision]]:
    game: list[Decision] = []
    for decision in decisions:
        game.append(decision)
        if decision.last:
            yield game
            game = []


def _own(game: list[Decision], seat: int) -> Iterator[SeatDecision]:
    end = game[-1]
    players = len(end.final)
    places = [place for place, decision in enumerate(game) if decision.seat == seat]
    bounds = [0, *places[1:], len(game)]
    for number, place in enumerate(places):
        earned = game[bounds[number] : bounds[number + 1]]
        last = place == places[-1]
        own = {
            "reward": sum((decision.rewards[seat] for decision in earned), np.float32(0)),
            "last": last,
            "final": end.final[seat] if last else end.final[:0],
            "scores": end.scores[:players],
            "winners": end.winners[:players],
        }
        yield SeatDecision(**{**vars(game[place]), **own})
