"""The folder of a dataset that is recorded: held by one process, begun or gone on with."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from pathlib import Path

from shakespeare_agents import held_folder
from shakespeare_agents.arena import dataset_parts
from shakespeare_agents.held_folder import Contents
from shakespeare_agents.storage import write_atomically
from shakespeare_env import registry
from shakespeare_env.box_reading import LARGEST_BOX
from shakespeare_env.datasets import manifest as manifests
from shakespeare_env.datasets.frames import load_polars
from shakespeare_env.datasets.manifest import read_manifest
from shakespeare_env.datasets.reading import check_box, check_digests, holds_box
from shakespeare_env.errors import DatasetError
from shakespeare_env.regular_files import read_regular

_CONTENTS = Contents(
    manifests.NAME,
    rf"{re.escape(manifests.NAME)}|{re.escape(manifests.BOX_NAME)}|games-\d+\.parquet|"
    rf"{dataset_parts.FILES}",
    DatasetError,
    use="records into it",
    remedy="give a new folder or an empty one",
)


def held(folder: Path) -> AbstractContextManager[None]:
    """Keep other processes from recording into a folder; errors as of `dataset.open_dataset`."""
    load_polars()
    return held_folder.held(folder, _CONTENTS)


def opened(folder: Path, settings: manifests.Settings) -> manifests.Manifest:
    """The dataset so far in a folder that is held; errors as of `dataset.open_dataset`."""
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
    if box == registry.own_box(settings.game) or holds_box(folder, settings):
        return
    content = read_regular(box, LARGEST_BOX)
    write_atomically(folder / manifests.BOX_NAME, content)
    if not holds_box(folder, settings):
        raise DatasetError(
            f"{box} was changed after it had been read; put it back, or give another folder"
        )
