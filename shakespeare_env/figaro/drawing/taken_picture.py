"""Taken cards: how many each seat has, and a seat's by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import svg

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import LINE, MUTED
from shakespeare_env.drawing.shapes import Block, Elements, box, drawn_once, panel
from shakespeare_env.figaro.box.tables import KIND_IDS
from shakespeare_env.figaro.drawing.palette import SEATS
from shakespeare_env.figaro.drawing.seat_sign import seat_token
from shakespeare_env.figaro.drawing.symbols import chip
from shakespeare_env.figaro.text.wording import LETTERS, in_order, suit_of, value_of

_EDGE, _TITLE, _BAR = 14, 32, 28
_CARDS = 30  # least reach of the scale of taken cards
_COUNT, _INSET = 62, 4  # for the number of cards, and before it
_CHIP, _STEP, _APART = 20, 22.5, 5  # a kind, to the next, and more to the next colour
_ROW, _ROWS, _HEIGHT = 40, 2, 92
_LARGEST = 1.25


def draw_taken_bars(position: Mapping[str, Any], width: float) -> Block:
    """How many cards each seat has taken: most get the longest piece (Rules C2)."""
    counts = [len(pile) for pile in position["taken"]]
    height = _TITLE + _BAR * len(counts) + _EDGE / 2
    drawn = panel(width, height, "Cards taken in this round")
    left, right = _EDGE + 38, 34
    unit = (width - left - _EDGE - right) / max(_CARDS, *counts)
    for seat, count in enumerate(counts):
        middle, end = _TITLE + _BAR * (seat + 0.5), left + count * unit
        drawn += seat_token(seat, _EDGE + 12, middle, 24)
        if count:
            bar = box(left, middle - 7, count * unit, 14, fill=SEATS[seat], line=MUTED, corner=3)
            drawn.append(bar)
            end += 7
        drawn.append(words(end, middle + 5, str(count), 14, weight="bold", room=right))
    return Block(drawn, width, height)


def draw_taken(cards: Sequence[str], width: float) -> Block:
    """The number of cards, then a place per kind, the same for all seats."""
    return _draw_taken(tuple(sorted(cards)), width)


@drawn_once
def _draw_taken(cards: tuple[str, ...], width: float) -> Block:
    counts = Counter(cards)
    lines = _lines(in_order({*KIND_IDS, *counts}))
    long = max(max(line.values()) for line in lines) + _STEP
    scale = min((width - _COUNT) / long, _HEIGHT / (len(lines) * _ROW), _LARGEST)
    kinds: Elements = [
        Block(_kind(kind, counts[kind]), _CHIP, _ROW).at(x, row * _ROW)
        for row, line in enumerate(lines)
        for kind, x in line.items()
    ]
    middle, top, room = _HEIGHT / 2, (_HEIGHT - scale * len(lines) * _ROW) / 2, _COUNT - 12
    moved = [svg.Translate(_COUNT, round(top, 1)), svg.Scale(round(scale, 3))]
    drawn: Elements = [
        words(_INSET, middle + 4, str(len(cards)), 22, weight="bold", room=room),
        words(_INSET, middle + 18, "taken", 10.5, fill=MUTED, room=room),
        svg.G(transform=moved, elements=kinds),
    ]
    return Block(drawn, width, _HEIGHT)


def _lines(kinds: Sequence[str]) -> list[dict[str, float]]:
    """By row, where each kind is; a new row begins with a colour."""
    lines: list[dict[str, float]] = []
    x, last = 0.0, ""
    for number, kind in enumerate(kinds):
        suit = suit_of(kind)
        if not lines or (suit != last and number >= len(lines) * len(kinds) / _ROWS):
            lines.append({})
            x = 0
        elif suit != last:
            x += _APART
        lines[-1][kind] = x
        x, last = x + _STEP, suit
    return lines


def _kind(kind: str, count: int) -> Elements:
    middle = _CHIP / 2
    if not count:
        edge = _CHIP - 2
        return [box(1, 1, edge, edge, fill="none", line=LINE, corner=3, dashes=(2, 2))]
    return [
        *chip(middle, middle, _CHIP, kind, f"{LETTERS[suit_of(kind)]}{value_of(kind)}"),
        words(middle, _ROW - 5, f"{count}", 12.5, weight="bold", anchor="middle"),
    ]
