"""The columns of an arena's results: finished games, each in one row."""

from __future__ import annotations

from shakespeare_env.datasets.schema import RECORDED, Column, Table

FORMAT = 1
"""The format's version, which changes when readers must."""
MANIFEST = "arena.json"
"""The JSON file beside them: an object with `format`, `game` and `box_digest`."""
FILES = r"games-\d{6,}\.parquet"
"""Names of the files, as a regular expression."""
BY_SEAT = ("agents", "digests", "scores", "places", "seconds", "decisions")
"""Columns with an entry for each seat."""

_AT_THE_END = ("scores", "places", "actions")

RESULTS: Table = (
    Column("key", "string", "of all that decides the game: no two rows of a field share it"),
    Column("match", "string", "of its deal and line-up: the same agents' games in other rotations"),
    *(column for name, column in RECORDED.items() if name not in _AT_THE_END),
    Column("digests", "list[string]", "digests of what the agents are made from, by seat"),
    RECORDED["scores"],
    RECORDED["places"],
    Column(
        "forfeited_by",
        "int8",
        "the seat that lost the game by a fault; null in games played to the end",
        nullable=True,
    ),
    Column("fault", "string", "the kind of its fault; null likewise", nullable=True),
    Column("fault_details", "string", "what it did, in words; null likewise", nullable=True),
    Column("seconds", "list[float32]", "how long each seat's agent thought, over all decisions"),
    Column("decisions", "list[int32]", "how many decisions each seat made"),
    RECORDED["actions"],
)
"""One row per game."""
