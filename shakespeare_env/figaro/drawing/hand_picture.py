"""Cards in a hand: places to click."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT, LINE
from shakespeare_env.drawing.shapes import Block, Elements, box
from shakespeare_env.figaro.drawing.card_picture import SHAPE, draw_card
from shakespeare_env.figaro.text.wording import cards_count, in_order

GAP = 5
"""The gap between cards that do not overlap."""
_HIGH, _COLUMNS = 96, 7  # a card to be touched, and how many there are in a row
_BACK, _BACKS, _STEP = 40, 5, 9  # cards face down: height, how many at most, from one to the next


def draw_hand(position: Mapping[str, Any], seat: int, width: float) -> Block:
    """A hand in rows, the copies of a card together; a few backs if it is face down."""
    hand = position["hands"][seat]
    if not hand or UNKNOWN in hand:
        drawn = _backs(hand[UNKNOWN]) if hand else draw_empty("no cards", width, _BACK)
        return drawn.as_place(f"hand{seat}")
    rows: list[list[str]] = [[]]
    for card in in_order(hand):
        if rows[-1] and sum(map(hand.get, rows[-1])) + hand[card] > _COLUMNS:
            rows.append([])
        rows[-1].append(card)
    wide, down = SHAPE * _HIGH, _HIGH + GAP
    step = min(wide + GAP, (width - wide) / (_COLUMNS - 1))
    elements: Elements = []
    for number, row in enumerate(rows):
        x = 0.0
        for card in row:
            # A fan is as wide as it shows: the next one may cover its last card.
            shown = wide if card == row[-1] else min(step, wide)
            copies = [
                draw_card(card, _HIGH).at(copy * step, 0, card=card) for copy in range(hand[card])
            ]
            fan = Block([*copies], (hand[card] - 1) * step + shown, _HIGH)
            elements.append(fan.place(f"hand{seat}.{card}", x, number * down))
            x += hand[card] * step
    return Block(elements, width, len(rows) * down - GAP)


def _backs(cards: int) -> Block:
    shown = min(cards, _BACKS)
    end = (shown - 1) * _STEP + SHAPE * _BACK
    caption = words(end + 10, _BACK / 2 + 5, cards_count(cards), 14, weight="bold", room=90)
    backs = [draw_card(UNKNOWN, _BACK).at(_STEP * place, 0, card=UNKNOWN) for place in range(shown)]
    return Block([*backs, caption], end + 100, _BACK)


def draw_empty(caption: str, width: float, height: float) -> Block:
    """A place without cards."""
    frame = box(0, 0, width, height, fill="none", line=LINE, dashes=(4, 4))
    middle, base = width / 2, height / 2 + 4
    text = words(middle, base, caption, 11, fill=FAINT, anchor="middle", room=width)
    return Block([frame, text], width, height)
