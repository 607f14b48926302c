"""The board in pieces, each to be read and touched on a narrow screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.drawing.board import seat_and_name
from shakespeare_env.drawing.shapes import Block
from shakespeare_env.figaro.drawing import piece_titles as titles
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
from shakespeare_env.presentation import Panel, Piece

_WIDTH = 420
_STRIP, _GAP = 28, 8
_TAKEN = 92
_ROUND, _PIECE = 76, 19  # heights of rounds without pieces, and of a piece
_BARS, _BAR = 40, 28  # the same of the taken cards


def board(position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
    """Panels of a position (`Position.to_dict` or `seen_by`); at the end only what is left."""
    over = position["to_move"] is None
    table = [_roads(position, names), _taken_counts(position)]
    if not over:
        table = [_piles(position, names), _pieces(position), *reversed(table)]
    seats = (_seat(position, seat, names) for seat in range(position["players"]))
    return [Panel("table", "Table", table), *seats]


def _piles(position: Mapping[str, Any], names: Sequence[str]) -> Piece:
    return Piece("piles", titles.piles(position), draw_piles(position, names, _WIDTH))


def _pieces(position: Mapping[str, Any]) -> Piece:
    height = _ROUND + _PIECE * (position["players"] - 1)
    drawn = draw_pieces_beside(position, _WIDTH, height, _unit(position))
    return Piece("pieces", titles.pieces(position), drawn)


def _taken_counts(position: Mapping[str, Any]) -> Piece:
    height = _BARS + _BAR * position["players"]
    drawn = draw_taken_bars(position, _WIDTH, height)
    return Piece("taken", titles.taken_counts(position), drawn)


def _roads(position: Mapping[str, Any], names: Sequence[str]) -> Piece:
    drawn = draw_roads(position, names, _WIDTH, _unit(position))
    return Piece("roads", titles.roads(position), drawn)


def _unit(position: Mapping[str, Any]) -> float:
    rounds = len(position["pieces"])
    return unit_of(position, piece_room_beside(_WIDTH, rounds), room_for_roads(_WIDTH))


def _seat(position: Mapping[str, Any], seat: int, names: Sequence[str]) -> Panel:
    name = name_of(names, seat)
    strip = seat_strip(position, seat, names, _WIDTH, _STRIP)
    taken = draw_taken(position["taken"][seat], _WIDTH, _TAKEN)
    last = Block([taken.place(taken_place(seat), 0, 0)], _WIDTH, _TAKEN)
    pieces = []
    if position["to_move"] is None:
        last = _below(strip, last)
    else:
        hand = _below(strip, flow_hand(position, seat, _WIDTH))
        pieces.append(Piece(f"seat-{seat}-hand", titles.hand(position, seat, name), hand))
    pieces.append(Piece(f"seat-{seat}-taken", titles.taken(position, seat), last))
    return Panel(f"seat-{seat}", seat_and_name(seat, name), pieces, seat)


def _below(strip: Block, block: Block) -> Block:
    top = _STRIP + _GAP
    return Block([strip.at(0, 0), block.at(0, top)], _WIDTH, top + block.height)
