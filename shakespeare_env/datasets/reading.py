"""Folders of results: what they hold, and their games as frames."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pydantic

from shakespeare_env.checks.limits import read_regular
from shakespeare_env.checks.values import in_words
from shakespeare_env.core.registry import box_fault
from shakespeare_env.datasets.frames import (
    RESULTS,
    first_line,
    load_polars,
    naming_source,
    parquet_errors,
    polars_schema,
)
from shakespeare_env.datasets.parquet import check_parquet, check_size, size_of, source_of
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
FULL = 2**20
"""The size in bytes from which a file gets no more games: many small files are slow to read."""
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

    A game keeps its number, whatever is added. The frame stays good, and holds the games that were
    there when it was made.
    Of rows with one key the first counts; `values` is null in games without.

    Raises:
        DatasetError: the folder holds no results, is damaged, or is of another box than the one in
            force.
        ModuleNotFoundError: Polars is not installed.
    """
    pl, place = load_polars(), Path(folder)
    arena_game(place)
    schema = polars_schema(RESULTS)
    games = pl.concat(
        [
            pl.LazyFrame(None, schema),
            *(
                pl.scan_parquet(alike, glob=False, schema=schema, missing_columns="insert")
                for alike in _sources(results_files(place))
            ),
        ]
    )
    with naming_source(str(place)):
        # Files that were copied here may hold them, and those of early versions that were killed.
        if games.select(pl.col("key").is_duplicated().any()).collect().item():
            games = games.unique("key", keep="first", maintain_order=True)
    numbered: polars.LazyFrame = games.with_row_index("game_id")
    return numbered.with_columns(pl.col("game_id").cast(pl.Int64))


def read_results(folder: Folder) -> polars.DataFrame:
    """The same games without their numbers, read at once."""
    games = read_games(folder).drop("game_id")
    with naming_source(str(folder)):
        return games.collect()


def _sources(paths: Sequence[Path]) -> Iterator[list[Path | bytes]]:
    """Yield checked files as Polars takes them, those of one kind at a time, in their order.

    Raises:
        DatasetError: a file is damaged.
    """
    remedy = "copy the file again, or delete it: its games can be played again"
    found: list[Path | bytes] = []
    for path in paths:
        try:
            source = source_of(path)
            if path == paths[-1] and size_of(source) < FULL:
                # While Polars reads it by its name, one with more games may take its place.
                source = path.read_bytes()
            _check_source(source)
        except parquet_errors() as error:
            raise DatasetError(f"{path}: cannot be read ({first_line(error)}); {remedy}") from error
        found.append(source)
    for _, alike in groupby(found, type):
        yield list(alike)


def _check_source(source: Path | bytes) -> None:
    """Raise one of `parquet_errors` unless a file, or its content, is one of results."""
    schema = polars_schema(RESULTS)
    pl = load_polars()
    texts = [name for name, kind in RESULTS.items() if "string" in kind]
    lengths = [pl.col(name).explode().str.len_bytes().cast(pl.Int64).sum() for name in texts]
    check_parquet(source)
    rows = pl.scan_parquet(source, glob=False)
    columns = dict(rows.collect_schema())
    if columns not in (schema, {name: schema[name] for name in RESULTS if name != "values"}):
        raise ValueError("it has other columns than results")
    # A text that many rows share is in the file once.
    taken = rows.select(pl.sum_horizontal(lengths)).collect().item()
    check_size(taken, size_of(source), "texts")
