"""Writing a dataset, resumably, by any workers.

Deals are played in groups. A finished group is a part, a file of its own; once all parts of a shard
are there they become its file, and count once the manifest, written last, names it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path

from shakespeare_agents import held_folder
from shakespeare_agents.arena.dataset.parts import FILES, Parts, decisions_of
from shakespeare_agents.arena.dataset.recording import Recording
from shakespeare_agents.arena.entrants import Entrant, agent_set
from shakespeare_agents.arena.games.seat_orders import SeatPlan
from shakespeare_agents.held_folder import Contents
from shakespeare_agents.identity import digest_of
from shakespeare_agents.storage import write_atomically
from shakespeare_agents.workers import Tell, ThisProcess, Workers, tell_nobody
from shakespeare_env.checks.box_files import LARGEST_BOX
from shakespeare_env.checks.limits import read_regular, require_memory
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets import manifest as manifests
from shakespeare_env.datasets.frames import load_polars, parquet
from shakespeare_env.datasets.manifest import read_manifest
from shakespeare_env.datasets.reading import check_box, check_digests, kept_box
from shakespeare_env.errors import DatasetError
from shakespeare_env.play.agent import Searcher
from shakespeare_env.version import version

_BYTES_A_GAME = 2**13
"""Memory a game while parts are joined into a shard; 6 KiB were measured."""
_BYTES_A_GAME_PLAYED = 2**16
"""Memory a game while a group is played; 46 KiB were measured with two networks."""
_DEALS_TOGETHER = 128
_SEARCHED_TOGETHER = 4
"""Deals in a group of searched games: they take seconds, and an interrupted group is lost."""


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

    `games` is rounded up to whole deals (see `SeatPlan`), `games_per_shard` to what is played
    together; `seed` covers the deals and the agents' draws. `deals_together` is the smallest unit
    of work; by default it is small if an agent searches.

    Raises:
        ValueError: no entrants, a variant that does not allow this number of seats, a name that
            is no text, a number out of range, or more than `MOST_SHARDS` shards.
        MemoryLimitError: a shard or a group is too large for this machine.
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
    names = tuple(entrant.name for entrant in entrants)
    games_per_deal = SeatPlan(names, "balanced", seed).games
    settings = manifests.Settings(
        game=game,
        players=players,
        variants=tuple(sorted(name for name, on in (variants or {}).items() if on)),
        entrants=names,
        weights={
            entrant.name: digest
            for entrant in entrants
            if (digest := digest_of(entrant.name, entrant.agent))
        },
        seed=int(check_seed(seed)),
        deals=-(-games // games_per_deal),
        games_per_deal=games_per_deal,
        deals_together=deals_together,
        deals_per_shard=-(-games_per_shard // (games_per_deal * deals_together)) * deals_together,
        package_version=version(),
        box_digest=registry.box_digest(game),
    )
    if settings.shards > manifests.MOST_SHARDS:
        raise ValueError(
            f"games={games} in {settings.shards} files, and {manifests.MOST_SHARDS} at most can "
            "be: put more games into each"
        )
    together = len(settings.deals_of(0)) * games_per_deal
    require_memory(f"a file of {together} games", together * _BYTES_A_GAME, "put fewer into each")
    at_once = min(deals_together, settings.deals) * games_per_deal
    require_memory(
        f"deals_together={deals_together}", at_once * _BYTES_A_GAME_PLAYED, "play fewer together"
    )
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
    with held(folder):
        return opened(folder, settings)


def write_dataset(
    folder: Path,
    settings: manifests.Settings,
    entrants: Sequence[Entrant],
    tell: Tell = tell_nobody,
    *,
    threads: int = 1,
    workers: Workers | None = None,
) -> manifests.Manifest:
    """Play and write the games that are missing; return the final manifest.

    However often it is interrupted, and whoever works, the files end up the same, byte for byte.

    Args:
        folder: The folder of the dataset, or a new or empty one.
        settings: The settings that it must have.
        entrants: The entrants of the settings, one per seat.
        tell: Called with numbers of decisions and games kept: first those that the folder held
            already, then each group's.
        threads: The threads that step the games.
        workers: They play the groups, in any order (see `open_workers`); by default this process.

    Raises:
        DatasetError: see `open_dataset`.
        ValueError: the entrants are not those of the settings.
        Exception: an agent's, with a note naming it; what is kept stays.
        ModuleNotFoundError: Polars or filelock is not installed.
        OSError: something cannot be written; what is kept stays.
        WorkerError: workers are lost again and again, or an agent is another one there.
    """
    names = tuple(entrant.name for entrant in entrants)
    if names != settings.entrants:
        raise ValueError(f"entrants {names} for settings of {settings.entrants}; give the same")
    crew: Workers = workers or ThisProcess()
    with held(folder):
        manifest = opened(folder, settings)
        parts = Parts(folder, manifest)
        games, decisions = manifest.finished_games, manifest.finished_decisions
        tell(decisions + parts.decisions, games + parts.games)
        manifest = _with_whole_shards(folder, manifest, parts)
        left = range(settings.groups_of(len(manifest.shards)).start, settings.groups)
        missing = [group for group in left if group not in parts]
        agents = agent_set(entrants, registry.game(settings.game), crew)
        job = Recording(settings, agents, threads)
        with closing(crew.run(job, map(settings.deals_in, missing))) as played:
            for number, part in played:
                parts.keep(missing[number], part)
                tell(part.decisions, part.games)
                manifest = _with_whole_shards(folder, manifest, parts)
        return manifest


def _with_whole_shards(
    folder: Path, manifest: manifests.Manifest, parts: Parts
) -> manifests.Manifest:
    """Join the parts of the next shards as long as none is missing."""
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


_CONTENTS = Contents(
    manifests.NAME,
    rf"{re.escape(manifests.NAME)}|{re.escape(manifests.BOX_NAME)}|{manifests.BOXES_NAME}|games-\d+\.parquet|"
    rf"{FILES}",
    DatasetError,
    use="records into it",
    remedy="give a new folder or an empty one",
)


def held(folder: Path) -> AbstractContextManager[None]:
    """Keep other processes from recording into a folder; errors as of `open_dataset`."""
    load_polars()
    return held_folder.held(folder, _CONTENTS)


def opened(folder: Path, settings: manifests.Settings) -> manifests.Manifest:
    """The dataset so far in a folder that is held; errors as of `open_dataset`."""
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
    """Keep copies of boxes that are not the package's own beside the games played with them."""
    boxes = (registry.game(settings.game).box,)
    if boxes == (registry.own_box(settings.game),) or kept_box(folder, settings):
        return
    copies = [folder / manifests.BOX_NAME]
    if len(boxes) > 1:
        (folder / manifests.BOXES_NAME).mkdir(exist_ok=True)
        # Numbers keep their order, which games depend on.
        names = [f"{number:05}-{box.name}" for number, box in enumerate(boxes)]
        copies = [folder / manifests.BOXES_NAME / name for name in names]
    for box, copy in zip(boxes, copies, strict=True):
        write_atomically(copy, read_regular(box, LARGEST_BOX))
    if not kept_box(folder, settings):
        raise DatasetError(
            f"{boxes[0]} was changed after it had been read; put it back, or give another folder"
        )
