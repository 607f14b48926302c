"""Readers of result folders, which return their games as frames."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pydantic

from shakespeare_env.checks.limits import read_regular
from shakespeare_env.checks.values import error_text
from shakespeare_env.core.registry import box_mismatch
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
MANIFEST_NAME = "arena.json"
"""The file that marks a folder of results. It holds `format`, `game` and `box_digest`."""
RESULTS_FORMAT = 1
"""The version of the layout of such folders, as `format` in the manifest."""
BOX_NAME = "box.toml"
"""The copy of the box in a folder of results. There is none if the box is the package's own."""
GAME_FILE_PATTERN = r"games-\d{6,}\.parquet"
"""A regular expression for the names of files that hold games."""
FULL_FILE_BYTES = 2**20
"""The size in bytes from which a file gets no more games. Many small files are slow to read."""
_MOST_MANIFEST_BYTES = 2**26


class _Manifest(pydantic.BaseModel, strict=True):
    """The content of a manifest of results."""

    format: int
    game: str
    box_digest: str


def has_manifest(folder: Path) -> bool:
    """Return whether a folder holds a manifest of results, or anything else of that name."""
    return (folder / MANIFEST_NAME).exists()


def results_files(folder: Path) -> list[Path]:
    """Return the files of a folder that hold games, the oldest first."""
    files = [path for path in folder.iterdir() if re.fullmatch(GAME_FILE_PATTERN, path.name)]
    return sorted(files, key=lambda path: (len(path.name), path.name))


def game_of_results(folder: Path) -> str:
    """Return the game of the results in a folder. Raises the errors of `read_results`."""
    try:
        manifest = _Manifest.model_validate_json(
            read_regular(folder / MANIFEST_NAME, _MOST_MANIFEST_BYTES)
        )
    except (OSError, ValueError) as error:
        raise DatasetError(
            f"{str(folder)!r} holds no results: {MANIFEST_NAME} cannot be read "
            f"({error_text(error)}); give a folder that `shakespeare arena` or "
            "`shakespeare dataset` has written"
        ) from error
    if manifest.format != RESULTS_FORMAT:
        raise DatasetError(
            f"{folder} has results of format {manifest.format}; this version reads {RESULTS_FORMAT}"
        )
    box = folder / BOX_NAME
    try:
        fault = box_mismatch(manifest.game, manifest.box_digest, box if box.exists() else None)
    except ValueError as error:
        raise DatasetError(f"{folder}: {error}") from error
    if fault:
        raise DatasetError(f"{folder}: {fault}")
    return manifest.game


def read_games(folder: Folder) -> polars.LazyFrame:
    """Return all games of a folder, lazily, with the columns `RESULTS` and `game_id`.

    Games are numbered from 0 in the order in which they were written. The frame holds the games
    that the folder held when the frame was made. When games are added to the folder, the frame
    stays valid and games keep their numbers. Of rows with the same key only the first counts.
    `values` is null in games without values.

    Raises:
        DatasetError: The folder holds no results, is damaged, or was written with another box than
            the one in force.
        ModuleNotFoundError: Polars is not installed.
    """
    pl = load_polars()
    path = Path(folder)
    game_of_results(path)
    schema = polars_schema(RESULTS)
    frames = [pl.LazyFrame(None, schema)]
    for sources in _sources(results_files(path)):
        frames.append(pl.scan_parquet(sources, glob=False, schema=schema))
    games = pl.concat(frames)
    with naming_source(str(path)):
        # Files that were copied into the folder may repeat keys.
        if games.select(pl.col("key").is_duplicated().any()).collect().item():
            games = games.unique("key", keep="first", maintain_order=True)
    numbered: polars.LazyFrame = games.with_row_index("game_id")
    return numbered.with_columns(pl.col("game_id").cast(pl.Int64))


def read_results(folder: Folder) -> polars.DataFrame:
    """Read all games of a folder, with the columns `RESULTS`. Raises the errors of `read_games`."""
    games = read_games(folder).drop("game_id")
    with naming_source(str(folder)):
        return games.collect()


def _sources(paths: Sequence[Path]) -> Iterator[list[Path | bytes]]:
    """Check files and yield them in order, in lists that hold only paths or only contents.

    Polars can scan several paths in one call, or several contents, but not both together.

    Raises:
        DatasetError: A file is damaged.
    """
    remedy = "copy the file again, or delete it: its games can be played again"
    sources: list[Path | bytes] = []
    for path in paths:
        try:
            source = source_of(path)
            if path == paths[-1] and size_of(source) < FULL_FILE_BYTES:
                # A writer may replace this last file by one with more games while Polars reads it.
                source = path.read_bytes()
            _check_source(source)
        except parquet_errors() as error:
            raise DatasetError(f"{path} cannot be read ({first_line(error)}); {remedy}") from error
        sources.append(source)
    for _, sources_of_one_type in groupby(sources, type):
        yield list(sources_of_one_type)


def _check_source(source: Path | bytes) -> None:
    """Raise one of `parquet_errors` unless a file, or its content, holds results."""
    schema = polars_schema(RESULTS)
    pl = load_polars()
    texts = [name for name, kind in RESULTS.items() if "string" in kind]
    lengths = [pl.col(name).explode().str.len_bytes().cast(pl.Int64).sum() for name in texts]
    check_parquet(source)
    rows = pl.scan_parquet(source, glob=False)
    if dict(rows.collect_schema()) != schema:
        raise ValueError("its columns are not those of results")
    # A text that many rows share is in the file once, but takes memory in every row.
    text_bytes = rows.select(pl.sum_horizontal(lengths)).collect().item()
    check_size(text_bytes, size_of(source), "texts")
