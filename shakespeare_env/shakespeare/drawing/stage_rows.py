"""Where the bricks of the stage's wall lie.

Rows are centred; printed elements fill in where a space rests on something the box does not name
(Rules T13).
"""

from __future__ import annotations

from shakespeare_env.shakespeare.box import Box, Space

Row = dict[int, Space | None]
"""Bricks of a row by half bricks right of the centre; None if printed."""


def stage_rows(box: Box) -> list[Row]:
    """The stage's rows, top to bottom, with printed elements."""
    rows: list[Row] = []
    for number in sorted({space.row for space in box.spaces}, reverse=True):
        spaces = [space for space in box.spaces if space.row == number]
        row: Row = {2 * index - (len(spaces) - 1): space for index, space in enumerate(spaces)}
        for middle, brick in rows[-1].items() if rows else ():
            if brick is None or len(brick.on) < 2:
                for below in (middle - 1, middle + 1):
                    if all(abs(below - other) > 1 for other in row):
                        row[below] = None
        rows.append(dict(sorted(row.items())))
    return rows
