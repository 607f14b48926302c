"""The board in pieces, each to be read and touched on a narrow screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.core.presentation import Panel, Piece
from shakespeare_env.drawing.board import seat_and_name
from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.shapes import Block
from shakespeare_env.figaro.drawing import piece_titles as titles
from shakespeare_env.figaro.drawing.hand_picture import draw_hand
from shakespeare_env.figaro.drawing.palette import ON_SEATS
from shakespeare_env.figaro.drawing.piles_picture import draw_piles
from shakespeare_env.figaro.drawing.roads_picture import draw_pieces, draw_roads
from shakespeare_env.figaro.drawing.seat_sign import name_of, seat_strip
from shakespeare_env.figaro.drawing.summary_picture import draw_summary
from shakespeare_env.figaro.drawing.taken_picture import draw_taken, draw_taken_bars

_WIDTH = 420
_STRIP, _GAP = 28, 8


def board(position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
    """Panels of a position (`Position.to_dict` or `seen_by`); at the end only what is left."""
    race = [
        Piece("roads", titles.roads(position), draw_roads(position, names, _WIDTH)),
        Piece("taken", titles.taken_counts(position), draw_taken_bars(position, _WIDTH)),
    ]
    seats = [_seat(position, seat, names) for seat in range(position["players"])]
    if position["to_move"] is None:
        return [Panel("race", "Roads", race), *seats]
    piles = [Piece("piles", titles.piles(position), draw_piles(position, names, _WIDTH))]
    pieces = [Piece("pieces", titles.pieces(position), draw_pieces(position, _WIDTH))]
    return [
        Panel("table", "Cards on the table", piles),
        Panel("pieces", "Road pieces", pieces),
        Panel("race", "Roads and cards taken", race[::-1], aside=True),
        *seats,
    ]


def _seat(position: Mapping[str, Any], seat: int, names: Sequence[str]) -> Panel:
    name = name_of(names, seat)
    strip = _strip(position, seat, names)
    last = draw_taken(position["taken"][seat], _WIDTH).as_place(f"taken{seat}")
    pieces = []
    if position["to_move"] is None:
        last = _below(strip, last)
    else:
        hand = _below(strip, draw_hand(position, seat, _WIDTH))
        pieces.append(Piece(f"seat-{seat}-hand", titles.hand(position, seat, name), hand))
    pieces.append(Piece(f"seat-{seat}-taken", titles.taken(position, seat), last))
    summary = Piece(
        f"seat-{seat}-summary",
        titles.summary(position, seat, name),
        draw_summary(position, seat, names),
    )
    return Panel(f"seat-{seat}", seat_and_name(seat, name), pieces, seat, summary)


def _strip(position: Mapping[str, Any], seat: int, names: Sequence[str]) -> Block:
    """Who it is, and what its cards and its road count."""
    strip = seat_strip(position, seat, names, _WIDTH, _STRIP)
    counts = f"{len(position['taken'][seat])} taken · road {sum(position['roads'][seat])}"
    counted = words(_WIDTH - 80, 19, counts, 12, fill=ON_SEATS[seat], anchor="end", room=150)
    return Block([*strip.elements, counted], _WIDTH, _STRIP)


def _below(strip: Block, block: Block) -> Block:
    top = _STRIP + _GAP
    return Block([strip.at(0, 0), block.at(0, top)], _WIDTH, top + block.height)
