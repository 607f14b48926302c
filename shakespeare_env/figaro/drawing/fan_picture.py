"""Cards in rows, which overlap where room is short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil

from shakespeare_env.drawing.shapes import Block, Elements
from shakespeare_env.figaro.drawing.card_picture import SHAPE, draw_card

_GAP = 5  # between cards that do not overlap
_ROWS = (1, 2, 3)
_SHOWN = 0.6  # of a card's width, where others cover it
_TALLEST, _LOWEST = 172, 66  # many cards cover more of each other rather than get lower


@dataclass(frozen=True)
class Fan:
    """Cards that stay together in a row, with the name of their place if they have one."""

    cards: Sequence[str]
    place: str = ""


def fit_fans(fans: Sequence[Fan], width: float, height: float) -> Block:
    """Fans from left to right, in the number of rows that draws them largest."""
    most = max(_ROWS, key=lambda rows: _card_height(_in_rows(fans, rows), width, height))
    lines = _in_rows(fans, most)
    high = _card_height(lines, width, height)
    step, columns = SHAPE * high + _GAP, _longest(lines)
    if columns > 1:
        step = min(step, (width - SHAPE * high) / (columns - 1))
    top = (height - len(lines) * (high + _GAP) + _GAP) / 2
    return Block(_laid(lines, high, step, top), width, height)


def flow_fans(fans: Sequence[Fan], width: float, high: float, columns: int) -> Block:
    """Fans of cards of one size, `columns` to a row, in as many rows as they need."""
    lines = _filled(fans, columns)
    step = min(SHAPE * high + _GAP, (width - SHAPE * high) / (columns - 1))
    return Block(_laid(lines, high, step, 0), width, len(lines) * (high + _GAP) - _GAP)


def _in_rows(fans: Sequence[Fan], rows: int) -> list[list[Fan]]:
    """Fans in at most `rows` rows, the longest as short as possible."""
    cards = sum(len(fan.cards) for fan in fans)
    tries = (_filled(fans, columns) for columns in count(ceil(cards / rows)))
    return next(lines for lines in tries if len(lines) <= rows)


def _filled(fans: Sequence[Fan], columns: int) -> list[list[Fan]]:
    lines: list[list[Fan]] = [[]]
    for fan in fans:
        if lines[-1] and _length(lines[-1]) + len(fan.cards) > columns:
            lines.append([])
        lines[-1].append(fan)
    return lines


def _card_height(lines: Sequence[Sequence[Fan]], width: float, height: float) -> float:
    """The height at which rows fit and enough of every card shows."""
    fitting = width / (1 + (_longest(lines) - 1) * _SHOWN) / SHAPE
    rows = len(lines)
    return min(_TALLEST, (height - (rows - 1) * _GAP) / rows, max(fitting, _LOWEST))


def _laid(lines: Sequence[Sequence[Fan]], high: float, step: float, top: float) -> Elements:
    drawn: Elements = []
    for row, line in enumerate(lines):
        y, column = top + row * (high + _GAP), 0
        for fan in line:
            covered = min(step, SHAPE * high)
            last = SHAPE * high if fan is line[-1] else covered
            block = _fan(fan.cards, high, step, last)
            x = column * step
            drawn.append(block.place(fan.place, x, y) if fan.place else block.at(x, y))
            column += len(fan.cards)
    return drawn


def _fan(cards: Sequence[str], high: float, step: float, last: float) -> Block:
    """A fan, as wide as it shows: the next fan may cover its last card."""
    drawn: Elements = [
        draw_card(card, high).at(place * step, 0, card=card) for place, card in enumerate(cards)
    ]
    return Block(drawn, (len(cards) - 1) * step + last, high)


def _longest(lines: Sequence[Sequence[Fan]]) -> int:
    return max(map(_length, lines))


def _length(line: Sequence[Fan]) -> int:
    return sum(len(fan.cards) for fan in line)
