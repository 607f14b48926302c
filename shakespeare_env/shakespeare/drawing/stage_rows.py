"""The stage as the wall in brick bond that it is: where its bricks lie.

It follows from the box alone: every row is centred, and a printed element is drawn where a space
rests on something the box names no space for (Rules T13).
"""

from __future__ import annotations

from shakespeare_env.shakespeare.box import Box, Space

Row = dict[int, Space | None]
"""Bricks of one row by how many half bricks right of the centre they lie; None if printed."""


def stage_rows(box: Box) -> list[Row]:
    """The rows of the stage from top to bottom, printed elements included."""
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
