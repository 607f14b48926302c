"""The draft at setup (Rules S5)."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import actions
from shakespeare_env.shakespeare.box.tables import N_BOARD, N_DECK
from shakespeare_env.shakespeare.rules.boards import join
from shakespeare_env.shakespeare.state import NOBODY


@rule
def legal(game: Record, mask: Any) -> int:
    """Mark every shown card (Rules S5)."""
    count = 0
    for deck in range(N_DECK):
        if game["shown"][deck] > 0:
            mask[actions.DRAFT + deck] = True
            count += 1
    return count


@rule
def play(game: Record, action: int) -> None:
    """Take a shown card, face up (Rules S5)."""
    deck = action - actions.DRAFT
    game["shown"][deck] -= 1
    join(game, game["to_move"], N_BOARD + deck, 0)


@rule
def next_seat(game: Record) -> int:
    """Return the seat that drafts next: the one before in Order; NOBODY after the first (S5)."""
    for place in range(1, game["players"]):
        if game["order"][place] == game["to_move"]:
            return game["order"][place - 1]
    return NOBODY
