"""Datasets, manifest and Parquet files: refused with a DatasetError, or read."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import tempfile
from functools import cache
from pathlib import Path

from shakespeare_env import registry
from shakespeare_env.datasets import read_decisions, read_games
from shakespeare_env.datasets.manifest import NAME
from shakespeare_env.datasets.reading import collected
from shakespeare_env.errors import DatasetError
from tests.fuzz.json_mutations import bytes_mutated, mutated
from tests.fuzz.processes import apart


def prepare() -> None:
    for name in registry.names():
        registry.game(name)
        saved(name)


@cache
def saved(name: str) -> Path:
    """A dataset of a few games, written in another process: Polars' threads survive no fork."""
    folder = Path(tempfile.mkdtemp(), "dataset")
    apart(lambda: _write(name, folder))
    return folder


def _write(name: str, folder: Path) -> None:
    from tests.contract.small_datasets import small_settings, write

    write(folder, small_settings(name, deals=2))


def check(case: random.Random) -> str:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "dataset")
        shutil.copytree(saved(case.choice(registry.names())), folder)
        case.choice((_change_manifest, _change_manifest, _change_table, _change_files))(
            case, folder
        )
        unfinished = case.random() < 0.5
        try:
            for read in (read_games, read_decisions):
                collected(read(folder, unfinished=unfinished), folder)
        except DatasetError:
            return "refused"
    return "read"


def _change_manifest(case: random.Random, folder: Path) -> None:
    path = folder / NAME
    if case.random() < 0.2:
        path.write_bytes(bytes_mutated(case, path.read_bytes()))
    else:
        text = json.dumps(mutated(case, json.loads(path.read_bytes())))
        path.write_bytes(text.encode("utf-8", "surrogatepass"))


def _change_table(case: random.Random, folder: Path) -> None:
    """Another file under a size and digest that fit it."""
    path = case.choice(sorted(folder.glob("*.parquet")))
    content = bytes_mutated(case, path.read_bytes())
    if case.random() < 0.2:  # the files of two shards change places
        content = case.choice(sorted(folder.glob("*.parquet"))).read_bytes()
    path.write_bytes(content)
    manifest = json.loads((folder / NAME).read_bytes())
    stored = manifest["shards"][int(path.stem.partition("-")[2])]
    if case.random() < 0.8:
        stored["size"] = len(content)
    if case.random() < 0.8:
        stored["digest"] = hashlib.sha256(content).hexdigest()
    (folder / NAME).write_text(json.dumps(manifest))


def _change_files(case: random.Random, folder: Path) -> None:
    path = case.choice(sorted(folder.iterdir()))
    path.unlink()
    change = case.randrange(4)
    if change == 0:
        path.mkdir()
    elif change == 1:
        path.symlink_to(case.choice(("/dev/null", "/dev/zero", path.name, "/nowhere", "/etc")))
    elif change == 2:
        path.write_bytes(b"")
