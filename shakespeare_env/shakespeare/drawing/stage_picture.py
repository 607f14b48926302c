"""A seat's stage, brick by brick."""

from __future__ import annotations

from collections.abc import Mapping

import svg

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT, MUTED, PANEL, STONE
from shakespeare_env.drawing.shapes import Block, Elements, box, drawn_once, rule, upright
from shakespeare_env.shakespeare.box import Space
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.palette import ELEMENTS
from shakespeare_env.shakespeare.drawing.stage_text import stage_rows
from shakespeare_env.shakespeare.tables import BOX

_ROWS = stage_rows(BOX)
_WIDEST, _HIGHEST = 46, 44


STAGE_ROWS = len(_ROWS)


def draw_stage(filled: Mapping[str, str], seat: int, width: float, height: float) -> Block:
    """The centred wall of a seat; `filled` is colour by space id."""
    reach = max(abs(middle) for row in _ROWS for middle in row) + 1
    half = min(_WIDEST / 2, width / 2 / reach)
    high = min(_HIGHEST, height / len(_ROWS))
    drawn: Elements = []
    for number, row in enumerate(_ROWS):
        y = (height - len(_ROWS) * high) / 2 + number * high
        for middle, brick in row.items():
            x = width / 2 + (middle - 1) * half
            if brick is None:
                drawn.append(_printed(2 * half, high).at(x, y))
            else:
                block = _brick(brick, filled.get(brick.id), 2 * half, high)
                drawn.append(block.place(f"seat{seat}.stage.{brick.id}", x, y))
    return Block(drawn, width, height)


@drawn_once
def _brick(space: Space, colour: str | None, width: float, high: float) -> Block:
    """A space by its id; filled, with the name of the colour below it."""
    fill, line, ink = ELEMENTS[colour] if colour else (PANEL, FAINT, MUTED)
    drawn: Elements = [box(1, 1, width - 2, high - 2, fill=fill, line=line, corner=3)]
    part = 0.5 * high if colour else high  # of the brick, for the id and the candle
    size = min(12, 0.42 * part + 2)
    middle, room = (0.37, 0.56) if space.candle else (0.5, 0.9)
    drawn.append(_label(space.id, width * middle, part / 2, size, ink, width * room))
    if space.candle:
        drawn += shapes.candle(width * 0.8, part / 2 + 1, 0.3 * high + 0.3 * part)
    if colour:
        below = 0.71 * high
        drawn.append(_label(colour, width / 2, below, min(10.5, 0.3 * high), ink, width - 4))
    return Block(drawn, width, high)


def _label(text: str, x: float, y: float, size: float, ink: str, room: float) -> svg.Text:
    return words(x, y + 0.36 * size, text, size, fill=ink, anchor="middle", room=room)


@drawn_once
def _printed(width: float, high: float) -> Block:
    line = high / 2
    drawn: Elements = [
        box(1, 1, width - 2, high - 2, fill=STONE, line=MUTED, corner=3),
        rule(1, line, width - 2, stroke=MUTED),
        upright(width * 0.35, 1, line - 1, stroke=MUTED),
        upright(width * 0.68, line, line - 1, stroke=MUTED),
    ]
    return Block(drawn, width, high)
