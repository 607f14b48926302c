"""Who a seat is: its number in its colour, its name, the King, and whether it decides or wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import INK
from shakespeare_env.drawing.shapes import Block, Elements, arrow, box, crown, star, token
from shakespeare_env.figaro.drawing.palette import ON_SEATS, SEATS
from shakespeare_env.figaro.drawing.wording import winners
from shakespeare_env.fonts import width as text_width

_SIGN = 24  # room of a crown, arrow or star


def name_of(names: Sequence[str], seat: int) -> str:
    """Who plays a seat, or nothing."""
    return names[seat] if seat < len(names) else ""


def seat_token(seat: int, x: float, y: float, size: float) -> Elements:
    """A token with the seat's number."""
    return token(x, y, size, str(seat), SEATS[seat], ON_SEATS[seat])


def seat_strip(
    position: Mapping[str, Any], seat: int, names: Sequence[str], width: float, height: float
) -> Block:
    """A band across, in the seat's colour."""
    ink, middle, size = ON_SEATS[seat], height / 2, 0.66 * height
    drawn: Elements = [box(0, 0, width, height, fill=SEATS[seat], line=INK)]
    right = width - _SIGN / 2 - 2
    if seat in winners(position):
        drawn += star(right, middle, 1.2 * size)
        right -= _SIGN
    if seat == position["to_move"]:
        drawn += arrow(right, middle, 0.9 * size, ink)
        right -= _SIGN
    if seat == position["king"]:
        drawn += crown(right, middle, size)
        right -= _SIGN
    room, base = right + _SIGN / 2 - 10, middle + 0.22 * height
    number, name = f"Seat {seat}", name_of(names, seat)
    drawn.append(words(10, base, number, 13, weight="bold", fill=ink, room=room))
    if name:
        at = 10 + text_width(number, 13, "bold") + 8
        drawn.append(words(at, base, name, 13, fill=ink, room=room - at + 10))
    return Block(drawn, width, height)
