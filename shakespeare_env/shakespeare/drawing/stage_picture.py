"""A seat's stage, brick by brick."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT, MUTED, PANEL, STONE
from shakespeare_env.drawing.shapes import Block, Elements, box, drawn_once, rule, upright
from shakespeare_env.shakespeare.box.facts import Space
from shakespeare_env.shakespeare.box.printed import Printed
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.palette import ELEMENTS
from shakespeare_env.shakespeare.text.stage import stage_rows

_WIDTH, _WIDEST, _HIGH = 308, 46, 44  # of the wall; of a brick at most, and its height


def draw_stage(printed: Printed, filled: Mapping[str, str], seat: int) -> Block:
    """The centred wall of a seat; `filled` is colour by space id."""
    rows = stage_rows(printed)
    reach = max(abs(middle) for row in rows for middle in row) + 1
    half = min(_WIDEST, _WIDTH / reach) / 2
    drawn: Elements = []
    for number, row in enumerate(rows):
        for middle, brick in row.items():
            x, y = _WIDTH / 2 + (middle - 1) * half, number * _HIGH
            if brick is None:
                drawn.append(_printed(2 * half).at(x, y))
            else:
                block = _brick(brick, filled.get(brick.id), 2 * half)
                drawn.append(block.place(f"seat{seat}.stage.{brick.id}", x, y))
    return Block(drawn, _WIDTH, len(rows) * _HIGH)


@drawn_once
def _brick(space: Space, colour: str | None, width: float) -> Block:
    """A space by its id; filled, with the name of the colour below it."""
    fill, line, ink = ELEMENTS[colour] if colour else (PANEL, FAINT, MUTED)
    drawn: Elements = [box(1, 1, width - 2, _HIGH - 2, fill=fill, line=line, corner=3)]
    middle, room = (0.37, 0.56) if space.candle else (0.5, 0.9)
    y, size = (_HIGH / 4, 11.2) if colour else (_HIGH / 2, 12)
    label: Any = {"fill": ink, "anchor": "middle"}
    drawn.append(words(width * middle, y + 4, space.id, size, room=width * room, **label))
    if space.candle:
        drawn += shapes.candle(width * 0.8, y + 1, 20 if colour else 26)
    if colour:
        drawn.append(words(width / 2, 0.8 * _HIGH, colour, 10.5, room=width - 4, **label))
    return Block(drawn, width, _HIGH)


@drawn_once
def _printed(width: float) -> Block:
    high, line = _HIGH, _HIGH / 2
    drawn: Elements = [
        box(1, 1, width - 2, high - 2, fill=STONE, line=MUTED, corner=3),
        rule(1, line, width - 2, stroke=MUTED),
        upright(width * 0.35, 1, line - 1, stroke=MUTED),
        upright(width * 0.68, line, line - 1, stroke=MUTED),
    ]
    return Block(drawn, width, high)
