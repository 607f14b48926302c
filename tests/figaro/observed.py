"""An observation written down in plain Python from a position in text: what each field must hold.

It shares nothing with the engine but the names of the layout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Any

from tests.figaro.cards import COLOURS, KINDS, RING, colour_named

MOST_SEATS = 6
MOST_PIECES = 5

Dict = dict[str, Any]


def expected(d: Dict, observer: int) -> dict[str, list[int]]:
    """Field name -> numbers."""
    players = d["players"]
    fields: dict[str, list[int]] = {}
    for place in range(players):
        for name, numbers in seat_fields(d, (observer + place) % players).items():
            fields[f"seat{place}.{name}"] = numbers
    return fields | table_fields(d) | own_fields(d, observer)


def one_hot(index: int | None, size: int) -> list[int]:
    return [int(place == index) for place in range(size)]


def amounts(cards: Iterable[str]) -> list[int]:
    found = Counter(cards)
    return [found[kind] for kind in KINDS]


def padded(lengths: list[int], size: int) -> list[int]:
    return lengths + [0] * (size - len(lengths))


def value(card: str) -> int:
    return 0 if card == RING else int(card[-1])


def colour_of(pile: list[str]) -> int | None:
    """Of the cards before a seat, None if there are only jesters and rings (B3, B4)."""
    found = {colour_named(card) for card in pile} & {*COLOURS}
    assert len(found) <= 1
    return COLOURS.index(found.pop()) if found else None


def seat_fields(d: Dict, seat: int) -> dict[str, list[int]]:
    """The block of one seat: all is public but which cards it holds (D2)."""
    pile, taken, road = d["front"][seat], d["taken"][seat], d["roads"][seat]
    return {
        "present": [1],
        "to_move": [int(d["to_move"] == seat)],
        "king": [int(d["king"] == seat)],
        "hand_size": [sum(d["hands"][seat].values())],
        "taken_count": [len(taken)],
        "road_length": [sum(road)],
        "road": padded(road, 3),
        "total": one_hot(sum(map(value, pile)), 6),
        "colour": one_hot(colour_of(pile), len(COLOURS)),
        "front": amounts(pile),
        "taken": amounts(taken),
    }


def table_fields(d: Dict) -> dict[str, list[int]]:
    """What lies on the table for all."""
    to_come = d["pieces"][d["round"] - 1 :]
    pieces = [padded(row, MOST_PIECES) for row in to_come]
    return {
        "players": one_hot(d["players"] - 3, 4),
        "round": one_hot(d["round"] - 1, 3),
        "pieces": padded([*chain.from_iterable(pieces)], 3 * MOST_PIECES),
        "face_up": [sum(map(len, d["front"]))],
    }


def own_fields(d: Dict, observer: int) -> dict[str, list[int]]:
    """What only the observer knows: its cards, and so those that the others hold between them."""
    others: Counter[str] = Counter()
    for seat, hand in enumerate(d["hands"]):
        if seat != observer:
            others.update(hand)
    return {
        "own_hand": amounts(Counter(d["hands"][observer]).elements()),
        "own_unseen": amounts(others.elements()),
        "own_fillers": fillers(d, observer, Counter(d["hands"][observer])),
        "own_threats": fillers(d, observer, others),
    }


def fillers(d: Dict, observer: int, cards: Counter[str]) -> list[int]:
    """By place: how many of these cards would bring the total before a seat to 6 (B2, B3, B6)."""
    players = d["players"]
    found = []
    for place in range(players):
        pile = d["front"][(observer + place) % players]
        elsewhere = {colour_of(other) for other in d["front"] if other is not pile}
        fitting = {
            card: count
            for card, count in cards.items()
            if card != RING
            and sum(map(value, [*pile, card])) >= 6
            and (card.startswith("jester") or goes_with(card, pile, elsewhere))
        }
        found.append(sum(fitting.values()))
    return padded(found, MOST_SEATS)


def goes_with(card: str, pile: list[str], elsewhere: set[int | None]) -> bool:
    """Whether a coloured card may come on a pile, with these colours before other seats (B2)."""
    colour = colour_of([card])
    return colour_of(pile) in (None, colour) and colour not in elsewhere
