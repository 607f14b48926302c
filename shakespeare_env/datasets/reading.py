"""Recorded games of a folder as lazy frames, once every byte of a dataset's files is checked."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from shakespeare_env.checks.box_files import facts_digest
from shakespeare_env.checks.limits import open_regular, regular_size
from shakespeare_env.core import registry
from shakespeare_env.core.registry import box_fault
from shakespeare_env.datasets.frames import GAMES, load_polars, named_faults, polars_schema
from shakespeare_env.datasets.manifest import (
    BOX_NAME,
    BOXES_NAME,
    Manifest,
    Settings,
    read_manifest,
    shard_file,
)
from shakespeare_env.datasets.results_reading import is_arena, read_results
from shakespeare_env.errors import DatasetError

if TYPE_CHECKING:
    import polars

Folder = str | os.PathLike[str]


def read_recorded(folder: Folder, *, unfinished: bool = False) -> polars.LazyFrame:
    """All games of a dataset or an arena, with what is needed to play them again.

    These are `game_id` and `RECORDED`. An arena's games are numbered in the order of its results
    and have `forfeited_by`; a dataset's have `values`, and some may be missing if `unfinished`.

    Raises:
        DatasetError: the folder is neither, is damaged, lacks games, or was recorded with another
            box than the one in force.
        ModuleNotFoundError: Polars is not installed.
    """
    if not is_arena(Path(folder)):
        return read_games(folder, unfinished=unfinished)
    pl = load_polars()
    games: polars.LazyFrame = read_results(folder).lazy().with_row_index("game_id")
    return games.with_columns(pl.col("game_id").cast(pl.Int64))


def read_games(folder: Folder, *, unfinished: bool = False) -> polars.LazyFrame:
    """The games of a dataset, `GAMES`; it may lack games if `unfinished`.

    Raises as `read_recorded` does.
    """
    pl = load_polars()
    place = Path(folder)
    manifest = read_manifest(place)
    check_box(place, manifest.settings)
    if not (manifest.is_complete or unfinished):
        raise DatasetError(
            f"{place} holds {manifest.finished_games} of {manifest.settings.games} games; repeat "
            "the command that began it, or read it with unfinished=True"
        )
    check_digests(place, manifest)
    schema = polars_schema(GAMES)
    paths = [place / shard_file(number) for number in range(len(manifest.shards))]
    found = (
        pl.scan_parquet(paths, glob=False, schema=schema) if paths else pl.LazyFrame(None, schema)
    )
    return found  # type: ignore[no-any-return]


def collected(frame: polars.LazyFrame, folder: Path) -> polars.DataFrame:
    """The rows of a frame read from a dataset; DatasetError if its files hold something else."""
    with named_faults(str(folder)):
        return frame.collect()


def check_box(folder: Path, settings: Settings) -> None:
    """DatasetError if a dataset's box is not in force: its games would be misread."""
    try:
        fault = box_fault(settings.game, settings.box_digest, kept_box(folder, settings))
    except ValueError as error:
        raise DatasetError(f"{folder}: {error}") from error
    if fault:
        raise DatasetError(f"{folder}: {fault}")


def kept_box(folder: Path, settings: Settings) -> Path | None:
    """A dataset's copy of its box, or the folder of its boxes, if it has one."""
    for path in (folder / BOX_NAME, folder / BOXES_NAME):
        with suppress(OSError, ValueError):  # the copy is missing or damaged
            if facts_digest(registry.folder(settings.game), path) == settings.box_digest:
                return path
    return None


def check_digests(folder: Path, manifest: Manifest) -> None:
    """DatasetError unless all finished files are as written; Polars reads some damage silently."""
    for number, shard in enumerate(manifest.shards):
        path = folder / shard_file(number)
        try:
            digest = ""
            if regular_size(path) == shard.size:
                with open_regular(path) as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise DatasetError(f"{path} cannot be read ({error.strerror}); put it back") from error
        if digest != shard.digest:
            raise DatasetError(
                f"{path} is not the file that was written; copy the dataset again, or record it "
                "again into another folder"
            )
