"""A position as a text table, `WIDTH` columns wide.

Drawn from notation, secrets included; unknown hands lie face down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from shakespeare_env.drawing.text_layout import columns, spread
from shakespeare_env.figaro.drawing.wording import (
    LETTERS,
    RING,
    SUITS,
    asked,
    held,
    in_order,
    king_words,
    pile_colour,
    pile_total,
    round_state,
    suit_of,
    table_words,
    value_of,
    winners,
)
from shakespeare_env.figaro.tables import FULL
from shakespeare_env.game import UNKNOWN

WIDTH = 100

_SEAT = 14  # columns for who it is
_PILE = 40  # columns for the cards before a seat
_NONE = "·"
_LEGEND = (
    f"before it: in the order played, letters are colours, J jester, {LETTERS[RING]} ring   "
    f"total: {FULL} take all",
    f"hands, taken: a digit is a card of that value, {LETTERS[RING]} a ring, "
    f"{UNKNOWN} a card face down",
)


def draw(position: Mapping[str, Any]) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as text, without a final newline."""
    blocks = [
        [*head(position, WIDTH), ""],
        [_pieces(position), ""],
        _seats(position),
        cards(
            {
                "Hands": dict(enumerate(map(held, position["hands"]))),
                "Taken": dict(enumerate(map(in_order, position["taken"]))),
            },
            WIDTH,
        ),
        ["─" * WIDTH, *_LEGEND],
    ]
    return "\n".join(line.rstrip() for line in chain.from_iterable(blocks))


def head(position: Mapping[str, Any], width: int) -> list[str]:
    """The table, the round, and who decides what."""
    now = f"round {position['round']} of {len(position['pieces'])} · {king_words(position)}"
    mark = "▶ " if position["to_move"] is not None else ""
    return [spread(f"Figaro · {table_words(position)}", now, width), mark + asked(position)]


def _pieces(position: Mapping[str, Any]) -> str:
    """Every round's pieces, long to short; past rounds' lie in the roads."""
    told = ["Road pieces"]
    for number, pieces in enumerate(position["pieces"], 1):
        state = round_state(position, number)
        mark = "▶ " if state == "now" else ""
        laid = "laid" if state == "laid" else _NONE
        told.append(f"{mark}round {number}: {' '.join(map(str, pieces)) or laid}")
    return "   ".join(told)


def _seats(position: Mapping[str, Any]) -> list[str]:
    rows = [["", "before it", "colour", "total", "hand", "taken", "road"]]
    for seat, (pile, hand, taken, road) in enumerate(
        zip(position["front"], position["hands"], position["taken"], position["roads"], strict=True)
    ):
        rows.append(
            [
                seat_name(position, seat),
                pile_text(pile, _PILE),
                pile_colour(pile) or _NONE,
                f"{pile_total(pile)} of {FULL}" if pile else _NONE,
                str(sum(hand.values())),
                str(len(taken)),
                road_text(road) + ("  wins" if seat in winners(position) else ""),
            ]
        )
    aligns = [str.ljust, str.ljust, str.ljust, str.ljust, str.rjust, str.rjust, str.ljust]
    return columns(rows, aligns)


def seat_name(position: Mapping[str, Any], seat: int) -> str:
    """A seat, marked if it decides or has the King."""
    mark = "▶" if seat == position["to_move"] else " "
    king = " King" if seat == position["king"] else ""
    return f"{mark} Seat {seat}{king}".ljust(_SEAT)


def pile_text(pile: Sequence[str], room: int) -> str:
    """The cards before a seat, close together if there is little room."""
    names = [f"{LETTERS[suit_of(card)]}{value_of(card) or ''}" for card in pile]
    told = " ".join(names)
    return (told if len(told) <= room else "".join(names)) or _NONE


def road_text(pieces: Sequence[int]) -> str:
    """A road's pieces and length."""
    if len(pieces) < 2:
        return str(sum(pieces)) if pieces else _NONE
    return f"{'+'.join(map(str, pieces))} = {sum(pieces)}"


def cards(parts: Mapping[str, Mapping[int, Iterable[str]]], width: int) -> list[str]:
    """Card values by part and seat, a row per seat and a column per colour, aligned."""
    split = {
        title: {seat: _by_suit(pile) for seat, pile in piles.items()}
        for title, piles in parts.items()
    }
    unknown = any(UNKNOWN in row for rows in split.values() for row in rows.values())
    suits = (*SUITS, UNKNOWN) if unknown else SUITS
    names = ["face down" if suit == UNKNOWN else suit for suit in suits]
    cells = []
    for title, rows in split.items():
        cells.append([title.ljust(_SEAT), *names])
        for seat, row in rows.items():
            cells.append([f"  Seat {seat}", *(row.get(suit, _NONE) for suit in suits)])
    lines = iter(columns(cells, [str.ljust] * (len(suits) + 1)))
    parted = (["─" * width, *islice(lines, len(rows) + 1)] for rows in split.values())
    return list(chain.from_iterable(parted))


def _by_suit(cards: Iterable[str]) -> dict[str, str]:
    told: dict[str, str] = {}
    for card in cards:
        suit = suit_of(card)
        told[suit] = told.get(suit, "") + (str(value_of(card) or LETTERS[suit]))
    return told
