"""The effects of a move, and of what follows it by itself, in words.

Each function tells the calls of one rule, by what they have changed in the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shakespeare_env.core.game import Record
from shakespeare_env.core.presentation import Event
from shakespeare_env.figaro import actions as a
from shakespeare_env.figaro.box.tables import FULL, HAND, KIND_IDS, N_SEATS, VALUE
from shakespeare_env.figaro.rules import flow, moves, scoring, setup
from shakespeare_env.figaro.text.wording import cards_count
from shakespeare_env.play.tracing import Call, Teller, Tracer


def _event(call: Call, seat: int, text: str, source: str = "") -> Event:
    """An event with all that a call has changed for a seat."""
    before, after = call.before, call.after
    changes = {
        "hand": int(after["hand_size"][seat]) - int(before["hand_size"][seat]),
        "taken": int(after["taken_count"][seat]) - int(before["taken_count"][seat]),
    }
    points = _road(before, seat) - _road(after, seat)
    counters = {name: change for name, change in changes.items() if change}
    return Event(seat, text, source if points else "", points, counters)


def _road(game: Record, seat: int) -> int:
    return int(game["road"][seat].sum())


def _move(call: Call) -> Iterator[Event]:
    """A card, a ring, or all face-up cards (B1 to B6)."""
    (action,), before, after = call.args, call.before, call.after
    mover = int(before["to_move"])
    if action == a.TAKE:
        if call.forced:
            yield Event(mover, "no card can be played")
        yield from call.inner
    elif action == a.RING:
        yield _event(call, mover, "a ring: every pile goes to the next seat")
    else:
        kind, place = divmod(action - a.PLAY, N_SEATS)
        target = (mover + place) % int(after["players"])
        total = int(before["total"][target]) + int(VALUE[kind])
        words = f"{KIND_IDS[kind].replace('-', ' ')} before seat {target}, total {total}"
        yield Event(mover, words, counters={"hand": -1})
        if total >= FULL:
            cards = int(after["taken_count"][target]) - int(before["taken_count"][target])
            words = f"total {total}: {_taking(cards, int(after['taken_count'][target]))}"
            yield Event(target, words, counters={"taken": cards})


def _take(call: Call) -> Iterator[Event]:
    (seat,) = call.args
    cards = int(call.after["taken_count"][seat]) - int(call.before["taken_count"][seat])
    yield _event(call, seat, _taking(cards, int(call.after["taken_count"][seat])))


def _taking(cards: int, in_all: int) -> str:
    return f"{cards_count(cards)} taken, {in_all} this round"


def _round(call: Call) -> Iterator[Event]:
    """The King, then pieces, then new hands or the end (C1)."""
    number, king = int(call.before["round"]) + 1, int(call.after["king"])
    yield Event(None, f"round {number} is over; the King goes to seat {king}")
    yield from call.inner


def _exchange(call: Call) -> Iterator[Event]:
    """The seat with the fewest cards swaps its longest piece for the shortest (C3)."""
    (seat,), before, after = call.args, call.before, call.after
    pieces = before["pieces"][before["round"]]
    offered, longest = int(pieces[pieces > 0][-1]), int(before["road"][seat, 0])
    words = f"fewest cards taken, but no road piece longer than {offered}"
    if longest >= offered:
        words = f"fewest cards taken: road piece {longest} exchanged for {offered}"
        words += f", road {_road(after, seat)}"
    number = int(before["round"]) + 1
    yield _event(call, seat, words, f"round {number}, exchange")


def _piece(call: Call) -> Iterator[Event]:
    """A seat gets its piece, or none (C2)."""
    seat, length = call.args
    took = f"{cards_count(int(call.after['taken_count'][seat]))} taken"
    road = _road(call.after, seat)
    words = f"road piece {length}, road {road}"
    if road == _road(call.before, seat):
        words = "no road piece"
    yield _event(call, seat, f"{took}: {words}", f"round {call.after['round'] + 1}")


def _deal(call: Call) -> Iterator[Event]:
    """New hands (A1)."""
    yield Event(None, f"round {call.after['round'] + 1} begins")
    for seat in range(call.after["players"]):
        left = int(call.before["hand_size"][seat])
        words = f"{cards_count(int(HAND[call.after['players']]))} dealt"
        words += f"; {left} left in hand out of play" if left else ""
        yield _event(call, seat, words)


def _end(call: Call) -> Iterator[Event]:
    """Hands that nobody counts, and the winner (C1, C4)."""
    for seat in range(call.after["players"]):
        if left := int(call.before["hand_size"][seat]):
            yield _event(call, seat, f"{cards_count(left)} left in hand")
    winner = int(call.after["winners"].argmax())
    yield Event(None, f"seat {winner} wins with a road of {_road(call.after, winner)}")


_TELLERS: dict[Any, Teller] = {
    moves.play: _move,
    moves.take: _take,
    flow.end_round: _round,
    scoring.swap: _exchange,
    scoring.award: _piece,
    setup.deal: _deal,
    flow.end: _end,
}

_TRACER = Tracer(flow.play, flow.legal, a.TABLE.size, _TELLERS)


def events(before: Record, action: int, after: Record, viewer: int | None) -> list[Event]:
    """Every effect, in order; chance to come is in none of them, so `after` is not needed."""
    return _TRACER.run(before, action, viewer)[1]
