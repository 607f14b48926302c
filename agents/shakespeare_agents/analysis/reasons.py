"""Why a move: what it gains against another one, in each row of the score sheet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.analysis.analyst import Analyst
from shakespeare_agents.analysis.trials import Trials
from shakespeare_agents.registry import make, unlearned
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Records
from shakespeare_env.core.position import Position
from shakespeare_env.play.agent import AnyAgent, Searcher
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import NOBODY, Lineup, play_out

_CANDIDATES = 6
_LOOK, _FINAL = 32, 128
"""Playouts of each move, and of the best two."""
_PAIRS = 16
"""Games a round in which each of the two moves is played on, row by row."""
_ROUNDS = 2


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
    actions = trials.candidates(_CANDIDATES)
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
        yield Reasons(*summary, _rows(found), len(found[0]))


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


def _rows(found: list[list[dict[str, int]]]) -> tuple[Row, ...]:
    rows = []
    for source in sorted({source for kept in found for game in kept for source in game}):
        ours, theirs = (np.array([game.get(source, 0) for game in kept]) for kept in found)
        gain = ours - theirs
        margin = 1.96 * float(gain.std(ddof=1)) / len(gain) ** 0.5
        rows.append(Row(source, float(ours.mean()), float(theirs.mean()), margin))
    return tuple(sorted(rows, key=lambda row: -abs(row.gain)))
