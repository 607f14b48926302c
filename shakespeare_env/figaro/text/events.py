"""The effects of a move, and of what follows it without a decision, in words.

The rules are traced while they run. For each call of a traced rule, a function called its teller
yields events, which it reads off the changes of the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from shakespeare_env.core.game import Record
from shakespeare_env.core.presentation import Event
from shakespeare_env.core.seat_names import seat_placeholder
from shakespeare_env.figaro import actions as a
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.rules import flow, scoring, setup
from shakespeare_env.figaro.rules.boards import seat_at
from shakespeare_env.figaro.rules.scoring import road_length
from shakespeare_env.figaro.text.wording import card_count
from shakespeare_env.play.tracing import Call, Teller, Tracer, interpreted


def events(before: Record, action: int, after: Record, viewer: int | None) -> list[Event]:
    """Return every effect of a move, in order.

    The rules are traced from `before`, so `after` is not needed.
    """
    _, effects = _TRACER.run(before, action, viewer)
    return effects


def _event(call: Call, seat: int, text: str, source: str = "") -> Event:
    """Return an event with the changes that a call made to a seat's points and counters."""
    # A score is a negated road length.
    points = _road_length(call.before, seat) - _road_length(call.after, seat)
    counters = {}
    for name, field in (("hand", "hand_size"), ("taken", "taken_count")):
        change = int(call.after[field][seat]) - int(call.before[field][seat])
        if change:
            counters[name] = change
    return Event(seat, text, source if points else "", points, counters)


def _road_length(game: Record, seat: int) -> int:
    return int(interpreted(road_length)(game, seat))


def _taking_words(call: Call, seat: int) -> str:
    before = int(call.before["taken_count"][seat])
    after = int(call.after["taken_count"][seat])
    return f"{card_count(after - before)} taken, {after} this round"


def _move(call: Call) -> Iterator[Event]:
    """Describe a card played, a ring, or a take (Rules B1 to B6)."""
    (action,) = call.args
    before = call.before
    mover = int(before["to_move"])
    if action == a.TAKE:
        if call.forced:
            yield Event(mover, "no card can be played")
        yield from call.inner
    elif action == a.RING:
        yield _event(call, mover, "a ring: every pile goes to the next seat")
    else:
        kind, place = divmod(action - a.PLAY, t.N_SEATS)
        target = interpreted(seat_at)(mover, place, int(before["players"]))
        total = int(before["total"][target]) + int(t.VALUE[kind])
        card = t.KIND_IDS[kind].replace("-", " ")
        words = f"{card} in front of {seat_placeholder(target)}, total {total}"
        yield Event(mover, words, counters={"hand": -1})
        if total >= t.FULL:
            # This event replaces the one in `call.inner`, which does not count the played card.
            # The event above already says that a card left the hand, so this one leaves it out.
            taking = _event(call, target, f"total {total}: {_taking_words(call, target)}")
            yield replace(taking, counters={"taken": taking.counters["taken"]})


def _take(call: Call) -> Iterator[Event]:
    (seat,) = call.args
    yield _event(call, seat, _taking_words(call, seat))


def _round(call: Call) -> Iterator[Event]:
    """Describe the King, then the pieces, then new hands or the end (Rules C1)."""
    number = int(call.before["round"]) + 1
    king = int(call.after["king"])
    yield Event(None, f"round {number} is over; the King goes to {seat_placeholder(king)}")
    yield from call.inner


def _exchange(call: Call) -> Iterator[Event]:
    """Describe the exchange of a long piece for a short one, or why there is none (Rules C3)."""
    (seat,) = call.args
    before = call.before
    pieces = before["pieces"][before["round"]]
    offered = int(pieces[pieces > 0][-1])
    longest = int(before["road"][seat, 0])
    has_swapped = (call.after["road"][seat] != before["road"][seat]).any()
    words = f"fewest cards taken, but no road piece longer than {offered}"
    if has_swapped:
        road = _road_length(call.after, seat)
        words = f"fewest cards taken: road piece {longest} exchanged for {offered}, road {road}"
    yield _event(call, seat, words, f"round {int(before['round']) + 1}, exchange")


def _piece(call: Call) -> Iterator[Event]:
    """Describe the piece that a seat gets, or that it gets none (Rules C2)."""
    seat, length = call.args
    road = _road_length(call.after, seat)
    piece = f"road piece {length}, road {road}"
    if road == _road_length(call.before, seat):
        piece = "no road piece"
    words = f"{card_count(int(call.after['taken_count'][seat]))} taken: {piece}"
    yield _event(call, seat, words, f"round {call.after['round'] + 1}")


def _deal(call: Call) -> Iterator[Event]:
    """Describe new hands (Rules A1)."""
    yield Event(None, f"round {call.after['round'] + 1} begins")
    for seat in range(call.after["players"]):
        yield _event(call, seat, f"{card_count(int(call.after['hand_size'][seat]))} dealt")


def _end(call: Call) -> Iterator[Event]:
    """Describe the cards left in hands, which count for nobody, and the winner (Rules C1, C4)."""
    for seat in range(call.after["players"]):
        left = int(call.before["hand_size"][seat])
        if left:
            yield _event(call, seat, f"{card_count(left)} left in hand")
    winner = int(call.after["winners"].argmax())
    road = _road_length(call.after, winner)
    # `{win}` is a placeholder, too: "seat 2 wins", but "you win".
    yield Event(None, f"{seat_placeholder(winner)} {{win}} with a road of {road}")


_TELLERS: dict[Any, Teller] = {
    flow.play_move: _move,
    flow.take: _take,
    flow.end_round: _round,
    scoring.swap: _exchange,
    scoring.award: _piece,
    setup.deal: _deal,
    flow.end: _end,
}
_TRACER = Tracer(flow.play, flow.legal, a.TABLE.size, _TELLERS)
