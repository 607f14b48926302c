"""Recorded games as tables: their columns, and reading them.

Reading needs Polars but no agents; `shakespeare_agents.arena.dataset` writes them.
"""

from shakespeare_env.datasets.manifest import Manifest, Settings
from shakespeare_env.datasets.manifest_reading import read_manifest
from shakespeare_env.datasets.reading import check_digests, collected, read_games
from shakespeare_env.datasets.schema import DECISIONS, GAMES, TABLES, Column

__all__ = [
    "DECISIONS",
    "GAMES",
    "TABLES",
    "Column",
    "Manifest",
    "Settings",
    "check_digests",
    "collected",
    "read_games",
    "read_manifest",
]
