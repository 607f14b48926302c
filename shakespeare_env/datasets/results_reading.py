"""An arena's results: the columns of finished games, and reading them, each game once."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shakespeare_env.checks.json_input import parse_object
from shakespeare_env.checks.limits import read_regular, regular_size
from shakespeare_env.checks.values import shown
from shakespeare_env.core import registry
from shakespeare_env.core.registry import box_fault
from shakespeare_env.datasets.frames import (
    RECORDED,
    Column,
    Table,
    faults,
    first_line,
    frame,
    load_polars,
    polars_schema,
)
from shakespeare_env.errors import DatasetError

if TYPE_CHECKING:
    import polars

FORMAT = 1
"""The format's version, which changes when readers must."""
MANIFEST = "arena.json"
"""The JSON file beside them: an object with `format`, `game` and `box_digest`."""
FILES = r"games-\d{6,}\.parquet"
"""Names of the files, as a regular expression."""
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
    Column("fault", "string", "the kind of its fault, or null", nullable=True),
    Column("fault_details", "string", "what it did, in words, or null", nullable=True),
    Column("seconds", "list[float32]", "how long each seat's agent thought, over all decisions"),
    Column("decisions", "list[int32]", "how many decisions each seat made"),
    RECORDED["actions"],
)
"""One row per game."""
_BY_SEAT = ("agents", "digests", "scores", "places", "seconds", "decisions")
_LARGEST_MANIFEST = 2**16
"""The most bytes of a manifest."""
_LARGEST_FILE = 2**32
"""The most bytes of a file of games, which hold some millions."""
_REMEDY = "copy the file again, or delete it: its games can be played again"


def is_arena(folder: Path) -> bool:
    """Whether a folder holds an arena's manifest, or anything of that name."""
    return (folder / MANIFEST).exists()


def results_files(folder: Path) -> list[Path]:
    """The files of games, oldest first."""
    found = [path for path in folder.iterdir() if re.fullmatch(FILES, path.name)]
    return sorted(found, key=lambda path: (len(path.name), path.name))


def read_results(folder: str | os.PathLike[str]) -> polars.DataFrame:
    """All finished games, `RESULTS`, in the order they were written; of a key the first row counts.

    Raises:
        DatasetError: the folder is no arena's, is damaged, or is of another box than the one in
            force.
        ModuleNotFoundError: Polars is not installed.
    """
    place = Path(folder)
    game = read_manifest(place)
    frames = [_read(path, game) for path in results_files(place)]
    if not frames:
        return frame(RESULTS, {column.name: [] for column in RESULTS})
    games: polars.DataFrame = load_polars().concat(frames)
    return games.unique("key", keep="first", maintain_order=True)


def read_manifest(folder: Path) -> str:
    """The game that a folder's results are of; errors as of `read_results`."""
    path = folder / MANIFEST
    try:
        facts = parse_object(read_regular(path, _LARGEST_MANIFEST))
    except (OSError, ValueError) as fault:
        raise DatasetError(
            f"{folder} holds no results of an arena: {MANIFEST} cannot be read ({fault})"
        ) from fault
    game, digest = facts.get("game"), facts.get("box_digest")
    if facts.get("format") != FORMAT or game not in registry.names() or not isinstance(digest, str):
        raise DatasetError(
            f"{path}: format {shown(facts.get('format'))} of game {shown(game)}; this version "
            f"reads format {FORMAT} of {', '.join(registry.names())}"
        )
    if wrong := box_fault(str(game), digest):
        raise DatasetError(f"{folder}: {wrong}")
    return str(game)


def _read(path: Path, game: str) -> polars.DataFrame:
    pl = load_polars()
    try:
        regular_size(path, _LARGEST_FILE)
        read: polars.DataFrame = pl.read_parquet(path)
    except faults() as error:
        raise DatasetError(f"{path}: cannot be read ({first_line(error)}); {_REMEDY}") from error
    if dict(read.schema) != polars_schema(RESULTS):
        raise DatasetError(f"{path}: holds other columns than an arena's results; {_REMEDY}")
    seat, players = pl.col("forfeited_by"), pl.col("players")
    lists = [column.name for column in RESULTS if column.kind.startswith("list")]
    whole = pl.all_horizontal(
        *[pl.col(column.name).is_not_null() for column in RESULTS if not column.nullable],
        *[pl.col(name).list.len() == players for name in _BY_SEAT],
        *[pl.col(name).list.eval(pl.element().is_null()).list.any().not_() for name in lists],
        pl.col("game") == game,
        players.is_in(list(registry.seats(game))),
        seat.is_null() | seat.is_between(0, players - 1),
    )
    sound: Any = read.select(whole.all()).item()
    if not sound:
        raise DatasetError(f"{path}: holds rows that are no games of {game}; {_REMEDY}")
    return read
