"""An arena's results as a frame, each game once."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shakespeare_env import registry
from shakespeare_env.datasets.frames import faults, frame, load_polars, polars_schema
from shakespeare_env.datasets.results import BY_SEAT, FILES, FORMAT, MANIFEST, RESULTS
from shakespeare_env.errors import DatasetError
from shakespeare_env.json_input import parse_object
from shakespeare_env.regular_files import read_regular, regular_size
from shakespeare_env.values import shown

if TYPE_CHECKING:
    import polars

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
    pl = load_polars()
    place = Path(folder)
    game = read_manifest(place)
    frames = [_read(path, game) for path in results_files(place)]
    if not frames:
        return frame(RESULTS, {column.name: [] for column in RESULTS})
    games: polars.DataFrame = pl.concat(frames).unique("key", keep="first", maintain_order=True)
    return games


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
    if wrong := registry.box_fault(str(game), digest):
        raise DatasetError(f"{folder}: {wrong}")
    return str(game)


def _read(path: Path, game: str) -> polars.DataFrame:
    pl = load_polars()
    schema = polars_schema(RESULTS)
    try:
        regular_size(path, _LARGEST_FILE)
        read: polars.DataFrame = pl.read_parquet(path)
    except faults() as error:
        words = str(error).partition("\n")[0]
        raise DatasetError(f"{path}: cannot be read ({words}); {_REMEDY}") from error
    if dict(read.schema) != schema:
        raise DatasetError(f"{path}: holds other columns than an arena's results; {_REMEDY}")
    needed = [column.name for column in RESULTS if not column.nullable]
    whole = pl.all_horizontal(
        *[pl.col(name).is_not_null() for name in needed],
        *[pl.col(name).list.len() == pl.col("players") for name in BY_SEAT],
        *[pl.col(name).list.eval(pl.element().is_null()).list.any().not_() for name in _lists()],
        pl.col("game") == game,
        pl.col("players").is_in(list(registry.seats(game))),
        _is_seat(pl.col("forfeited_by")),
    )
    sound: Any = read.select(whole.all()).item()
    if not sound:
        raise DatasetError(f"{path}: holds rows that are no games of {game}; {_REMEDY}")
    return read


def _lists() -> list[str]:
    return [column.name for column in RESULTS if column.kind.startswith("list")]


def _is_seat(column: Any) -> Any:
    pl = load_polars()
    return column.is_null() | ((column >= 0) & (column < pl.col("players")))
