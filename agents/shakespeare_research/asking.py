"""Asking questions in many boxes, resumably, by any workers.

A shard is a play in one box by one player at one table. Its file's name ends with a digest of all
that decides it, so what is there is not asked again; the seed of its games is that digest, too, so
shards share no luck. Facts are compiled in, so the shards of every box have a process of their own.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from shakespeare_agents.identity import agent_digest
from shakespeare_agents.naming import split_options
from shakespeare_agents.networks.checkpoint import read_card
from shakespeare_agents.registry import checkpoint_named, make
from shakespeare_agents.storage import write_atomically
from shakespeare_agents.workers import Tell, Workers
from shakespeare_env.checks.box_files import box_facts, facts_digest
from shakespeare_env.checks.values import command, did_you_mean, shown
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.frames import faults, parquet
from shakespeare_env.datasets.parquet import read_parquet
from shakespeare_env.errors import DatasetError, WorkerError
from shakespeare_research.questions import ESTIMATES, FEWEST_DEALS, Table, estimates, questions_of

FORMAT = 3
"""Version of the answers; a change of a question that changes its figures changes it, too."""
DIGITS = 16
"""The hexadecimal digits of a box's digest that name it."""
_BOX_FILE, _SHARDS_FILE = "box.toml", "shards.json"
_SHARD = r"rows-\w+-[0-9a-f]{16}\.parquet"
_BOX = r"box-[0-9a-f]{16}\.toml"
_TOLD = (
    *("game", "play", "player", "agent", "trained_for"),
    *("players", "games", "seed", "box_digest"),
)


@dataclass(frozen=True)
class Shard:
    """A play by one player at one table in one box, and what decides its figures.

    Attributes:
        game: The game's name.
        play: The name of the play that answers the questions (see `Questions.plays`).
        questions: Their names.
        player: Its name.
        agent: The agent's digest.
        trained_for: The digest of the box that its network was trained for; empty without one.
        players: The number of seats.
        games: See `Table`.
        seed: The seed of all shards.
        box_digest: The digest of the box.
    """

    game: str
    play: str
    questions: tuple[str, ...]
    player: str
    agent: str
    trained_for: str
    players: int
    games: int
    seed: int
    box_digest: str

    @property
    def digest(self) -> str:
        """SHA-256 of what decides the figures, hexadecimal."""
        return hashlib.sha256(json.dumps([FORMAT, asdict(self)]).encode()).hexdigest()

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"rows-{self.play}-{self.digest[:16]}.parquet"

    @property
    def box_file(self) -> str:
        """The name of the box's copy."""
        return f"box-{self.box_digest[:DIGITS]}.toml"


@dataclass(frozen=True)
class _InOneBox:
    """Shards of one box, and its file's text."""

    shards: list[Shard]
    box: bytes


@dataclass(frozen=True)
class _Asking:
    """The job of answering questions; see `Job`."""

    def start(self) -> Callable[[_InOneBox, Tell], list[pl.DataFrame]]:
        """See `Job.start`."""
        return _answered


def boxes_of(game: str, folders: Iterable[Path]) -> list[Path]:
    """The package's own box and all in some folders; without folders, the box in force.

    Raises:
        ValueError: there is no such game, or it has no box.
        DatasetError: a folder has no box.
    """
    boxes = []
    for folder in folders:
        found = sorted(folder.glob("*.toml"))
        if not found:
            raise DatasetError(
                f"{folder} has no box; make some with {command('boxes', 'sample', '--out', folder)}"
            )
        boxes += found
    return [registry.own_box(game), *boxes] if boxes else [registry.box_in_force(game)]


def shards_of(
    game: str,
    boxes: Sequence[Path],
    players: Sequence[str],
    tables: Sequence[int],
    *,
    games: int,
    seed: int,
    only: Sequence[str] = (),
) -> dict[Shard, Path]:
    """What has to be played to ask questions in some boxes, box by box, and the boxes' files.

    Args:
        game: Its name.
        boxes: Box files.
        players: Names of agents.
        tables: Numbers of seats.
        games: See `Table`.
        seed: Decides all games.
        only: The questions; none means all.

    Raises:
        ValueError: there is no such question, agent or table, or a number is out of range.
        BoxError: a box cannot be read.
    """
    checked_count("games", games)
    loaded, questions = registry.game(game), questions_of(game)
    names = [one.name for one in questions]
    for name in only:
        if name not in names:
            raise ValueError(f"there is no question {shown(name)}{did_you_mean(name, names)}")
    made = {
        name: (agent_digest(name, make(name, loaded), loaded), _trained_for(name, loaded))
        for name in players
    }
    by_digest = {facts_digest(registry.folder(game), box): box for box in boxes}
    return {
        Shard(
            game,
            play,
            tuple(one.name for one in asked),
            name,
            *digests,
            loaded.check_players(seats),
            games,
            int(check_seed(seed)),
            box_digest,
        ): box
        for box_digest, box in by_digest.items()
        for name, digests in made.items()
        for seats in tables
        for play, asked in questions.plays(seats).items()
        if not only or {one.name for one in asked} & {*only}
    }


def ask(
    folder: Path, shards: Mapping[Shard, Path], workers: Workers | None = None
) -> Iterator[Shard]:
    """Answer what a folder has no answers to, and keep them and copies of the boxes there.

    Args:
        folder: Created if missing.
        shards: See `shards_of`.
        workers: Each plays in a box at a time (see `open_workers`); by default this process.

    Yields:
        The shards, as soon as their answers are kept.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for shard, box in shards.items():
        if not (folder / shard.box_file).exists():
            write_atomically(folder / shard.box_file, box.read_bytes())
    kept = {shard for shard in shards if (folder / shard.file).exists()}
    yield from (shard for shard in shards if shard in kept)
    left = [shard for shard in shards if shard not in kept]
    together = [
        _InOneBox([*group], (folder / file).read_bytes())
        for file, group in groupby(left, lambda shard: shard.box_file)
    ]
    crew = Workers() if workers is None else workers
    with closing(crew.run(_Asking(), together)) as results:
        for number, answers in results:
            for shard, rows in zip(together[number].shards, answers, strict=True):
                write_atomically(folder / shard.file, parquet(rows))
                yield shard


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
            frames.append(read_parquet(path, [*ESTIMATES, *_TOLD]))
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
    """The facts of the boxes kept in a folder, by the first `DIGITS` of their digests."""
    kept = (path for path in folder.glob("box-*") if re.fullmatch(_BOX, path.name))
    return {path.stem.removeprefix("box-"): box_facts(path) for path in kept}


def _trained_for(player: str, game: Game) -> str:
    """The digest of the box that a player's network was trained for; empty without a network."""
    name, options = split_options(player)
    if name == "search" and "rollouts" not in options:
        version = f",version={options['version']}" if "version" in options else ""
        player = f"{options.get('network', 'network')}{version}"
    folder = checkpoint_named(player, game)
    return "" if folder is None else read_card(folder).box_digest


def _answered(asked: _InOneBox, _tell: Tell) -> list[pl.DataFrame]:
    """Let another process play, and read what it found."""
    with TemporaryDirectory() as folder:
        Path(folder, _BOX_FILE).write_bytes(asked.box)
        shards = json.dumps([asdict(shard) for shard in asked.shards])
        Path(folder, _SHARDS_FILE).write_text(shards, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-P", "-m", __name__, folder],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stderr=subprocess.PIPE,
            text=True,
        )
        if done.returncode:
            said = " ".join(done.stderr.splitlines()[-2:]) or f"exit status {done.returncode}"
            raise WorkerError(f"{asked.shards[0].box_file} cannot be asked: {said}")
        return [read_parquet(Path(folder, shard.file)) for shard in asked.shards]


def _answer_in(folder: Path) -> None:
    """Answer the shards that stand in a folder, in the box there, which this process plays with."""
    box = folder / _BOX_FILE
    for one in json.loads((folder / _SHARDS_FILE).read_text(encoding="utf-8")):
        shard = Shard(**one)
        questions = questions_of(shard.game)
        table = Table(
            registry.game(shard.game, box),
            box_facts(box),
            shard.player,
            shard.players,
            shard.games,
            int(shard.digest[:16], 16),
        )
        rows = estimates(table, [questions[name] for name in shard.questions])
        told = {name: value for name, value in asdict(shard).items() if name in _TOLD}
        seed = pl.lit(told.pop("seed"), pl.UInt64)
        said = {name: pl.lit(value) for name, value in told.items()}
        rows.with_columns(seed=seed, **said).write_parquet(folder / shard.file)


if __name__ == "__main__":
    _answer_in(Path(sys.argv[1]))
