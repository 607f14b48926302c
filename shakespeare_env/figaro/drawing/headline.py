"""Where a game stands, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.figaro.drawing.wording import asked, king_words, table_words
from shakespeare_env.presentation import Headline


def headline(position: Mapping[str, Any]) -> Headline:
    """The table, the round and the King, and who decides what."""
    return Headline(
        "Figaro",
        table_words(position),
        f"round {position['round']} of {len(position['pieces'])}",
        king_words(position),
        asked(position),
    )
