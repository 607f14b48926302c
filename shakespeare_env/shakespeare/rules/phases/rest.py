"""Phases 5 and 6, upkeep and rest, on every day but the last (sections U and P).

The rule book calls them "maintenance" and "pause".
"""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import actions
from shakespeare_env.shakespeare.rules import boards
from shakespeare_env.shakespeare.state import NOBODY


@rule
def renew(game: Record) -> None:
    """Replace the characters and elements on display; advance the day (Rules U1 to U3)."""
    boards.discard_characters(game)
    boards.show_characters(game)
    boards.discard_elements(game)
    boards.show_elements(game)
    game["day"] += 1


@rule
def remove_rest_tokens(game: Record) -> None:
    """Remove yesterday's rest tokens (Rules P1)."""
    game["rest"][:, :] = 0


@rule
def cylinders_used(game: Record, seat: int) -> int:
    """Return how many cylinders a seat has used today (Rules P2)."""
    count = 0
    for member in range(game["troupe_len"][seat]):
        count += game["cylinder"][seat, member]
    return count


@rule
def legal(game: Record, mask: Any) -> int:
    """Mark the characters activated today; copies of a card share a move (Rules P2)."""
    seat = game["to_move"]
    count = 0
    for member in range(game["troupe_len"][seat]):
        if game["cylinder"][seat, member]:
            action = actions.KEEP + actions.ACTIVATE_INDEX[game["card"][seat, member]]
            if not mask[action]:
                mask[action] = True
                count += 1
    return count


@rule
def play(game: Record, action: int) -> None:
    """Choose the character that stays free: in secret, or openly with strategic rest (P2, P4)."""
    seat = game["to_move"]
    card = actions.ACTIVATE_CARD[action - actions.KEEP]
    if game["strategic_rest"]:
        put_to_rest(game, seat, card)
    else:
        game["kept"][seat] = card


@rule
def put_to_rest(game: Record, seat: int, kept: int) -> None:
    """Lay rest tokens on all activated characters but one, the first copy of `kept` (Rules P2)."""
    is_kept_found = False
    for member in range(game["troupe_len"][seat]):
        if game["cylinder"][seat, member]:
            if not is_kept_found and game["card"][seat, member] == kept:
                is_kept_found = True
            else:
                game["rest"][seat, member] = 1


@rule
def reveal(game: Record) -> None:
    """Lay all rest tokens at once, after every seat has chosen in secret (Rules P2, D2)."""
    for seat in range(game["players"]):
        if game["kept"][seat] != NOBODY:
            put_to_rest(game, seat, game["kept"][seat])
            game["kept"][seat] = NOBODY


@rule
def begin_day(game: Record) -> None:
    """Return all cylinders and forget the day's wagers, recruits and passes (Rules P3)."""
    game["cylinder"][:, :] = 0
    game["wager"][:] = 0
    game["cylinders"][:] = 0  # none to place until the wagers are revealed
    game["recruited"][:] = 0
    game["passed"][:] = 0
