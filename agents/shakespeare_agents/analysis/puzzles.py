"""Puzzles: decisions of recorded games in which one move is clearly best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.analysis.analyst import Analyst
from shakespeare_agents.analysis.trials import Outcomes, Trials
from shakespeare_env.core.position import Position

LEAST_LOSS = 0.15
"""The share of the victory that the second best move loses, at least."""
_SURELY = 0.1
"""And at least by the lower end of the 95 % interval."""
_FEWEST_MOVES = 4
_LIKELY = 8
"""Moves tried in the first look."""
_LOOK, _SECOND_LOOK, _ALL, _BEST = 24, 96, 48, 512
"""Playouts of each move: in the first look, of the best three in the second, then of all legal
moves and of the best three with another seed, whose figures are kept."""
_GRADES = 3


@dataclass(frozen=True)
class Puzzle:
    """A decision in which one move is clearly best, as its seat sees it.

    Attributes:
        position: A possible position in notation, equal to the true one for the seat to move.
        best: The best move.
        worths: Each legal move's share of the victory for its seat, the best first.
        margin: Half the 95 % interval of the best move's lead on the second.
        probability: How likely the network thinks the best move to be, before any search.
        rank: Its place among all moves by that probability, from 1.
        playouts: The playouts of each of the best moves; the others have had fewer.
        source: The recorded game, and the number of the decision in it, from 1.
    """

    position: Mapping[str, Any]
    best: str
    worths: Mapping[str, float]
    margin: float
    probability: float
    rank: int
    playouts: int
    source: str

    @property
    def loss(self) -> float:
        """The share of the victory that the second best move loses."""
        first, second = list(self.worths.values())[:2]
        return first - second

    @property
    def grade(self) -> int:
        """1 where the network expects the best move at first sight; 3 where it is not among two."""
        return min(self.rank, _GRADES)


def puzzle_in(
    position: Position, analyst: Analyst, number: int, source: str, *, seed: int = 0
) -> Puzzle | None:
    """The puzzle that a decision makes, if one move is clearly best.

    The likeliest moves are compared briefly, the best of them for longer; whatever is left is
    searched again in other possible games, all legal moves included.

    Args:
        position: A position of two or more players that waits for a seat.
        analyst: Tries the moves.
        number: The number of the decision in its game; each has its own draws.
        source: See `Puzzle`.
        seed: Decides everything drawn.
    """
    if int(position.action_mask().sum()) < _FEWEST_MOVES:
        return None
    # What notation does not hold cannot be seen in a puzzle.
    assert position.to_move is not None
    position = Position.from_dict(position.determinize(position.to_move, seed).to_dict())
    trials = Trials(analyst, position, seed, number)
    actions = trials.candidates(_LIKELY)
    tried = trials.play(actions, _LOOK)
    order, lead, _ = _ranked(tried, trials.seat)
    if lead < LEAST_LOSS:
        return None
    actions = actions[order[:3]]
    order, lead, _ = _ranked(trials.play(actions, _SECOND_LOOK), trials.seat)
    if lead < LEAST_LOSS:
        return None
    best = int(actions[order[0]])
    return _searched_again(position, analyst, number, source, seed + 1, best)


def _searched_again(
    position: Position, analyst: Analyst, number: int, source: str, seed: int, best: int
) -> Puzzle | None:
    trials = Trials(analyst, position, seed, number)
    legal = np.flatnonzero(trials.games.masks[0])
    every = trials.play(legal, _ALL)
    order, _, _ = _ranked(every, trials.seat)
    means = every.worth(trials.seat).mean(axis=1)
    finalists = legal[order[:3]]
    order, lead, margin = _ranked(found := trials.play(finalists, _BEST), trials.seat)
    if finalists[order[0]] != best or lead < LEAST_LOSS or lead - margin < _SURELY:
        return None
    worths = dict(zip(legal.tolist(), means.tolist(), strict=True))
    final = found.worth(trials.seat).mean(axis=1)
    worths |= dict(zip(finalists.tolist(), final.tolist(), strict=True))
    ranked = sorted(worths, key=lambda action: -worths[action])
    # Of what was tried less often nothing may come close, be it by luck.
    if ranked[0] != best or worths[best] - worths[ranked[1]] < LEAST_LOSS:
        return None
    return Puzzle(
        position.to_dict(),
        position.move_text(best),
        {position.move_text(action): round(worths[action], 3) for action in ranked},
        round(margin, 3),
        round(float(trials.prior[best]), 4),
        1 + int((trials.prior[legal] > trials.prior[best]).sum()),
        _BEST,
        source,
    )


def _ranked(tried: Outcomes, seat: int) -> tuple[NDArray[np.int64], float, float]:
    """The moves from the best on, the best one's lead on the second, and the lead's margin."""
    worth = tried.worth(seat)
    order = np.argsort(-worth.mean(axis=1), kind="stable")
    lead = worth[order[0]] - worth[order[1]]
    return order, float(lead.mean()), 1.96 * float(lead.std(ddof=1)) / len(lead) ** 0.5
