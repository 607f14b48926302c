"""The board in pieces, each to be read and touched on a narrow screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.drawing.board import Panel, Piece
from shakespeare_env.drawing.shapes import Block
from shakespeare_env.figaro.drawing.hand_picture import flow_hand
from shakespeare_env.figaro.drawing.piles_picture import draw_piles
from shakespeare_env.figaro.drawing.places import taken_place
from shakespeare_env.figaro.drawing.road_picture import unit_of
from shakespeare_env.figaro.drawing.roads_picture import draw_roads, room_for_roads
from shakespeare_env.figaro.drawing.seat_sign import name_of, seat_strip
from shakespeare_env.figaro.drawing.table_picture import (
    draw_pieces_beside,
    draw_taken_bars,
    piece_room_beside,
)
from shakespeare_env.figaro.drawing.taken_picture import draw_taken

_WIDTH = 420
_STRIP, _GAP = 28, 8
_TAKEN = 92
_ROUND, _PIECE = 76, 19  # heights of rounds without pieces, and of a piece
_BARS, _BAR = 40, 28  # the same of the taken cards


def board(position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
    """Panels of a position (`Position.to_dict` or `seen_by`)."""
    players, rounds = position["players"], len(position["pieces"])
    unit = unit_of(position, piece_room_beside(_WIDTH, rounds), room_for_roads(_WIDTH))
    pieces = _ROUND + _PIECE * (0 if position["to_move"] is None else players - 1)
    bars = _BARS + _BAR * players
    table = Panel(
        "table",
        "Table",
        [
            Piece("piles", "Cards before the seats", draw_piles(position, names, _WIDTH)),
            Piece("pieces", "Road pieces", draw_pieces_beside(position, _WIDTH, pieces, unit)),
            Piece("taken", "Cards taken", draw_taken_bars(position, _WIDTH, bars)),
            Piece("roads", "Roads", draw_roads(position, names, _WIDTH, unit)),
        ],
    )
    return [table, *(_seat(position, seat, names) for seat in range(players))]


def _seat(position: Mapping[str, Any], seat: int, names: Sequence[str]) -> Panel:
    title = " · ".join(filter(None, (f"Seat {seat}", name_of(names, seat))))
    strip = seat_strip(position, seat, names, _WIDTH, _STRIP)
    hand = flow_hand(position, seat, _WIDTH)
    taken = draw_taken(position["taken"][seat], _WIDTH, _TAKEN)
    top = _STRIP + _GAP
    pieces = [
        Piece(
            f"seat-{seat}-hand",
            f"Hand of seat {seat}",
            Block([strip.at(0, 0), hand.at(0, top)], _WIDTH, top + hand.height),
        ),
        Piece(
            f"seat-{seat}-taken",
            f"Cards taken by seat {seat}",
            Block([taken.place(taken_place(seat), 0, 0)], _WIDTH, _TAKEN),
        ),
    ]
    return Panel(f"seat-{seat}", title, pieces, seat)
