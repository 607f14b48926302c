"""Games played by a fixed rule, to compare views with, whole and as one seat sees them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@dataclass(frozen=True)
class Setting:
    """What is played: `games` in succession in each of `rows`, `options` being variants."""

    game: str
    players: int
    reward: str
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    rows: int = 3
    games: int = 2

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that views are made with."""
        return {"game": self.game, "players": self.players, "reward": self.reward, **self.options}


@dataclass(frozen=True)
class Decision:
    """A decision as the batch showed it.

    Attributes:
        observation: int8[D], seen by the seat.
        mask: bool[A], legal actions.
        rewards: float32[S], of every seat.
        scores: int16[S], afterwards.
        last: Whether the game was over afterwards.
        final: int8[players, D], seen by every seat at the end; empty before.
        winners: bool[S], afterwards.
    """

    seat: int
    observation: NDArray[np.int8]
    mask: NDArray[np.bool_]
    action: int
    rewards: NDArray[np.float32]
    scores: NDArray[np.int16]
    last: bool
    final: NDArray[np.int8]
    winners: NDArray[np.bool_]


Trace = list[list[Decision]]
"""The decisions of each row, game after game."""


def choose(
    observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: object = None
) -> NDArray[np.int64]:
    """Choose by a hash of what is seen, int8[n, D], among bool[n, A]; `rng` is not used."""
    places = np.arange(1, observations.shape[1] + 1, dtype=np.uint64) * _GOLDEN
    words = observations.astype(np.uint64) @ (places ^ (places >> _HALF))
    words = (words ^ (words >> _HALF)) * _GOLDEN
    counts = masks.sum(axis=1)
    ranks = ((words >> _HALF) % counts.astype(np.uint64)).astype(np.int64)
    actions: NDArray[np.int64] = (masks.cumsum(axis=1) > ranks[:, None]).argmax(axis=1)
    return actions


def play(setting: Setting) -> Trace:
    """Play the games of a setting in a batch."""
    batch = Batch(n=setting.rows, seed=setting.seed, autoreset=False, **setting.arguments)
    trace: Trace = [[] for _ in range(setting.rows)]
    left = np.full(setting.rows, setting.games)
    while left.any():
        seats, actions = batch.to_move.copy(), choose(batch.obs, batch.mask)
        observations, masks = batch.obs.copy(), batch.mask.copy()
        rewards, done = batch.step(actions)
        scores = batch.scores()
        for row in np.flatnonzero(left).tolist():
            table = range(setting.players if done[row] else 0)
            final = [batch.observe([seat], [row]) for seat in table]
            decision = Decision(
                seat=int(seats[row]),
                observation=observations[row],
                mask=masks[row],
                action=int(actions[row]),
                rewards=rewards[row].copy(),
                scores=scores[row],
                last=bool(done[row]),
                final=np.concatenate([observations[:0], *final]),
                winners=batch.final_winners[row] & done[row],
            )
            trace[row].append(decision)
        batch.restart(np.flatnonzero(done))
        left -= done & (left > 0)
    return trace


@dataclass(frozen=True)
class SeatDecision(Decision):
    """A decision of the learner's seat; scores and winners are final.

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
    places = [place for place, decision in enumerate(game) if decision.seat == seat]
    bounds = [0, *places[1:], len(game)]
    for number, place in enumerate(places):
        earned = game[bounds[number] : bounds[number + 1]]
        last = place == places[-1]
        own = {
            "reward": sum((decision.rewards[seat] for decision in earned), np.float32(0)),
            "last": last,
            "final": end.final[seat] if last else end.final[:0],
            "scores": end.scores,
            "winners": end.winners,
        }
        yield SeatDecision(**{**vars(game[place]), **own})
