"""All roads below each other; at the end the shortest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import MUTED
from shakespeare_env.drawing.shapes import Block, Elements, panel, star
from shakespeare_env.figaro.drawing.places import road_place
from shakespeare_env.figaro.drawing.road_picture import draw_road, road_room
from shakespeare_env.figaro.drawing.seat_sign import name_of, seat_token
from shakespeare_env.figaro.drawing.wording import ranking, tie_words, winners

_EDGE, _TITLE, _TOKEN, _PLACE = 10, 30, 30, 32
_ROAD, _TOLD, _GAP = 34, 16, 4


def room_for_roads(width: float) -> float:
    """Room for the stones of a road."""
    return road_room(width - 2 * _EDGE - _TOKEN - _PLACE, _ROAD)


def draw_roads(
    position: Mapping[str, Any], names: Sequence[str], width: float, unit: float
) -> Block:
    """A row per seat, in their order; at the end in that of their places."""
    over = position["to_move"] is None
    seats = ranking(position) if over else range(position["players"])
    drawn: Elements = []
    y = float(_TITLE)
    for place, seat in enumerate(seats, 1):
        notes = [name_of(names, seat), tie_words(position, seat) if over else ""]
        row = _row(position, seat, f"{place}." if over else "", notes, width, unit)
        drawn.append(row.at(0, y))
        y += row.height + _GAP
    title = "Roads, the shortest first" if over else "Roads: the shortest wins"
    return Block([*panel(width, y + _GAP, title), *drawn], width, y + _GAP)


def _row(
    position: Mapping[str, Any],
    seat: int,
    place: str,
    notes: Sequence[str],
    width: float,
    unit: float,
) -> Block:
    note = " · ".join(filter(None, notes))
    top = _TOLD if note else 0
    middle, left = top + _ROAD / 2, _EDGE + _PLACE + _TOKEN
    drawn: Elements = [
        *seat_token(seat, _EDGE + _PLACE + 10, middle, 24),
        words(left, 12, note, 11, fill=MUTED, room=width - left - _EDGE),
        draw_road(position["roads"][seat], unit, width - left - _EDGE, _ROAD).place(
            road_place(seat), left, top
        ),
    ]
    if place:
        drawn.append(words(_EDGE + _PLACE - 8, middle + 6, place, 16, weight="bold", anchor="end"))
    if seat in winners(position):
        drawn += star(width - _EDGE - 12, middle, 24)
    return Block(drawn, width, top + _ROAD)
