"""Beside the seats: road pieces by round, colours by seat, cards taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT, GOLD, INK, LINE, MUTED, PANEL, SHADE
from shakespeare_env.drawing.shapes import Block, Elements, box, panel, token
from shakespeare_env.figaro.box import COLOURS
from shakespeare_env.figaro.drawing.palette import DECIDES, NOW, PIECE, SEAT
from shakespeare_env.figaro.drawing.road_picture import draw_piece
from shakespeare_env.figaro.drawing.symbols import symbol
from shakespeare_env.figaro.drawing.total_picture import PIP, total_pips
from shakespeare_env.figaro.drawing.wording import colours_of, pile_colour, round_state
from shakespeare_env.figaro.tables import FULL, N_PIECES, N_SEATS
from shakespeare_env.fonts import Weight

_EDGE, _TITLE, _GAP = 14, 32, 8
_ROUND_TITLE, _STONE = 26, 24
_BOLD: Weight = "bold"
_NORMAL: Weight = "normal"
_CARDS = 30  # least reach of the scale of taken cards


def piece_room(width: float) -> float:
    """Room for the longest road piece."""
    return width - 4 * _EDGE


def draw_pieces(position: Mapping[str, Any], width: float, height: float, unit: float) -> Block:
    """Every round's pieces, long to short; the current round's stand out."""
    rounds = position["pieces"]
    room = width - 2 * _EDGE
    high = (height - _TITLE - _EDGE - _GAP * (len(rounds) - 1)) / len(rounds)
    drawn = panel(width, height, "Road pieces to be won")
    for number, pieces in enumerate(rounds, 1):
        y = _TITLE + (number - 1) * (high + _GAP)
        state = round_state(position, number)
        drawn.append(_round(number, pieces, state, room, high, unit).at(_EDGE, y))
    return Block(drawn, width, height)


def _round(
    number: int, pieces: Sequence[int], state: str, width: float, height: float, unit: float
) -> Block:
    now, right = state == "now", width - _EDGE
    fill, line, thick = (NOW, GOLD, 2) if now else (PANEL, LINE, 1)
    drawn: Elements = [
        box(0, 0, width, height, fill=fill, line=line, thick=thick),
        words(_EDGE, 18, f"Round {number}", 12, weight="bold", room=width / 2),
    ]
    if state != "laid":
        weight = _BOLD if now else _NORMAL
        drawn.append(words(right, 18, state, 11, weight=weight, fill=MUTED, anchor="end",
                           room=width / 3))  # fmt: skip
    if not pieces:
        told = "laid in the roads" if state == "laid" else "none"
        drawn.append(words(width / 2, height / 2 + 8, told, 11, fill=FAINT, anchor="middle",
                           room=width))  # fmt: skip
    step = (height - _ROUND_TITLE - _GAP) / max(N_PIECES, len(pieces))
    stone = min(_STONE, step - 4)
    for place, piece in enumerate(pieces):
        top = _ROUND_TITLE + place * step + (step - stone) / 2
        block = draw_piece(piece, unit, stone, PIECE if now else SHADE)
        drawn.append(block.at(_EDGE, top, piece=str(piece)))
    return Block(drawn, width, height)


def draw_colours(position: Mapping[str, Any], width: float, height: float) -> Block:
    """The only seat with each colour before it (Rules B2)."""
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
            drawn += _seat(position, whose, _EDGE + 117, middle, 24)
            pips = width - _EDGE - PIP * FULL
            drawn += total_pips(piles[whose], pips, middle - PIP / 2)
    return Block(drawn, width, height)


def draw_taken_bars(position: Mapping[str, Any], width: float, height: float) -> Block:
    """The one seat each colour lies before, if any (Rules B2)."""
    drawn = panel(width, height, "Cards taken in this round")
    counts = [len(pile) for pile in position["taken"]]
    step = (height - _TITLE - _EDGE / 2) / N_SEATS
    left, right = _EDGE + 38, 34
    unit = (width - left - _EDGE - right) / max(_CARDS, *counts)
    for seat, count in enumerate(counts):
        middle = _TITLE + step * (seat + 0.5)
        long = count * unit
        drawn += _seat(position, seat, _EDGE + 12, middle, min(25, step - 4))
        if count:
            drawn.append(box(left, middle - 7, long, 14, fill=GOLD, line=MUTED, corner=3))
        drawn.append(
            words(left + long + (7 if count else 0), middle + 5, str(count), 14, weight="bold",
                  room=right)
        )  # fmt: skip
    return Block(drawn, width, height)


def _seat(position: Mapping[str, Any], seat: int, x: float, y: float, size: float) -> Elements:
    fill = DECIDES if seat == position["to_move"] else SEAT
    return token(x, y, size, str(seat), fill, PANEL)
