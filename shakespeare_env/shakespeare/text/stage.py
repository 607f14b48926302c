"""A seat's stage: where its bricks lie, and as text.

Rows are centred; printed elements fill in where a space rests on something the box does not name
(Rules T13).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from shakespeare_env.drawing.text_layout import joint_line
from shakespeare_env.shakespeare.box.facts import COLOURS, Space
from shakespeare_env.shakespeare.box.printed import Printed

SHORT_COLOURS = dict(zip(COLOURS, ("blk", "pnk", "pur", "blu", "grn", "yel"), strict=True))
_PRINTED = "███"
_BRICK = 4  # columns from one wall to the next; a brick of the next row begins half of that further
_HALF = _BRICK // 2

Row = dict[int, Space | None]
"""Bricks of a row by half bricks right of the centre; None if printed."""


@cache
def stage_rows(printed: Printed) -> list[Row]:
    """The stage's rows, top to bottom, with printed elements."""
    rows: list[Row] = []
    for number in sorted({space.row for space in printed.box.spaces}, reverse=True):
        spaces = [space for space in printed.box.spaces if space.row == number]
        row: Row = {2 * index - (len(spaces) - 1): space for index, space in enumerate(spaces)}
        for middle, brick in rows[-1].items() if rows else ():
            if brick is None or len(brick.on) < 2:
                for below in (middle - 1, middle + 1):
                    if all(abs(below - other) > 1 for other in row):
                        row[below] = None
        rows.append(dict(sorted(row.items())))
    return rows


def draw_stage(rows: list[Row], filled: Mapping[str, str]) -> list[str]:
    """Draw a stage in lines of equal width.

    An empty space shows its id, with `*` on a candle; a filled one its colour, in capitals on a
    candle. `filled` is colour by space id.
    """
    centre = max(abs(middle) for row in rows for middle in row) * _HALF + _HALF
    above: set[int] = set()
    lines = []
    for row in rows:
        walls = {centre + middle * _HALF + side for middle in row for side in (-_HALF, _HALF)}
        lines.append(joint_line(above, walls, 2 * centre + 1))
        line = [" "] * (2 * centre + 1)
        for middle, brick in row.items():
            left = centre + middle * _HALF - _HALF
            line[left : left + _BRICK + 1] = f"│{_face(brick, filled)}│"
        lines.append("".join(line))
        above = walls
    return [*lines, joint_line(above, set(), 2 * centre + 1)]


def _face(brick: Space | None, filled: Mapping[str, str]) -> str:
    if brick is None:
        return _PRINTED
    if brick.id not in filled:
        label = f"{brick.id}*" if brick.candle else f" {brick.id}"
    else:
        short = SHORT_COLOURS[filled[brick.id]]
        label = short.upper() if brick.candle else short
    return label[: _BRICK - 1].ljust(_BRICK - 1)
