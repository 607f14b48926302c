"""What every seat could expect in a game, what its decisions were worth, and better lines."""

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
from shakespeare_table.analysis.analyst import Analyst, Floats, Trials, with_margin
from shakespeare_table.analysis.figures import KINDS, Forecasts, Judged

PLAYOUTS = 64
"""Playouts of each move in the first look."""
_AGAIN = 4  # how many times as many a second look has, for a move that looks like a mistake
_NEAR_CERTAIN = 0.95  # the probability from which a move is not questioned
_FORECASTING = 32  # playouts of a position where no network forecasts
_MOVES = 8  # the most moves of a line
_OF_A_LINE = 64  # playouts of each of its moves, for what every seat may expect


@dataclass(frozen=True)
class Verdict(Judged):
    """What a decision was worth."""

    played: str  # the move, in notation
    chances: tuple[float, ...]  # of victory after it, by seat, as the decider could know
    scores: tuple[float, ...]  # final scores after it, in the same way


def verdict_on(
    position: Position,
    move: str,
    number: int,
    analyst: Analyst,
    *,
    seed: int = 0,
    playouts: int = PLAYOUTS,
) -> Verdict:
    """Judge a decision of a game, the one after `number` moves.

    Where the agent's search would play another move, both are played on to the end in the same
    possible games, which depend only on what the decider may know. Those games are no part of the
    search, so that its luck does not count as loss. A verdict is as good as the agent: it assumes
    that the agent goes on for all seats. It depends on no other decision.

    A move that looks like a mistake is judged anew by four times as many `playouts` of each move
    (at least 2), since the first may have looked bad by luck.

    Raises:
        ValueError: a number is out of range.
    """
    if checked_count("playouts", playouts) < 2:
        raise ValueError("playouts=1: an interval needs 2 or more")
    trials = Trials(analyst, position, seed, number)
    unit = float(position.game.score_scale) if trials.players == 1 else 1.0
    played = position.action_id(move)
    best = played if trials.prior[played] >= _NEAR_CERTAIN else trials.searched()
    tried = [played] if best == played else [played, best]
    for size in (playouts, _AGAIN * playouts):
        ends = trials.play(tried, size)
        worth = trials.worth(ends)
        loss, margin = with_margin(worth[-1] - worth[0])
        if loss < KINDS[-1].least * unit:
            break
    chances, scores = ends[:, 0].mean(axis=1).tolist()
    text = position.move_text(best)
    after = move, tuple(chances), tuple(scores)
    return Verdict(number + 1, trials.seat, text, loss, margin, *after)


def best_line(
    position: Position, analyst: Analyst, *, seed: int = 0, number: int = 0
) -> tuple[GameHistory, Forecasts]:
    """What the analyst's search would play from a position on, for every seat in turn.

    With it comes what every seat could expect, as the seat to move knows it.

    Each seat decides by what it may know. Chance is that of the position, so a line of a finished
    game shows what would have happened there. With the decision's number in its game and the seed,
    the first move is that of `verdict_on`, unless the move played was near-certain; the line ends
    after eight moves, or with the game.

    Raises:
        ValueError: the game is over.
    """
    history, expected = GameHistory([position], []), []
    while len(history.moves) < _MOVES and not history.is_over:
        trials = Trials(analyst, history.position, seed, number + len(history.moves))
        action = trials.searched()
        expected.append(trials.play([action], _OF_A_LINE)[:, 0].mean(axis=1))
        history = history.pushed(history.position.move_text(action))
    expected.append(_end_of(history.position) if history.is_over else expected[-1])
    chances, scores = np.stack(expected, axis=1)
    return history, Forecasts(chances, scores, analyst.name)


def forecasts_of(
    positions: Sequence[Position], analyst: Analyst, *, seed: int = 0, playouts: int = _FORECASTING
) -> Forecasts:
    """Every seat's share of the victory and final score, position by position.

    Each position is seen by the seat to move, which knows its own secrets alone, so a line may jump
    between two movers though nothing happened. A network with heads answers at once, right on
    average rather than here; for other agents possible games are played on,
    beginning with the agent's move. The last forecast is the actual result.
    """
    going = [number for number, at in enumerate(positions) if at.to_move is not None]
    ends = np.stack([_end_of(position) for position in positions], axis=1)
    asked = [positions[number] for number in going]
    if going and analyst.network is not None:
        ends[:, going] = forecast_by_network(analyst.network, asked)
    elif going:
        records = [position.record() for position in asked]
        batch, rows = batch_of(analyst.game, records), np.arange(len(going))
        generators = GameGenerators.of_games(seed, np.array(going))
        actions = np.asarray(decide(analyst.agent, batch, rows, generators))[:, None]
        games = InformationSets(batch, rows)
        played = analyst.play_on(games, generators, actions, playouts)
        ends[:, going] = played[:, :, 0, :, : ends.shape[2]].mean(axis=2)
    return Forecasts(ends[0], ends[1], analyst.name)


def _end_of(position: Position) -> Floats:
    """float64[2, P]: shares of the victory and final scores, NaN where not known yet."""
    ends = np.full((2, position.players), np.nan)
    if winners := position.winners:
        ends[0] = victory_shares(np.isin(np.arange(position.players), winners))
    if position.to_move is None:
        ends[1] = position.scores()
    return ends


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


def forecast_by_network(network: ForwardPass, positions: Sequence[Position]) -> Floats:
    """float64[2, n, P]: shares and scores that a network forecasts for the seat that is asked."""
    batch = batch_of(positions[0].game, [position.record() for position in positions])
    seats, *forecasts = forecasts_by_seat(network, batch, np.arange(batch.n))
    ends = np.array(forecasts)
    np.put_along_axis(ends, np.array([seats, seats]), ends.copy(), axis=2)
    return ends
