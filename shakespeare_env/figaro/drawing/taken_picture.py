"""A seat's taken cards, in all and by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import svg

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import LINE, MUTED
from shakespeare_env.drawing.shapes import Block, Elements, box
from shakespeare_env.figaro.drawing.symbols import chip
from shakespeare_env.figaro.drawing.wording import LETTERS, in_order, suit_of, value_of
from shakespeare_env.figaro.tables import KIND_IDS

_COUNT, _INSET = 62, 4  # for the number of cards, and before it
_CHIP, _STEP, _APART = 20, 22.5, 5  # a kind, to the next, and more to the next colour
_HEIGHT = 40
_LARGEST = 1.25


def draw_taken(cards: Sequence[str], width: float, height: float) -> Block:
    """The number of cards, then a place per kind, the same for all seats."""
    counts = Counter(cards)
    kinds = in_order({*KIND_IDS, *counts})
    lines = max(
        (_lines(kinds, rows) for rows in (1, 2)), key=lambda rows: _scale(rows, width, height)
    )
    scale = _scale(lines, width, height)
    strip: Elements = []
    for row, line in enumerate(lines):
        strip += [
            Block(_kind(kind, counts[kind]), _CHIP, _HEIGHT).at(at, row * _HEIGHT)
            for kind, at in line.items()
        ]
    size = 22
    return Block(
        [
            words(_INSET, height / 2 + 4, str(len(cards)), size, weight="bold", room=_COUNT - 12),
            words(_INSET, height / 2 + 18, "taken", 10.5, fill=MUTED, room=_COUNT - 12),
            svg.G(
                transform=[
                    svg.Translate(_COUNT, round((height - scale * len(lines) * _HEIGHT) / 2, 1)),
                    svg.Scale(round(scale, 3)),
                ],
                elements=strip,
            ),
        ],
        width,
        height,
    )


def _lines(kinds: Sequence[str], rows: int) -> list[dict[str, float]]:
    """By row, where each kind is; a new row begins with a colour."""
    lines: list[dict[str, float]] = []
    x, last = 0.0, ""
    for number, kind in enumerate(kinds):
        suit = suit_of(kind)
        if not lines or (suit != last and number >= len(lines) * len(kinds) / rows):
            lines.append({})
            x = 0
        elif suit != last:
            x += _APART
        lines[-1][kind] = x
        x, last = x + _STEP, suit
    return lines


def _scale(lines: Sequence[Mapping[str, float]], width: float, height: float) -> float:
    long = max(max(line.values()) for line in lines) + _STEP
    return min((width - _COUNT) / long, height / (len(lines) * _HEIGHT), _LARGEST)


def _kind(kind: str, count: int) -> Elements:
    middle = _CHIP / 2
    if not count:
        edge = _CHIP - 2
        return [box(1, 1, edge, edge, fill="none", line=LINE, corner=3, dashes=(2, 2))]
    return [
        *chip(middle, middle, _CHIP, kind, f"{LETTERS[suit_of(kind)]}{value_of(kind)}"),
        words(middle, _HEIGHT - 5, f"{count}", 12.5, weight="bold", anchor="middle"),
    ]
