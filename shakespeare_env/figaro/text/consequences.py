"""Consequences of a move in Figaro: piles, cards taken, and road pieces, as sentences compare them.

The fewer cards a seat takes, the shorter is its road (Rules C2). Every number is a fact of a game
that was played on.
"""

from __future__ import annotations

from functools import partial

from shakespeare_env.core.consequences import Consequence, Continuation
from shakespeare_env.core.game import Record
from shakespeare_env.figaro import actions as a
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.rules.boards import owner_of
from shakespeare_env.figaro.rules.scoring import LAST_ROUND, road_length
from shakespeare_env.figaro.state import NOBODY
from shakespeare_env.play.tracing import interpreted

_owner_of = interpreted(owner_of)
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


def _stays_in_round(game: Continuation) -> bool:
    """Return whether the round goes on after the decision."""
    return game.after["round"] == game.start["round"] and not _is_over(game.after)


def _plays_card(game: Continuation) -> bool:
    """Return whether the decision is to play a card with a value, after which the round goes on.

    Causes that compare such cards say nothing of rings or of taking.
    """
    return game.moves[0].action < a.RING and _stays_in_round(game)


def _own_pile(game: Continuation) -> float | None:
    """Return the total of the pile before the seat after its move."""
    return int(game.after["total"][game.seat]) if _plays_card(game) else None


def _lower_by_ring(game: Continuation) -> float | None:
    """Return by how much a ring lowers the pile before the seat; 0 if the seat plays another card.

    It is None if a ring does not lower it, or if the seat takes.
    """
    change = _change_by_ring(game)
    return None if change is None or change > 0 else -change


def _higher_by_ring(game: Continuation) -> float | None:
    """Return by how much a ring raises the pile before the seat; 0 if the seat plays another card.

    It is None if a ring does not raise it, or if the seat takes.
    """
    change = _change_by_ring(game)
    return None if change is None or change < 0 else change


def _change_by_ring(game: Continuation) -> int | None:
    """Return how a ring changes the pile before the seat; 0 if the seat plays another card.

    It is None if a ring changes nothing, or if the seat takes.
    """
    action = game.moves[0].action
    if action < a.RING:
        return 0
    if action == a.TAKE or not _stays_in_round(game):
        return None
    change = int(game.after["total"][game.seat]) - int(game.start["total"][game.seat])
    return change or None


def _highest_other_pile(game: Continuation) -> float | None:
    """Return the highest total of a pile before another seat; None if one of them took it."""
    if not _plays_card(game) or _given(game):
        return None
    others = range(int(game.after["players"]))
    return max(int(game.after["total"][seat]) for seat in others if seat != game.seat)


def _pile_to_come(game: Continuation) -> float | None:
    """Return the total of the pile that a ring would pass on to the seat (Rules B4)."""
    if not _plays_card(game):
        return None
    return int(game.after["total"][(game.seat - 1) % int(game.after["players"])])


def _has_no_colour(game: Continuation) -> float | None:
    """Return whether the pile before the seat has no colour after its move."""
    if not _plays_card(game):
        return None
    return float(game.after["colour"][game.seat] == t.NO_COLOUR)


def _face_up(game: Continuation) -> float | None:
    """Return how many cards lie face up after the move; None if it makes a seat take them."""
    if _given(game) or _taken_by_own_card(game):
        return None
    return int(game.after["front_len"].sum())


def _taken_by_choice(game: Continuation) -> float:
    """Return how many cards the seat takes without having to."""
    is_take = game.moves[0].action == a.TAKE
    return int(game.start["front_len"].sum()) if is_take else 0


def _taken_by_own_card(game: Continuation) -> float:
    """Return how many cards the seat takes because of its own card."""
    is_take = game.moves[0].action == a.TAKE
    return 0 if is_take else _taken_by_move(game, game.seat)


def _given(game: Continuation) -> float:
    """Return how many cards the move makes another seat take at once."""
    others = range(int(game.start["players"]))
    return sum(_taken_by_move(game, seat) for seat in others if seat != game.seat)


def _taken_by_move(game: Continuation, seat: int) -> int:
    """Return how many cards a seat takes at once."""
    taken = [event.counters.get("taken", 0) for event in game.moves[0].events if event.seat == seat]
    return sum(number for number in taken if number > 0)


def _without_place(game: Continuation) -> float | None:
    """Return how many cards of the seat's hand fit nowhere without making it take all cards."""
    after = game.after
    if not _plays_card(game):
        return None
    others = [seat for seat in range(int(after["players"])) if seat != game.seat]
    count = 0
    for kind in range(t.N_COLOURED):
        colour = t.COLOUR[kind]
        owner = _owner_of(after, colour)
        is_open = any(after["colour"][seat] == t.NO_COLOUR for seat in others)
        is_safe_there = owner in others or (owner == NOBODY and is_open)
        is_full = after["total"][game.seat] + t.VALUE[kind] >= t.FULL
        if not is_safe_there and is_full:
            count += int(after["hand"][game.seat, kind])
    return count


def _kept(kinds: range, game: Continuation) -> float | None:
    """Return how many cards of some kinds the seat still has in its hand after playing one."""
    if game.moves[0].action == a.TAKE or not _stays_in_round(game):
        return None
    return int(game.after["hand"][game.seat, kinds.start : kinds.stop].sum())


_CARDS = ("cards", "piece")
"""The effects of every cause: a seat that takes fewer cards has a shorter road."""
_PIECE_ADVICE = (
    "Compare how many cards each player has taken in the round: the most bring the longest road "
    "piece, and the fewest bring none."
)

_RING_ADVICE = (
    "Before you play a ring, compare the pile in front of you with that of the player who moves "
    "right before you: the ring brings you that one instead."
)

CONSEQUENCES = (
    Consequence(
        "given",
        "another player has to take {ours card} at once instead of {theirs}",
        _given,
        effects=_CARDS,
        advice="Look each turn for a card that brings the pile in front of another player to "
        f"{t.FULL} or more: that player then has to take all face-up cards.",
    ),
    Consequence(
        "own card",
        f"{{seat}} {{take}} {{ours card}} by bringing {{seat's}} own pile to {t.FULL} or more, "
        "instead of {theirs}",
        _taken_by_own_card,
        is_good=False,
        effects=_CARDS,
        advice=f"Do not bring the pile in front of you to {t.FULL} or more while you can play "
        "another card, because you then have to take all face-up cards.",
    ),
    Consequence(
        "taking by choice",
        "{seat} {leave} the face-up cards lying instead of taking all {theirs} by choice",
        _taken_by_choice,
        is_good=False,
        effects=_CARDS,
        advice="Do not take cards by choice while you can still play one without having to take: "
        "every card counts, and the most bring the longest road piece.",
    ),
    Consequence(
        "taking early",
        "{ours card} then lie face up instead of {theirs}, and whoever has to take must take all",
        _face_up,
        is_good=False,
        effects=_CARDS,
        advice="If you will soon have to take the face-up cards anyway, take them by choice while "
        "few lie there: later there are more, and you take all of them.",
    ),
    Consequence(
        "pile by a ring",
        "a ring brings {seat} a pile that is {ours} lower",
        _lower_by_ring,
        effects=_CARDS,
        advice=_RING_ADVICE,
    ),
    Consequence(
        "pile by a ring",
        "a ring would bring {seat} a pile that is {theirs} higher",
        _higher_by_ring,
        is_good=False,
        effects=_CARDS,
        advice=_RING_ADVICE,
    ),
    Consequence(
        "rings",
        "{seat} {keep} {ours ring} in hand instead of {theirs}, and a ring passes a high pile on",
        partial(_kept, range(t.RING, t.N_KINDS)),
        effects=_CARDS,
        advice="Keep a ring until the pile in front of you is high, since a ring passes every pile "
        "on to the next player and brings you another one.",
    ),
    Consequence(
        "own pile",
        "{seat's} pile then stands at {ours} instead of {theirs}, and at "
        f"{t.FULL} {{seat}} {{have}} to take all cards",
        _own_pile,
        is_good=False,
        effects=_CARDS,
        advice="Keep the pile in front of you low and play cards in front of others: whoever's "
        f"pile reaches {t.FULL} has to take all face-up cards.",
    ),
    Consequence(
        "pile to come",
        "the pile that a ring would pass on to {seat} then stands at {ours} instead of {theirs}",
        _pile_to_come,
        is_good=False,
        effects=_CARDS,
        advice="Do not raise the pile of the player who moves right before you: a ring passes "
        "every pile on clockwise, and that one then lies in front of you.",
    ),
    Consequence(
        "own colour",
        "no colour then lies in front of {seat}, while cards of a colour must go where it lies",
        _has_no_colour,
        effects=_CARDS,
        advice="Begin a new colour in front of another player rather than yourself: every later "
        "card of that colour has to go there and makes that pile grow.",
    ),
    Consequence(
        "cards without a place",
        "{ours card} of {seat's} hand would make {seat} take all cards instead of {theirs}",
        _without_place,
        is_good=False,
        effects=_CARDS,
        advice="Before you play a card, look at those that stay in your hand: keep some that can "
        "go in front of others, or you will have to take.",
    ),
    Consequence(
        "jesters",
        "{seat} {keep} {ours jester} in hand instead of {theirs}, and a jester can go anywhere",
        partial(_kept, range(t.JESTER, t.RING)),
        effects=_CARDS,
        advice="Keep jesters for turns in which your other cards would make you take: a jester may "
        "go on any pile, whatever its colour.",
    ),
    Consequence(
        "others' piles",
        "the highest pile in front of another player then stands at {ours} instead of {theirs}, "
        f"and at {t.FULL} that player has to take all cards",
        _highest_other_pile,
        effects=_CARDS,
        advice="Play cards on a pile in front of another player that is already high: it soon "
        f"reaches {t.FULL}, and that player has to take all face-up cards.",
    ),
    Consequence(
        "cards",
        "{seat} {take} {ours card} by {seat's} next turn instead of {theirs}",
        _taken_at_once,
        is_good=False,
        advice="Count the face-up cards before each move: the more there are, the more it costs to "
        "be the next who has to take them all.",
    ),
    Consequence(
        "piece",
        "{seat} {have} {ours card} at the end of the round instead of {theirs}, and the most cards "
        "bring the longest road piece",
        _taken,
        is_good=False,
        advice=_PIECE_ADVICE,
    ),
    Consequence(
        "piece",
        "{seat} {get} the longest road piece of the round in {ours} of {games} possible games "
        "instead of {theirs}",
        _has_most,
        is_good=False,
        advice=_PIECE_ADVICE,
    ),
    Consequence(
        "piece",
        "{seat} {get} no road piece in this round in {ours} of {games} possible games instead of "
        "{theirs}",
        _has_none,
        advice=_PIECE_ADVICE,
    ),
    Consequence(
        "piece",
        "{seat's} road gets {ours} longer in this round instead of {theirs}",
        _longer,
        is_good=False,
        advice=_PIECE_ADVICE,
    ),
    Consequence(
        "exchange",
        "{seat} {have} the fewest cards, and {exchange} the longest road piece for a short one, in "
        "{ours} of {games} possible games instead of {theirs}",
        _exchanges,
        advice="Fight for the fewest cards in the last round: whoever takes the fewest exchanges "
        "the longest piece of road for the shortest that the round offers.",
    ),
)
"""The consequences that are named."""
