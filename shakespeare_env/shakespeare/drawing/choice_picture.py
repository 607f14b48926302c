"""Choices beside the board: the Queen's offers, and objectives drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.lettering import lines, words
from shakespeare_env.drawing.palette import FAINT, MUTED, STONE
from shakespeare_env.drawing.shapes import Block, Elements, box
from shakespeare_env.drawing.signs import note_sign, right_row, row
from shakespeare_env.shakespeare.box.printed import Printed, printed_of
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.powers import amount_signs
from shakespeare_env.shakespeare.text.wording import worth_now

_WIDTH, _GIFT, _OBJECTIVE, _EDGE = 150, 96, 124, 10  # widths, heights, margin
_STEP = 16
_BEHIND = 17  # from one of several cards to the next


def queen_offers(printed: Printed) -> dict[str, str]:
    """The Queen's offers by their names in moves."""
    return {
        "money": f"{printed.box.queen_pounds} pounds",
        "objectives": f"one of {printed.box.queen_objectives} objectives",
    }


def draw_gift(printed: Printed, offer: str) -> Block:
    """One of `queen_offers`, a place."""
    middle, cards = _WIDTH / 2, printed.box.queen_objectives
    if offer == "money":
        sign = shapes.coin(middle, 36, 44, f"{printed.box.queen_pounds}£")
    else:
        left = middle - _BEHIND * (cards - 1) / 2
        sign = [
            element
            for number in range(cards)
            for element in shapes.objective(left + _BEHIND * number, 36, 44)
        ]
    meaning = queen_offers(printed)[offer]
    label = words(middle, 80, meaning, 13, weight="bold", anchor="middle", room=_WIDTH - 12)
    return Block([*_ground(_GIFT), *sign, label], _WIDTH, _GIFT).as_place(f"queen.{offer}")


def draw_objective(position: Mapping[str, Any], card: str) -> Block:
    """A drawn objective, a place: its steps, and what it would bring the mover now.

    A card that the viewer does not know shows its back.
    """
    if card == UNKNOWN:
        back = words(_WIDTH / 2, _OBJECTIVE / 2, "objective", 12, fill=FAINT, anchor="middle")
        return Block([*_ground(_OBJECTIVE), back], _WIDTH, _OBJECTIVE)
    known, room = printed_of(position).objectives[card], _WIDTH - 2 * _EDGE
    drawn = _ground(_OBJECTIVE)
    for number, line in enumerate(lines(known.name.split(), 13, room)[:2]):
        drawn.append(words(_EDGE, 20 + 16 * number, line, 12.5, weight="bold", room=room))
    for number, (at, won) in enumerate(known.points):
        y = 52 + _STEP * number
        drawn += row([note_sign(f"{at} →"), *amount_signs(won, "★")], _EDGE, y, room)
    worth = amount_signs(worth_now(position, position["to_move"], card) or 0, "★")
    drawn += right_row([note_sign("now"), *worth], _WIDTH - _EDGE - 3, _OBJECTIVE - 18, room)
    return Block(drawn, _WIDTH, _OBJECTIVE).as_place(f"pending.drawn.{card}")


def _ground(height: float) -> Elements:
    return [
        box(0, 0, _WIDTH, height, fill=STONE, line=MUTED),
        box(0, 0, _WIDTH - 3, height - 3, line=MUTED),
    ]
