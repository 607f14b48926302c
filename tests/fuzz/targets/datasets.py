"""Datasets, manifest and Parquet files: refused with a DatasetError, or read."""

from __future__ import annotations

import json
import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from shakespeare_env.core import registry
from shakespeare_env.core.kernels import compile_all
from shakespeare_env.datasets import (
    collected,
    read_batches,
    read_decisions,
    read_games,
    recorded_games,
)
from shakespeare_env.datasets.reading import NAME
from shakespeare_env.errors import DatasetError
from tests.fuzz.campaign import apart
from tests.fuzz.damage import change_json, damaged, digest_of
from tests.fuzz.json_mutations import bytes_mutated

PATIENCE = 30.0


def prepare() -> None:
    for name in registry.names():
        compile_all(registry.game(name))
        saved(name)


@cache
def saved(name: str) -> Path:
    """A dataset of a few games.

    Written in another process: Polars' threads survive no fork.
    """
    place = Path(tempfile.mkdtemp())
    apart(_write, name, place)
    return place


def _write(name: str, place: Path) -> None:
    from tests.contract.small_datasets import small_settings, write

    write(place / "whole", small_settings(name, deals=2))


def check(case: random.Random) -> str:
    written = saved(case.choice(registry.names()))
    changes = (_change_manifest, _change_manifest, _change_table, _change_rows)
    with damaged(case, written / "whole", *changes) as folder:
        unfinished = case.random() < 0.5
        try:
            for read in (read_games, read_decisions):
                collected(read(folder, unfinished=unfinished), folder)
            list(read_batches(folder, size=64, unfinished=unfinished))
            list(recorded_games(folder, unfinished=unfinished))
        except DatasetError:
            return "refused"
    return "read"


def _change_manifest(case: random.Random, folder: Path) -> None:
    change_json(case, folder / NAME)


def _change_table(case: random.Random, folder: Path) -> None:
    """Another file under a size and digest that fit it."""
    path = case.choice(sorted(folder.glob("*.parquet")))
    content = bytes_mutated(case, path.read_bytes())
    if case.random() < 0.2:  # the files of two shards change places
        content = case.choice(sorted(folder.glob("*.parquet"))).read_bytes()
    path.write_bytes(content)
    _sign(path, size=case.random() < 0.8, digest=case.random() < 0.8)


def _change_rows(case: random.Random, folder: Path) -> None:
    """Rows of the right types, whose games cannot have been played."""
    path = case.choice(sorted(folder.glob("*.parquet")))
    rows = pl.read_parquet(path)
    columns = rows.to_dict(as_series=False)
    for _ in range(case.randint(1, 3)):
        values = columns[case.choice(rows.columns)]
        row = case.randrange(rows.height)
        values[row] = _changed(case, values[row])
    pl.DataFrame(columns, schema=rows.schema, strict=False).write_parquet(path)
    _sign(path)


def _changed(case: random.Random, value: Any) -> Any:
    if case.random() < 0.1:
        return None
    if isinstance(value, list):
        change = case.randrange(4)
        at = case.randrange(len(value)) if value else 0
        if change == 0:
            return value[:at]
        if change == 1:
            return [*value, *value] * case.choice((1, 1, 30))
        if change == 2:
            return case.sample(value, len(value))
        return [*value[:at], *(_changed(case, one) for one in value[at : at + 1]), *value[at + 1 :]]
    if isinstance(value, str):
        return case.choice(("", "\x1b[2J", value[::-1], "none", "strategic_rest", "figaro"))
    if isinstance(value, float):
        return case.choice((0.0, float("nan"), float("inf"), 1e38))
    return case.choice((0, 1, 2, 9, 100, 127, case.randrange(128)))


def _sign(path: Path, *, size: bool = True, digest: bool = True) -> None:
    """Make the manifest name a file as it is now."""
    content = path.read_bytes()
    manifest = json.loads((path.parent / NAME).read_bytes())
    stored = manifest["shards"][int(path.stem.partition("-")[2])]
    if size:
        stored["size"] = len(content)
    if digest:
        stored["digest"] = digest_of(content)
    (path.parent / NAME).write_text(json.dumps(manifest))
