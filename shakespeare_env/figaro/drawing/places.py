"""Where on the board a move is clicked.

Places: `handN.CARD` (`handN` if face down), `frontN` (what lies before seat N), `takenN`, `roadN`,
`pieces.R` (the road pieces of round R).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.figaro.drawing.wording import RING


def places(position: Mapping[str, Any], move: str) -> tuple[str, ...]:
    """The places of a legal move, one after the other; none if it is a button."""
    mover = position["to_move"]
    if move == RING:
        return (hand_place(mover, RING),)
    _, _, played = move.partition("play:")
    card, _, seat = played.partition(">")
    return (hand_place(mover, card), front_place(int(seat))) if card else ()


def hand_place(seat: int, card: str | None = None) -> str:
    """A kind of card in a hand, or a hand face down."""
    return f"hand{seat}.{card}" if card else f"hand{seat}"


def front_place(seat: int) -> str:
    """The cards before a seat."""
    return f"front{seat}"


def taken_place(seat: int) -> str:
    """The cards that a seat has taken."""
    return f"taken{seat}"


def road_place(seat: int) -> str:
    """A seat's road."""
    return f"road{seat}"


def round_place(number: int) -> str:
    """The road pieces of a round, counted from 1."""
    return f"pieces.{number}"
