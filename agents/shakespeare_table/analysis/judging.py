"""Judging a game: forecasts of its positions, verdicts on its decisions, and better lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shakespeare_env.core.batch import victory_shares
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.position import Position
from shakespeare_env.play.agent import Forecaster, decide, history_length
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.history import GameHistory
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_research.counterfactual import batch_of, forecasts_by_seat
from shakespeare_table.analysis.analyst import Analyst, Floats, MoveTrials, mean_and_margin
from shakespeare_table.analysis.mistakes import MISTAKE_KINDS, Forecasts, JudgedDecision

PLAYOUTS = 64
"""Playouts of each move in the first trial."""
_SECOND_TRIAL_FACTOR = 4  # times as many playouts for a move that looks like a mistake
_NEAR_CERTAIN = 0.95  # a move at least this likely by the prior is compared with no other
_FORECAST_PLAYOUTS = 32  # of a position where no network forecasts
_MAX_LINE_MOVES = 8
_LINE_PLAYOUTS = 64  # of each move of a line, to forecast what follows


@dataclass(frozen=True)
class MoveVerdict(JudgedDecision):
    """The verdict on a decision, with the results that every seat could expect after the move.

    Attributes:
        played: The move that was played, in notation.
        chances: The expected share of the victory by seat, for all that the decider knew.
        scores: The expected final score by seat, for all that the decider knew.
    """

    played: str
    chances: tuple[float, ...]
    scores: tuple[float, ...]


def judge_decision(
    position: Position,
    move: str,
    number: int,
    analyst: Analyst,
    *,
    seed: int = 0,
    playouts: int = PLAYOUTS,
) -> MoveVerdict:
    """Judge the move that was played in a position.

    If the agent's search prefers another move, both moves are played to the end in the same
    possible games, which depend only on what the decider knew. These games are drawn after the
    search, so that a move which the search prefers by luck gains nothing from that luck. The agent
    plays all seats to the end, so a verdict is only as good as the agent.

    A move that looks like a mistake may have looked bad by chance. It is judged again with four
    times as many playouts.

    Args:
        position: The position.
        move: The move that was played.
        number: The number of moves before it.
        analyst: The agent that judges.
        seed: The seed of all draws. The verdict depends on no other decision of the game.
        playouts: The playouts of each of the two moves, at least 2.

    Raises:
        ValueError: A number is out of range, or the game is over.
    """
    if checked_count("playouts", playouts) < 2:
        raise ValueError("playouts=1: an interval needs 2 or more")
    trials = MoveTrials(analyst, position, seed, number)
    # Losses are shares of the victory, or in a solo game points.
    unit = float(position.game.score_scale) if trials.players == 1 else 1.0
    played = position.action_id(move)
    best = played if trials.prior[played] >= _NEAR_CERTAIN else trials.search()
    tried = [played] if best == played else [played, best]
    for count in (playouts, _SECOND_TRIAL_FACTOR * playouts):
        # The move played comes first and the best one last. They may be the same move.
        outcomes = trials.outcomes(tried, count)
        values = trials.values(outcomes)
        loss, margin = mean_and_margin(values[-1] - values[0])
        if loss < MISTAKE_KINDS[-1].min_loss * unit:
            break
    chances, scores = outcomes[:, 0].mean(axis=1).tolist()
    return MoveVerdict(
        number=number + 1,
        seat=trials.seat,
        best=position.move_text(best),
        loss=loss,
        margin=margin,
        played=move,
        chances=tuple(chances),
        scores=tuple(scores),
    )


def best_line(
    position: Position, analyst: Analyst, *, seed: int = 0, number: int = 0
) -> tuple[GameHistory, Forecasts]:
    """Play the moves that the analyst's search prefers from a position on, for every seat.

    Each seat decides by what it may know. What chance brings is fixed in the position, so a line
    from a finished game shows what would have happened in that game. The line ends after eight
    moves, or with the game.

    Args:
        position: The position.
        analyst: The analyst.
        seed: The seed of the searches.
        number: The number of moves before the position. With the same seed and number the first
            move is the best one of `judge_decision`, unless the move played was near-certain.

    Returns:
        The line, and a forecast for each of its positions, for all that the seat to move knows.

    Raises:
        ValueError: The game is over.
    """
    history = GameHistory([position], [])
    expected: list[Floats] = []  # shares of the victory and scores by position, float64[2, P]
    while len(history.moves) < _MAX_LINE_MOVES and not history.is_over:
        trials = MoveTrials(analyst, history.position, seed, number + len(history.moves))
        action = trials.search()
        expected.append(trials.outcomes([action], _LINE_PLAYOUTS)[:, 0].mean(axis=1))
        history = history.pushed(history.position.move_text(action))
    # If the game is not over, the last position repeats the forecast of the one before.
    expected.append(_result_of(history.position) if history.is_over else expected[-1])
    chances, scores = np.stack(expected, axis=1)
    return history, Forecasts(chances, scores, analyst.name)


def forecasts_of(
    positions: Sequence[Position],
    analyst: Analyst,
    *,
    seed: int = 0,
    playouts: int = _FORECAST_PLAYOUTS,
) -> Forecasts:
    """Forecast every seat's share of the victory and final score, position by position.

    A forecast uses what the seat to move knows. Forecasts may therefore jump when another seat is
    to move, although nothing has happened. The forecast of a finished game is its result.

    An analyst's network with heads forecasts at once. Other analysts play possible games to the
    end, beginning with the agent's move.

    Args:
        positions: The positions, of one game and number of seats.
        analyst: The analyst.
        seed: The seed of the possible games.
        playouts: The number of possible games of each position, if no network forecasts.
    """
    forecasts = np.stack([_result_of(position) for position in positions], axis=1)
    numbers = [number for number, each in enumerate(positions) if each.to_move is not None]
    undecided = [positions[number] for number in numbers]
    if undecided and analyst.forecaster is not None:
        forecasts[:, numbers] = quick_forecasts(analyst.forecaster, undecided)
    elif undecided:
        length = history_length(analyst.agent)
        decisions = np.concatenate([position.decisions(length) for position in undecided])
        records = [position.record() for position in undecided]
        batch = batch_of(analyst.game, records, decisions)
        rows = np.arange(len(numbers))
        generators = GameGenerators.of_games(seed, np.array(numbers))
        actions = np.asarray(decide(analyst.agent, batch, rows, generators))[:, None]
        outcomes = analyst.outcomes(InformationSets(batch, rows), generators, actions, playouts)
        players = forecasts.shape[2]
        forecasts[:, numbers] = outcomes[:, :, 0, :, :players].mean(axis=2)
    chances, scores = forecasts
    return Forecasts(chances, scores, analyst.name)


def _result_of(position: Position) -> Floats:
    """Return shares of the victory and final scores, float64[2, P], NaN if not known yet."""
    result = np.full((2, position.players), np.nan)
    winners = position.winners
    if winners:
        result[0] = victory_shares(np.isin(np.arange(position.players), winners))
    if position.to_move is None:
        result[1] = position.scores()
    return result


def averaged_over_seats(forecasts: Forecasts, positions: Sequence[Position]) -> Forecasts:
    """Replace each forecast by the mean of the forecasts at each seat's latest decision.

    Graphs then jump less when one seat decides after another. The result of a finished game stays.

    Args:
        forecasts: The forecasts by the seats to move.
        positions: The positions that they are of.
    """
    chances = forecasts.chances.copy()
    scores = forecasts.scores.copy()
    latest: dict[int, int] = {}  # the number of each seat's latest decision
    for number, position in enumerate(positions):
        if position.to_move is not None:
            latest[position.to_move] = number
            rows = list(latest.values())
            chances[number] = forecasts.chances[rows].mean(axis=0)
            scores[number] = forecasts.scores[rows].mean(axis=0)
    return Forecasts(chances, scores, forecasts.forecaster)


def quick_forecasts(forecaster: Forecaster, positions: Sequence[Position]) -> Floats:
    """Return the shares of the victory and scores that a forecaster expects, float64[2, n, P].

    It counts seats from the seat to move on. The result has them in the game's order.
    """
    batch = batch_of(positions[0].game, [position.record() for position in positions])
    seats, *forecasts = forecasts_by_seat(forecaster, batch, np.arange(batch.n))
    from_mover = np.array(forecasts)
    by_seat = np.empty_like(from_mover)
    np.put_along_axis(by_seat, np.array([seats, seats]), from_mover, axis=2)
    return by_seat
