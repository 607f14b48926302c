"""The cards before a seat and those in its hand: places to click."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT, LINE
from shakespeare_env.drawing.shapes import Block, box
from shakespeare_env.figaro.drawing.card_picture import SHAPE, draw_card
from shakespeare_env.figaro.drawing.fan_picture import Fan, fit_fans, flow_fans
from shakespeare_env.figaro.drawing.places import front_place, hand_place
from shakespeare_env.figaro.drawing.wording import cards_count, held, in_order
from shakespeare_env.game import UNKNOWN

_HIGH, _COLUMNS = 96, 7  # a card to be touched, and how many there are in a row
_BACK, _BACKS, _STEP = 40, 5, 9  # cards face down: height, how many at most, from one to the next


def fit_pile(position: Mapping[str, Any], seat: int, width: float, height: float) -> Block:
    """The cards before a seat, in the order played."""
    pile = position["front"][seat]
    drawn = (
        fit_fans([Fan([card]) for card in pile], width, height)
        if pile
        else _empty("nothing before it", width, height)
    )
    return Block([drawn.place(front_place(seat), 0, 0)], width, height)


def fit_hand(position: Mapping[str, Any], seat: int, width: float, height: float) -> Block:
    """A hand, as large as there is room; the copies of a card lie together."""
    hand = position["hands"][seat]
    if hand and UNKNOWN not in hand:
        return fit_fans(_kinds(hand, seat), width, height)
    drawn = (
        fit_fans([Fan([card]) for card in held(hand)], width, height)
        if hand
        else _empty("no cards", width, height)
    )
    return Block([drawn.place(hand_place(seat), 0, 0)], width, height)


def flow_hand(position: Mapping[str, Any], seat: int, width: float) -> Block:
    """A hand to be touched: cards of one size, in rows; a few backs if it is face down."""
    hand = position["hands"][seat]
    if hand and UNKNOWN not in hand:
        return flow_fans(_kinds(hand, seat), width, _HIGH, _COLUMNS)
    drawn = _backs(hand[UNKNOWN]) if hand else _empty("no cards", width, _BACK)
    return Block([drawn.place(hand_place(seat), 0, 0)], width, _BACK)


def _kinds(hand: Mapping[str, int], seat: int) -> list[Fan]:
    return [Fan([card] * hand[card], hand_place(seat, card)) for card in in_order(hand)]


def _backs(cards: int) -> Block:
    shown = min(cards, _BACKS)
    end = (shown - 1) * _STEP + SHAPE * _BACK
    caption = words(end + 10, _BACK / 2 + 5, cards_count(cards), 14, weight="bold", room=90)
    backs = [draw_card(UNKNOWN, _BACK).at(_STEP * place, 0) for place in range(shown)]
    return Block([*backs, caption], end + 100, _BACK)


def _empty(caption: str, width: float, height: float) -> Block:
    frame = box(0, 0, width, height, fill="none", line=LINE, dashes=(4, 4))
    middle, base = width / 2, height / 2 + 4
    return Block(
        [frame, words(middle, base, caption, 11, fill=FAINT, anchor="middle", room=width)],
        width,
        height,
    )
