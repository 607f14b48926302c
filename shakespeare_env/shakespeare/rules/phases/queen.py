"""The Queen's gift: pounds or objectives (Rules T17)."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import actions
from shakespeare_env.shakespeare.box.tables import N_OBJECTIVES, QUEEN_OBJECTIVES, QUEEN_POUNDS
from shakespeare_env.shakespeare.rules.boards import gain_pounds
from shakespeare_env.shakespeare.state import NOBODY


@rule
def legal_gifts(game: Record, mask: Any) -> int:
    """Mark the pounds, and the objectives if any are left (Rules T17)."""
    mask[actions.QUEEN_MONEY] = True
    if game["objective_deck_len"] == 0:
        return 1
    mask[actions.QUEEN_OBJECTIVES] = True
    return 2


@rule
def play_gift(game: Record, action: int) -> None:
    """Take 4 pounds, or draw the top 3 objectives, fewer if fewer are left (Rules T17)."""
    game["queen"] = 0
    if action == actions.QUEEN_MONEY:
        gain_pounds(game, game["to_move"], QUEEN_POUNDS)
        return
    deck = game["objective_deck"]
    known = game["objective_known"]
    drawn = min(QUEEN_OBJECTIVES, game["objective_deck_len"])
    for place in range(drawn):
        game["drawn"][place] = deck[place]
    game["drawn_len"] = drawn
    # The rest of the deck moves up. NOBODY stands for "no card" after its last card.
    for place in range(N_OBJECTIVES):
        below = place + drawn
        deck[place] = deck[below] if below < N_OBJECTIVES else NOBODY
        known[place] = known[below] if below < N_OBJECTIVES else NOBODY
    game["objective_deck_len"] -= drawn


@rule
def legal_objectives(game: Record, mask: Any) -> int:
    """Mark every drawn objective (Rules T17)."""
    for place in range(game["drawn_len"]):
        mask[actions.OBJECTIVE + int(game["drawn"][place])] = True
    return game["drawn_len"]


@rule
def play_objective(game: Record, action: int) -> None:
    """Keep one of the objectives drawn (Rules T17).

    The others go to the bottom of the pile in the order drawn, and the seat remembers them (D3).
    """
    seat = game["to_move"]
    kept = action - actions.OBJECTIVE
    for place in range(game["drawn_len"]):
        objective = game["drawn"][place]
        game["drawn"][place] = NOBODY
        if objective == kept:
            game["objectives"][seat, game["objectives_len"][seat]] = objective
            game["objectives_len"][seat] += 1
        else:
            bottom = game["objective_deck_len"]
            game["objective_deck"][bottom] = objective
            game["objective_known"][bottom] = seat
            game["objective_deck_len"] = bottom + 1
    game["drawn_len"] = 0
