"""Writing a dataset shard by shard, resumably."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from shakespeare_agents.arena.evaluate import Entrant
from shakespeare_agents.arena.recording import OnGame, record_shard
from shakespeare_agents.network import NetworkAgent
from shakespeare_agents.storage import write_atomically
from shakespeare_env import registry
from shakespeare_env.agent import AnyAgent
from shakespeare_env.datasets import manifest as manifests
from shakespeare_env.datasets.frames import frame, load_polars, parquet
from shakespeare_env.datasets.reading import check_digests
from shakespeare_env.datasets.schema import TABLES
from shakespeare_env.errors import DatasetError

DEALS_TOGETHER = 64
"""Whatever the shard size (see `recording.record_shard`)."""


def settings_of(
    game: str,
    entrants: Sequence[Entrant],
    *,
    games: int,
    seed: int,
    variants: Mapping[str, bool] | None = None,
    games_per_shard: int = 256,
    deals_together: int = DEALS_TOGETHER,
) -> manifests.Settings:
    """The settings of a dataset under the box and version in force.

    `games` is rounded up to a multiple of the seats, `games_per_shard` to what is played together;
    `seed` covers the deals and the agents' draws.

    Raises:
        ValueError: no entrants, a variant that does not allow so many seats, or a number below 1.
    """
    players = registry.game(game).check_players(len(entrants))
    registry.game(game).option_bits(variants or {}, [players])
    numbers = {"games": games, "games_per_shard": games_per_shard, "deals_together": deals_together}
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"{name}={number}: give at least 1")
    return manifests.Settings(
        game=game,
        players=players,
        variants=tuple(sorted(name for name, on in (variants or {}).items() if on)),
        entrants=tuple(entrant.name for entrant in entrants),
        weights={
            entrant.name: entrant.agent.network.digest()
            for entrant in entrants
            if isinstance(entrant.agent, NetworkAgent)
        },
        seed=seed,
        deals=-(-games // players),
        deals_together=deals_together,
        deals_per_shard=-(-games_per_shard // (players * deals_together)) * deals_together,
        package_version=version("shakespeare-env"),
        box_digest=registry.box_digest(game),
    )


def open_dataset(folder: Path, settings: manifests.Settings) -> manifests.Manifest:
    """The dataset in a folder so far; a new one in an empty folder.

    Raises:
        DatasetError: the folder holds something else, other settings, or a damaged dataset.
        ModuleNotFoundError: Polars is not installed.
        OSError: it cannot be written.
    """
    load_polars()
    if not (folder / manifests.NAME).exists():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise DatasetError(f"{folder} holds other things; give a new folder or an empty one")
        folder.mkdir(parents=True, exist_ok=True)
        manifest = manifests.Manifest(settings)
        write_atomically(folder / manifests.NAME, manifest.to_bytes())
        return manifest
    manifest = manifests.read_manifest(folder)
    if manifest.settings != settings:
        raise DatasetError(
            f"{folder} was begun with other settings: "
            f"{manifest.settings.differences(settings)}; give those, or another folder"
        )
    check_digests(folder, manifest)
    return manifest


def write_dataset(
    folder: Path,
    settings: manifests.Settings,
    agents: Sequence[AnyAgent],
    on_game: OnGame | None = None,
    *,
    threads: int = 1,
) -> manifests.Manifest:
    """Play and write the missing shards; return the final manifest.

    A shard counts once the manifest, written last, names it: an interrupted run leaves whole
    shards, and the unfinished one is replayed with the same moves. `agents` are those of
    `settings.entrants`; the number of `threads` changes no row.

    Raises:
        DatasetError: see `open_dataset`.
        ModuleNotFoundError: Polars is not installed.
        OSError: something cannot be written.
    """
    manifest = open_dataset(folder, settings)
    for number in range(len(manifest.shards), settings.shards):
        tables = record_shard(settings, agents, number, on_game, threads=threads)
        files = {}
        for table, columns in tables.items():
            rows = frame(TABLES[table], columns)
            content = parquet(rows)
            write_atomically(folder / manifests.shard_file(table, number), content)
            files[table] = manifests.StoredFile.of(content, rows.height)
        manifest = manifests.Manifest(settings, (*manifest.shards, files))
        write_atomically(folder / manifests.NAME, manifest.to_bytes())
    return manifest
