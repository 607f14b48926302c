"""Forced moves, which are played automatically (rule D1)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Game


@cache
def forced_moves_of(game: Game) -> Callable[[Any, Any], None]:
    """A game's compiled (record, mask): play while there is exactly one legal action.

    It writes the legal actions of the decision it ends at into bool[A], none when over.
    """
    rules_legal, rules_play = game.rules.legal, game.rules.play

    @rule
    def play_forced_moves(record: Any, mask: Any) -> None:
        mask[:] = False
        count = rules_legal(record, mask) if record["to_move"] >= 0 else 0
        while count == 1:
            action = 0
            while not mask[action] and action < len(mask) - 1:
                action += 1
            rules_play(record, action)
            mask[action] = False
            count = rules_legal(record, mask) if record["to_move"] >= 0 else 0

    return play_forced_moves
