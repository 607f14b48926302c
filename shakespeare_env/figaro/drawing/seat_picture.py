"""A seat's panel in a picture: pile, hand, road and taken cards; at the end its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import MUTED, PANEL
from shakespeare_env.drawing.shapes import Block, Elements, arrow, box, crown, star, upright
from shakespeare_env.figaro.drawing.hand_picture import fit_hand, fit_pile
from shakespeare_env.figaro.drawing.palette import ON_SEATS, SEATS, STRIP
from shakespeare_env.figaro.drawing.places import road_place, taken_place
from shakespeare_env.figaro.drawing.road_picture import draw_road, road_room
from shakespeare_env.figaro.drawing.seat_sign import name_of, outlined
from shakespeare_env.figaro.drawing.taken_picture import draw_taken
from shakespeare_env.figaro.drawing.total_picture import draw_total
from shakespeare_env.figaro.drawing.wording import cards_count, ranking, tie_words, winners

_BAND, _EDGE, _LEFT = 58, 12, 622
_NAME = 200
_TITLE = 28  # above the cards
_LOW, _HIGH, _LOW_PART = 44, 64, 0.2  # the strip with road and taken cards
_PLACE, _TAKEN, _ROAD = 74, 516, 84  # at the end: for the place and taken cards; highest road


def draw_seat(
    position: Mapping[str, Any],
    seat: int,
    names: Sequence[str],
    width: float,
    height: float,
    unit: float,
) -> Block:
    """A seat's panel, scaled to `height`; the mover's has a thick frame and an arrow.

    `unit` is the drawn length of a road piece of length 1.
    """
    low = strip_height(height)
    left, right = _BAND + _EDGE, _BAND + _EDGE + _LEFT + 2 * _EDGE
    rest = width - right - _EDGE
    tall = height - low - _TITLE - 2 * _EDGE
    strip = height - low - _EDGE / 2
    hand = cards_count(sum(position["hands"][seat].values()))
    name = name_of(names, seat)
    named = _NAME if name else 0
    drawn: Elements = [
        box(0, 0, width, height, fill=PANEL),
        box(_BAND, strip - _EDGE / 2, width - _BAND - 1, low + _EDGE - 1, fill=STRIP, line=None),
        upright(right - _EDGE, _EDGE / 2, strip - 1.5 * _EDGE),
        *_band(position, seat, height),
        words(left, 19, name, 14, weight="bold", room=_NAME - 8),
        words(left + named, 19, "Before it", 12, weight="bold", fill=MUTED, room=80),
        draw_total(position["front"][seat], _LEFT - named - 86).at(left + named + 86, 0),
        words(right, 19, f"Hand: {hand}", 12, weight="bold", fill=MUTED, room=rest),
        fit_pile(position, seat, _LEFT, tall).at(left, _TITLE + _EDGE / 2),
        fit_hand(position, seat, rest, tall).at(right, _TITLE + _EDGE / 2),
        draw_road(position["roads"][seat], unit, _LEFT, low).place(road_place(seat), left, strip),
        draw_taken(position["taken"][seat], rest, low).place(taken_place(seat), right, strip),
        *outlined(position, seat, width, height),
    ]
    return Block(drawn, width, height)


def draw_placed_seat(
    position: Mapping[str, Any],
    seat: int,
    names: Sequence[str],
    width: float,
    height: float,
    unit: float,
) -> Block:
    """A seat's panel at the end: its place, its road and why it is before or after those tied."""
    left, right = _BAND + _EDGE + _PLACE, width - _TAKEN - _EDGE
    room, middle = right - left - _EDGE, height / 2
    tall = _final_road_height(height)
    place = f"{ranking(position).index(seat) + 1}."
    caption = " · ".join(filter(None, (name_of(names, seat), tie_words(position, seat))))
    drawn: Elements = [
        box(0, 0, width, height, fill=PANEL),
        *_band(position, seat, height),
        words(left - _EDGE, middle + 16, place, 44, weight="bold", anchor="end", room=_PLACE),
        words(left, middle - tall / 2 - 10, caption, 15, weight="bold", room=room),
        draw_road(position["roads"][seat], unit, room, tall).place(
            road_place(seat), left, middle - tall / 2
        ),
        upright(right - _EDGE, _EDGE, height - 2 * _EDGE),
        draw_taken(position["taken"][seat], _TAKEN, height - 2 * _EDGE).place(
            taken_place(seat), right, _EDGE
        ),
        *outlined(position, seat, width, height),
    ]
    return Block(drawn, width, height)


def strip_height(height: float) -> float:
    """Height of the road's strip in a panel."""
    return max(_LOW, min(_HIGH, _LOW_PART * height))


def room_for_road(height: float) -> float:
    """Room for the stones of a road in a panel."""
    return road_room(_LEFT, strip_height(height))


def room_for_final_road(width: float, height: float) -> float:
    """Room for the stones of a road in a panel at the end."""
    return road_room(width - _TAKEN - _BAND - _PLACE - 3 * _EDGE, _final_road_height(height))


def _final_road_height(height: float) -> float:
    return min(_ROAD, 0.5 * height)


def _band(position: Mapping[str, Any], seat: int, height: float) -> Elements:
    middle, ink = _BAND / 2, ON_SEATS[seat]
    drawn: Elements = [
        box(0, 0, _BAND, height, fill=SEATS[seat], line=None),
        words(middle, 22, "Seat", 12, fill=ink, anchor="middle", room=_BAND),
        words(middle, 55, str(seat), 34, weight="bold", fill=ink, anchor="middle"),
    ]
    if position["king"] == seat:
        drawn += [
            *crown(middle, 80, 26),
            words(middle, 105, "King", 11, weight="bold", fill=ink, anchor="middle", room=_BAND),
        ]
    if position["to_move"] == seat:
        drawn += arrow(middle, height - 28, 24, ink)
    if seat in winners(position):
        drawn += [
            *star(middle, height - 42, 32),
            words(middle, height - 14, "wins", 12, weight="bold", fill=ink, anchor="middle",
                  room=_BAND),
        ]  # fmt: skip
    return drawn
