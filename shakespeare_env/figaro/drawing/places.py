"""Where on the board a move is clicked.

Places: `handN.CARD` (`handN` if face down), `frontN` (what lies before seat N), `takenN`, `roadN`,
`pieces.R` (the road pieces of round R).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.core.presentation import Flight
from shakespeare_env.figaro.text.wording import RING


def places(position: Mapping[str, Any], move: str) -> tuple[str, ...]:
    """The places of a legal move, one after the other; none if it is a button."""
    hand = f"hand{position['to_move']}"
    if move == RING:
        return (f"{hand}.{RING}",)
    card, _, seat = move.removeprefix("play:").partition(">")
    return (f"{hand}.{card}", f"front{seat}") if seat else ()


def flights(before: Mapping[str, Any], move: str, after: Mapping[str, Any]) -> list[Flight]:
    """See `Presentation.flights`: cards from a hand, around the table, and to those who take."""
    mover, seats = before["to_move"], range(before["players"])
    shown = [seat for seat in seats if before["front"][seat]]
    if move == RING:
        return [Flight(f"front{seat}", f"front{(seat + 1) % len(seats)}") for seat in shown]
    found = []
    if at := places(before, move):
        hidden = UNKNOWN in before["hands"][mover]
        found.append(Flight(f"hand{mover}" if hidden else at[0], at[1]))
    takers = [seat for seat in seats if len(after["taken"][seat]) > len(before["taken"][seat])]
    return found + [
        Flight(f"front{seat}", f"taken{takers[0]}")
        for seat in shown
        if takers and not after["front"][seat]
    ]
