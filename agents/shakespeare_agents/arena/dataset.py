"""Writing a dataset, resumably, by any workers.

Deals are played in groups. A finished group is a part, a file of its own; once all parts of a shard
are there they become its file, and count once the manifest, written last, names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from shakespeare_agents.arena import dataset_parts
from shakespeare_agents.arena.dataset_parts import Parts, decisions_of
from shakespeare_agents.arena.entrants import Entrant
from shakespeare_agents.arena.recording import Recording
from shakespeare_agents.registry import digest_of
from shakespeare_agents.storage import draft_of, forget_drafts, write_atomically
from shakespeare_agents.workers import Tell, Workers
from shakespeare_agents.workers.in_process import ThisProcess
from shakespeare_agents.workers.jobs import tell_nobody
from shakespeare_env import registry
from shakespeare_env.agent import AnyAgent, Searcher
from shakespeare_env.batch_checks import checked_count
from shakespeare_env.datasets import manifest as manifests
from shakespeare_env.datasets.frames import load, load_polars, parquet
from shakespeare_env.datasets.manifest_reading import read_manifest
from shakespeare_env.datasets.reading import check_box, check_digests
from shakespeare_env.errors import DatasetError
from shakespeare_env.memory import require_memory
from shakespeare_env.rng import check_seed
from shakespeare_env.version import version

_BYTES_A_GAME = 2**14
"""A game in a shard that is put together from its parts."""
_LOCK_NAME = ".lock"
_FILES = rf"{re.escape(manifests.NAME)}|games-\d+\.parquet|{dataset_parts.FILES}"
"""A dataset's files, as a regular expression."""
_DEALS_TOGETHER = 128
_SEARCHED_TOGETHER = 4
"""Deals: a searched game may take seconds, and a group that is interrupted is lost."""


def settings_of(
    game: str,
    entrants: Sequence[Entrant],
    *,
    games: int,
    seed: int,
    variants: Mapping[str, bool] | None = None,
    games_per_shard: int = manifests.GAMES_IN_A_SHARD,
    deals_together: int | None = None,
) -> manifests.Settings:
    """The settings of a dataset under the box and version in force.

    `games` is rounded up to a multiple of the seats, `games_per_shard` to what is played together;
    `seed` covers the deals and the agents' draws. `deals_together` is the unit of work, of which
    none is done in part; by default few if an agent searches.

    Raises:
        ValueError: no entrants, a variant that does not allow so many seats, a name that is no
            text, a number out of range, or more than `MOST_SHARDS` shards.
        MemoryLimitError: a shard is too large for this machine.
    """
    players = registry.game(game).check_players(len(entrants))
    registry.game(game).option_bits(variants or {}, [players])
    checked_count("games", games, manifests.MOST_GAMES)
    checked_count("games_per_shard", games_per_shard, manifests.MOST_IN_A_SHARD)
    if deals_together is None:
        searching = any(isinstance(entrant.agent, Searcher) for entrant in entrants)
        deals_together = _SEARCHED_TOGETHER if searching else _DEALS_TOGETHER
    checked_count("deals_together", deals_together, manifests.MOST_IN_A_SHARD)
    for entrant in entrants:
        if not (entrant.name and entrant.name.isprintable()):
            raise ValueError(f"{entrant.name!r} cannot be written: give agents printable names")
    settings = manifests.Settings(
        game=game,
        players=players,
        variants=tuple(sorted(name for name, on in (variants or {}).items() if on)),
        entrants=tuple(entrant.name for entrant in entrants),
        weights={
            entrant.name: digest
            for entrant in entrants
            if (digest := digest_of(entrant.name, entrant.agent))
        },
        seed=int(check_seed(seed)),
        deals=-(-games // players),
        deals_together=deals_together,
        deals_per_shard=-(-games_per_shard // (players * deals_together)) * deals_together,
        package_version=version(),
        box_digest=registry.box_digest(game),
    )
    if settings.shards > manifests.MOST_SHARDS:
        raise ValueError(
            f"games={games} in {settings.shards} files, and {manifests.MOST_SHARDS} at most can "
            "be: put more games into each"
        )
    together = len(settings.deals_of(0)) * players
    require_memory(f"a file of {together} games", together * _BYTES_A_GAME, "put fewer into each")
    return settings


def open_dataset(folder: Path, settings: manifests.Settings) -> manifests.Manifest:
    """The dataset in a folder so far; a new one in an empty folder.

    A folder in which the first save was cut short counts as empty.

    Raises:
        DatasetError: the folder holds something else, other settings, or a damaged dataset, or
            another process records into it.
        ModuleNotFoundError: Polars or filelock is not installed.
        OSError: it cannot be written.
    """
    with _held(folder):
        return _opened(folder, settings)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Keep other processes from recording into a folder, created if missing."""
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


def _opened(folder: Path, settings: manifests.Settings) -> manifests.Manifest:
    forget_drafts(folder, _FILES)
    if not (folder / manifests.NAME).exists():
        manifest = manifests.Manifest(settings)
        write_atomically(folder / manifests.NAME, manifest.to_bytes())
        return manifest
    manifest = read_manifest(folder)
    check_box(folder, manifest.settings)
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
    tell: Tell = tell_nobody,
    *,
    threads: int = 1,
    workers: Workers | None = None,
) -> manifests.Manifest:
    """Play and write the games that are missing; return the final manifest.

    However often it is interrupted, and whoever works, the files end up the same, byte for byte.

    Args:
        folder: Of the dataset, or a new or empty one.
        settings: What it shall hold.
        agents: Those of `settings.entrants`, one per seat; an object may hold several.
        tell: Called with the decisions and games that are kept: first with all that the folder
            held already, then with every group's.
        threads: That step the games.
        workers: Who plays the groups, in any order; by default this process.

    Raises:
        DatasetError: see `open_dataset`.
        Exception: an agent's, with a note naming it; what is kept stays.
        ModuleNotFoundError: Polars or filelock is not installed.
        OSError: something cannot be written; what is kept stays.
        WorkerError: workers are lost again and again.
    """
    with _held(folder):
        manifest = _opened(folder, settings)
        parts = Parts(folder, manifest)
        games, decisions = manifest.finished_games, manifest.finished_decisions
        tell(decisions + parts.decisions, games + parts.games)
        manifest = _with_whole_shards(folder, manifest, parts)
        left = range(settings.groups_of(len(manifest.shards)).start, settings.groups)
        missing = [group for group in left if group not in parts]
        job = Recording(settings, agents, threads)
        played = (workers or ThisProcess()).run(job, map(settings.deals_in, missing))
        for number, part in played:
            parts.keep(missing[number], part)
            tell(part.decisions, part.games)
            manifest = _with_whole_shards(folder, manifest, parts)
        return manifest


def _with_whole_shards(
    folder: Path, manifest: manifests.Manifest, parts: Parts
) -> manifests.Manifest:
    """Put the parts of the next shards together as long as all of them are there."""
    settings = manifest.settings
    for number in range(len(manifest.shards), settings.shards):
        groups = settings.groups_of(number)
        if not all(group in parts for group in groups):
            break
        rows = parts.together(groups)
        content = parquet(rows)
        write_atomically(folder / manifests.shard_file(number), content)
        shard = manifests.Shard.of(content, rows.height, decisions_of(rows))
        manifest = manifests.Manifest(settings, (*manifest.shards, shard))
        write_atomically(folder / manifests.NAME, manifest.to_bytes())
        parts.forget(groups)
    return manifest
