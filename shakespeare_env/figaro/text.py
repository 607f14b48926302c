"""What a position says, in words and as a table, and what a move has done.

Cards are named as there: `red-2`, `jester-1`, `ring`, or `UNKNOWN`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shakespeare_env.core.game import UNKNOWN, Record
from shakespeare_env.core.presentation import Event, Headline
from shakespeare_env.figaro import actions as a
from shakespeare_env.figaro import rules
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.tables import COLOURS
from shakespeare_env.play.tracing import Call, Teller, Tracer

JESTER, RING = "jester", "ring"
LETTERS = {suit: suit[0].upper() for suit in (*COLOURS, JESTER)} | {RING: "○", UNKNOWN: UNKNOWN}
_TOPICS = tomllib.loads((Path(__file__).parent / "words.toml").read_text("utf-8"))["topics"]


def suit_of(card: str) -> str:
    """A card's colour, or jester, ring or unknown."""
    return card.partition("-")[0]


def value_of(card: str) -> int:
    """What a card adds to a total; rings add nothing (Rules A1)."""
    return int(card.partition("-")[2] or 0)


def in_order(cards: Iterable[str]) -> list[str]:
    """Cards by colour, then by value."""
    return sorted(cards, key=lambda card: ([*LETTERS].index(suit_of(card)), value_of(card)))


def pile_colour(pile: Iterable[str]) -> str | None:
    """A pile's colour; jesters and rings give none (Rules B3, B4)."""
    return next((suit_of(card) for card in pile if suit_of(card) in COLOURS), None)


def pile_total(pile: Iterable[str]) -> int:
    """A pile's total."""
    return sum(map(value_of, pile))


def cards_count(count: int) -> str:
    """Number of cards, in words."""
    return f"{count} card{'s' * (count != 1)}"


def colours_of(position: Mapping[str, Any]) -> list[str]:
    """Colours in play with this many seats (Rules A1)."""
    dealt = t.COPIES[position["players"], : t.N_COLOURED].reshape(t.N_COLOURS, t.N_VALUES)
    return [colour for colour, cards in zip(COLOURS, dealt, strict=True) if cards.any()]


def headline(position: Mapping[str, Any]) -> Headline:
    """The table, the round and the King, and who decides what."""
    return Headline(
        "Figaro",
        f"{position['players']} seats",
        f"round {position['round']} of {len(position['pieces'])}",
        f"King: seat {position['king']}",
        asked(position),
    )


def asked(position: Mapping[str, Any]) -> str:
    """Who decides what; at the end who has won (Rules C4)."""
    if position["to_move"] is not None:
        up = sum(map(len, position["front"]))
        cards = f"all {up} face-up cards" if up > 1 else "the one face-up card"
        take = f", or take {cards}" if up else ""
        return f"Seat {position['to_move']}: play a card{take}."
    lengths = list(map(sum, position["roads"]))
    (won,) = position["winners"]
    sentence = f"Winner: seat {won}, with a road of {lengths[won]}"
    tied = lengths.count(lengths[won]) > 1
    return f"{sentence}, nearest to the King of those tied" if tied else sentence


def round_state(position: Mapping[str, Any], number: int) -> str:
    """Whether a round's pieces, counted from 1, are `laid`, `now` or `to come`."""
    if position["to_move"] is None or number < position["round"]:
        return "laid"
    return "now" if number == position["round"] else "to come"


def topics(position: Mapping[str, Any]) -> dict[str, str]:
    """Explanations by the name used in moves, with the numbers of this many seats."""
    players = position["players"]
    known = {"full": t.FULL, "rounds": t.N_ROUNDS, "hand": t.HAND[players]}
    known["rings"] = t.COPIES[players, t.RING]
    meanings = {name: text.format_map(known) for name, text in _TOPICS.items()}
    meanings |= dict.fromkeys(colours_of(position), meanings["colour"])
    for kind, card in enumerate(t.KIND_IDS[: t.RING]):
        if copies := t.COPIES[players, kind]:
            meanings[card] = f"{copies} such cards in play, of value {t.VALUE[kind]}."
    return meanings


def score_sheet(position: Mapping[str, Any]) -> list[tuple[str, list[int]]]:
    """A row per road piece, the longest first, a column per seat; pieces count against it (C4)."""
    roads = [[*road, 0, 0, 0] for road in position["roads"]]
    return [(f"road piece {n + 1}", [-road[n] for road in roads]) for n in range(t.N_ROUNDS)]


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


def _taking(call: Call, seat: int) -> str:
    taken = int(call.after["taken_count"][seat])
    return f"{cards_count(taken - int(call.before['taken_count'][seat]))} taken, {taken} this round"


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
            told = _event(call, target, f"total {total}: {_taking(call, target)}")
            yield replace(told, counters={"taken": told.counters["taken"]})


def _take(call: Call) -> Iterator[Event]:
    yield _event(call, call.args[0], _taking(call, call.args[0]))


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
    road = _road(call.after, seat)
    laid = road != _road(call.before, seat)
    gets = f"road piece {length}, road {road}" if laid else "no road piece"
    words = f"{cards_count(int(call.after['taken_count'][seat]))} taken: {gets}"
    yield _event(call, seat, words, f"round {call.after['round'] + 1}")


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
