"""The columns of an arena's results: finished games, each in one row."""

from __future__ import annotations

from shakespeare_env.datasets.schema import Column, Table

FORMAT = 1
"""It changes when a reader would have to."""
MANIFEST = "arena.json"
"""Beside the files: an object with `format`, `game` and `box_digest`."""
FILES = r"games-\d{6,}\.parquet"
"""Names of the files, as a regular expression."""
BY_SEAT = ("agents", "digests", "scores", "places", "seconds", "decisions")
"""Columns with an entry for each seat."""

RESULTS: Table = (
    Column("key", "string", "of all that decides the game: no two rows of a field share it"),
    Column("match", "string", "of its deal and line-up: the same agents' games in other rotations"),
    Column("game", "string", "name of the game"),
    Column("box_digest", "string", "digest of the box played with"),
    Column("package_version", "string", "version of shakespeare-env that played"),
    Column("variants", "list[string]", "the variants played"),
    Column("players", "int8", "seats at the table"),
    Column("seed", "uint64", "seed of the deals and of the agents' draws"),
    Column("deal", "int64", "the game starts as game `deal` of `Batch(seed=seed)`"),
    Column("rotation", "int8", "how many seats the line-up has moved on for this deal"),
    Column("agents", "list[string]", "the agents' names, by seat"),
    Column("digests", "list[string]", "digests of what the agents are made from, by seat"),
    Column("scores", "list[int16]", "by seat, at the end or where the game was stopped"),
    Column("places", "list[int8]", "by seat, 1 the first; seats that tie share the best place"),
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
    Column("actions", "list[int16]", "the ids of all actions chosen, in order"),
)
"""One row per game; forced moves are played automatically and are not among the actions."""
