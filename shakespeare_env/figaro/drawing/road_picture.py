"""Road pieces: stones as long as they count, loose or laid from the castle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT
from shakespeare_env.drawing.shapes import Block, Elements, box, rule
from shakespeare_env.figaro.drawing.palette import PIECE, PIECE_LINE
from shakespeare_env.figaro.drawing.symbols import castle
from shakespeare_env.figaro.tables import LENGTHS, N_ROUNDS

UNIT = 12.5
"""Length of a unit during a game, if everything fits."""
_TOTAL, _AFTER = 46, 8  # for the number after the last stone, and the gap between


def unit_of(
    position: Mapping[str, Any], piece_room: float, road_room: float, most: float = UNIT
) -> float:
    """Length of a unit, the same throughout a picture and all pictures of a game.

    Chosen for the longest road that the box allows.
    """
    pieces: Iterable[int] = (piece for row in position["pieces"] for piece in row)
    longest = max((*pieces, int(LENGTHS[0])))
    road = max((*map(sum, position["roads"]), int(LENGTHS[:N_ROUNDS].sum())))
    return min(most, piece_room / longest, road_room / road)


def draw_piece(length: int, unit: float, height: float, fill: str = PIECE) -> Block:
    """A stone with its length on it."""
    width = length * unit
    size = min(max(12, 0.36 * height), 0.62 * height)
    return Block(
        [
            box(0.5, 0, width - 1, height, fill=fill, line=PIECE_LINE, corner=3),
            words(width / 2, height / 2 + 0.37 * size, str(length), size, weight="bold",
                  anchor="middle"),
        ],
        width,
        height,
    )  # fmt: skip


def road_room(width: float, height: float) -> float:
    """Room for stones, between castle and length."""
    return width - height - _TOTAL


def draw_road(pieces: Sequence[int], unit: float, width: float, height: float) -> Block:
    """A road from the castle on, and its length."""
    stone = 0.56 * height
    top = height - stone - 2
    drawn: Elements = [
        rule(height - 4, height - 2, width - height - _TOTAL + 4, stroke=PIECE_LINE),
        *castle(height / 2, height / 2, height - 4),
    ]
    x = height
    for piece in pieces:
        block = draw_piece(piece, unit, stone)
        drawn.append(block.at(x, top, piece=str(piece)))
        x += block.width
    if pieces:
        total = str(sum(pieces))
        size = max(18, 0.5 * stone)
        base, room = height - 2 - stone / 2 + size / 3, _TOTAL - _AFTER
        drawn.append(words(x + _AFTER, base, total, size, weight="bold", room=room))
    else:
        drawn.append(words(height + 6, height - 10, "no piece yet", 11, fill=FAINT, room=200))
    return Block(drawn, width, height)
