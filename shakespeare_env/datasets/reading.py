"""Folders of results: what they hold, and their games as frames."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pydantic

from shakespeare_env.checks.limits import read_regular, regular_size
from shakespeare_env.checks.values import in_words
from shakespeare_env.core.registry import box_fault
from shakespeare_env.datasets.frames import (
    RESULTS,
    faults,
    first_line,
    load_polars,
    named_faults,
    polars_schema,
)
from shakespeare_env.datasets.parquet import check_parquet, check_size, sources
from shakespeare_env.errors import DatasetError

if TYPE_CHECKING:
    import polars

Folder = str | os.PathLike[str]
MOST_GAMES = 100_000_000
ARENA = "arena.json"
"""The file that marks a folder of results: an object with `format`, `game` and `box_digest`."""
ARENA_FORMAT = 1
BOX_NAME = "box.toml"
"""Copy of the box, unless it is the package's own."""
FILES = r"games-\d{6,}\.parquet"
"""Names of the files of games, as a regular expression."""
_LARGEST = 2**26
"""The most bytes of a manifest."""


class _Manifest(pydantic.BaseModel, strict=True):
    """What the manifest of results has to say."""

    format: int
    game: str
    box_digest: str


def is_arena(folder: Path) -> bool:
    """Whether a folder holds the manifest of results, or anything of that name."""
    return (folder / ARENA).exists()


def results_files(folder: Path) -> list[Path]:
    """The files of games, oldest first."""
    files = [path for path in folder.iterdir() if re.fullmatch(FILES, path.name)]
    return sorted(files, key=lambda path: (len(path.name), path.name))


def arena_game(folder: Path) -> str:
    """The game that a folder's results are of; errors as of `read_results`."""
    try:
        facts = _Manifest.model_validate_json(read_regular(folder / ARENA, _LARGEST))
    except (OSError, ValueError) as error:
        raise DatasetError(
            f"{str(folder)!r} holds no results: {ARENA} cannot be read ({in_words(error)}); "
            "give a folder that `shakespeare arena` or `shakespeare dataset` has written"
        ) from error
    if facts.format != ARENA_FORMAT:
        raise DatasetError(f"{folder}: format {facts.format}; this version reads {ARENA_FORMAT}")
    copy = folder / BOX_NAME
    try:
        fault = box_fault(facts.game, facts.box_digest, copy if copy.exists() else None)
    except ValueError as error:
        raise DatasetError(f"{folder}: {error}") from error
    if fault:
        raise DatasetError(f"{folder}: {fault}")
    return facts.game


def read_games(folder: Folder) -> polars.LazyFrame:
    """Return all games, `RESULTS`, numbered from 0 as `game_id` in the order they were written.

    A game keeps its number, whatever is added: the frame stays good and may gain games at its end.
    Of rows with one key the first counts; `values` is null in games without.

    Raises:
        DatasetError: the folder holds no results, is damaged, or is of another box than the one in
            force.
        ModuleNotFoundError: Polars is not installed.
    """
    pl, place = load_polars(), Path(folder)
    arena_game(place)
    schema = polars_schema(RESULTS)
    for path in (paths := results_files(place)):
        _check_file(path)
    games = (
        pl.scan_parquet(sources(paths), glob=False, schema=schema, missing_columns="insert")
        if paths
        else pl.LazyFrame(None, schema)
    )
    with named_faults(str(place)):
        # Files that were copied here may hold them, and those of early versions that were killed.
        if games.select(pl.col("key").is_duplicated().any()).collect().item():
            games = games.unique("key", keep="first", maintain_order=True)
    numbered: polars.LazyFrame = games.with_row_index("game_id")
    return numbered.with_columns(pl.col("game_id").cast(pl.Int64))


def read_results(folder: Folder) -> polars.DataFrame:
    """The same games without their numbers, read at once."""
    games = read_games(folder).drop("game_id")
    with named_faults(str(folder)):
        return games.collect()


def _check_file(path: Path) -> None:
    pl = load_polars()
    remedy = "copy the file again, or delete it: its games can be played again"
    schema = polars_schema(RESULTS)
    texts = [name for name, kind in RESULTS.items() if "string" in kind]
    lengths = [pl.col(name).explode().str.len_bytes().cast(pl.Int64).sum() for name in texts]
    try:
        check_parquet(path)
        rows = pl.scan_parquet(sources([path]), glob=False)
        columns = dict(rows.collect_schema())
        if columns not in (schema, {name: schema[name] for name in RESULTS if name != "values"}):
            raise ValueError("it has other columns than results")
        # A text that many rows share is in the file once.
        taken = rows.select(pl.sum_horizontal(lengths)).collect().item()
        check_size(taken, regular_size(path), "texts")
    except faults() as error:
        raise DatasetError(f"{path}: cannot be read ({first_line(error)}); {remedy}") from error
