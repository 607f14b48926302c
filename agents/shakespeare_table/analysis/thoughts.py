"""An agent's thoughts on a decision, refined round by round, and why a move looks best to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.heuristics import best_untrained_agent
from shakespeare_agents.naming import make
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Records
from shakespeare_env.core.position import Position
from shakespeare_env.play.agent import AnyAgent, Searcher
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import batch_of, play_on
from shakespeare_table.analysis.analyst import Analyst, Floats, Trials, with_margin
from shakespeare_table.analysis.judging import forecast_by_network

PLAYOUTS = 4096
"""Playouts of all moves together."""
_CANDIDATES = 8
_FIRST = 8  # playouts of each move in the first round; later rounds have twice as many
_OF_A_HINT = 6
_LOOK, _FINAL = 32, 128  # playouts of each move, and of the best two
_PAIRS = 16  # games a round in which each of the two moves is played on, row by row
_ROUNDS = 2


@dataclass(frozen=True)
class MoveThought:
    """A move in an agent's eyes."""

    move: str  # in notation
    probability: float | None  # before any search; None if the agent has no preference
    playouts: int = 0  # in which it was tried
    worth: float | None = None  # the decider's share of the victory, alone its score; None untried
    margin: float | None = None  # half the 95 % interval of its worth
    score: float | None = None  # the decider's, which decides between moves of equal worth


@dataclass(frozen=True)
class Thoughts:
    """What an agent thinks of a position, by what the seat to move may know."""

    moves: tuple[MoveThought, ...]  # the most promising first
    chances: tuple[float, ...] | None  # of victory, by seat; None as long as nobody knows
    scores: tuple[float, ...] | None  # final, in the same way
    playouts: int  # so far


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
    possible games, and ends once there were about so many `playouts`. The chances are those after
    the move that looks best. The seed and the decision's number in its game decide all draws.

    Raises:
        ValueError: the game is over, or a number is out of range.
    """
    checked_count("playouts", playouts)
    trials = Trials(analyst, position, seed, number)
    actions: list[int] = trials.candidates(_CANDIDATES).tolist()
    tried: dict[int, Floats] = {}
    total, each = 0, _FIRST

    def rank(action: int) -> tuple[float, float]:
        """Sorts the best ahead: where all is lost, or won, the score still counts."""
        ends = tried[action]
        return -float(trials.worth(ends).mean()), -float(ends[1, :, :, trials.seat].mean())

    def so_far(expected: Floats | None) -> Thoughts:
        """Moves still tried come first, then the others, the last dropped ahead."""
        rest = [action for action in tried if action not in actions]
        rest.sort(key=lambda action: (-tried[action].shape[2], rank(action)))
        moves = (_move(position, trials, a, tried.get(a)) for a in [*actions, *rest])
        chances, scores = (None, None) if expected is None else map(tuple, expected.tolist())
        chances = None if trials.players == 1 else chances
        return Thoughts(tuple(moves), chances, scores, total)

    network = analyst.network
    yield so_far(None if network is None else forecast_by_network(network, [position])[:, 0])
    while total < playouts:
        ends = trials.play(actions, each)
        for place, action in enumerate(actions):
            new = ends[:, [place]]
            tried[action] = np.concatenate([tried[action], new], 2) if action in tried else new
        total += len(actions) * each
        actions.sort(key=rank)
        yield so_far(tried[actions[0]].mean(axis=(1, 2)))
        actions, each = actions[: max(len(actions) // 2, 2)], 2 * each


def _move(position: Position, trials: Trials, action: int, ends: Floats | None) -> MoveThought:
    text = position.move_text(action)
    likely = float(trials.prior[action]) if trials.analyst.prefers else None
    if ends is None:
        return MoveThought(text, likely)
    worth = trials.worth(ends)[0]
    score = float(ends[1, 0, :, trials.seat].mean())
    return MoveThought(text, likely, len(worth), *with_margin(worth), score)


@dataclass(frozen=True)
class SheetDifference:
    """A row of the score sheet, from now to the end of the game."""

    source: str  # its name
    points: float  # what the better move brings in it, on average
    other: float  # what the other move brings
    margin: float  # half the 95 % interval of the difference

    @property
    def gain(self) -> float:
        """What the better move brings more."""
        return self.points - self.other


@dataclass(frozen=True)
class Reasons:
    """Why a move looks best to an analyst."""

    move: str  # in notation
    other: str  # the next best one
    worth: float  # the decider's share of the victory after the move, alone its score
    lead: float  # by how much that is more than after the other one
    margin: float  # half the 95 % interval of the lead
    rows: tuple[
        SheetDifference, ...
    ] = ()  # what both bring, the largest difference first, once played on
    pairs: int = 0  # the number of those games


def reasons(
    position: Position, analyst: Analyst, *, seed: int = 0, number: int = 0
) -> Iterator[Reasons]:
    """Compare the two moves that look best: first their worth, then row by row, ever better.

    Both are played on in the same possible games, which depend only on what the decider may know,
    by the analyst's agent, or by a heuristic where that searches. The seed and the decision's
    number in its game decide all draws.

    Raises:
        ValueError: the game is over.
    """
    trials = Trials(analyst, position, seed, number)
    actions = trials.candidates(_OF_A_HINT)
    means = trials.worth(trials.play(actions, _LOOK)).mean(axis=1)
    best = actions[np.argsort(-means, kind="stable")[:2]]
    worth = trials.worth(trials.play(best, _FINAL))
    if worth[1].mean() > worth[0].mean():
        best, worth = best[::-1], worth[::-1]
    move, other = (position.move_text(int(action)) for action in best)
    summary = move, other, float(worth[0].mean()), *with_margin(worth[0] - worth[1])
    yield Reasons(*summary)
    agent = analyst.agent
    if isinstance(agent, Searcher):
        agent = make(best_untrained_agent(analyst.game), analyst.game)
    sheets: list[list[Counter[str]]] = [[], []]
    for _ in range(_ROUNDS):
        records = trials.games.records(np.zeros(_PAIRS, np.int64), trials.rng)
        generators = GameGenerators.of_games(len(sheets[0]), np.arange(2 * _PAIRS))
        both = np.concatenate([records, records])
        points = _points(position, both, np.repeat(best, _PAIRS), agent, generators)
        for kept, new in zip(sheets, (points[:_PAIRS], points[_PAIRS:]), strict=True):
            kept += new
        rows = []
        for source in sorted({source for kept in sheets for game in kept for source in game}):
            ours, theirs = (np.array([game[source] for game in kept]) for kept in sheets)
            _, margin = with_margin(ours - theirs)
            rows.append(SheetDifference(source, float(ours.mean()), float(theirs.mean()), margin))
        rows.sort(key=lambda row: -abs(row.gain))
        yield Reasons(*summary, tuple(rows), len(sheets[0]))


def _points(
    position: Position,
    records: Records,
    actions: NDArray[np.int64],
    agent: AnyAgent,
    generators: GameGenerators,
) -> list[Counter[str]]:
    games, seat = batch_of(position.game, records), position.to_move
    points: list[Counter[str]] = [Counter() for _ in records]
    before: list[Records] = []
    scores = games.scores()[:, seat].copy()

    def look(rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
        before[:] = [games.save(rows)]

    def count(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        now = games.scores(rows)[:, seat]
        # Most moves score nothing; words for the others take about a millisecond each.
        for place in np.flatnonzero(now != scores[rows]).tolist():
            after = games.save(rows[place : place + 1])[0]
            move = before[0][place], int(actions[place]), after
            for event in position.game.presentation.events(*move, None):
                if event.seat == seat and event.points:
                    points[rows[place]][event.source] += event.points
        scores[rows] = now

    play_on(games, [agent], generators, actions, before_step=look, after_step=count)
    return points
