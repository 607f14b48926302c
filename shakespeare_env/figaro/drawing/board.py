"""The board in pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.drawing.board import Panel, Piece
from shakespeare_env.figaro.drawing.road_picture import UNIT
from shakespeare_env.figaro.drawing.seat_picture import draw_seat
from shakespeare_env.figaro.drawing.table_picture import draw_colours, draw_pieces, draw_taken_bars


def board(position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
    """Panels of a position (`Position.to_dict` or `seen_by`)."""
    table = Panel(
        "table",
        "Table",
        [
            Piece("pieces", "Road pieces", draw_pieces(position, 316, 500, UNIT)),
            Piece("colours", "Colours on the table", draw_colours(position, 316, 226)),
            Piece("taken", "Cards taken", draw_taken_bars(position, 316, 256)),
        ],
    )
    seats = [
        Panel(
            f"seat-{seat}",
            f"Seat {seat}",
            [Piece(f"seat-{seat}-all", f"Seat {seat}", draw_seat(position, seat, 1200, 250, UNIT))],
            seat,
        )
        for seat in range(position["players"])
    ]
    return [table, *seats]
