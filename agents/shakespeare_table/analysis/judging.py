"""Judging a game: forecasts of its positions, verdicts on its decisions, and better lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shakespeare_agents.networks.inference import ForwardPass
from shakespeare_env.core.batch import victory_shares
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.position import Position
from shakespeare_env.play.agent import decide
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.history import GameHistory
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_research.counterfactual import batch_of, forecasts_by_seat
from shakespeare_table.analysis.analyst import Analyst, Floats, MoveTrials, mean_and_margin
from shakespeare_table.analysis.mistakes import MISTAKE_KINDS, Forecasts, JudgedDecision

PLAYOUTS = 64
"""Playouts of each move in the first trial."""
_AGAIN = 4  # the factor of playouts in the second trial, of a move that looks like a mistake
_NEAR_CERTAIN = 0.95  # the probability from which a move is not questioned
_FORECASTING = 32  # playouts of a position where no network forecasts
_LONGEST_LINE = 8  # the most moves of a line
_OF_A_LINE = 64  # playouts of each move of a line, to forecast what follows


@dataclass(frozen=True)
class MoveVerdict(JudgedDecision):
    """The verdict on a decision, with what every seat could expect after it.

    Attributes:
        played: The move played, in notation.
        chances: Shares of the victory by seat after it, as the decider could know.
        scores: Final scores by seat after it, in the same way.
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
    """Judge a decision of a game, the one after `number` moves.

    If the agent's search would play another move, both are played to the end in the same possible
    games, which depend only on what the decider may know. Those games are no part of the search,
    so that its luck does not count as loss. A verdict is as good as the agent: it assumes that the
    agent goes on for all seats. It depends on no other decision.

    A move that looks like a mistake is judged anew with four times as many `playouts` of each move
    (at least 2), since it may have looked bad by chance.

    Raises:
        ValueError: a number is out of range.
    """
    if checked_count("playouts", playouts) < 2:
        raise ValueError("playouts=1: an interval needs 2 or more")
    trials = MoveTrials(analyst, position, seed, number)
    unit = float(position.game.score_scale) if trials.players == 1 else 1.0
    played = position.action_id(move)
    best = played if trials.prior[played] >= _NEAR_CERTAIN else trials.search()
    tried = [played] if best == played else [played, best]
    for size in (playouts, _AGAIN * playouts):
        outcomes = trials.outcomes(tried, size)
        worth = trials.worth(outcomes)
        loss, margin = mean_and_margin(worth[-1] - worth[0])
        if loss < MISTAKE_KINDS[-1].least * unit:
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
    """Return the moves that the analyst's search would play from a position on, for every seat.

    With them comes what every seat could expect, as the seat to move knows it. The line ends after
    eight moves, or with the game.

    Each seat decides by what it may know. Chance is that of the position, so a line of a finished
    game shows what would have happened there. With the decision's number in its game and the seed,
    the first move is that of `judge_decision`, unless the move played was near-certain.

    Raises:
        ValueError: the game is over.
    """
    history = GameHistory([position], [])
    expected: list[Floats] = []
    while len(history.moves) < _LONGEST_LINE and not history.is_over:
        trials = MoveTrials(analyst, history.position, seed, number + len(history.moves))
        action = trials.search()
        expected.append(trials.outcomes([action], _OF_A_LINE)[:, 0].mean(axis=1))
        history = history.pushed(history.position.move_text(action))
    expected.append(_result_of(history.position) if history.is_over else expected[-1])
    chances, scores = np.stack(expected, axis=1)
    return history, Forecasts(chances, scores, analyst.name)


def forecasts_of(
    positions: Sequence[Position], analyst: Analyst, *, seed: int = 0, playouts: int = _FORECASTING
) -> Forecasts:
    """Forecast every seat's share of the victory and final score, position by position.

    Each position is seen by the seat to move, which knows only its own secrets, so a line may jump
    between two movers though nothing happened. A network with heads answers at once, right on
    average rather than here; for other agents possible games are played to the end, beginning with
    the agent's move. The forecast of a finished game is its result.
    """
    waiting = [number for number, each in enumerate(positions) if each.to_move is not None]
    ends = np.stack([_result_of(position) for position in positions], axis=1)
    asked = [positions[number] for number in waiting]
    if asked and analyst.network is not None:
        ends[:, waiting] = network_forecasts(analyst.network, asked)
    elif asked:
        batch = batch_of(analyst.game, [position.record() for position in asked])
        rows = np.arange(len(waiting))
        generators = GameGenerators.of_games(seed, np.array(waiting))
        actions = np.asarray(decide(analyst.agent, batch, rows, generators))[:, None]
        outcomes = analyst.outcomes(InformationSets(batch, rows), generators, actions, playouts)
        ends[:, waiting] = outcomes[:, :, 0, :, : ends.shape[2]].mean(axis=2)
    return Forecasts(ends[0], ends[1], analyst.name)


def _result_of(position: Position) -> Floats:
    """Return shares of the victory and final scores, float64[2, P], NaN if not known yet."""
    ends = np.full((2, position.players), np.nan)
    if winners := position.winners:
        ends[0] = victory_shares(np.isin(np.arange(position.players), winners))
    if position.to_move is None:
        ends[1] = position.scores()
    return ends


def averaged_over_seats(forecasts: Forecasts, positions: Sequence[Position]) -> Forecasts:
    """Return the mean of all seats' forecasts, each at its own latest decision.

    Lines then jump less when one seat decides after another. The end stays the actual result.
    """
    chances = forecasts.chances.copy()
    scores = forecasts.scores.copy()
    latest: dict[int, int] = {}
    for number, position in enumerate(positions):
        if position.to_move is not None:
            latest[position.to_move] = number
            rows = list(latest.values())
            chances[number] = forecasts.chances[rows].mean(axis=0)
            scores[number] = forecasts.scores[rows].mean(axis=0)
    return Forecasts(chances, scores, forecasts.by)


def network_forecasts(network: ForwardPass, positions: Sequence[Position]) -> Floats:
    """Return the shares of the victory and scores that a network forecasts, float64[2, n, P]."""
    batch = batch_of(positions[0].game, [position.record() for position in positions])
    seats, *forecasts = forecasts_by_seat(network, batch, np.arange(batch.n))
    from_mover = np.array(forecasts)
    by_seat = np.empty_like(from_mover)
    np.put_along_axis(by_seat, np.array([seats, seats]), from_mover, axis=2)
    return by_seat
