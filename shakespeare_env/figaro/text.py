"""What a position says, in words and as a table, from its notation.

Cards are named as there: `red-2`, `jester-1`, `ring`, or `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.core.presentation import Headline
from shakespeare_env.drawing.text_layout import GLUE, columns, spread, wrapped
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.facts import COLOURS

JESTER, RING = "jester", "ring"
LETTERS = {suit: suit[0].upper() for suit in (*COLOURS, JESTER)} | {RING: "○", UNKNOWN: UNKNOWN}
_ORDER = [*LETTERS]
_WIDTH = 80
_SEAT = 13  # columns for who it is
_PILE = 26  # columns for the cards before a seat
_NONE = "·"
_DIGITS = f"a digit is a card of that value, {LETTERS[RING]} a ring"
_LEGEND = (
    f"before it: in the order played, letters are colours, J jester, {LETTERS[RING]} ring",
    f"total: {t.FULL} take all   hands, taken: {_DIGITS}",
)


# ---- cards ---------------------------------------------------------------------------------------


def suit_of(card: str) -> str:
    """A card's colour, or jester, ring or unknown."""
    return card.partition("-")[0]


def value_of(card: str) -> int:
    """What a card adds to a total; rings add nothing (Rules A1)."""
    return int(card.partition("-")[2] or 0)


def in_order(cards: Iterable[str]) -> list[str]:
    """Cards by colour, then by value."""
    return sorted(cards, key=lambda card: (_ORDER.index(suit_of(card)), value_of(card)))


def held(hand: Mapping[str, int]) -> list[str]:
    """A hand's cards, each by itself, in order."""
    return in_order(card for card, count in hand.items() for _ in range(count))


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


# ---- where the game stands -----------------------------------------------------------------------


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
    first = tied[max(place - 1, 0)]
    why = "has the King" if first == king else "is nearer clockwise to the King"
    return (
        f"tied with seat {first}, which {why}" if place else f"tied with seat {tied[1]}, but {why}"
    )


# ---- as a table ----------------------------------------------------------------------------------


def draw(position: Mapping[str, Any]) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as text, without a final newline.

    At the end roads replace the cards, the shortest first.
    """
    legend = _LEGEND if position["to_move"] is not None else [f"taken: {_DIGITS}"]
    return "\n".join([*_lines(position), "─" * _WIDTH, *legend])


def _lines(position: Mapping[str, Any]) -> list[str]:
    head = headline(position)
    title = spread(f"{head.game} · {head.table}", f"{head.progress} · {head.phase}", _WIDTH)
    taken = _cards("Taken", [in_order(pile) for pile in position["taken"]], position)
    if position["to_move"] is None:
        return [title, head.sentence, "", *_roads(position), *taken]
    hands = _cards("Hands", [held(hand) for hand in position["hands"]], position)
    asks = f"▶ {head.sentence}"
    return [title, asks, "", *_pieces(position), "", *_seats(position), *hands, *taken]


def _pieces(position: Mapping[str, Any]) -> list[str]:
    """Every round's pieces, long to short; past rounds' lie in the roads."""
    listed = ["Road pieces"]
    for number, pieces in enumerate(position["pieces"], 1):
        state = round_state(position, number)
        mark, laid = "▶ " if state == "now" else "", "laid" if state == "laid" else _NONE
        listed.append(f"{mark}round {number}: {' '.join(map(str, pieces)) or laid}")
    return wrapped("  ".join(part.replace(" ", GLUE) for part in listed), _WIDTH, "", " " * _SEAT)


def _seats(position: Mapping[str, Any]) -> list[str]:
    rows = [["", "before it", "total", "hand", "taken", "road"]]
    for seat, pile in enumerate(position["front"]):
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


def _roads(position: Mapping[str, Any]) -> list[str]:
    """The final roads, the shortest first."""
    rows, ties = [["", "", "road", "taken", ""]], []
    for place, seat in enumerate(ranking(position), 1):
        road, taken = _road_text(position["roads"][seat]), str(len(position["taken"][seat]))
        wins = "wins" if seat in position["winners"] else ""
        rows.append([f"{place}.", _seat_name(position, seat).strip(), road, taken, wins])
        if tie := tie_words(position, seat):
            ties.append(f"    Seat {seat}: {tie}")
    return [*columns(rows, [str.rjust, str.ljust, str.ljust, str.rjust, str.ljust]), *ties]


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
    for gap in ("  ", " "):
        first, *lines = columns(rows, [str.ljust] * len(rows[0]), gap)
        if len(first) <= _WIDTH:
            break
    lines += [
        f"  Seat {seat}{gap}{UNKNOWN} {cards_count(len(pile))} face down"
        for seat, pile in enumerate(piles)
        if UNKNOWN in pile
    ]
    return ["─" * _WIDTH, first, *sorted(lines)]


def _values(pile: Sequence[str], suit: str) -> str:
    return "".join(str(value_of(card) or LETTERS[suit]) for card in pile if suit_of(card) == suit)
