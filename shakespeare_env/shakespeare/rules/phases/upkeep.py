"""Phase 5, upkeep: "maintenance" in the rule book, not on day 6 (section U)."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare.rules.supply import (
    discard_characters,
    discard_elements,
    show_characters,
    show_elements,
)


@rule
def renew(game: Record) -> None:
    """Renew characters and elements; advance the day (Rules U1, U2, U3)."""
    discard_characters(game)
    show_characters(game)
    discard_elements(game)
    show_elements(game)
    game["day"] += 1
