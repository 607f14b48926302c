"""Which decision follows which: turns, the end of a round, the next one, the end of the game."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compiled import rule
from shakespeare_env.figaro import moves
from shakespeare_env.figaro.scoring import score_round, winner_of
from shakespeare_env.figaro.setup import clear_front, deal
from shakespeare_env.figaro.state import NOBODY
from shakespeare_env.figaro.tables import N_ROUNDS
from shakespeare_env.game import Record


@rule
def legal(game: Record, mask: Any) -> int:
    """Write the legal actions of the seat to move into bool[A], all False before; count them."""
    return moves.legal(game, mask)


@rule
def play(game: Record, action: int) -> None:
    """Play one legal action of the seat to move and find the next decision."""
    moves.play(game, action)
    if game["hand_size"][game["to_move"]] == 0:
        end_round(game)


@rule
def end_round(game: Record) -> None:
    """Whoever starts a turn without cards takes the King and starts the next round (C1, A3, A4)."""
    game["king"] = game["to_move"]
    score_round(game)
    if game["round"] == N_ROUNDS - 1:
        end(game)
    else:
        game["round"] += 1
        deal(game)


@rule
def end(game: Record) -> None:
    """The game is over; what was taken stays to be seen (Rules C1, C4)."""
    game["winners"][winner_of(game)] = 1
    clear_front(game)
    game["hand"][:, :] = 0
    game["hand_size"][:] = 0
    game["to_move"] = NOBODY
