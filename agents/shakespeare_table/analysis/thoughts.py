"""An agent's thoughts on a decision, refined round by round, and why a move looks best to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.heuristics import best_untrained_agent
from shakespeare_agents.naming import make
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Records
from shakespeare_env.core.position import Position
from shakespeare_env.play.agent import AnyAgent, Searcher
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import batch_of, play_to_end
from shakespeare_table.analysis.analyst import Analyst, Floats, MoveTrials, mean_and_margin
from shakespeare_table.analysis.judging import network_forecasts

PLAYOUTS = 4096
"""Playouts of all moves together."""
_CANDIDATES = 8  # the most moves that are thought about
_FIRST_PLAYOUTS = 8  # playouts of each move in the first round; later rounds have twice as many
_CANDIDATES_FOR_REASONS = 6  # the most moves from which the best two are chosen
_CHOOSING_PLAYOUTS = 32  # playouts of each of these moves
_COMPARING_PLAYOUTS = 128  # playouts of each of the best two
_PAIRS = 16  # games of a round in which each of the two moves is compared row by row
_ROUNDS = 2

PointsBySource = Counter[str]
"""Points of one game by the row of the score sheet that they belong to."""


@dataclass(frozen=True)
class MoveThought:
    """An agent's thoughts on a move.

    Attributes:
        move: The move, in notation.
        probability: How likely the move is before any search; None without a preference.
        playouts: The number of playouts in which the move was tried.
        worth: The mover's share of the victory, in a solo game its score; None if untried.
        margin: Half the 95 % interval of the worth.
        score: The mover's final score, which decides between moves of equal worth.
    """

    move: str
    probability: float | None
    playouts: int = 0
    worth: float | None = None
    margin: float | None = None
    score: float | None = None


@dataclass(frozen=True)
class Thoughts:
    """An agent's thoughts on a position, by what the seat to move may know.

    Attributes:
        moves: The moves, the most promising first.
        chances: Chances of victory by seat; None as long as they are unknown, and in solo games.
        scores: Final scores by seat; None as long as they are unknown.
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
    """Yield an agent's thoughts: its network's at once, then those after every round of a search.

    Each round tries the better half of the moves twice as often as the round before, all of them
    in the same possible games. The search ends once there were about so many `playouts`. The
    chances are those after the move that looks best. The seed and the decision's number in its
    game decide all draws.

    Raises:
        ValueError: the game is over, or a number is out of range.
    """
    checked_count("playouts", playouts)
    search = _HalvingSearch(MoveTrials(analyst, position, seed, number), position)
    network = analyst.network
    yield search.thoughts(None if network is None else network_forecasts(network, [position])[:, 0])
    while search.playouts < playouts:
        best = search.play_round()
        yield search.thoughts(best.mean(axis=(1, 2)))
        search.drop_worse_half()


class _HalvingSearch:
    """A search that halves the moves of a position round by round.

    Attributes:
        playouts: The number of playouts so far.
    """

    def __init__(self, trials: MoveTrials, position: Position) -> None:
        self.playouts = 0
        self._trials = trials
        self._position = position
        self._actions: list[int] = trials.candidates(_CANDIDATES).tolist()  # still tried
        self._each = _FIRST_PLAYOUTS
        self._outcomes: dict[int, Floats] = {}  # by action, float64[2, 1, playouts, P]

    def play_round(self) -> Floats:
        """Play a round, and return the outcomes of the move that now looks best."""
        outcomes = self._trials.outcomes(self._actions, self._each)
        for place, action in enumerate(self._actions):
            new = outcomes[:, [place]]
            if action in self._outcomes:
                new = np.concatenate([self._outcomes[action], new], 2)
            self._outcomes[action] = new
        self.playouts += len(self._actions) * self._each
        self._actions.sort(key=self._rank)
        return self._outcomes[self._actions[0]]

    def drop_worse_half(self) -> None:
        """Leave the better half of the moves for the next round, which is twice as long."""
        self._actions = self._actions[: max(len(self._actions) // 2, 2)]
        self._each *= 2

    def thoughts(self, expected: Floats | None) -> Thoughts:
        """Return the thoughts so far, given shares and scores by seat, float64[2, P], if known."""
        # Moves still tried come first, then the others, the last dropped ahead.
        dropped = [action for action in self._outcomes if action not in self._actions]
        dropped.sort(key=lambda action: (-self._outcomes[action].shape[2], self._rank(action)))
        moves = tuple(self._thought(action) for action in [*self._actions, *dropped])
        if expected is None:
            return Thoughts(moves, None, None, self.playouts)
        chances = None if self._trials.players == 1 else tuple(expected[0].tolist())
        return Thoughts(moves, chances, tuple(expected[1].tolist()), self.playouts)

    def _rank(self, action: int) -> tuple[float, float]:
        """Return a key that sorts the best ahead: if all is lost, or won, the score counts."""
        outcomes = self._outcomes[action]
        worth = float(self._trials.worth(outcomes).mean())
        score = float(outcomes[1, :, :, self._trials.seat].mean())
        return -worth, -score

    def _thought(self, action: int) -> MoveThought:
        trials = self._trials
        likely = float(trials.prior[action]) if trials.analyst.has_preferences else None
        thought = MoveThought(self._position.move_text(action), likely)
        if action not in self._outcomes:
            return thought
        outcomes = self._outcomes[action]
        worth = trials.worth(outcomes)[0]
        mean, margin = mean_and_margin(worth)
        score = float(outcomes[1, 0, :, trials.seat].mean())
        return replace(thought, playouts=len(worth), worth=mean, margin=margin, score=score)


@dataclass(frozen=True)
class SheetDifference:
    """A row of the score sheet, from now to the end of the game, after each of two moves.

    Attributes:
        source: The row's name.
        points: The points that the better move brings in it, on average.
        other: The points that the other move brings.
        margin: Half the 95 % interval of the difference.
    """

    source: str
    points: float
    other: float
    margin: float

    @property
    def gain(self) -> float:
        """The points that the better move brings more than the other."""
        return self.points - self.other


@dataclass(frozen=True)
class Reasons:
    """The reasons why a move looks best to an analyst.

    Attributes:
        move: The move, in notation.
        other: The next best move.
        worth: The mover's share of the victory after the move, in a solo game its score.
        lead: How much more that is than after the other move.
        margin: Half the 95 % interval of the lead.
        rows: The points of both moves, the largest difference first, once they are played.
        pairs: The number of games in which each was played for that.
    """

    move: str
    other: str
    worth: float
    lead: float
    margin: float
    rows: tuple[SheetDifference, ...] = ()
    pairs: int = 0


def reasons(
    position: Position, analyst: Analyst, *, seed: int = 0, number: int = 0
) -> Iterator[Reasons]:
    """Compare the two moves that look best: first their worth, then row by row, ever better.

    Both are played to the end in the same possible games, which depend only on what the seat to
    move may know, by the analyst's agent, or by the heuristic if that searches. The seed and the
    decision's number in its game decide all draws.

    Raises:
        ValueError: the game is over.
    """
    trials = MoveTrials(analyst, position, seed, number)
    actions = trials.candidates(_CANDIDATES_FOR_REASONS)
    means = trials.worth(trials.outcomes(actions, _CHOOSING_PLAYOUTS)).mean(axis=1)
    best = actions[np.argsort(-means, kind="stable")[:2]]
    worth = trials.worth(trials.outcomes(best, _COMPARING_PLAYOUTS))
    if worth[1].mean() > worth[0].mean():
        best = best[::-1]
        worth = worth[::-1]
    lead, margin = mean_and_margin(worth[0] - worth[1])
    found = Reasons(
        move=position.move_text(int(best[0])),
        other=position.move_text(int(best[1])),
        worth=float(worth[0].mean()),
        lead=lead,
        margin=margin,
    )
    yield found

    agent = analyst.agent
    if isinstance(agent, Searcher):
        agent = make(best_untrained_agent(analyst.game), analyst.game)
    own: list[PointsBySource] = []
    other: list[PointsBySource] = []
    for _ in range(_ROUNDS):
        records = trials.games.records(np.zeros(_PAIRS, np.int64), trials.rng)
        generators = GameGenerators.of_games(len(own), np.arange(2 * _PAIRS))
        both = np.concatenate([records, records])
        points = _points_to_end(position, both, np.repeat(best, _PAIRS), agent, generators)
        own += points[:_PAIRS]
        other += points[_PAIRS:]
        yield replace(found, rows=_differences(own, other), pairs=len(own))


def _differences(
    own: list[PointsBySource], other: list[PointsBySource]
) -> tuple[SheetDifference, ...]:
    sources = {source for game in [*own, *other] for source in game}
    rows = []
    for source in sorted(sources):
        points = np.array([game[source] for game in own])
        other_points = np.array([game[source] for game in other])
        _, margin = mean_and_margin(points - other_points)
        mean = float(points.mean())
        rows.append(SheetDifference(source, mean, float(other_points.mean()), margin))
    rows.sort(key=lambda row: -abs(row.gain))
    return tuple(rows)


def _points_to_end(
    position: Position,
    records: Records,
    actions: NDArray[np.int64],
    agent: AnyAgent,
    generators: GameGenerators,
) -> list[PointsBySource]:
    """Play possible games to the end, and return the mover's points in each by their source."""
    games = batch_of(position.game, records)
    seat = position.to_move
    points: list[PointsBySource] = [Counter() for _ in records]
    before: list[Records] = []
    scores = games.scores()[:, seat].copy()

    def before_step(rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
        before[:] = [games.save(rows)]

    def after_step(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        now = games.scores(rows)[:, seat]
        # Most moves score nothing; words for the others take about a millisecond each.
        for place in np.flatnonzero(now != scores[rows]).tolist():
            after = games.save(rows[place : place + 1])[0]
            action = int(actions[place])
            for event in position.game.presentation.events(before[0][place], action, after, None):
                if event.seat == seat and event.points:
                    points[rows[place]][event.source] += event.points
        scores[rows] = now

    play_to_end(games, [agent], generators, actions, before_step=before_step, after_step=after_step)
    return points
