"""White quills: advancing on any act (Rules T8)."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import actions
from shakespeare_env.shakespeare.rules.boards import advance, can_advance


@rule
def legal(game: Record, mask: Any) -> int:
    """Mark every act that the seat can still advance on (Rules T6)."""
    count = 0
    for act in range(3):
        if can_advance(game, act, game["to_move"]):
            mask[actions.QUILL + act] = True
            count += 1
    return count


@rule
def is_possible(game: Record) -> bool:
    """Return whether a quill can go anywhere; if not, it is lost (Rules T6)."""
    seat = game["to_move"]
    return can_advance(game, 0, seat) or can_advance(game, 1, seat) or can_advance(game, 2, seat)


@rule
def play(game: Record, action: int) -> None:
    """Place one white quill; each is a separate choice (Rules T6)."""
    game["quills"] -= 1
    advance(game, action - actions.QUILL, game["to_move"], 1)
