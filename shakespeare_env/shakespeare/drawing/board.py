"""The board in pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.drawing.board import Panel, Piece
from shakespeare_env.shakespeare.drawing.board_picture import draw_acts, draw_table
from shakespeare_env.shakespeare.drawing.display_picture import draw_characters, draw_elements
from shakespeare_env.shakespeare.drawing.seat_picture import draw_seat


def board(position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
    """Panels of a position (`Position.to_dict` or `seen_by`)."""
    table = Panel(
        "table",
        "Table",
        [
            Piece("acts", "Acts", draw_acts(position, 480)),
            Piece("tracks", "Prestige and order", draw_table(position, 480, 340)),
            Piece("characters", "Characters on offer", draw_characters(position, 900)),
            Piece("elements", "Elements on offer", draw_elements(position, 480)),
        ],
    )
    seats = [
        Panel(
            f"seat-{seat}",
            f"Seat {seat}",
            [Piece(f"seat-{seat}-all", f"Seat {seat}", draw_seat(position, seat, 1552))],
            seat,
        )
        for seat in range(position["players"])
    ]
    return [table, *seats]
