"""Which decision follows which."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.figaro.box.tables import N_ROUNDS
from shakespeare_env.figaro.rules import moves
from shakespeare_env.figaro.rules.scoring import score_round, winner_of
from shakespeare_env.figaro.rules.setup import clear_front, deal
from shakespeare_env.figaro.state import NOBODY


@rule
def legal(game: Record, mask: Any) -> int:
    """Mark legal actions in bool[A], all False before; count them."""
    return moves.legal(game, mask)


@rule
def play(game: Record, action: int) -> None:
    """Play a legal action and find the next decision."""
    moves.play(game, action)
    if game["hand_size"][game["to_move"]] == 0:
        end_round(game)


@rule
def end_round(game: Record) -> None:
    """Give the King to the seat without cards, which starts the next round (C1, A3, A4)."""
    game["king"] = game["to_move"]
    score_round(game)
    if game["round"] == N_ROUNDS - 1:
        end(game)
    else:
        game["round"] += 1
        deal(game)


@rule
def end(game: Record) -> None:
    """End the game, leaving taken cards to be seen (Rules C1, C4)."""
    game["winners"][winner_of(game)] = 1
    clear_front(game)
    game["hand"][:, :] = 0
    game["hand_size"][:] = 0
    game["to_move"] = NOBODY
