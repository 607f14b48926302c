"""Judging a game: forecasts of its positions, verdicts on its decisions, and better lines."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from types import MappingProxyType

import numpy as np

from shakespeare_agents import search
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.making import make
from shakespeare_env.core.batch import victory_shares
from shakespeare_env.core.game import Game
from shakespeare_env.core.position import Position
from shakespeare_env.play.agent import Forecaster, decide, history_length
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.history import GameHistory
from shakespeare_env.sources import source_digest
from shakespeare_research.counterfactual import batch_of, forecasts_by_seat
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.analysis.evaluation import Evaluation, Floats, MoveWorth
from shakespeare_table.analysis.mistakes import Forecasts, JudgedDecision, mistake_kind
from shakespeare_table.analysis.playouts import COMPLETE, PositionPlayouts
from shakespeare_table.analysis.reasons import NO_REASONS

_FORECAST_PLAYOUTS = 32  # of a position where no network forecasts
_LINE_TURNS = 4  # of the seat for which a line is played
_LINE_DECISIONS = 12  # of that seat at most
_LINE_PLAYOUTS = 128  # of each position of a line but the first


@dataclass(frozen=True)
class MoveVerdict(JudgedDecision):
    """The verdict on a decision, with everything that it rests on.

    Attributes:
        evaluation: The evaluation of the position.
        stored: The playouts in a compact form, from which later analyses go on.
    """

    evaluation: Evaluation = field(kw_only=True)
    stored: bytes = field(kw_only=True)


@cache
def judge_digest(agent: str, game: Game) -> str:
    """Return a digest of what decides the verdicts of an agent on a game's decisions.

    It covers the agent, the box, and the code that plays on and judges.

    Args:
        agent: The agent's name, as `make` takes it.
        game: The game.
    """
    try:
        identity = agent_digest(agent, make(agent, game), game)
    except TypeError:  # nothing but its name distinguishes it from other agents
        identity = agent
    parts = [identity, game.digest]
    for module in (__file__, str(search.__file__)):
        parts += [source_digest(file) for file in sorted(Path(module).parent.glob("*.py"))]
    return hashlib.blake2b(" ".join(parts).encode(), digest_size=8).hexdigest()


def judge_decision(
    position: Position,
    move: str,
    number: int,
    analyst: Analyst,
    *,
    stored: bytes = b"",
    playouts: int | None = None,
) -> MoveVerdict:
    """Judge the move that was played in a position.

    The move is compared with the best one of the position's evaluation, which depends only on what
    the decider knew. The agent plays all seats on, so a verdict is only as good as the agent. A
    move that looks like a mistake, although that is not certain, is played more often.

    Args:
        position: The position.
        move: The move that was played.
        number: The number of moves before it.
        analyst: The agent that judges.
        stored: The playouts of earlier analyses of the position by this analyst.
        playouts: The most playouts of the evaluation, as `PositionPlayouts.refine` takes it.

    Raises:
        ValueError: A number is out of range, or the game is over.
    """
    known = PositionPlayouts(analyst, position, stored)
    for _ in known.refine(playouts):
        pass
    evaluation = known.judged(move)
    worth = evaluation.worth(move)
    assert worth is not None
    verdict = MoveVerdict(
        number=number + 1,
        seat=known.seat,
        played=move,
        best=evaluation.best.move,
        loss=worth.loss,
        evaluation=evaluation,
        stored=known.to_bytes(),
    )
    if mistake_kind(verdict, float(position.game.score_scale)) is None:
        return verdict
    return replace(verdict, reasons=known.reasons(verdict.best, move))


def compare(
    position: Position, move: str, other: str, analyst: Analyst, *, stored: bytes = b""
) -> MoveVerdict:
    """Compare a move with the best one, and with another one that is evaluated besides.

    Args:
        position: The position.
        move: The move that is judged.
        other: The other move.
        analyst: The agent that judges.
        stored: The playouts of earlier analyses of the position by this analyst.
    """
    known = PositionPlayouts(analyst, position, stored)
    for _ in known.refine():
        pass
    evaluation = known.judged(move, other)
    worth = evaluation.worth(move)
    assert worth is not None
    best = evaluation.best.move
    reasons = known.reasons(best, move) if best != move else NO_REASONS
    return MoveVerdict(
        number=0,
        seat=known.seat,
        played=move,
        best=best,
        loss=worth.loss,
        reasons=reasons,
        evaluation=evaluation,
        stored=known.to_bytes(),
    )


def best_line(
    position: Position, analyst: Analyst, *, stored: bytes = b"", playouts: int = COMPLETE.of_all
) -> tuple[GameHistory, Forecasts]:
    """Play the best moves from a position on, for every seat.

    Each seat decides by what it may know. What chance brings is fixed in the position, so a line
    from a finished game shows what would have happened in that game. The line ends with the fourth
    turn of the seat to move, after twelve of its decisions, or with the game. A turn is what a
    seat decides before another one moves.

    Args:
        position: The position.
        analyst: The analyst.
        stored: The playouts of earlier analyses of the position by this analyst. The first move is
            the best one of the evaluation.
        playouts: The most playouts of the position. Those of the line have fewer.

    Returns:
        The line, and a forecast for each of its positions, for all that the seat to move knows.

    Raises:
        ValueError: The game is over.
    """
    history = GameHistory([position], [])
    expected: list[Floats] = []  # shares of the victory and scores by position, float64[2, P]
    while not history.is_over and not _is_line_long_enough(history):
        known = PositionPlayouts(analyst, history.position, stored)
        *_, evaluation = known.refine(playouts)
        stored = b""
        playouts = min(playouts, _LINE_PLAYOUTS)
        expected.append(np.array([evaluation.chances, evaluation.scores]))
        history = history.pushed(evaluation.best.move)
    # If the game is not over, the last position repeats the forecast of the one before.
    expected.append(_result_of(history.position) if history.is_over else expected[-1])
    chances, scores = np.stack(expected, axis=1)
    return history, Forecasts(chances, scores, analyst.name)


def _is_line_long_enough(line: GameHistory) -> bool:
    """Return whether the seat that moves first has made the last one of its moves of a line."""
    seat = line.positions[0].to_move
    turns = [mover for mover, _ in groupby(position.to_move for position in line.positions)]
    is_own = line.position.to_move == seat
    decisions = sum(position.to_move == seat for position in line.positions) - is_own
    return decisions == _LINE_DECISIONS or (not is_own and turns.count(seat) == _LINE_TURNS)


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
        actions = np.asarray(decide(analyst.agent, batch, rows, generators))
        for number, position, action in zip(numbers, undecided, actions.tolist(), strict=True):
            known = PositionPlayouts(analyst, position)
            outcomes = known.outcomes(position.move_text(action), playouts)
            forecasts[:, number] = outcomes.mean(axis=1)
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


def as_seats_see_themselves(
    forecasts: Forecasts,
    positions: Sequence[Position],
    reader: int,
    played: Mapping[int, MoveWorth] = MappingProxyType({}),
) -> Forecasts:
    """Replace each seat's numbers by its own forecast at its latest decision.

    Graphs then do not jump only because another seat knows less. Where a seat decides, its numbers
    are those of the best move, and after the decision those of the move that it played. So a
    mistake shows at once, by as much as it cost. The reader's chances stay as they are. The chances
    of the others are scaled, so that all chances add up to 1. The result of a finished game stays.

    Args:
        forecasts: The forecasts by the seats to move.
        positions: The positions that they are of.
        reader: The seat of the reader.
        played: The worth of the moves that were played, by the indices of their positions, as far
            as it is known. Other moves count as the best ones.
    """
    chances = forecasts.chances.copy()
    scores = forecasts.scores.copy()
    own: dict[int, tuple[float, float]] = {}  # each seat's latest chance and score
    for number, position in enumerate(positions):
        mover = position.to_move
        if mover is None:
            continue
        own[mover] = forecasts.chances[number, mover], forecasts.scores[number, mover]
        for seat, (chance, score) in own.items():
            chances[number, seat] = chance
            scores[number, seat] = score
        others = np.arange(chances.shape[1]) != reader
        of_others = chances[number, others]
        if of_others.sum() > 0:
            chances[number, others] = of_others * (1 - chances[number, reader]) / of_others.sum()
        worth = played.get(number)
        if worth is not None:
            own[mover] = worth.chance, worth.score
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
