"""A seat's stage, brick by brick."""

from __future__ import annotations

from collections.abc import Mapping

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT, MUTED, PANEL, STONE
from shakespeare_env.drawing.shapes import Block, Elements, box, rule, upright
from shakespeare_env.shakespeare.box import Space
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.palette import ELEMENTS
from shakespeare_env.shakespeare.drawing.stage_rows import stage_rows
from shakespeare_env.shakespeare.tables import BOX

_ROWS = stage_rows(BOX)
_WIDEST, _HIGHEST = 46, 44


def draw_stage(filled: Mapping[str, str], width: float, height: float) -> Block:
    """The centred wall; `filled` is colour by space id."""
    reach = max(abs(middle) for row in _ROWS for middle in row) + 1
    half = min(_WIDEST / 2, width / 2 / reach)
    high = min(_HIGHEST, height / len(_ROWS))
    drawn: Elements = []
    for number, row in enumerate(_ROWS):
        y = (height - len(_ROWS) * high) / 2 + number * high
        for middle, brick in row.items():
            x = width / 2 + (middle - 1) * half
            drawn.append(_brick(brick, filled, 2 * half, high).at(x, y))
    return Block(drawn, width, height)


def _brick(space: Space | None, filled: Mapping[str, str], width: float, high: float) -> Block:
    if space is None:
        return Block(_printed(width, high), width, high)
    colour = filled.get(space.id)
    fill, line, ink = ELEMENTS[colour] if colour else (PANEL, FAINT, MUTED)
    drawn: Elements = [box(1, 1, width - 2, high - 2, fill=fill, line=line, corner=3)]
    size = min(12, 0.4 * high)
    middle = width * (0.37 if space.candle else 0.5)
    drawn.append(
        words(
            middle,
            high / 2 + 0.36 * size,
            space.id,
            size,
            weight="bold" if colour else "normal",
            fill=ink,
            anchor="middle",
            room=width * (0.56 if space.candle else 0.9),
        )
    )
    if space.candle:
        drawn += shapes.candle(width * 0.8, high / 2, 0.6 * high)
    return Block(drawn, width, high)


def _printed(width: float, high: float) -> Elements:
    line = high / 2
    return [
        box(1, 1, width - 2, high - 2, fill=STONE, line=MUTED, corner=3),
        rule(1, line, width - 2, stroke=MUTED),
        upright(width * 0.35, 1, line - 1, stroke=MUTED),
        upright(width * 0.68, line, line - 1, stroke=MUTED),
    ]
