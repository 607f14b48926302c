"""Beside the seats: road pieces by round, colours by seat, cards taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT, GOLD, INK, LINE, MUTED, PANEL, SHADE
from shakespeare_env.drawing.shapes import Block, Elements, box, panel
from shakespeare_env.figaro.box import COLOURS
from shakespeare_env.figaro.drawing.palette import NOW, PIECE, SEATS
from shakespeare_env.figaro.drawing.places import round_place
from shakespeare_env.figaro.drawing.road_picture import draw_piece
from shakespeare_env.figaro.drawing.seat_sign import seat_token
from shakespeare_env.figaro.drawing.symbols import symbol
from shakespeare_env.figaro.drawing.total_picture import PIP, total_pips
from shakespeare_env.figaro.drawing.wording import colours_of, pile_colour, round_state
from shakespeare_env.figaro.tables import FULL
from shakespeare_env.fonts import Weight

_EDGE, _NARROW, _TITLE, _GAP = 14, 8, 32, 8
_PIECES = "Road pieces to be won"
_ROUND_TITLE, _STONE, _STONE_STEP = 26, 24, 32
_BOLD: Weight = "bold"
_NORMAL: Weight = "normal"
_BAR = 36
_CARDS = 30  # least reach of the scale of taken cards


def piece_room(width: float) -> float:
    """Room for the longest road piece, rounds below each other."""
    return width - 2 * _EDGE - 2 * _NARROW


def piece_room_beside(width: float, rounds: int) -> float:
    """Room for the longest road piece, rounds side by side."""
    return (width - 2 * _NARROW - _GAP * (rounds - 1)) / rounds - 2 * _NARROW


def draw_pieces(position: Mapping[str, Any], width: float, height: float, unit: float) -> Block:
    """Every round's pieces, long to short, below each other; the current round's stand out."""
    rounds = len(position["pieces"])
    room = width - 2 * _EDGE
    high = (height - _TITLE - _EDGE - _GAP * (rounds - 1)) / rounds
    drawn = panel(width, height, _PIECES)
    drawn += [
        draw_round(position, number, room, high, unit).place(
            round_place(number), _EDGE, _TITLE + (number - 1) * (high + _GAP)
        )
        for number in range(1, rounds + 1)
    ]
    return Block(drawn, width, height)


def draw_pieces_beside(
    position: Mapping[str, Any], width: float, height: float, unit: float
) -> Block:
    """The same with the rounds side by side."""
    rounds = len(position["pieces"])
    room = (width - 2 * _NARROW - _GAP * (rounds - 1)) / rounds
    drawn = panel(width, height, _PIECES)
    drawn += [
        draw_round(position, number, room, height - _TITLE - _NARROW, unit).place(
            round_place(number), _NARROW + (number - 1) * (room + _GAP), _TITLE
        )
        for number in range(1, rounds + 1)
    ]
    return Block(drawn, width, height)


def draw_round(
    position: Mapping[str, Any], number: int, width: float, height: float, unit: float
) -> Block:
    """A round's pieces."""
    pieces, state = position["pieces"][number - 1], round_state(position, number)
    now, right = state == "now", width - _NARROW
    fill, line, thick = (NOW, GOLD, 2) if now else (PANEL, LINE, 1)
    drawn: Elements = [
        box(0, 0, width, height, fill=fill, line=line, thick=thick),
        words(_NARROW, 18, f"Round {number}", 12, weight="bold", room=width / 2),
    ]
    if state != "laid":
        weight = _BOLD if now else _NORMAL
        drawn.append(words(right, 18, state, 11, weight=weight, fill=MUTED, anchor="end",
                           room=width / 3))  # fmt: skip
    if not pieces:
        caption = "laid in the roads" if state == "laid" else "none"
        drawn.append(words(width / 2, height / 2 + 8, caption, 11, fill=FAINT, anchor="middle",
                           room=width))  # fmt: skip
    most = max(position["players"] - 1, len(pieces))
    step = min(_STONE_STEP, (height - _ROUND_TITLE - _GAP) / most)
    stone = min(_STONE, step - 4)
    for place, piece in enumerate(pieces):
        top = _ROUND_TITLE + place * step + (step - stone) / 2
        block = draw_piece(piece, unit, stone, PIECE if now else SHADE)
        drawn.append(block.at(_NARROW, top, piece=str(piece)))
    return Block(drawn, width, height)


def draw_colours(position: Mapping[str, Any], width: float, height: float) -> Block:
    """The one seat each colour lies before, if any (Rules B2)."""
    drawn = panel(width, height, "Colours on the table")
    piles = position["front"]
    step = (height - _TITLE - _EDGE / 2) / len(COLOURS)
    for number, colour in enumerate(colours_of(position)):
        middle = _TITLE + step * (number + 0.5)
        whose = next((at for at, pile in enumerate(piles) if pile_colour(pile) == colour), None)
        drawn += symbol(_EDGE + 10, middle, 21, colour)
        ink, weight = (MUTED, _NORMAL) if whose is None else (INK, _BOLD)
        drawn.append(
            words(_EDGE + 28, middle + 4.5, colour, 12.5, weight=weight, fill=ink, room=70)
        )
        if whose is None:
            drawn.append(words(_EDGE + 106, middle + 4.5, "free", 11.5, fill=FAINT, room=60))
        else:
            drawn += seat_token(whose, _EDGE + 117, middle, 24)
            pips = width - _EDGE - PIP * FULL
            drawn += total_pips(piles[whose], pips, middle - PIP / 2)
    return Block(drawn, width, height)


def draw_taken_bars(position: Mapping[str, Any], width: float, height: float) -> Block:
    """How many cards each seat has taken: most get the longest piece (Rules C2)."""
    drawn = panel(width, height, "Cards taken in this round")
    counts = [len(pile) for pile in position["taken"]]
    step = min(_BAR, (height - _TITLE - _EDGE / 2) / len(counts))
    left, right = _EDGE + 38, 34
    unit = (width - left - _EDGE - right) / max(_CARDS, *counts)
    for seat, count in enumerate(counts):
        middle = _TITLE + step * (seat + 0.5)
        long = count * unit
        drawn += seat_token(seat, _EDGE + 12, middle, min(25, step - 4))
        if count:
            drawn.append(box(left, middle - 7, long, 14, fill=SEATS[seat], line=MUTED, corner=3))
        drawn.append(
            words(left + long + (7 if count else 0), middle + 5, str(count), 14, weight="bold",
                  room=right)
        )  # fmt: skip
    return Block(drawn, width, height)
