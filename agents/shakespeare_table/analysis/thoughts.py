"""An agent's thoughts on a decision, refined round by round, and why a move looks best to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.heuristics import unlearned
from shakespeare_agents.naming import make
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Records
from shakespeare_env.core.position import Position
from shakespeare_env.play.agent import AnyAgent, Searcher
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import NOBODY, Lineup, play_out
from shakespeare_table.analysis.analyst import Analyst, Outcomes, Trials
from shakespeare_table.analysis.judging import forecast_by_network

PLAYOUTS = 4096
"""Playouts of all moves together."""
_CANDIDATES = 8
_FIRST = 8
"""Playouts of each move in the first round; later rounds have twice as many."""
_OF_A_HINT = 6
_LOOK, _FINAL = 32, 128
"""Playouts of each move, and of the best two."""
_PAIRS = 16
"""Games a round in which each of the two moves is played on, row by row."""
_ROUNDS = 2


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


@dataclass(frozen=True)
class Row:
    """A row of the score sheet, from now to the end of the game.

    Attributes:
        source: Its name.
        points: What the better move brings in it, on average.
        other: What the other move brings.
        margin: Half the 95 % interval of the difference.
    """

    source: str
    points: float
    other: float
    margin: float

    @property
    def gain(self) -> float:
        """What the better move brings more."""
        return self.points - self.other


@dataclass(frozen=True)
class Reasons:
    """Why a move looks best to an analyst.

    Attributes:
        move: The move, in notation.
        other: The next best one.
        worth: The decider's share of the victory after the move, alone its score.
        lead: By how much that is more than after the other one.
        margin: Half the 95 % interval of the lead.
        rows: What both bring, the largest difference first; empty until games were played on.
        pairs: The number of those games.
    """

    move: str
    other: str
    worth: float
    lead: float
    margin: float
    rows: tuple[Row, ...] = ()
    pairs: int = 0


def reasons(
    position: Position, analyst: Analyst, *, seed: int = 0, number: int = 0
) -> Iterator[Reasons]:
    """Compare the two moves that look best: first their worth, then row by row, ever better.

    Both are played on in the same possible games, which depend only on what the decider may know,
    by the analyst's agent, or by rules of thumb where that searches.

    Args:
        position: A position that waits for a seat.
        analyst: The analyst that thinks.
        seed: Decides everything drawn.
        number: The number of the decision in its game; each has its own draws.

    Raises:
        ValueError: the game is over.
    """
    return _compared(position, Trials(analyst, position, seed, number))


def _compared(position: Position, trials: Trials) -> Iterator[Reasons]:
    seat = trials.seat
    actions = trials.candidates(_OF_A_HINT)
    means = trials.play(actions, _LOOK).worth(seat).mean(axis=1)
    best = actions[np.argsort(-means, kind="stable")[:2]]
    worth = trials.play(best, _FINAL).worth(seat)
    if worth[1].mean() > worth[0].mean():
        best, worth = best[::-1], worth[::-1]
    lead = worth[0] - worth[1]
    move, other = (position.move_text(int(action)) for action in best)
    margin = 1.96 * float(lead.std(ddof=1)) / len(lead) ** 0.5
    summary = move, other, float(worth[0].mean()), float(lead.mean()), margin
    yield Reasons(*summary)
    game = trials.analyst.game
    agent = trials.analyst.agent
    if isinstance(agent, Searcher):
        agent = make(unlearned(game), game)
    found: list[list[dict[str, int]]] = [[], []]
    for _ in range(_ROUNDS):
        records = trials.games.records(np.zeros(_PAIRS, np.int64), trials.rng)
        generators = GameGenerators.of_games(len(found[0]), np.arange(2 * _PAIRS))
        played = _played_on(position, records, best, seat, agent, generators)
        for kept, new in zip(found, (played[:_PAIRS], played[_PAIRS:]), strict=True):
            kept += new
        yield Reasons(*summary, _sheet_rows(found), len(found[0]))


def _played_on(
    position: Position,
    records: Records,
    first: NDArray[np.int64],
    seat: int,
    agent: AnyAgent,
    generators: GameGenerators,
) -> list[dict[str, int]]:
    """A seat's points by source, for each game after the first move, then after the second."""
    game, pairs = position.game, len(records)
    batch = Batch(game.name, 2 * pairs, players=position.players, autoreset=False)
    rows = np.arange(2 * pairs)
    batch.load(rows, np.concatenate([records, records]))
    points: list[dict[str, int]] = [{} for _ in rows]
    before: list[Records] = []
    scores = batch.scores()[:, seat].copy()

    def look(played: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
        before[:] = [batch.save(played)]

    def count(played: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        now = batch.scores(played)[:, seat]
        # Most moves score nothing; words for the others take about a millisecond each.
        for place in np.flatnonzero(now != scores[played]).tolist():
            after = batch.save(played[place : place + 1])[0]
            told = game.presentation.events(before[0][place], int(actions[place]), after, None)
            mine = points[played[place]]
            for event in told:
                if event.seat == seat and event.points:
                    mine[event.source] = mine.get(event.source, 0) + event.points
        scores[played] = now

    actions = np.repeat(first, pairs)
    look(rows, actions)
    batch.step(actions, rows)
    count(rows, actions)
    seats = np.full((len(rows), game.max_seats), NOBODY)
    seats[:, : position.players] = 0
    play_out(batch, Lineup([agent], seats, generators), before_step=look, after_step=count)
    return points


def _sheet_rows(found: list[list[dict[str, int]]]) -> tuple[Row, ...]:
    rows = []
    for source in sorted({source for kept in found for game in kept for source in game}):
        ours, theirs = (np.array([game.get(source, 0) for game in kept]) for kept in found)
        gain = ours - theirs
        margin = 1.96 * float(gain.std(ddof=1)) / len(gain) ** 0.5
        rows.append(Row(source, float(ours.mean()), float(theirs.mean()), margin))
    return tuple(sorted(rows, key=lambda row: -abs(row.gain)))
