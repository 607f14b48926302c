"""The record of a game: every field's shape, range and meaning, who sees it, how it is written.

Indices are those of `box/tables.py`. Some fields are computed from others by a rule (`follows`).
"""

from __future__ import annotations

from collections.abc import Callable

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.core.records import StateField
from shakespeare_env.figaro.box import tables as t

NOBODY = -1
"""Stands for no seat."""
NOTHING = -1
"""Stands for no card."""
_TWO_COLOURS = -2
"""Returned by `colour_of_front` for a front of two colours (Rules B2); no record holds it."""


def cards_in(field: str) -> Callable[[Record, int], int]:
    """Return the rule (game, seat) that counts a seat's cards in a field, such as its hand."""

    @rule
    def cards(game: Record, seat: int) -> int:
        total = 0
        for kind in range(t.N_KINDS):
            total += int(game[field][seat, kind])
        return total

    return cards


@rule
def length_of_front(game: Record, seat: int) -> int:
    """Return the number of cards before a seat; -1 if there is a gap between them."""
    cards = 0
    for place in range(t.MAX_FRONT):
        if game["front"][seat, place] != NOTHING:
            if place > cards:
                return -1
            cards += 1
    return cards


@rule
def total_of_front(game: Record, seat: int) -> int:
    """Return the total of the cards before a seat (Rules B6)."""
    total = 0
    for place in range(t.MAX_FRONT):
        if game["front"][seat, place] != NOTHING:
            total += int(t.VALUE[game["front"][seat, place]])
    return total


@rule
def colour_of_front(game: Record, seat: int) -> int:
    """Return the colour of the cards before a seat, or NO_COLOUR (Rules B2, B3)."""
    colour = t.NO_COLOUR
    for place in range(t.MAX_FRONT):
        kind = game["front"][seat, place]
        if kind != NOTHING and t.COLOUR[kind] != t.NO_COLOUR:
            if colour != t.NO_COLOUR and colour != t.COLOUR[kind]:
                return _TWO_COLOURS
            colour = t.COLOUR[kind]
    return int(colour)


_SEATS = t.N_SEATS
_CARDS = (t.N_SEATS, t.N_KINDS)
_MOST_COPIES = int(t.COPIES.max())
_LONGEST = int(t.LENGTHS[0])
# fmt: off
FIELDS = (
    StateField("players", t.MIN_SEATS, _SEATS),
    # counted from 0 here and from 1 in text; still the last one when the game is over
    StateField("round", 0, t.N_ROUNDS - 1, words=tuple(range(1, t.N_ROUNDS + 1))),
    StateField("to_move", NOBODY, _SEATS - 1, seats=True),  # who decides; NOBODY when over
    StateField("king", 0, _SEATS - 1, seats=True),  # the seat that has the King (A4, C1)
    StateField("undealt", 0, 0, t.N_KINDS),  # cards still to be dealt; 0 except during a deal
    # lengths of each round's pieces, long to short; 0 past the last (A3)
    StateField("pieces", 0, _LONGEST, (t.N_ROUNDS, t.N_PIECES), form="row"),
    StateField("hand", 0, _MOST_COPIES, _CARDS, by_seat=True, visible="owner", form="counts",
               places=t.KIND_IDS),
    StateField("hand_size", 0, int(t.HAND.max()), _SEATS, by_seat=True, follows=cards_in("hand")),
    # kinds in the order played; NOTHING past the last
    StateField("front", NOTHING, t.N_KINDS - 1, (_SEATS, t.MAX_FRONT), by_seat=True, form="row",
               words=("", *t.KIND_IDS)),
    StateField("front_len", 0, t.MAX_FRONT, _SEATS, by_seat=True, follows=length_of_front),
    StateField("total", 0, t.FULL - 1, _SEATS, by_seat=True, follows=total_of_front),
    StateField("colour", t.NO_COLOUR, t.N_COLOURS - 1, _SEATS, by_seat=True,
               follows=colour_of_front),
    StateField("taken", 0, _MOST_COPIES, _CARDS, by_seat=True, form="list", places=t.KIND_IDS),
    StateField("taken_count", 0, t.MAX_DEALT, _SEATS, by_seat=True, follows=cards_in("taken")),
    # lengths, long to short; 0 past the last
    StateField("road", 0, _LONGEST, (_SEATS, t.N_ROUNDS), by_seat=True, form="row"),
    StateField("winners", 0, 1, _SEATS, by_seat=True),  # 1 for the winner, once over (C4)
)
# fmt: on
TEXT = {
    "players": "players",
    "round": "round",
    "to_move": "to_move",
    "king": "king",
    "hands": "hand",
    "front": "front",
    "taken": "taken",
    "pieces": "pieces",
    "roads": "road",
}
"""The field that each key of the notation stands for, in the order of NOTATION.md."""
