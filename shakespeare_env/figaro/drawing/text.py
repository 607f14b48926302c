"""A position as a text table, `WIDTH` columns wide.

Drawn from notation, secrets included; unknown hands lie face down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
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
        [*_head(position), ""],
        [_pieces(position), ""],
        _seats(position),
        _cards(
            {
                "Hands": [held(hand) for hand in position["hands"]],
                "Taken": [in_order(pile) for pile in position["taken"]],
            }
        ),
        ["─" * WIDTH, *_LEGEND],
    ]
    return "\n".join(line.rstrip() for line in chain.from_iterable(blocks))


def _head(position: Mapping[str, Any]) -> list[str]:
    now = f"round {position['round']} of {len(position['pieces'])} · {king_words(position)}"
    mark = "▶ " if position["to_move"] is not None else ""
    return [
        spread(f"Figaro · {table_words(position)}", now, WIDTH),
        mark + asked(position),
    ]


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
                _seat(position, seat),
                _pile(pile),
                pile_colour(pile) or _NONE,
                f"{pile_total(pile)} of {FULL}" if pile else _NONE,
                str(sum(hand.values())),
                str(len(taken)),
                _road(road) + ("  wins" if seat in winners(position) else ""),
            ]
        )
    aligns = [str.ljust, str.ljust, str.ljust, str.ljust, str.rjust, str.rjust, str.ljust]
    return columns(rows, aligns)


def _seat(position: Mapping[str, Any], seat: int) -> str:
    mark = "▶" if seat == position["to_move"] else " "
    king = " King" if seat == position["king"] else ""
    return f"{mark} Seat {seat}{king}".ljust(_SEAT)


def _pile(pile: Sequence[str]) -> str:
    names = [f"{LETTERS[suit_of(card)]}{value_of(card) or ''}" for card in pile]
    told = " ".join(names)
    return (told if len(told) <= _PILE else "".join(names)) or _NONE


def _road(pieces: Sequence[int]) -> str:
    if len(pieces) < 2:
        return str(sum(pieces)) if pieces else _NONE
    return f"{'+'.join(map(str, pieces))} = {sum(pieces)}"


def _cards(parts: Mapping[str, Sequence[Iterable[str]]]) -> list[str]:
    """Card values, a row per seat and a column per colour, aligned across parts."""
    split = {title: [_by_suit(pile) for pile in piles] for title, piles in parts.items()}
    unknown = any(UNKNOWN in row for rows in split.values() for row in rows)
    suits = (*SUITS, UNKNOWN) if unknown else SUITS
    names = ["face down" if suit == UNKNOWN else suit for suit in suits]
    cells = []
    for title, rows in split.items():
        cells.append([title.ljust(_SEAT), *names])
        for seat, row in enumerate(rows):
            cells.append([f"  Seat {seat}", *(row.get(suit, _NONE) for suit in suits)])
    lines = columns(cells, [str.ljust] * (len(suits) + 1))
    each = len(lines) // len(split)
    parted = (("─" * WIDTH, *lines[start : start + each]) for start in range(0, len(lines), each))
    return list(chain.from_iterable(parted))


def _by_suit(cards: Iterable[str]) -> dict[str, str]:
    told: dict[str, str] = {}
    for card in cards:
        suit = suit_of(card)
        told[suit] = told.get(suit, "") + (str(value_of(card) or LETTERS[suit]))
    return told
