"""Recorded games as tables: what their columns hold, and how they are read.

Reading needs no agents, so a table can be read wherever the package and Polars are; agents play and
write them in `training/dataset.py`.
"""

from shakespeare_env.datasets.manifest import Manifest, Settings, read_manifest
from shakespeare_env.datasets.reading import check_digests, read_decisions, read_games
from shakespeare_env.datasets.schema import DECISIONS, GAMES, TABLES, Column

__all__ = [
    "DECISIONS",
    "GAMES",
    "TABLES",
    "Column",
    "Manifest",
    "Settings",
    "check_digests",
    "read_decisions",
    "read_games",
    "read_manifest",
]
