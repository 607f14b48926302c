"""Where a game stands, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.presentation import Headline
from shakespeare_env.shakespeare.drawing.wording import afterwards, asked, phase_words, table_words
from shakespeare_env.shakespeare.tables import N_DAYS


def headline(position: Mapping[str, Any]) -> Headline:
    """The table, the day and its phase, and who decides what."""
    return Headline(
        "Shakespeare",
        table_words(position),
        f"day {position['day']} of {N_DAYS}",
        phase_words(position),
        asked(position),
        afterwards(position),
    )
