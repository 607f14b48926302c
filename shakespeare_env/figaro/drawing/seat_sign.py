"""Who a seat is: its number in its colour, its name, the King, and whether it decides or wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.drawing import board
from shakespeare_env.drawing.shapes import Block, Elements, crown, token
from shakespeare_env.figaro.drawing.palette import ON_SEATS, SEATS
from shakespeare_env.figaro.text.wording import winners


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
    wins, decides = seat in winners(position), seat == position["to_move"]
    signs = board.strip_signs(wins, decides, ON_SEATS[seat])
    signs += [crown] if seat == position["king"] else []
    colours = SEATS[seat], ON_SEATS[seat]
    return board.seat_strip(seat, name_of(names, seat), colours, width, height, signs)
