"""An agent's thoughts on a decision, refined round by round, and why a move looks best to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.heuristics import best_untrained_agent
from shakespeare_agents.making import make
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Records
from shakespeare_env.core.position import Position
from shakespeare_env.play.agent import AnyAgent, Searcher, history_length
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import batch_of, play_to_end
from shakespeare_table.analysis.analyst import Analyst, Floats, MoveTrials, mean_and_margin
from shakespeare_table.analysis.judging import quick_forecasts

PLAYOUTS = 4096
"""Playouts of all moves together."""
_CANDIDATES = 8  # the most moves that are tried
_FIRST_PLAYOUTS = 8  # playouts of each move in the first round; each further round doubles them
_CANDIDATES_FOR_REASONS = 6  # the most moves from which the best two are chosen
_CHOOSING_PLAYOUTS = 32  # playouts of each of these moves
_COMPARING_PLAYOUTS = 128  # playouts of each of the best two
_PAIRS = 16  # possible games in each of `_ROUNDS`; both of the best two moves are played in each
_ROUNDS = 2

PointsBySource = Counter[str]
"""The points of one game by the row of the score sheet."""


@dataclass(frozen=True)
class MoveThought:
    """An agent's thoughts on a move.

    Attributes:
        move: The move, in notation.
        probability: How likely the agent finds the move before any search; None if it finds all
            moves equally likely.
        playouts: The number of playouts in which the move was tried.
        value: The mover's mean share of the victory, in a solo game its score; None if untried.
        margin: Half the width of the value's 95 % interval.
        score: The mover's mean final score, which decides between moves of equal value.
    """

    move: str
    probability: float | None
    playouts: int = 0
    value: float | None = None
    margin: float | None = None
    score: float | None = None


@dataclass(frozen=True)
class Thoughts:
    """An agent's thoughts on a position, based only on what the seat to move knows.

    Attributes:
        moves: The moves, the most promising first.
        chances: The chance of victory by seat; None in solo games and before it is known.
        scores: The expected final score by seat; None before it is known.
        playouts: The number of playouts so far.
    """

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
    """Yield an agent's thoughts, first its network's and then those after each round of a search.

    Each round keeps the better half of the moves and tries them twice as often as the round before,
    all of them in the same possible games. The chances are those after the move that looks best.

    Args:
        position: The position.
        analyst: The agent.
        seed: The seed of all draws.
        number: The number of the decision in its game, which gives each decision draws of its own.
        playouts: The number of playouts after which no further round begins.

    Raises:
        ValueError: The game is over, or a number is out of range.
    """
    checked_count("playouts", playouts)
    search = _HalvingSearch(MoveTrials(analyst, position, seed, number), position)
    quick: Floats | None = None
    if analyst.forecaster is not None:
        quick = quick_forecasts(analyst.forecaster, [position])[:, 0]
    yield search.thoughts(quick)
    while search.playouts < playouts:
        best = search.play_round()
        yield search.thoughts(best.mean(axis=(1, 2)))
        search.drop_worse_half()


class _HalvingSearch:
    """A search that drops the worse half of a position's moves after each round.

    Attributes:
        playouts: The number of playouts so far.
    """

    def __init__(self, trials: MoveTrials, position: Position) -> None:
        self.playouts = 0
        self._trials = trials
        self._position = position
        # The actions that the next round tries, and its number of playouts of each.
        self._actions: list[int] = trials.candidates(_CANDIDATES).tolist()
        self._playouts_each = _FIRST_PLAYOUTS
        self._outcomes: dict[int, Floats] = {}  # by action, float64[2, 1, playouts, P]

    def play_round(self) -> Floats:
        """Play a round, and return all outcomes of the move that then looks best.

        Returns:
            float64[2, 1, playouts, P], every seat's share of the victory and final score.
        """
        outcomes = self._trials.outcomes(self._actions, self._playouts_each)
        for place, action in enumerate(self._actions):
            new = outcomes[:, [place]]
            if action in self._outcomes:
                new = np.concatenate([self._outcomes[action], new], axis=2)
            self._outcomes[action] = new
        self.playouts += len(self._actions) * self._playouts_each
        self._actions.sort(key=self._rank)
        return self._outcomes[self._actions[0]]

    def drop_worse_half(self) -> None:
        """Keep the better half of the moves for the next round, with twice the playouts of each."""
        self._actions = self._actions[: max(len(self._actions) // 2, 2)]
        self._playouts_each *= 2

    def thoughts(self, expected: Floats | None) -> Thoughts:
        """Return the thoughts so far.

        Args:
            expected: float64[2, P], shares of the victory and scores by seat; None if unknown.
        """
        # The moves that are still tried come first, then the dropped ones, the last dropped first.
        dropped = [action for action in self._outcomes if action not in self._actions]
        dropped.sort(key=lambda action: (-self._outcomes[action].shape[2], self._rank(action)))
        moves = tuple(self._thought(action) for action in [*self._actions, *dropped])
        if expected is None:
            return Thoughts(moves, None, None, self.playouts)
        chances = None if self._trials.players == 1 else tuple(expected[0].tolist())
        return Thoughts(moves, chances, tuple(expected[1].tolist()), self.playouts)

    def _rank(self, action: int) -> tuple[float, float]:
        """Return a key that sorts the best action first. Scores decide between equal values."""
        outcomes = self._outcomes[action]
        value = float(self._trials.values(outcomes).mean())
        score = float(outcomes[1, :, :, self._trials.seat].mean())
        return -value, -score

    def _thought(self, action: int) -> MoveThought:
        trials = self._trials
        probability = float(trials.prior[action]) if trials.analyst.has_preferences else None
        thought = MoveThought(self._position.move_text(action), probability)
        if action not in self._outcomes:
            return thought
        outcomes = self._outcomes[action]
        values = trials.values(outcomes)[0]
        value, margin = mean_and_margin(values)
        score = float(outcomes[1, 0, :, trials.seat].mean())
        return replace(thought, playouts=len(values), value=value, margin=margin, score=score)


@dataclass(frozen=True)
class SheetDifference:
    """The points that each of two moves brings in a row of the score sheet until the game ends.

    Attributes:
        source: The row's name.
        points: The points after the better move, on average.
        other_points: The points after the other move, on average.
        margin: Half the width of the 95 % interval of their difference.
    """

    source: str
    points: float
    other_points: float
    margin: float

    @property
    def gain(self) -> float:
        """The points after the better move minus those after the other move."""
        return self.points - self.other_points


@dataclass(frozen=True)
class Reasons:
    """The reasons why a move looks best to an analyst.

    Attributes:
        move: The move, in notation.
        other_move: The next best move.
        value: The mover's share of the victory after the move, in a solo game its score.
        lead: The value after the move minus the value after the other move.
        margin: Half the width of the lead's 95 % interval.
        rows: The rows of the score sheet, the largest difference first; empty at first.
        games: The number of possible games in which both moves were played for the rows.
    """

    move: str
    other_move: str
    value: float
    lead: float
    margin: float
    rows: tuple[SheetDifference, ...] = ()
    games: int = 0


def reasons(
    position: Position,
    analyst: Analyst,
    *,
    seed: int = 0,
    number: int = 0,
    moves: Sequence[str] = (),
) -> Iterator[Reasons]:
    """Compare two moves, first by value and then by row of the score sheet.

    Both moves are played to the end in the same possible games, which depend only on what the seat
    to move knows. For the rows the analyst's agent plays all seats. If that agent searches, which
    would take too long, the heuristic plays.

    Args:
        position: The position.
        analyst: The analyst.
        seed: The seed of all draws.
        number: The number of the decision in its game, which gives each decision draws of its own.
        moves: The two moves. Without them, the two that look best are compared.

    Yields:
        The comparison of values, then the one of rows as well, which each round makes more exact.

    Raises:
        ValueError: The game is over.
    """
    trials = MoveTrials(analyst, position, seed, number)
    if moves:
        best_two = np.array([position.action_id(move) for move in moves])
    else:
        actions = trials.candidates(_CANDIDATES_FOR_REASONS)
        means = trials.values(trials.outcomes(actions, _CHOOSING_PLAYOUTS)).mean(axis=1)
        best_two = actions[np.argsort(-means, kind="stable")[:2]]
    values = trials.values(trials.outcomes(best_two, _COMPARING_PLAYOUTS))
    if values[1].mean() > values[0].mean():
        best_two = best_two[::-1]
        values = values[::-1]
    lead, margin = mean_and_margin(values[0] - values[1])
    found = Reasons(
        move=position.move_text(int(best_two[0])),
        other_move=position.move_text(int(best_two[1])),
        value=float(values[0].mean()),
        lead=lead,
        margin=margin,
    )
    yield found

    agent = analyst.agent
    if isinstance(agent, Searcher):
        agent = make(best_untrained_agent(analyst.game), analyst.game)
    best_points: list[PointsBySource] = []  # in games that begin with the best move
    other_points: list[PointsBySource] = []  # in games that begin with the other move
    for _ in range(_ROUNDS):
        records = trials.games.records(np.zeros(_PAIRS, np.int64), trials.rng)
        # The number of games so far is the seed, so each round draws anew.
        generators = GameGenerators.of_games(len(best_points), np.arange(2 * _PAIRS))
        starts = np.concatenate([records, records])
        points = _points_to_end(position, starts, np.repeat(best_two, _PAIRS), agent, generators)
        best_points += points[:_PAIRS]
        other_points += points[_PAIRS:]
        rows = _differences(best_points, other_points)
        yield replace(found, rows=rows, games=len(best_points))


def _differences(
    best_points: list[PointsBySource], other_points: list[PointsBySource]
) -> tuple[SheetDifference, ...]:
    """Return the rows of the score sheet, the largest difference first."""
    sources = {source for game in [*best_points, *other_points] for source in game}
    rows = []
    for source in sorted(sources):
        after_best = np.array([game[source] for game in best_points])
        after_other = np.array([game[source] for game in other_points])
        _, margin = mean_and_margin(after_best - after_other)
        best_mean = float(after_best.mean())
        other_mean = float(after_other.mean())
        rows.append(SheetDifference(source, best_mean, other_mean, margin))
    rows.sort(key=lambda row: -abs(row.gain))
    return tuple(rows)


def _points_to_end(
    position: Position,
    records: Records,
    actions: NDArray[np.int64],
    agent: AnyAgent,
    generators: GameGenerators,
) -> list[PointsBySource]:
    """Play possible games to the end, and return the mover's points in each by source.

    Args:
        position: The position to analyse.
        records: n possible games, which look like the position to the seat to move.
        actions: int64[n], the first action of each game.
        agent: The agent that plays all seats afterwards.
        generators: The generators of the n games.
    """
    seat = position.to_move
    decisions = position.decisions(history_length(agent), seat)
    games = batch_of(position.game, records, decisions.repeat(len(records), 0))
    points: list[PointsBySource] = [Counter() for _ in records]
    scores = games.scores()[:, seat].copy()
    before = records  # the games that play on, before their latest move

    def before_step(rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
        nonlocal before
        before = games.save(rows)

    def after_step(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        new_scores = games.scores(rows)[:, seat]
        # Events take about a millisecond a move, so they are made only where a move has scored.
        for place in np.flatnonzero(new_scores != scores[rows]).tolist():
            after = games.save(rows[place : place + 1])[0]
            action = int(actions[place])
            for event in position.game.presentation.events(before[place], action, after, None):
                if event.seat == seat and event.points:
                    points[rows[place]][event.source] += event.points
        scores[rows] = new_scores

    play_to_end(games, [agent], generators, actions, before_step=before_step, after_step=after_step)
    return points
