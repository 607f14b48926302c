"""What cards and moves do, what a move has done, and what scores are made of, in words."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from shakespeare_env.core.game import Record
from shakespeare_env.core.presentation import Event
from shakespeare_env.figaro import actions as a
from shakespeare_env.figaro import rules
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.text import cards_count, colours_of, pile_colour, pile_total
from shakespeare_env.play.tracing import Call, Teller, Tracer

_TOPICS = tomllib.loads((Path(__file__).parent / "words.toml").read_text("utf-8"))["topics"]


def topics(position: Mapping[str, Any]) -> dict[str, str]:
    """Explanations by the name used in moves; lines that begin with "Now" are of the position."""
    players, front = position["players"], position["front"]
    rounds = enumerate(position["pieces"], 1)
    to_come = [f"round {n}: {', '.join(map(str, pieces))}" for n, pieces in rounds if pieces]
    known = {
        "full": t.FULL,
        "rounds": t.N_ROUNDS,
        "hand": t.HAND[players],
        "rings": t.COPIES[players, t.RING],
        "up": cards_count(sum(map(len, front))),
        "round": position["round"],
        "king": position["king"],
        "to_come": "; ".join(to_come) or "none",
        "totals": _each(map(pile_total, front)),
        "hands": _each(sum(hand.values()) for hand in position["hands"]),
        "taken": _each(map(len, position["taken"])),
        "roads": _each(map(sum, position["roads"])),
    }
    meanings = {name: said.format_map(known) for name, said in _TOPICS.items()}
    owner = {pile_colour(pile): f"seat {seat}" for seat, pile in enumerate(front)}
    for colour in colours_of(position):
        meanings[colour] = meanings["colour"] + f"\nNow: before {owner.get(colour, 'nobody')}."
    for kind, card in enumerate(t.KIND_IDS[: t.RING]):
        if copies := t.COPIES[players, kind]:
            meanings[card] = f"{copies} such cards in play, of value {t.VALUE[kind]}."
    return meanings


def _each(values: Iterable[int]) -> str:
    """A value of every seat."""
    return "; ".join(f"seat {seat}: {value}" for seat, value in enumerate(values))


def score_sheet(position: Mapping[str, Any]) -> list[tuple[str, list[int]]]:
    """A row per road piece, the longest first, a column per seat; pieces count against it (C4)."""
    roads = [[*road, 0, 0, 0] for road in position["roads"]]
    return [(f"road piece {n + 1}", [-road[n] for road in roads]) for n in range(t.N_ROUNDS)]


# ---- events --------------------------------------------------------------------------------------


def events(before: Record, action: int, after: Record, viewer: int | None) -> list[Event]:
    """Every effect, in order; chance to come is in none of them, so `after` is not needed."""
    return _TRACER.run(before, action, viewer)[1]


def _event(call: Call, seat: int, text: str, source: str = "") -> Event:
    """An event with all that a call has changed for a seat."""
    points = _road(call.before, seat) - _road(call.after, seat)
    counters = {}
    for name, field in (("hand", "hand_size"), ("taken", "taken_count")):
        if change := int(call.after[field][seat]) - int(call.before[field][seat]):
            counters[name] = change
    return Event(seat, text, source if points else "", points, counters)


def _road(game: Record, seat: int) -> int:
    return int(game["road"][seat].sum())


def _taken(call: Call, seat: int) -> int:
    return int(call.after["taken_count"][seat]) - int(call.before["taken_count"][seat])


def _taking(call: Call, seat: int) -> str:
    in_all = call.after["taken_count"][seat]
    return f"{cards_count(_taken(call, seat))} taken, {in_all} this round"


def _move(call: Call) -> Iterator[Event]:
    """A card, a ring, or all face-up cards (B1 to B6)."""
    (action,), before = call.args, call.before
    mover = int(before["to_move"])
    if action == a.TAKE:
        if call.forced:
            yield Event(mover, "no card can be played")
        yield from call.inner
    elif action == a.RING:
        yield _event(call, mover, "a ring: every pile goes to the next seat")
    else:
        kind, place = divmod(action - a.PLAY, t.N_SEATS)
        target = (mover + place) % int(before["players"])
        total = int(before["total"][target]) + int(t.VALUE[kind])
        words = f"{t.KIND_IDS[kind].replace('-', ' ')} before seat {target}, total {total}"
        yield Event(mover, words, counters={"hand": -1})
        if total >= t.FULL:
            taken = {"taken": _taken(call, target)}
            yield Event(target, f"total {total}: {_taking(call, target)}", counters=taken)


def _take(call: Call) -> Iterator[Event]:
    (seat,) = call.args
    yield _event(call, seat, _taking(call, seat))


def _round(call: Call) -> Iterator[Event]:
    """The King, then pieces, then new hands or the end (C1)."""
    number, king = int(call.before["round"]) + 1, int(call.after["king"])
    yield Event(None, f"round {number} is over; the King goes to seat {king}")
    yield from call.inner


def _exchange(call: Call) -> Iterator[Event]:
    """The seat with the fewest cards swaps its longest piece for the shortest (C3)."""
    (seat,), before = call.args, call.before
    pieces = before["pieces"][before["round"]]
    offered, longest = int(pieces[pieces > 0][-1]), int(before["road"][seat, 0])
    words = f"fewest cards taken, but no road piece longer than {offered}"
    if longest >= offered:
        road = _road(call.after, seat)
        words = f"fewest cards taken: road piece {longest} exchanged for {offered}, road {road}"
    yield _event(call, seat, words, f"round {int(before['round']) + 1}, exchange")


def _piece(call: Call) -> Iterator[Event]:
    """A seat gets its piece, or none (C2)."""
    seat, length = call.args
    took = f"{cards_count(int(call.after['taken_count'][seat]))} taken"
    road = _road(call.after, seat)
    gets = f"road piece {length}, road {road}"
    if road == _road(call.before, seat):
        gets = "no road piece"
    yield _event(call, seat, f"{took}: {gets}", f"round {call.after['round'] + 1}")


def _deal(call: Call) -> Iterator[Event]:
    """New hands (A1)."""
    yield Event(None, f"round {call.after['round'] + 1} begins")
    for seat in range(call.after["players"]):
        yield _event(call, seat, f"{cards_count(int(call.after['hand_size'][seat]))} dealt")


def _end(call: Call) -> Iterator[Event]:
    """Hands that nobody counts, and the winner (C1, C4)."""
    for seat in range(call.after["players"]):
        if left := int(call.before["hand_size"][seat]):
            yield _event(call, seat, f"{cards_count(left)} left in hand")
    winner = int(call.after["winners"].argmax())
    yield Event(None, f"seat {winner} wins with a road of {_road(call.after, winner)}")


_TELLERS: dict[Any, Teller] = {
    rules.play_move: _move,
    rules.take: _take,
    rules.end_round: _round,
    rules.swap: _exchange,
    rules.award: _piece,
    rules.deal: _deal,
    rules.end: _end,
}
_TRACER = Tracer(rules.play, rules.legal, a.TABLE.size, _TELLERS)
