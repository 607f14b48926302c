"""Asking questions in many boxes, resumably, by any workers.

A shard is a play in one box by one player at one table. Its file's name ends with a digest of all
that decides it, so what is there is not asked again; the seed of its games is that digest, too, so
shards share no luck.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shakespeare_agents.findings.questions import (
    ESTIMATES,
    FEWEST_DEALS,
    Table,
    estimates,
    questions_of,
)
from shakespeare_agents.held_folder import Contents, held
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.registry import make
from shakespeare_agents.storage import write_atomically
from shakespeare_agents.workers import Tell, ThisProcess, Workers
from shakespeare_env.checks.box_files import LARGEST_BOX, box_facts, facts_digest
from shakespeare_env.checks.limits import read_regular
from shakespeare_env.checks.values import meant, shown
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.frames import faults, parquet
from shakespeare_env.errors import DatasetError, WorkerError

FORMAT = 1
"""Version of the folder; a change of a question that changes its figures changes it, too."""
_MANIFEST = "findings.json"
_SHARD = r"rows-\w+-[0-9a-f]{16}\.parquet"
_BOX = r"box-[0-9a-f]{16}\.toml"
_CONTENTS = Contents(
    manifest=_MANIFEST,
    files=rf"{re.escape(_MANIFEST)}|{_SHARD}|{_BOX}",
    error=DatasetError,
    use="asks questions there",
    remedy="give a new folder, or one of findings",
)
_MOST_GAMES = 1_000_000
_TOLD = ("game", "play", "player", "agent", "players", "games", "seed", "box_digest")


@dataclass(frozen=True)
class Shard:
    """A play by one player at one table in one box, and what decides its figures.

    Attributes:
        game: The game's name.
        play: The name of the play that answers the questions (see `Questions.plays`).
        questions: Their names.
        player: Its name.
        agent: The agent's digest.
        players: The number of seats.
        games: See `Table`.
        seed: The seed of all shards.
        box: The number of the box among those in force; it decides no figure, `box_digest` does.
        box_digest: The digest of the box.
    """

    game: str
    play: str
    questions: tuple[str, ...]
    player: str
    agent: str
    players: int
    games: int
    seed: int
    box: int
    box_digest: str

    @property
    def digest(self) -> str:
        """SHA-256 of what decides the figures, hexadecimal."""
        facts = {name: value for name, value in asdict(self).items() if name != "box"}
        return hashlib.sha256(json.dumps([FORMAT, facts]).encode()).hexdigest()

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"rows-{self.play}-{self.digest[:16]}.parquet"


@dataclass(frozen=True)
class Asking:
    """The job of answering questions; see `Job`."""

    def start(self) -> Callable[[Shard, Tell], pl.DataFrame]:
        """See `Job.start`."""
        return _answered


def put_in_force(game: str, folder: Path, boxes: Iterable[Path]) -> None:
    """Put the package's own box and all in some folders in force.

    Copies of them are kept with the answers.

    Args:
        game: Its name.
        folder: Of the answers; created if missing.
        boxes: Folders of box files.

    Raises:
        ValueError: there is no such game, or it has no box.
        BoxError: a box cannot be read, or the game is loaded with others.
        DatasetError: a folder has no box, or that of the answers holds something else.
    """
    files = [registry.own_box(game)]
    for drawn in boxes:
        found = sorted(drawn.glob("*.toml"))
        if not found:
            raise DatasetError(
                f"{drawn} has no box; make some with `shakespeare boxes sample --out {drawn}`"
            )
        files += found
    with _opened(folder):
        copies = [_keep(folder, facts_digest(registry.folder(game), file), file) for file in files]
    registry.game(game, copies[0])


def shards_of(
    game: str,
    players: Sequence[str],
    tables: Sequence[int],
    *,
    games: int,
    seed: int,
    only: Sequence[str] = (),
) -> list[Shard]:
    """What has to be played to ask questions in all boxes in force, the boxes one by one.

    Args:
        game: Its name.
        players: Names of agents.
        tables: Numbers of seats.
        games: See `Table`.
        seed: Decides all games.
        only: The questions; none means all.

    Raises:
        ValueError: there is no such question, agent or table, or a number is out of range.
    """
    checked_count("games", games, _MOST_GAMES)
    loaded, questions = registry.game(game), questions_of(game)
    names = [one.name for one in questions]
    for name in only:
        if name not in names:
            raise ValueError(f"there is no question {shown(name)}{meant(name, names)}")
    digests = {name: agent_digest(name, make(name, loaded), loaded) for name in players}
    return [
        Shard(
            game,
            play,
            tuple(one.name for one in asked),
            name,
            digest,
            loaded.check_players(seats),
            games,
            int(check_seed(seed)),
            number,
            box,
        )
        for number, box in enumerate((registry.box_digest(game),))
        for name, digest in digests.items()
        for seats in tables
        for play, asked in questions.plays(seats).items()
        if not only or {one.name for one in asked} & {*only}
    ]


def ask(folder: Path, shards: Sequence[Shard], workers: Workers | None = None) -> Iterator[Shard]:
    """Answer what a folder has no answers to, and keep them and copies of the boxes there.

    Args:
        folder: Created if missing.
        shards: See `shards_of`.
        workers: They play (see `open_workers`), by default this process.

    Yields:
        The shards, as soon as their answers are kept.

    Raises:
        DatasetError: the folder holds something else, or another process asks there.
        OSError: it cannot be written.
    """
    with _opened(folder):
        for game in {shard.game for shard in shards}:
            files = zip((registry.box_digest(game),), (registry.box_in_force(game),), strict=True)
            for digest, file in files:
                _keep(folder, digest, file)
        left = [shard for shard in shards if not (folder / shard.file).exists()]
        yield from (shard for shard in shards if shard not in left)
        crew = ThisProcess() if workers is None else workers
        with closing(crew.run(Asking(), left)) as results:
            for number, rows in results:
                write_atomically(folder / left[number].file, parquet(rows))
                yield left[number]


def read_answers(folder: Path) -> pl.DataFrame:
    """All answers in a folder: `ESTIMATES` and what a `Shard` says of them.

    Raises:
        DatasetError: there are none, a file is damaged, or a player's answers are of several
            agents, sizes or seeds, which must not be mixed.
    """
    files = sorted(path for path in folder.glob("rows-*") if re.fullmatch(_SHARD, path.name))
    frames = []
    for path in files:
        try:
            frames.append(pl.read_parquet(path, columns=[*ESTIMATES, *_TOLD]))
        except faults() as fault:
            raise DatasetError(f"{path} is damaged ({fault}); delete it and ask again") from fault
    if not frames:
        raise DatasetError(f"{folder} has no answers; `shakespeare findings --out` makes some")
    rows = pl.concat(frames)
    if rows.is_empty():
        raise DatasetError(
            f"{folder}: nothing came up in {FEWEST_DEALS} deals or more, so there are no "
            "estimates; ask in another folder with more --games"
        )
    mixed = rows.group_by("player", "players", "question").agg(
        pl.struct("agent", "games", "seed").n_unique().alias("kinds")
    )
    if (several := mixed.filter(pl.col("kinds") > 1)).height:
        player, players, question, _ = several.row(0)
        raise DatasetError(
            f"{folder}: {player} was asked about {question!r} at {players} seats with several "
            "networks, --games or --seed; keep each in a folder of its own"
        )
    return rows


def read_boxes(folder: Path) -> dict[str, dict[str, Any]]:
    """The facts of the boxes kept in a folder, by the first 16 digits of their digests."""
    kept = (path for path in folder.glob("box-*") if re.fullmatch(_BOX, path.name))
    return {path.stem.removeprefix("box-"): box_facts(path) for path in kept}


@contextmanager
def _opened(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder of answers, created if missing."""
    with held(folder, _CONTENTS):
        write_atomically(folder / _MANIFEST, json.dumps({"format": FORMAT}).encode())
        yield


def _keep(folder: Path, digest: str, box: Path) -> Path:
    """The copy of a box in a folder of answers."""
    copy = folder / f"box-{digest[:16]}.toml"
    if not copy.exists():
        write_atomically(copy, read_regular(box, LARGEST_BOX))
    return copy.resolve()


def _answered(shard: Shard, _tell: Tell) -> pl.DataFrame:
    if (registry.box_digest(shard.game),)[shard.box : shard.box + 1] != (shard.box_digest,):
        raise WorkerError(f"a worker has not the boxes of its driver; set {shard.game.upper()}_BOX")
    questions = questions_of(shard.game)
    table = Table(
        registry.game(shard.game),
        shard.box,
        box_facts((registry.box_in_force(shard.game),)[shard.box]),
        shard.player,
        shard.players,
        shard.games,
        int(shard.digest[:16], 16),
    )
    rows = estimates(table, [questions[name] for name in shard.questions])
    told = {name: value for name, value in asdict(shard).items() if name in _TOLD}
    seed = pl.lit(told.pop("seed"), pl.UInt64)
    return rows.with_columns(seed=seed, **{name: pl.lit(value) for name, value in told.items()})
