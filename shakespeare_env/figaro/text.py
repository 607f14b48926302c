"""What a position says, in words and as a table, and what a move has done.

Cards are named as there: `red-2`, `jester-1`, `ring`, or `UNKNOWN`.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shakespeare_env.core.game import UNKNOWN, Record
from shakespeare_env.core.presentation import Event, Headline, Topic
from shakespeare_env.core.seat_names import seat_placeholder
from shakespeare_env.drawing.text_layout import GLUE, columns, wrapped
from shakespeare_env.figaro import actions as a
from shakespeare_env.figaro import rules
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.tables import COLOURS
from shakespeare_env.play.tracing import Call, Teller, Tracer

JESTER, RING = "jester", "ring"
LETTERS = {suit: suit[0].upper() for suit in (*COLOURS, JESTER)} | {RING: "○", UNKNOWN: UNKNOWN}
_WIDTH = 80
_SEAT = 13  # columns for who it is
_PILE = 26  # columns for the cards before a seat
_NONE = "·"
_DIGITS = f"a digit is a card of that value, {LETTERS[RING]} a ring"
_LEGEND = (
    f"before it: in the order played, letters are colours, J jester, {LETTERS[RING]} ring",
    f"total: {t.FULL} take all   hands, taken: {_DIGITS}",
)

_WORDS = tomllib.loads((Path(__file__).parent / "words.toml").read_text("utf-8"))
_SEAT_PLACES = ("front", "hand", "road", "taken")  # topics of places of each seat, such as `hand0`


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


def headline(position: Mapping[str, Any], names: Sequence[str] = ()) -> Headline:
    """Say where the game stands: the table, the round, the King, and who decides what."""
    king = seat_placeholder(position["king"])
    return Headline(
        game="Figaro",
        table=f"{position['players']} seats",
        progress=f"round {position['round']} of {len(position['pieces'])}",
        phase=f"King: {king}",
        sentence=_question_or_outcome(position),
    ).named(names)


def _question_or_outcome(position: Mapping[str, Any]) -> str:
    """Return who decides what; at the end who has won (Rules C4)."""
    if position["to_move"] is not None:
        up = sum(map(len, position["front"]))
        cards = f"all {up} face-up cards" if up > 1 else "the one face-up card"
        take = f", or take {cards}" if up else ""
        return f"{{Seat {position['to_move']}}}: play a card{take}."
    lengths = list(map(sum, position["roads"]))
    (won,) = position["winners"]
    sentence = f"Winner: {seat_placeholder(won)}, with a road of {lengths[won]}"
    tied = lengths.count(lengths[won]) > 1
    return f"{sentence}, nearest to the King of those tied" if tied else sentence


def round_state(position: Mapping[str, Any], number: int) -> str:
    """Whether a round's pieces, counted from 1, are `laid`, `now` or `to come`."""
    if position["to_move"] is None or number < position["round"]:
        return "laid"
    return "now" if number == position["round"] else "to come"


def ranking(position: Mapping[str, Any]) -> list[int]:
    """Seats by road, shortest first; ties as the King decides them (Rules C4)."""
    players, king = position["players"], position["king"]
    lengths = [sum(road) for road in position["roads"]]
    return sorted(range(players), key=lambda seat: (lengths[seat], (seat - king) % players))


def tie_words(position: Mapping[str, Any], seat: int) -> str:
    """Why a seat is before or after others whose roads are as long; empty if there are none."""
    king, roads = position["king"], position["roads"]
    tied = [other for other in ranking(position) if sum(roads[other]) == sum(roads[seat])]
    if len(tied) == 1:
        return ""
    place = tied.index(seat)
    ahead = tied[max(place - 1, 0)]
    why = "has the King" if ahead == king else "is nearer clockwise to the King"
    link = f"{ahead}, which" if place else f"{tied[1]}, but"
    return f"tied with seat {link} {why}"


def draw(position: Mapping[str, Any]) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as text, without a final newline.

    At the end the shortest road comes first.
    """
    over, head = position["to_move"] is None, headline(position)
    lines = [f"{head.game} · {head.table}", f"{head.progress} · {head.phase}"]
    lines += [f"{'' if over else '▶ '}{head.sentence}", ""]
    if over:
        lines += _seats(position, ranking(position))
        tied = [(seat, tie_words(position, seat)) for seat in ranking(position)]
        lines += [f"    Seat {seat}: {words}" for seat, words in tied if words]
    else:
        lines += [*_pieces(position), "", *_seats(position, range(position["players"]))]
        hands = [in_order(Counter(hand).elements()) for hand in position["hands"]]
        lines += _cards("Hands", hands, position)
    lines += _cards("Taken", [in_order(pile) for pile in position["taken"]], position)
    return "\n".join([*lines, "─" * _WIDTH, *([f"taken: {_DIGITS}"] if over else _LEGEND)])


def _pieces(position: Mapping[str, Any]) -> list[str]:
    """Every round's pieces, long to short; past rounds' lie in the roads."""
    listed = ["Road pieces"]
    for number, pieces in enumerate(position["pieces"], 1):
        state = round_state(position, number)
        mark, laid = "▶ " if state == "now" else "", "laid" if state == "laid" else _NONE
        listed.append(f"{mark}round {number}: {' '.join(map(str, pieces)) or laid}")
    return wrapped("  ".join(part.replace(" ", GLUE) for part in listed), _WIDTH, "", " " * _SEAT)


def _seats(position: Mapping[str, Any], seats: Iterable[int]) -> list[str]:
    rows = [["", "before it", "total", "hand", "taken", "road"]]
    for seat in seats:
        pile = position["front"][seat]
        names = [f"{LETTERS[suit_of(card)]}{value_of(card) or ''}" for card in pile]
        joined = " ".join(names)
        total = f"{pile_colour(pile) or _NONE} {pile_total(pile)}/{t.FULL}" if pile else _NONE
        rows.append(
            [
                _seat_name(position, seat),
                (joined if len(joined) <= _PILE else "".join(names)) or _NONE,
                total,
                str(sum(position["hands"][seat].values())),
                str(len(position["taken"][seat])),
                _road_text(position["roads"][seat]),
            ]
        )
    return columns(rows, [str.ljust, str.ljust, str.ljust, str.rjust, str.rjust, str.ljust])


def _seat_name(position: Mapping[str, Any], seat: int) -> str:
    """A seat, marked if it decides or has the King."""
    mark = "▶" if seat == position["to_move"] else " "
    king = " King" if seat == position["king"] else ""
    return f"{mark} Seat {seat}{king}".ljust(_SEAT)


def _road_text(pieces: Sequence[int]) -> str:
    """A road's pieces and length."""
    if len(pieces) < 2:
        return str(sum(pieces)) if pieces else _NONE
    return f"{'+'.join(map(str, pieces))} = {sum(pieces)}"


def _cards(title: str, piles: Sequence[Sequence[str]], position: Mapping[str, Any]) -> list[str]:
    """Card values by seat, a row per seat and a column per colour in play."""
    suits = [*colours_of(position), JESTER, RING]
    rows = [[title, *suits]]
    for seat, pile in enumerate(piles):
        if UNKNOWN not in pile:
            rows.append([f"  Seat {seat}", *(_values(pile, suit) or _NONE for suit in suits)])
    wide = sum(max(map(len, column)) for column in zip(*rows, strict=True)) + 2 * len(suits)
    first, *lines = columns(rows, [str.ljust] * len(rows[0]), "  " if wide <= _WIDTH else " ")
    for seat, pile in enumerate(piles):
        if UNKNOWN in pile:
            lines.append(f"  Seat {seat}  {UNKNOWN} {cards_count(len(pile))} face down")
    return ["─" * _WIDTH, first, *sorted(lines)]


def _values(pile: Sequence[str], suit: str) -> str:
    return "".join(str(value_of(card) or LETTERS[suit]) for card in pile if suit_of(card) == suit)


def topics(position: Mapping[str, Any]) -> dict[str, Topic]:
    """Explain everything by the name that moves use for it."""
    players, front = position["players"], position["front"]
    rounds = enumerate(position["pieces"], 1)
    to_come = [f"round {n}: {', '.join(map(str, pieces))}" for n, pieces in rounds if pieces]
    known = {
        **vars(t),
        "hand": t.HAND[players],
        "rings": t.COPIES[players, t.RING],
        "up": cards_count(sum(map(len, front))),
        "round": position["round"],
        "king": seat_placeholder(position["king"]),
        "to_come": "; ".join(to_come) or "none",
    }
    by_seat = {
        "totals": [pile_total(pile) for pile in front],
        "hands": [sum(hand.values()) for hand in position["hands"]],
        "taken": [len(cards) for cards in position["taken"]],
        "roads": [sum(road) for road in position["roads"]],
    }

    explained = {}
    for name, text in _WORDS["topics"].items():
        now = _WORDS["now"].get(name, "")
        values: tuple[str, ...] = ()
        if name in _WORDS["now_by_seat"]:
            now, whose = _WORDS["now_by_seat"][name]
            values = tuple(map(str, by_seat[whose]))
        places = tuple(f"{name}{seat}" for seat in range(players)) if name in _SEAT_PLACES else ()
        if name == "piece":
            places = ("pieces",)
        explained[name] = Topic(
            text.format_map(known), now.format_map(known), values, places=places
        )

    owners = {pile_colour(pile): seat_placeholder(seat) for seat, pile in enumerate(front)}
    for colour in colours_of(position):
        now = f"Now: before {owners.get(colour, 'nobody')}."
        explained[colour] = Topic(explained["colour"].text, now)
    for kind, card in enumerate(t.KIND_IDS[: t.RING]):
        if copies := t.COPIES[players, kind]:
            explained[card] = Topic(f"{copies} such cards in play, of value {t.VALUE[kind]}.")
    return explained


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
        card = t.KIND_IDS[kind].replace("-", " ")
        words = f"{card} before {seat_placeholder(target)}, total {total}"
        yield Event(mover, words, counters={"hand": -1})
        if total >= t.FULL:
            told = _event(call, target, f"total {total}: {_taking(call, target)}")
            yield replace(told, counters={"taken": told.counters["taken"]})


def _take(call: Call) -> Iterator[Event]:
    yield _event(call, call.args[0], _taking(call, call.args[0]))


def _round(call: Call) -> Iterator[Event]:
    """The King, then pieces, then new hands or the end (C1)."""
    number, king = int(call.before["round"]) + 1, int(call.after["king"])
    yield Event(None, f"round {number} is over; the King goes to {seat_placeholder(king)}")
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
    gets = f"road piece {length}, road {road}"
    if road == _road(call.before, seat):
        gets = "no road piece"
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
    road = _road(call.after, winner)
    yield Event(None, f"{seat_placeholder(winner)} {{win}} with a road of {road}")


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
