"""A seat's panel: numbers, day, troupe and stage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import ceil
from typing import Any

import svg

from shakespeare_env.drawing.lettering import lines, words
from shakespeare_env.drawing.palette import GOLD, INK, PANEL
from shakespeare_env.drawing.shapes import Block, Elements, arrow, box, crown
from shakespeare_env.shakespeare.drawing.card_picture import MEMBER_HEIGHT, draw_gap, draw_member
from shakespeare_env.shakespeare.drawing.palette import ON_SEATS, SEAT_TINTS, SEATS
from shakespeare_env.shakespeare.drawing.stage_picture import draw_stage
from shakespeare_env.shakespeare.drawing.state_picture import WIDTH as STATE_WIDTH
from shakespeare_env.shakespeare.drawing.state_picture import draw_state
from shakespeare_env.shakespeare.drawing.wording import extra_names, winners
from shakespeare_env.shakespeare.tables import BOX, MAX_TROUPE

_EDGE, _GAP = 11, 6
_BAND, _STAGE = 58, 300
_HEAD = 29
_NAME, _NAME_LINES = 11, 4
_ROWS = 2  # of cards
_HEIGHT = _ROWS * MEMBER_HEIGHT + (_ROWS - 1) * _GAP + 2 * _EDGE


def draw_seat(position: Mapping[str, Any], seat: int, width: float, name: str = "") -> Block:
    """The panel; the mover's has a thick frame and an arrow.

    Always equally high: a game's pictures match in size.
    """
    mine = position["seats"][seat]
    decides = position["to_move"] == seat
    wins = seat in winners(position)
    height = _HEIGHT
    troupe = width - _BAND - STATE_WIDTH - _STAGE - 4 * _EDGE
    x = _BAND + _EDGE
    drawn: Elements = [
        box(0, 0, width, height, fill=PANEL),
        _band(seat, name, height),
        *(arrow(_BAND / 2, 90, 24, ON_SEATS[seat]) if decides else []),
        *(_winner(seat) if wins else []),
        draw_state(position, seat, height - 5).at(x, 0),
        *_troupe(mine, seat, x + STATE_WIDTH + _EDGE, troupe),
        draw_stage(mine["stage"], seat, _STAGE, height - 2 * _EDGE).at(
            width - _STAGE - _EDGE, _EDGE
        ),
    ]
    if decides or wins:
        line = SEATS[seat] if decides else GOLD
        drawn += [
            box(0, 0, width, height, fill="none", line=INK, thick=8),
            box(0, 0, width, height, fill="none", line=line, thick=6),
        ]
    return Block(drawn, width, height)


def draw_headed(state: Block, position: Mapping[str, Any], seat: int, name: str) -> Block:
    """A seat's state by itself, with the seat's number and name above."""
    width, height = state.width + 2 * _EDGE, state.height + _HEAD
    ink, wins = ON_SEATS[seat], seat in winners(position)
    title = f"Seat {seat}" + (f" · {name}" if name else "")
    drawn: Elements = [
        box(0, 0, width, height),
        box(0, 0, width, _HEAD, fill=SEATS[seat], line=None),
        words(_EDGE, 20, title, 15, weight="bold", fill=ink, room=width - 8 * _EDGE),
        state.at(_EDGE, _HEAD - 3),
    ]
    if position["to_move"] == seat:
        drawn += arrow(width - 20, _HEAD / 2, 18, ink)
    if wins:
        drawn += [
            words(width - 34, 19, "wins", 12, weight="bold", fill=ink, anchor="end"),
            *crown(width - 18, _HEAD / 2, 22),
        ]
    return Block(drawn, width, height)


def _band(seat: int, name: str, height: float) -> svg.G:
    """Who sits there: a long name is broken where it can be."""
    fill, middle, room = ON_SEATS[seat], _BAND / 2, _BAND - 6
    drawn: Elements = [
        box(0, 0, _BAND, height, fill=SEATS[seat], line=None),
        words(middle, 24, "Seat", 13, fill=fill, anchor="middle", room=_BAND),
        words(middle, 62, str(seat), 38, weight="bold", fill=fill, anchor="middle"),
    ]
    broken = lines(re.findall(r"[^\s_:/-]+[\s_:/-]*", name), _NAME, room, joint="")
    broken[_NAME_LINES:] = []
    for number, line in enumerate(broken):
        y = height - 8 - 13 * (len(broken) - 1 - number)
        drawn.append(words(middle, y, line, _NAME, fill=fill, anchor="middle", room=room))
    return svg.G(elements=drawn)


def _winner(seat: int) -> Elements:
    fill = ON_SEATS[seat]
    return [
        *crown(_BAND / 2, 94, 30),
        words(_BAND / 2, 124, "wins", 13, weight="bold", fill=fill, anchor="middle", room=_BAND),
    ]


def _troupe(mine: Mapping[str, Any], seat: int, x: float, width: float) -> Elements:
    board = len(BOX.starting)
    printed, later = ceil(board / _ROWS), ceil((MAX_TROUPE - board) / _ROWS)
    between = 2 * _GAP
    each = (width - between - (printed + later - 2) * _GAP) / (printed + later)
    step = each + _GAP
    drawn: Elements = [
        box(
            x - 5,
            _EDGE - 5,
            printed * step - _GAP + 10,
            _HEIGHT - 2 * _EDGE + 10,
            fill=SEAT_TINTS[seat],
            line=None,
        )
    ]
    places = [
        *_grid(board, printed, x, step),
        *_grid(MAX_TROUPE - board, later, x + printed * step - _GAP + between, step),
    ]
    members = list(zip(mine["troupe"], extra_names(mine["troupe"]), strict=True))
    for number, place in enumerate(places):
        if number < len(members):
            card = draw_member(*members[number], seat, each)
            drawn.append(card.place(f"seat{seat}.troupe.{number}", *place))
        else:
            drawn.append(draw_gap(each, MEMBER_HEIGHT).at(*place))
    return drawn


def _grid(cards: int, columns: int, x: float, step: float) -> list[tuple[float, float]]:
    down = MEMBER_HEIGHT + _GAP
    return [(x + card % columns * step, _EDGE + card // columns * down) for card in range(cards)]
