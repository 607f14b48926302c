"""Recorded games: their columns, and reading them as frames, as arrays or as objects.

Reading needs Polars but no agents; `shakespeare_arena.dataset` writes them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shakespeare_env.datasets.frames import DECISIONS, GAMES
from shakespeare_env.datasets.reading import collected, read_games, read_results

if TYPE_CHECKING:
    from shakespeare_env.datasets.decisions import (
        Batches,
        Decisions,
        decisions_of,
        read_batches,
        read_decisions,
    )
    from shakespeare_env.datasets.recorded_columns import (
        RecordedGame,
        RecordedGames,
        recorded_games,
    )

__all__ = [
    "DECISIONS",
    "GAMES",
    "Batches",
    "Decisions",
    "RecordedGame",
    "RecordedGames",
    "collected",
    "decisions_of",
    "read_batches",
    "read_decisions",
    "read_games",
    "read_results",
    "recorded_games",
]
_LAZY = {
    "decisions": ("Batches", "Decisions", "decisions_of", "read_batches", "read_decisions"),
    "recorded_columns": ("RecordedGame", "RecordedGames", "recorded_games"),
}
"""Names that need the engine, by module, imported on first use because that is slow."""


def __getattr__(name: str) -> Any:
    for module, names in _LAZY.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
