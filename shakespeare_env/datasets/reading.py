"""Datasets as lazy frames, once their files are checked."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from shakespeare_env.datasets.frames import load_polars, polars_schema
from shakespeare_env.datasets.manifest import Manifest, read_manifest, shard_file
from shakespeare_env.datasets.schema import TABLES
from shakespeare_env.errors import DatasetError

if TYPE_CHECKING:
    import polars


def read_games(folder: str | os.PathLike[str], *, unfinished: bool = False) -> polars.LazyFrame:
    """The table of games, `schema.GAMES`; a dataset may lack games if `unfinished`.

    Raises:
        DatasetError: the folder is not a dataset, is damaged, or lacks games.
        ModuleNotFoundError: Polars is not installed.
    """
    return _read(Path(folder), "games", unfinished)


def read_decisions(folder: str | os.PathLike[str], *, unfinished: bool = False) -> polars.LazyFrame:
    """The table of decisions, `schema.DECISIONS`; see `read_games`."""
    return _read(Path(folder), "decisions", unfinished)


def check_digests(folder: Path, manifest: Manifest) -> None:
    """DatasetError unless all finished files are as written."""
    for number, shard in enumerate(manifest.shards):
        for table, stored in shard.items():
            path = folder / shard_file(table, number)
            try:
                with path.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError as error:
                raise _missing(path, error) from error
            if digest != stored.digest:
                raise _damaged(path)


def _read(folder: Path, table: str, unfinished: bool) -> polars.LazyFrame:
    pl = load_polars()
    manifest = read_manifest(folder)
    if not (manifest.is_complete or unfinished):
        raise DatasetError(
            f"{folder} holds {manifest.finished_games} of {manifest.settings.games} games; repeat "
            "the command that began it, or read it with unfinished=True"
        )
    schema = polars_schema(TABLES[table])
    paths = [folder / shard_file(table, number) for number in range(len(manifest.shards))]
    for path, shard in zip(paths, manifest.shards, strict=True):
        _check_file(path, shard[table].size, schema)
    if not paths:
        return pl.LazyFrame(schema=schema)  # type: ignore[no-any-return]
    return pl.scan_parquet(paths, glob=False)  # type: ignore[no-any-return]


def _check_file(path: Path, size: int, schema: dict[str, object]) -> None:
    try:
        found_size = path.stat().st_size
    except OSError as error:
        raise _missing(path, error) from error
    if found_size != size:
        raise _damaged(path)
    pl = load_polars()
    try:
        found = dict(pl.read_parquet_schema(path))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _damaged(path) from error
    if found != schema:
        wrong = sorted(found.items() ^ schema.items(), key=str)
        raise DatasetError(
            f"{path}: column {wrong[0][0]!r} is not that of this version; copy the dataset again"
        )


def _damaged(path: Path) -> DatasetError:
    return DatasetError(f"{path} is not the file that was written; copy the dataset again")


def _missing(path: Path, error: OSError) -> DatasetError:
    return DatasetError(f"{path} cannot be read ({error.strerror}); put it back")
