"""Consequences of a move in Figaro: piles, cards taken, and road pieces, as sentences compare them.

The fewer cards a seat takes, the shorter is its road (Rules C2). Every number is a fact of a game
that was played on.
"""

from __future__ import annotations

from shakespeare_env.core.consequences import Consequence, Continuation
from shakespeare_env.core.game import Record
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.rules.scoring import LAST_ROUND, road_length
from shakespeare_env.figaro.state import NOBODY
from shakespeare_env.play.tracing import interpreted

_road_length = interpreted(road_length)


def _is_over(game: Record) -> bool:
    return bool(game["to_move"] == NOBODY)


def _round_end(game: Continuation) -> Record | None:
    return game.chapter_end("round")


def _taken_in_round(game: Continuation, seat: int) -> int | None:
    """Return the cards that a seat has taken when the round ends; None if it did not end."""
    if _round_end(game) is None:
        return None
    number = game.start["round"]
    if number == LAST_ROUND:  # the cards stay visible
        return int(game.end["taken_count"][seat])
    last = [move for move in game.moves if move.record["round"] == number][-1]
    # The last move may itself make a seat take cards. Afterwards the next round begins.
    taken = [event.counters.get("taken", 0) for event in last.events if event.seat == seat]
    return int(last.record["taken_count"][seat]) + sum(number for number in taken if number > 0)


def _taken_at_once(game: Continuation) -> float | None:
    """Return how many cards the seat takes before its next turn."""
    before = int(game.start["taken_count"][game.seat])
    _, *later = game.own_moves
    if later and later[0].record["round"] == game.start["round"]:
        return int(later[0].record["taken_count"][game.seat]) - before
    taken = _taken_in_round(game, game.seat)
    return None if taken is None else taken - before


def _taken(game: Continuation) -> float | None:
    return _taken_in_round(game, game.seat)


def _has_most(game: Continuation) -> float | None:
    """Return whether the seat gets the longest road piece of the round."""
    longest = int(game.start["pieces"][game.start["round"]].max())
    return float(-longest in _pieces(game)) if _round_end(game) is not None else None


def _has_none(game: Continuation) -> float | None:
    """Return whether the seat gets no road piece in the round."""
    return float(not _pieces(game)) if _round_end(game) is not None else None


def _pieces(game: Continuation) -> list[int]:
    """Return the points of the road piece that the seat gets in the round."""
    return game.points(f"round {game.start['round'] + 1}")


def _exchanges(game: Continuation) -> float | None:
    if game.start["round"] != LAST_ROUND or _round_end(game) is None:
        return None
    return float(any(game.points(f"round {LAST_ROUND + 1}, exchange")))


def _longer(game: Continuation) -> float | None:
    """Return by how much the seat's road gets longer in the round."""
    after = _round_end(game)
    if after is None:
        return None
    return int(_road_length(after, game.seat)) - int(_road_length(game.start, game.seat))


def _own_pile(game: Continuation) -> float | None:
    """Return the total of the pile before the seat after its move."""
    if game.after["round"] != game.start["round"] or _is_over(game.after):
        return None
    return int(game.after["total"][game.seat])


def _given(game: Continuation) -> float:
    """Return how many cards the move makes another seat take at once."""
    taken = [
        event.counters.get("taken", 0)
        for event in game.moves[0].events
        if event.seat not in (game.seat, None)
    ]
    return sum(number for number in taken if number > 0)


CONSEQUENCES = (
    Consequence(
        "given", "another player has to take {ours card} at once instead of {theirs}", _given
    ),
    Consequence(
        "pile",
        "{seat's} pile then stands at {ours} instead of {theirs}, and at "
        f"{t.FULL} {{seat}} {{have}} to take all cards",
        _own_pile,
        is_good=False,
    ),
    Consequence(
        "cards",
        "{seat} {take} {ours card} by {seat's} next turn instead of {theirs}",
        _taken_at_once,
        is_good=False,
    ),
    Consequence(
        "cards",
        "{seat} {have} {ours card} at the end of the round instead of {theirs}, and the most cards "
        "bring the longest road piece",
        _taken,
        is_good=False,
    ),
    Consequence(
        "piece",
        "{seat} {get} the longest road piece of the round in {ours} of {games} possible games "
        "instead of {theirs}",
        _has_most,
        is_good=False,
    ),
    Consequence(
        "piece",
        "{seat} {get} no road piece in this round in {ours} of {games} possible games instead of "
        "{theirs}",
        _has_none,
    ),
    Consequence(
        "piece",
        "{seat's} road gets {ours} longer in this round instead of {theirs}",
        _longer,
        is_good=False,
    ),
    Consequence(
        "exchange",
        "{seat} {have} the fewest cards, and {exchange} the longest road piece for a short one, in "
        "{ours} of {games} possible games instead of {theirs}",
        _exchanges,
    ),
)
"""The consequences that are named."""
