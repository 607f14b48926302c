"""Recording a dataset, resumably, by any workers.

Deals are played in groups. A finished group is a part, a file of its own; once all parts of a shard
are there they become its file, and count once the manifest, written last, names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents import storage
from shakespeare_agents.identity import AgentSet, agent_digest, agent_set
from shakespeare_agents.naming import Entrant
from shakespeare_agents.networks.estimating import EstimatingLineup
from shakespeare_agents.storage import Contents, write_atomically
from shakespeare_agents.workers import Tell, Workers, tell_nobody
from shakespeare_arena.games.playing import places_of
from shakespeare_arena.games.seating import SeatPlan, deal
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.frames import (
    GAMES,
    by_seat,
    frame,
    load_polars,
    named_faults,
    parquet,
)
from shakespeare_env.datasets.parquet import read_parquet
from shakespeare_env.datasets.reading import (
    BOX_NAME,
    GAMES_IN_A_SHARD,
    MOST_GAMES,
    MOST_IN_A_SHARD,
    NAME,
    Manifest,
    Settings,
    Shard,
    check_box,
    check_digests,
    read_manifest,
    shard_file,
)
from shakespeare_env.errors import DatasetError
from shakespeare_env.play.agent import AnyAgent, Searcher
from shakespeare_env.play.lineup import play_out
from shakespeare_env.version import version

if TYPE_CHECKING:
    import polars as pl

_DEALS_TOGETHER = 128
_SEARCHED_TOGETHER = 4
"""Deals in a group of searched games: they take seconds, and an interrupted group is lost."""
_PARTS = r"part-(\d{8,})\.parquet"
"""Names of parts, as a regular expression."""
_CONTENTS = Contents(
    NAME,
    rf"{re.escape(NAME)}|{re.escape(BOX_NAME)}|games-\d+\.parquet|{_PARTS}",
    DatasetError,
    use="records into it",
    remedy="give a new folder or an empty one",
)


def settings_of(
    game: str,
    entrants: Sequence[Entrant],
    *,
    games: int,
    seed: int,
    variants: Mapping[str, bool] | None = None,
    games_per_shard: int = GAMES_IN_A_SHARD,
    deals_together: int | None = None,
) -> Settings:
    """The settings of a dataset under the box and version in force.

    `games` is rounded up to whole deals (see `SeatPlan`), `games_per_shard` to what is played
    together; `seed` covers the deals and the agents' draws. `deals_together` is the smallest unit
    of work; by default it is small if an agent searches.

    Raises:
        ValueError: no entrants, a variant that does not allow this number of seats, a name that
            cannot be printed or is of two agents, or a number out of range.
        TypeError: an agent cannot be known again when the recording is resumed.
    """
    rules = registry.game(game)
    players = rules.check_players(len(entrants))
    rules.option_bits(variants or {}, [players])
    checked_count("games", games, MOST_GAMES)
    checked_count("games_per_shard", games_per_shard, MOST_IN_A_SHARD)
    if deals_together is None:
        searching = any(isinstance(entrant.agent, Searcher) for entrant in entrants)
        deals_together = _SEARCHED_TOGETHER if searching else _DEALS_TOGETHER
    checked_count("deals_together", deals_together, MOST_IN_A_SHARD)
    weights: dict[str, str] = {}
    for one in entrants:
        if not (one.name and one.name.isprintable()):
            raise ValueError(f"{one.name!r} cannot be written: give agents printable names")
        digest = agent_digest(one.given, one.agent, rules)
        if weights.setdefault(one.name, digest) != digest:
            raise ValueError(f"two agents are called {one.name!r}: give each a name of its own")
    names = tuple(entrant.name for entrant in entrants)
    games_per_deal = SeatPlan(names, seed).games
    return Settings(
        game=game,
        players=players,
        variants=tuple(sorted(name for name, on in (variants or {}).items() if on)),
        entrants=names,
        weights={name: digest for name, digest in weights.items() if digest},
        seed=int(check_seed(seed)),
        deals=-(-games // games_per_deal),
        games_per_deal=games_per_deal,
        deals_together=deals_together,
        deals_per_shard=-(-games_per_shard // (games_per_deal * deals_together)) * deals_together,
        package_version=version(),
        box_digest=registry.box_digest(game),
    )


def write_dataset(
    folder: Path,
    settings: Settings,
    entrants: Sequence[Entrant],
    tell: Tell = tell_nobody,
    *,
    threads: int = 1,
    workers: Workers | None = None,
) -> Manifest:
    """Play and write the games that are missing; return the final manifest.

    However often it is interrupted, and whoever works, the files end up the same, byte for byte. A
    folder in which the first save was cut short counts as empty.

    Args:
        folder: The folder of the dataset, or a new or empty one.
        settings: The settings that it must have.
        entrants: The entrants of the settings, one per seat.
        tell: Called with numbers of decisions and games kept: first those that the folder held
            already, then each group's.
        threads: The threads that step the games.
        workers: They play the groups, in any order (see `open_workers`); by default this process.

    Raises:
        DatasetError: the folder holds something else, other settings, or a damaged dataset, or
            another process records into it.
        ValueError: the entrants are not those of the settings.
        Exception: an agent's, with a note naming it; what is kept stays.
        ModuleNotFoundError: Polars or filelock is not installed.
        OSError: something cannot be written; what is kept stays.
        WorkerError: workers are lost again and again, or an agent is another one there.
    """
    names = tuple(entrant.name for entrant in entrants)
    if names != settings.entrants:
        raise ValueError(f"entrants {names} for settings of {settings.entrants}; give the same")
    crew: Workers = workers or Workers()
    with _held(folder):
        manifest = _opened(folder, settings)
        parts = _parts(folder)
        kept = [_read(path) for path in parts.values()]
        tell(
            manifest.finished_decisions + sum(map(_decisions_of, kept)),
            manifest.finished_games + sum(rows.height for rows in kept),
        )
        manifest = _with_whole_shards(folder, manifest, parts)
        left = range(settings.groups_of(len(manifest.shards)).start, settings.groups)
        missing = [group for group in left if group not in parts]
        agents = agent_set(entrants, registry.game(settings.game))
        job = Recording(settings, agents, threads)
        with closing(crew.run(job, map(settings.deals_in, missing))) as played:
            for number, part in played:
                parts[missing[number]] = folder / f"part-{missing[number]:08}.parquet"
                write_atomically(parts[missing[number]], part.content)
                tell(part.decisions, part.games)
                manifest = _with_whole_shards(folder, manifest, parts)
        return manifest


def _parts(folder: Path) -> dict[int, Path]:
    """The files of finished groups."""
    named = ((re.fullmatch(_PARTS, path.name), path) for path in sorted(folder.iterdir()))
    return {int(found[1]): path for found, path in named if found}


def _read(path: Path) -> pl.DataFrame:
    with named_faults(f"{path}, which can be deleted"):
        return read_parquet(path)


def _decisions_of(rows: pl.DataFrame) -> int:
    return int(rows["actions"].list.len().sum())


def _with_whole_shards(folder: Path, manifest: Manifest, parts: dict[int, Path]) -> Manifest:
    """Join the parts of the next shards as long as none is missing."""
    settings = manifest.settings
    for number in range(len(manifest.shards), settings.shards):
        groups = settings.groups_of(number)
        if not all(group in parts for group in groups):
            break
        found = [_read(parts[group]) for group in groups]
        rows: pl.DataFrame = load_polars().concat(found, rechunk=True)
        content = parquet(rows)
        write_atomically(folder / shard_file(number), content)
        shard = Shard.of(content, rows.height, _decisions_of(rows))
        manifest = Manifest(settings, (*manifest.shards, shard))
        write_atomically(folder / NAME, manifest.to_bytes())
        for group in groups:
            parts.pop(group).unlink()
    return manifest


def _held(folder: Path) -> AbstractContextManager[None]:
    """Keep other processes from recording into a folder; errors as of `write_dataset`."""
    load_polars()
    return storage.held(folder, _CONTENTS)


def _opened(folder: Path, settings: Settings) -> Manifest:
    """The dataset so far in a folder that is held; errors as of `write_dataset`."""
    if not (folder / NAME).exists():
        manifest = Manifest(settings)
        box = registry.game(settings.game).box
        if box != registry.own_box(settings.game):
            write_atomically(folder / BOX_NAME, box.read_bytes())
        write_atomically(folder / NAME, manifest.to_bytes())
        return manifest
    manifest = read_manifest(folder)
    check_box(folder, manifest.settings)
    if manifest.settings != settings:
        raise DatasetError(
            f"{folder} was begun with other settings: "
            f"{manifest.settings.differences(settings)}; give those, or another folder"
        )
    check_digests(folder, manifest)
    for group, path in _parts(folder).items():
        if group < settings.groups_of(len(manifest.shards)).start:  # cut short before its end
            path.unlink()
    return manifest


# ----------------------------------------------------------------------------------------- playing


class Part(NamedTuple):
    """The games of a group: a Parquet file of `GAMES`."""

    content: bytes
    games: int
    decisions: int


@dataclass(frozen=True)
class Recording:
    """The job of playing a dataset's deals; a shard of it is a range of deals.

    Attributes:
        settings: The settings of the dataset.
        agents: The agents of `settings.entrants`, one per seat.
        threads: The threads that step the games; they change no row.
    """

    settings: Settings
    agents: AgentSet
    threads: int

    def start(self) -> Callable[[range, Tell], Part]:
        """See `Job.start`."""
        agents = self.agents.agents

        def play(deals: range, _tell: Tell) -> Part:
            return _played(self.settings, agents, deals, self.threads)

        return play


def _played(settings: Settings, agents: Sequence[AnyAgent], deals: range, threads: int) -> Part:
    pl = load_polars()
    seating = SeatPlan(settings.entrants, settings.seed).of(deals)
    batch, seated = deal(
        agents,
        settings.game,
        deals,
        settings.seed,
        seating,
        options=dict.fromkeys(settings.variants, True),
        threads=threads,
        names=settings.entrants,
    )
    lineup = EstimatingLineup(seated.agents, seated.seats, seated.generators, seated.names)
    steps = []

    def note(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        unknown = np.full(len(rows), np.nan, np.float32)
        values = lineup.expected[rows] if lineup.estimates else unknown
        steps.append((rows.astype(np.int32), actions.astype(np.int16), values))

    play_out(batch, lineup, before_step=note)
    games, actions, values = map(np.concatenate, zip(*steps, strict=True))
    made = pl.DataFrame({"game": games, "actions": actions, "values": values})
    # All games are in the first step, which puts them in order.
    by_game = made.group_by("game", maintain_order=True).agg(
        "actions", pl.col("values").fill_nan(None)
    )
    decisions = {"actions": by_game["actions"], "values": by_game["values"]}
    rows = frame(GAMES, _ends(settings, deals, seating, batch) | decisions)
    return Part(parquet(rows), rows.height, _decisions_of(rows))


def _ends(
    settings: Settings, deals: range, seating: NDArray[np.integer], batch: Batch
) -> dict[str, Any]:
    """The columns of what games are and how they ended."""
    n, players, games = batch.n, settings.players, settings.games_per_deal
    numbers = np.arange(deals.start * games, deals.stop * games)
    entrants = np.array(settings.entrants)
    scores = batch.final_scores[:, :players]
    places = places_of(scores, batch.final_winners[:, :players])
    return {
        "game_id": numbers,
        "game": [settings.game] * n,
        "box_digest": [settings.box_digest] * n,
        "package_version": [settings.package_version] * n,
        "variants": [list(settings.variants)] * n,
        "players": np.full(n, players, np.int8),
        "seed": np.full(n, settings.seed, np.uint64),
        "deal": numbers // games,
        "rotation": numbers % games,
        "agents": by_seat(entrants[seating].reshape(-1), players),
        "scores": by_seat(scores.reshape(-1), players),
        "places": by_seat(places.reshape(-1), players),
    }
