"""A position as text in `WIDTH` columns, for terminals: hands only as far as they are known."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from shakespeare_env.drawing.text_layout import columns
from shakespeare_env.figaro.drawing.text import (
    cards,
    head,
    pile_text,
    road_text,
    roads,
    seat_name,
    total_text,
)
from shakespeare_env.figaro.drawing.wording import held, in_order, round_state
from shakespeare_env.game import UNKNOWN

WIDTH = 78

_PILE = 26  # columns for the cards before a seat


def draw_compact(position: Mapping[str, Any]) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as text, without a final newline."""
    hands = {
        seat: held(hand)
        for seat, hand in enumerate(position["hands"])
        if hand and UNKNOWN not in hand
    }
    taken = {seat: in_order(pile) for seat, pile in enumerate(position["taken"]) if pile}
    parts = {title: piles for title, piles in (("Hands", hands), ("Taken", taken)) if piles}
    over = position["to_move"] is None
    blocks = [
        head(position, WIDTH),
        *([roads(position)] if over else [_pieces(position), _seats(position)]),
        cards(position, parts, WIDTH),
    ]
    return "\n".join(line.rstrip() for line in chain.from_iterable(blocks))


def _pieces(position: Mapping[str, Any]) -> list[str]:
    """The pieces of this round and those to come, long to short."""
    listed = [
        f"{'round' if state == 'now' else 'later'}: {' '.join(map(str, pieces))}"
        for number, pieces in enumerate(position["pieces"], 1)
        if (state := round_state(position, number)) != "laid"
    ]
    return [f"Road pieces  {'   '.join(listed)}"] if listed else []


def _seats(position: Mapping[str, Any]) -> list[str]:
    rows = [["", "before it", "total", "hand", "taken", "road"]]
    for seat, (pile, hand, taken, road) in enumerate(
        zip(position["front"], position["hands"], position["taken"], position["roads"], strict=True)
    ):
        rows.append(
            [
                seat_name(position, seat),
                pile_text(pile, _PILE),
                total_text(pile),
                str(sum(hand.values())),
                str(len(taken)),
                road_text(road),
            ]
        )
    return columns(rows, [str.ljust, str.ljust, str.ljust, str.rjust, str.rjust, str.ljust])
