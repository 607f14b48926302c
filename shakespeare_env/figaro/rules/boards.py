"""The face-up cards in front of the seats, and the seats around the table."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.state import NOBODY, NOTHING


@rule
def seat_at(seat: int, place: int, players: int) -> int:
    """Return the seat `place` seats clockwise of a seat."""
    seat += place
    return seat - players if seat >= players else seat


@rule
def place_of(seat: int, other: int, players: int) -> int:
    """Return how many seats clockwise of a seat another one sits."""
    return other - seat if other >= seat else other - seat + players


@rule
def owner_of(game: Record, colour: int) -> int:
    """Return the first seat whose pile has the given colour (B2). NOBODY if no pile has it.

    With `NO_COLOUR`, this is the first seat whose pile has no colour.
    """
    for seat in range(game["players"]):
        if game["colour"][seat] == colour:
            return seat
    return NOBODY


@rule
def face_up(game: Record) -> int:
    """Return the number of face-up cards."""
    cards = 0
    for seat in range(game["players"]):
        cards += game["front_len"][seat]
    return cards


@rule
def clear_front(game: Record) -> None:
    """Clear all face-up cards."""
    game["front"][:, :] = NOTHING
    game["front_len"][:] = 0
    game["total"][:] = 0
    game["colour"][:] = t.NO_COLOUR


@rule
def fits(game: Record, kind: int, seat: int) -> bool:
    """Return whether a coloured card or a jester may be played in front of a seat (B2, B3)."""
    colour = t.COLOUR[kind]
    if colour == t.NO_COLOUR or game["colour"][seat] == colour:
        return True
    return game["colour"][seat] == t.NO_COLOUR and owner_of(game, colour) == NOBODY


@rule
def is_playable(game: Record, kind: int) -> bool:
    """Return whether a card may be played in front of any seat (Rules B2 to B4)."""
    if t.COLOUR[kind] == t.NO_COLOUR or owner_of(game, t.COLOUR[kind]) != NOBODY:
        return True
    return owner_of(game, t.NO_COLOUR) != NOBODY  # a new colour needs a pile without one


@rule
def has_choice(game: Record, cards: Any) -> bool:
    """Return whether a hand, int8[kinds], leaves at least two legal moves (D1).

    One playable card is enough: on an empty table it may go in front of any seat, and otherwise
    taking is the second move. Only rings leave a single move on an empty table.
    """
    kinds = t.N_KINDS if face_up(game) > 0 else t.RING
    for kind in range(kinds):
        if cards[kind] > 0 and is_playable(game, kind):
            return True
    return False
