"""Readers of recorded games, as frames, arrays or objects, and the columns of these frames.

Reading needs Polars but no agents. `shakespeare_arena.dataset` writes recorded games.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shakespeare_env.datasets.frames import DECISIONS, GAMES
from shakespeare_env.datasets.reading import read_games, read_results

if TYPE_CHECKING:
    from shakespeare_env.datasets.decisions import Batches as Batches
    from shakespeare_env.datasets.decisions import Decisions as Decisions
    from shakespeare_env.datasets.decisions import read_decisions as read_decisions
    from shakespeare_env.datasets.recorded_columns import RecordedGame as RecordedGame
    from shakespeare_env.datasets.recorded_columns import recorded_games as recorded_games

_MODULES = {
    **dict.fromkeys(("Batches", "Decisions", "read_decisions"), "decisions"),
    **dict.fromkeys(("RecordedGame", "recorded_games"), "recorded_columns"),
}
"""The modules of names that need the engine. They are slow to import, and so wait for first use."""
__all__ = ["DECISIONS", "GAMES", "read_games", "read_results", *_MODULES]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
