"""Recorded games: their columns, and reading them as frames, as arrays or as objects.

Reading needs Polars but no agents; `shakespeare_arena.dataset` writes them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shakespeare_env.datasets.frames import DECISIONS, GAMES
from shakespeare_env.datasets.reading import collected, read_games, read_results

if TYPE_CHECKING:
    from shakespeare_env.datasets.batches import Batches, Decisions, read_batches
    from shakespeare_env.datasets.decisions import decisions_of, read_decisions
    from shakespeare_env.datasets.recorded_game import RecordedGame, RecordedGames, recorded_games

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
_HOMES = {
    "Batches": "batches",
    "Decisions": "batches",
    "RecordedGame": "recorded_game",
    "RecordedGames": "recorded_game",
    "decisions_of": "decisions",
    "read_batches": "batches",
    "read_decisions": "decisions",
    "recorded_games": "recorded_game",
}
"""The modules of names that need the engine, imported on first use because that is slow."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
