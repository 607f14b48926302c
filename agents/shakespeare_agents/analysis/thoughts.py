"""An agent's thoughts on a decision, refined round by round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shakespeare_agents.analysis.analyst import Analyst
from shakespeare_agents.analysis.forecasting import forecast_by_network
from shakespeare_agents.analysis.trials import Outcomes, Trials
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.position import Position

PLAYOUTS = 4096
"""Playouts of all moves together."""
_CANDIDATES = 8
_FIRST = 8
"""Playouts of each move in the first round; later rounds have twice as many."""


@dataclass(frozen=True)
class MoveThought:
    """A move in an agent's eyes.

    Attributes:
        move: The move in notation.
        probability: Its probability before any search; None if the agent has no preference.
        playouts: The number of playouts in which it was tried.
        worth: The decider's share of the victory after it, alone its final score; None untried.
        margin: Half the 95 % interval of its worth.
        score: The decider's final score after it, which decides between moves of equal worth.
    """

    move: str
    probability: float | None
    playouts: int = 0
    worth: float | None = None
    margin: float | None = None
    score: float | None = None


@dataclass(frozen=True)
class Thoughts:
    """What an agent thinks of a position.

    Attributes:
        seat: The seat to move; only what it may know is used.
        moves: The moves, the most promising first.
        chances: Shares of the victory, by seat; None as long as nobody knows.
        scores: Final scores, by seat; None as long as nobody knows.
        playouts: The number of playouts so far.
    """

    seat: int
    moves: tuple[MoveThought, ...]
    chances: tuple[float, ...] | None
    scores: tuple[float, ...] | None
    playouts: int


def thoughts(
    position: Position,
    analyst: Analyst,
    *,
    seed: int = 0,
    number: int = 0,
    playouts: int = PLAYOUTS,
) -> Iterator[Thoughts]:
    """An agent's thoughts: its network's at once, then those after every round of a search.

    Each round tries the better half of the moves twice as often as before, all of them in the same
    possible games. The chances are those after the move that looks best.

    Args:
        position: A position that waits for a seat.
        analyst: The analyst that thinks.
        seed: Decides everything drawn.
        number: The number of the decision in its game; each has its own draws.
        playouts: The approximate number after which the search ends, at least 1.

    Raises:
        ValueError: the game is over, or a number is out of range.
    """
    checked_count("playouts", playouts)
    return _rounds(position, Trials(analyst, position, seed, number), playouts)


def _rounds(position: Position, trials: Trials, playouts: int) -> Iterator[Thoughts]:
    seat = trials.seat
    actions = trials.candidates(_CANDIDATES)
    tried: dict[int, Outcomes] = {}
    chances = scores = None
    if trials.analyst.network is not None:
        found = forecast_by_network(trials.analyst.network, [position])
        chances, scores = tuple(found.chances[0].tolist()), tuple(found.scores[0].tolist())
    total, each = 0, _FIRST

    def rank(action: int) -> tuple[float, float]:
        """Sorts the best ahead: where all is lost, or won, the score still counts."""
        found = tried[action]
        return -float(found.worth(seat).mean()), -float(found.scores[:, :, seat].mean())

    def moves() -> tuple[MoveThought, ...]:
        """Moves still tried come first, then the others, the last dropped ahead."""
        rest = [action for action in tried if action not in actions]
        rest.sort(key=lambda action: (-tried[action].shares.shape[1], rank(action)))
        every = [*actions.tolist(), *rest]
        return tuple(_move(position, trials, action, tried.get(action)) for action in every)

    yield Thoughts(seat, moves(), None if trials.players == 1 else chances, scores, total)
    while total < playouts:
        played = trials.play(actions, each)
        for place, action in enumerate(actions.tolist()):
            new = played.of(np.array([place]))
            tried[action] = tried[action].followed_by(new) if action in tried else new
        total += len(actions) * each
        actions = np.array(sorted(actions.tolist(), key=rank))
        best = tried[int(actions[0])]
        chances, scores = (tuple(kind.mean(axis=(0, 1)).tolist()) for kind in best)
        yield Thoughts(seat, moves(), None if trials.players == 1 else chances, scores, total)
        actions = actions[: max(len(actions) // 2, 2)]
        each *= 2


def _move(
    position: Position, trials: Trials, action: int, outcomes: Outcomes | None
) -> MoveThought:
    text = position.move_text(action)
    likely = float(trials.prior[action]) if trials.analyst.prefers else None
    if outcomes is None:
        return MoveThought(text, likely)
    worth = outcomes.worth(trials.seat)[0]
    margin = 1.96 * float(worth.std(ddof=1)) / len(worth) ** 0.5
    score = float(outcomes.scores[0, :, trials.seat].mean())
    return MoveThought(text, likely, len(worth), float(worth.mean()), margin, score)
