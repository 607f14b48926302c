"""Where on the board a move is clicked.

Places: `handN.CARD` (`handN` if face down), `frontN` (what lies before seat N), `takenN`, `roadN`,
`pieces.R` (the road pieces of round R).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.figaro.text.wording import RING


def places(position: Mapping[str, Any], move: str) -> tuple[str, ...]:
    """The places of a legal move, one after the other; none if it is a button."""
    hand = f"hand{position['to_move']}"
    if move == RING:
        return (f"{hand}.{RING}",)
    card, _, seat = move.removeprefix("play:").partition(">")
    return (f"{hand}.{card}", f"front{seat}") if seat else ()
