"""What every seat could expect in a game, what its decisions were worth, and better lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.inference import ForwardPass
from shakespeare_agents.search.halving import Playouts
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.position import Position
from shakespeare_env.film.judgement import KINDS, Forecasts, Judged
from shakespeare_env.play.agent import decide
from shakespeare_env.play.course import Course
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_table.analysis.analyst import Analyst, Outcomes, Trials

PLAYOUTS = 64
"""Playouts of each move in the first look."""
_AGAIN = 4
"""How many times as many a second look has, for a move that looks like a mistake."""
_NEAR_CERTAIN = 0.95
"""The probability from which a move is not questioned."""
_FORECASTING = 32
"""Playouts of a position where no network forecasts."""
MOVES = 8
"""The number of moves of a line."""
_OF_A_LINE = 64
"""Playouts of each of its moves, for what every seat may expect."""


@dataclass(frozen=True)
class Verdict(Judged):
    """What a decision was worth.

    Attributes:
        played: The move, in notation.
        chances: Shares of the victory after the played move, by seat, as the decider could know.
        scores: Final scores after it, by seat, as the decider could know.
    """

    played: str
    chances: tuple[float, ...]
    scores: tuple[float, ...]


def verdicts(
    positions: Sequence[Position],
    moves: Sequence[str],
    analyst: Analyst,
    *,
    seed: int = 0,
    playouts: int = PLAYOUTS,
) -> Iterator[Verdict]:
    """Judge the decisions of a game, one after the other.

    Where the agent's search would play another move, both are played on to the end in the same
    possible games, which depend only on what the decider may know. Those games are no part of the
    search, so that its luck does not count as loss. A verdict is as good as the agent: it assumes
    that the agent goes on for all seats.

    Args:
        positions: The n + 1 positions, with all their secrets.
        moves: The n between them.
        analyst: The analyst that judges.
        seed: Decides everything drawn; the verdict on a decision depends on no other decision.
        playouts: The number of playouts of each move, at least 2. A move that looks like a mistake
            is judged anew by four times as many, since the first may have looked bad by luck.

    Raises:
        ValueError: a number is out of range.
    """
    if checked_count("playouts", playouts) < 2:
        raise ValueError("playouts=1: an interval needs 2 or more")
    return (
        verdict_on(positions[number], move, number, analyst, seed=seed, playouts=playouts)
        for number, move in enumerate(moves)
    )


def refined(forecasts: Forecasts, judged: Iterable[Verdict], by: str) -> Forecasts:
    """The same forecasts, replaced by those of playouts for positions judged."""
    chances, scores = forecasts.chances.copy(), forecasts.scores.copy()
    for one in judged:
        chances[one.number - 1], scores[one.number - 1] = one.chances, one.scores
    return Forecasts(chances, scores, by)


def verdict_on(
    position: Position,
    move: str,
    number: int,
    analyst: Analyst,
    *,
    seed: int = 0,
    playouts: int = PLAYOUTS,
) -> Verdict:
    """The verdict on one decision, the one after `number` moves; see `verdicts`."""
    trials = Trials(analyst, position, seed, number)
    unit = float(position.game.score_scale) if trials.players == 1 else 1.0
    played = position.action_id(move)
    best = played if trials.prior[played] >= _NEAR_CERTAIN else trials.searched()
    tried = np.array([played] if best == played else [played, best])
    found = trials.play(tried, playouts)
    loss, margin = _compared(found, trials.seat)
    if loss >= KINDS[-1].least * unit:
        found = trials.play(tried, _AGAIN * playouts)
        loss, margin = _compared(found, trials.seat)
    chances, scores = (tuple(kind[0].mean(axis=0).tolist()) for kind in found)
    text = position.move_text(best)
    return Verdict(number + 1, trials.seat, text, loss, margin, move, chances, scores)


def _compared(found: Outcomes, seat: int) -> tuple[float, float]:
    """By how much the last move is worth more than the first, and half the 95 % interval."""
    worth = found.worth(seat)
    gain = worth[-1] - worth[0]
    return float(gain.mean()), 1.96 * float(gain.std(ddof=1)) / len(gain) ** 0.5


@dataclass(frozen=True)
class Line:
    """Moves that a search prefers, one after the other.

    Attributes:
        course: The positions and moves.
        forecasts: What every seat could expect in each position, as the seat to move knows it.
    """

    course: Course
    forecasts: Forecasts


def best_line(
    position: Position, analyst: Analyst, *, seed: int = 0, number: int = 0, most: int = MOVES
) -> Line:
    """What the analyst's search would play from a position on, for every seat in turn.

    Each seat decides by what it may know. Chance is that of the position, so a line of a finished
    game shows what would have happened there.

    Args:
        position: A position with all its secrets, which waits for a seat.
        analyst: The analyst that searches.
        seed: Decides everything drawn.
        number: The number of the decision in its game; with it and the seed, the first move is that
            of `verdict_on`, unless the move played was near-certain.
        most: The number of moves after which the line ends, if the game does not.

    Raises:
        ValueError: the game is over.
    """
    course = Course([position], [])
    chances: list[NDArray[np.floating]] = []
    scores: list[NDArray[np.floating]] = []
    for step in range(most):
        trials = Trials(analyst, course.position, seed, number + step)
        action = trials.searched()
        found = trials.play(np.array([action]), _OF_A_LINE)
        chances.append(found.shares[0].mean(axis=0))
        scores.append(found.scores[0].mean(axis=0))
        course = course.pushed(course.position.move_text(action))
        if course.is_over:
            break
    if course.is_over:
        end = forecasts_of([course.position], analyst)
        chances.append(end.chances[0])
        scores.append(end.scores[0])
    else:
        chances.append(chances[-1])
        scores.append(scores[-1])
    return Line(course, Forecasts(np.array(chances), np.array(scores), analyst.name))


def forecasts_of(
    positions: Sequence[Position], analyst: Analyst, *, seed: int = 0, playouts: int = _FORECASTING
) -> Forecasts:
    """Every seat's share of the victory and final score, position by position.

    Each position is seen by the seat to move, which knows its own secrets alone, so a line may jump
    between two movers though nothing happened. A network with heads answers at once, right on
    average rather than here (`refined` says more); for other agents possible games are played on,
    beginning with the agent's move. The last forecast is the actual result.

    Args:
        positions: Positions of one table, with all their secrets.
        analyst: The analyst that forecasts.
        seed: Decides everything drawn.
        playouts: The number of playouts of a position.
    """
    going = [number for number, one in enumerate(positions) if one.to_move is not None]
    players = positions[0].players
    chances = np.full((len(positions), players), np.nan)
    scores = np.full((len(positions), players), np.nan)
    for number, position in enumerate(positions):
        if winners := position.winners:
            chances[number] = 0.0
            chances[number, winners] = 1.0 / len(winners)
        if position.to_move is None:
            scores[number] = position.scores()
    if going:
        asked = [positions[number] for number in going]
        if analyst.network is not None:
            found = forecast_by_network(analyst.network, asked)
        else:
            found = _by_playouts(analyst, asked, np.array(going), seed, playouts)
        chances[going], scores[going] = found.chances, found.scores
    return Forecasts(chances, scores, analyst.name)


def of_all_seats(forecasts: Forecasts, positions: Sequence[Position]) -> Forecasts:
    """The mean of all seats' forecasts, each at its own latest decision.

    Lines then jump less when one seat decides after another. The end stays the actual result.
    """
    chances, scores = forecasts.chances.copy(), forecasts.scores.copy()
    latest: dict[int, int] = {}
    for number, position in enumerate(positions):
        if position.to_move is not None:
            latest[position.to_move] = number
            rows = list(latest.values())
            chances[number] = forecasts.chances[rows].mean(axis=0)
            scores[number] = forecasts.scores[rows].mean(axis=0)
    return Forecasts(chances, scores, forecasts.by)


def forecast_by_network(network: ForwardPass, positions: Sequence[Position]) -> Forecasts:
    """A network's forecasts of positions that wait for a seat, in the eyes of that seat."""
    batch = _batch_of(positions)
    shares, changes = network.forecasts(batch.obs, batch.players)
    players = positions[0].players
    every = np.arange(batch.n)[:, None]
    seats = (batch.to_move.astype(np.int64)[:, None] + np.arange(players)) % players
    chances = np.zeros((batch.n, players))
    chances[every, seats] = shares[:, :players]
    scores = batch.scores()[:, :players].astype(np.float64)
    scores[every, seats] += float(batch.game.score_scale) * changes[:, :players]
    return Forecasts(chances, scores, "")


def _by_playouts(
    analyst: Analyst,
    positions: Sequence[Position],
    numbers: NDArray[np.int64],
    seed: int,
    playouts: int,
) -> Forecasts:
    batch = _batch_of(positions)
    rows = np.arange(batch.n)
    generators = GameGenerators.of_games(seed, numbers)
    actions = decide(analyst.agent, batch, rows, generators)
    places = np.repeat(rows, playouts)
    records = InformationSets(batch, rows).records(places, generators)
    every = np.arange(len(places))
    played = Playouts(places, every, places, np.zeros_like(places), np.asarray(actions)[places])
    ends = analyst.playing.play(played, records, generators.words(places))
    shape = batch.n, playouts, batch.game.max_seats
    players = positions[0].players
    shares, scores = (
        kind.astype(np.float64).reshape(shape).mean(axis=1)[:, :players]
        for kind in (ends.win, ends.score)
    )
    return Forecasts(shares, scores * float(batch.game.score_scale), "")


def _batch_of(positions: Sequence[Position]) -> Batch:
    records = [position.record() for position in positions]
    first = positions[0]
    batch = Batch(first.game.name, len(records), players=first.players, autoreset=False)
    batch.load(slice(None), np.array(records, records[0].dtype))
    return batch
