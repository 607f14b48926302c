"""Phase 1, wager (section W)."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import actions
from shakespeare_env.shakespeare.box.tables import N_CYLINDERS, N_SEATS
from shakespeare_env.shakespeare.rules.boards import gain_prestige
from shakespeare_env.shakespeare.state import NOBODY


@rule
def legal(game: Record, mask: Any) -> int:
    """Mark every number of cylinders (Rules W1)."""
    for wager in range(N_CYLINDERS):
        mask[actions.WAGER + wager] = True
    return N_CYLINDERS


@rule
def play(game: Record, action: int) -> None:
    """Choose a wager; it is secret until all seats have chosen (Rules W1, D2)."""
    game["wager"][game["to_move"]] = action - actions.WAGER + 1


@rule
def next_seat(game: Record) -> int:
    """Return the next seat in Order without a wager; NOBODY once all have one (Rules D2)."""
    for place in range(game["players"]):
        seat = game["order"][place]
        if game["wager"][seat] == 0:
            return seat
    return NOBODY


@rule
def reveal(game: Record) -> None:
    """Reveal the wagers: settle the new Order and make the cylinders available (Rules W2 to W4).

    The fewest cylinders come first, and ties go by Initiative. The first seat scores 1 prestige.
    """
    order = game["order"]
    place = 0
    for wager in range(1, N_CYLINDERS + 1):
        for rank in range(game["players"]):
            seat = game["initiative"][rank]
            if game["wager"][seat] == wager:
                order[place] = seat
                place += 1
    gain_prestige(game, order[0], 1)
    clear_initiative(game)
    for seat in range(N_SEATS):
        game["cylinders"][seat] = game["wager"][seat]


@rule
def clear_initiative(game: Record) -> None:
    """Empty the Initiative track (Rules W4)."""
    game["initiative"][:] = NOBODY
    game["initiative_len"] = 0
