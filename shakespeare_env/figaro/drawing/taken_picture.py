"""A seat's taken cards, in all and by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import svg

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import LINE, MUTED
from shakespeare_env.drawing.shapes import Block, Elements, box
from shakespeare_env.figaro.drawing.symbols import chip
from shakespeare_env.figaro.drawing.wording import LETTERS, in_order, suit_of, value_of
from shakespeare_env.figaro.tables import KIND_IDS

_COUNT = 62  # for the number of cards
_CHIP, _STEP, _APART = 20, 22.5, 5  # a kind, to the next, and more to the next colour
_HEIGHT = 40


def draw_taken(cards: Sequence[str], width: float, height: float) -> Block:
    """The number of cards, then a place per kind, the same for all seats."""
    counts = Counter(cards)
    kinds = in_order({*KIND_IDS, *counts})
    places, x = [], 0.0
    for number, kind in enumerate(kinds):
        x += _APART if number and suit_of(kind) != suit_of(kinds[number - 1]) else 0
        places.append(x)
        x += _STEP
    strip: Elements = []
    for kind, place in zip(kinds, places, strict=True):
        strip.append(Block(_kind(kind, counts[kind]), _CHIP, _HEIGHT).at(place, 0))
    scale = min((width - _COUNT) / x, height / _HEIGHT)
    size = 22
    return Block(
        [
            words(0, height / 2 + 4, str(len(cards)), size, weight="bold", room=_COUNT - 8),
            words(0, height / 2 + 18, "taken", 10.5, fill=MUTED, room=_COUNT - 8),
            svg.G(
                transform=[
                    svg.Translate(_COUNT, round((height - scale * _HEIGHT) / 2, 1)),
                    svg.Scale(round(scale, 3)),
                ],
                elements=strip,
            ),
        ],
        width,
        height,
    )


def _kind(kind: str, count: int) -> Elements:
    middle = _CHIP / 2
    if not count:
        edge = _CHIP - 2
        return [box(1, 1, edge, edge, fill="none", line=LINE, corner=3, dashes=(2, 2))]
    return [
        *chip(middle, middle, _CHIP, kind, f"{LETTERS[suit_of(kind)]}{value_of(kind)}"),
        words(middle, _HEIGHT - 5, f"{count}", 12.5, weight="bold", anchor="middle"),
    ]
