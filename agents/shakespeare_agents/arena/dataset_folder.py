"""The folder of a dataset that is recorded: held by one process, begun or gone on with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shakespeare_agents.arena import dataset_parts
from shakespeare_agents.storage import draft_of, forget_drafts, write_atomically
from shakespeare_env import registry
from shakespeare_env.datasets import manifest as manifests
from shakespeare_env.datasets.frames import load, load_polars
from shakespeare_env.datasets.manifest_reading import read_manifest
from shakespeare_env.datasets.reading import check_box, check_digests, holds_box
from shakespeare_env.errors import DatasetError

_LOCK_NAME = ".lock"
_FILES = (
    rf"{re.escape(manifests.NAME)}|{re.escape(manifests.BOX_NAME)}|games-\d+\.parquet|"
    rf"{dataset_parts.FILES}"
)
"""A dataset's files, as a regular expression."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep other processes from recording into a folder, created if missing.

    Errors as of `dataset.open_dataset`.
    """
    load_polars()
    filelock = load("filelock")
    if "\0" in str(folder):
        raise DatasetError(f"{str(folder)!r} is no path; give a new folder or an empty one")
    if folder.exists() and (not folder.is_dir() or _is_foreign(folder)):
        raise DatasetError(f"{folder} holds other things; give a new folder or an empty one")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = filelock.FileLock(folder / _LOCK_NAME).acquire(timeout=0)
    except filelock.Timeout as taken:
        raise DatasetError(
            f"{folder}: another process records into it; wait until it ends, or give another folder"
        ) from taken
    with lock:
        yield


def _is_foreign(folder: Path) -> bool:
    """Whether a folder holds neither a dataset nor only what a first save cut short leaves."""
    names = {path.name for path in folder.iterdir()}
    ours = re.compile(rf"{re.escape(_LOCK_NAME)}|{draft_of(_FILES)}")
    return manifests.NAME not in names and not all(map(ours.fullmatch, names))


def opened(folder: Path, settings: manifests.Settings) -> manifests.Manifest:
    """The dataset so far in a folder that is held; errors as of `dataset.open_dataset`."""
    forget_drafts(folder, _FILES)
    if not (folder / manifests.NAME).exists():
        manifest = manifests.Manifest(settings)
        write_atomically(folder / manifests.NAME, manifest.to_bytes())
    else:
        manifest = read_manifest(folder)
        check_box(folder, manifest.settings)
        if manifest.settings != settings:
            raise DatasetError(
                f"{folder} was begun with other settings: "
                f"{manifest.settings.differences(settings)}; give those, or another folder"
            )
        check_digests(folder, manifest)
    _keep_box(folder, settings)
    return manifest


def _keep_box(folder: Path, settings: manifests.Settings) -> None:
    """Keep a copy of a box that is not the package's own beside the games played with it."""
    box = registry.game(settings.game).box
    if box == registry.folder(settings.game) / "box.toml" or holds_box(folder, settings):
        return
    content = box.read_bytes()
    write_atomically(folder / manifests.BOX_NAME, content)
    if not holds_box(folder, settings):
        raise DatasetError(
            f"{box} was changed after it had been read; put it back, or give another folder"
        )
