"""Datasets as lazy frames, once every byte of their files is checked."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from shakespeare_env import registry
from shakespeare_env.box_reading import facts_digest
from shakespeare_env.datasets.frames import faults, load_polars, polars_schema
from shakespeare_env.datasets.manifest import BOX_NAME, Manifest, Settings, Shard, shard_file
from shakespeare_env.datasets.manifest_reading import read_manifest
from shakespeare_env.datasets.schema import GAMES
from shakespeare_env.errors import DatasetError
from shakespeare_env.regular_files import open_regular, regular_size

if TYPE_CHECKING:
    import polars


def read_games(folder: str | os.PathLike[str], *, unfinished: bool = False) -> polars.LazyFrame:
    """The games of a dataset, `schema.GAMES`; it may lack games if `unfinished`.

    Raises:
        DatasetError: the folder is not a dataset, is damaged, lacks games, or was recorded with
            another box than the one in force.
        ModuleNotFoundError: Polars is not installed.
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
    for path, shard in zip(paths, manifest.shards, strict=True):
        _check_table(path, shard.games, schema)
    if not paths:
        return pl.LazyFrame(schema=schema)  # type: ignore[no-any-return]
    return pl.scan_parquet(paths, glob=False)  # type: ignore[no-any-return]


def collected(frame: polars.LazyFrame, folder: Path) -> polars.DataFrame:
    """The rows of a frame read from a dataset; DatasetError if its files hold something else."""
    try:
        return frame.collect()
    except faults() as error:
        raise DatasetError(
            f"{folder} holds files that Polars cannot read ({_first_line(error)}); "
            "copy the dataset again"
        ) from error


def check_box(folder: Path, settings: Settings) -> None:
    """DatasetError if a dataset's box is not in force: its games would be misread."""
    copy = folder / BOX_NAME if holds_box(folder, settings) else None
    try:
        fault = registry.box_fault(settings.game, settings.box_digest, copy)
    except ValueError as error:
        raise DatasetError(f"{folder}: {error}") from error
    if fault:
        raise DatasetError(f"{folder}: {fault}")


def holds_box(folder: Path, settings: Settings) -> bool:
    """Whether a dataset has a copy of its box."""
    path = folder / BOX_NAME
    try:
        return facts_digest(registry.folder(settings.game), path) == settings.box_digest
    except (OSError, ValueError):  # the copy is missing or damaged
        return False


def check_digests(folder: Path, manifest: Manifest) -> None:
    """DatasetError unless all finished files are as written."""
    for number, shard in enumerate(manifest.shards):
        _check_content(folder / shard_file(number), shard)


def _check_content(path: Path, stored: Shard) -> None:
    """Check every byte, since Polars reads some damage silently."""
    try:
        if regular_size(path) == stored.size:
            with open_regular(path) as file:
                if hashlib.file_digest(file, "sha256").hexdigest() == stored.digest:
                    return
    except OSError as error:
        raise DatasetError(f"{path} cannot be read ({error.strerror}); put it back") from error
    raise _damaged(path)


def _check_table(path: Path, rows: int, schema: dict[str, object]) -> None:
    pl = load_polars()
    try:
        found = dict(pl.read_parquet_schema(path))
        found_rows = pl.scan_parquet(path, glob=False).select(pl.len()).collect().item()
    except faults() as error:
        raise _damaged(path) from error
    if found != schema:
        wrong = sorted(found.items() ^ schema.items(), key=str)
        raise DatasetError(
            f"{path}: column {wrong[0][0]!r} is not that of this version; copy the dataset again"
        )
    if found_rows != rows:
        raise DatasetError(f"{path} has {found_rows} rows, not {rows}; copy the dataset again")


def _damaged(path: Path) -> DatasetError:
    return DatasetError(
        f"{path} is not the file that was written; copy the dataset again, or record it again into "
        "another folder"
    )


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0][:200]
