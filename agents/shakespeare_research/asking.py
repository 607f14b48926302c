"""Asking questions in many boxes, resumably, by any workers.

A folder of answers holds copies of the boxes and Parquet parts; what is asked but in none of them
is played. A shard's seed is a digest of all that decides it, so shards share no luck. Facts are
compiled in, so the shards of every box have a process of their own.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from shakespeare_agents.identity import agent_digest
from shakespeare_agents.naming import AgentSpec, make
from shakespeare_agents.networks.checkpoint import read_card
from shakespeare_agents.storage import write_atomically
from shakespeare_agents.workers import ProgressCallback, Workers
from shakespeare_env.checks.box_files import box_facts, facts_digest
from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.frames import faults, parquet
from shakespeare_env.datasets.parquet import read_parquet
from shakespeare_env.errors import DatasetError, WorkerError
from shakespeare_research.questions import (
    ESTIMATES,
    FEWEST_DEALS,
    TableSetup,
    estimates,
    plays_of,
    questions_of,
)

FORMAT = 3
"""Version of the answers; a change of a question that changes its figures changes it, too."""
DIGITS = 16
"""The hexadecimal digits of a box's digest that name it."""
_BOX_FILE, _ANSWERS_FILE = "box.toml", "answers.parquet"


@dataclass(frozen=True)
class Shard:
    """A play by one player at one table in one box, and what decides its figures."""

    game: str
    play: str  # the name of what is played (see `plays_of`)
    questions: tuple[str, ...]  # the names of those that it answers
    player: str
    agent: str  # its digest
    trained_for: str  # the digest of the box that its network was trained for; empty without one
    players: int  # the number of seats
    games: int  # see `TableSetup`
    seed: int  # of all shards
    box_digest: str

    @property
    def digest(self) -> str:
        """SHA-256 of what decides the figures, hexadecimal."""
        return hashlib.sha256(json.dumps([FORMAT, asdict(self)]).encode()).hexdigest()


_KEY = [field.name for field in fields(Shard) if field.name != "questions"]
_key = attrgetter(*_KEY)


@dataclass(frozen=True)
class _Asking:
    def start(self) -> Callable[[tuple[list[Shard], bytes], ProgressCallback], pl.DataFrame]:
        return _answered


def boxes_of(game: str, folders: Iterable[Path]) -> list[Path]:
    """The package's own box and all in some folders; without folders, the box in force."""
    boxes = []
    for folder in folders:
        files = sorted(folder.glob("*.toml"))
        if not files:
            raise DatasetError(
                f"{folder} has no box; make some with `shakespeare findings --sample 8 --out`"
            )
        boxes += files
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
    """What has to be played to ask questions in boxes, and the box files, box by box.

    `players` are names of agents, `tables` numbers of seats, `games` as in `TableSetup`; `only`
    names the questions, by default all.

    Raises:
        ValueError: there is no such question, agent or table, or a number is out of range.
        BoxError: a box cannot be read.
    """
    checked_count("games", games)
    loaded, questions = registry.game(game), questions_of(game)
    for name in only:
        if name not in questions:
            raise ValueError(
                f"there is no question {short_repr(name)}{did_you_mean(name, questions)}"
            )
    specs = [AgentSpec.parse(name) for name in players]
    digests = {
        spec.text: (agent_digest(spec, make(spec, loaded), loaded), _trained_for(spec, loaded))
        for spec in specs
    }
    by_digest = {facts_digest(registry.folder(game), box): box for box in boxes}
    size = games, int(check_seed(seed))
    return {
        Shard(game, play, tuple(names), player, *digests[player], seats, *size, digest): box
        for digest, box in by_digest.items()
        for player in players
        for seats in tables
        for play, asked in plays_of(questions.values(), loaded.check_players(seats)).items()
        if (names := [question.name for question in asked])
        if not only or {*names} & {*only}
    }


def ask(
    folder: Path, shards: Mapping[Shard, Path], workers: Workers | None = None
) -> Iterator[Shard]:
    """Answer what a folder has no answers to, and keep them and copies of the boxes there.

    Each of the workers (see `open_workers`), by default this process, plays in a box at a time.

    Yields:
        The shards, as soon as their answers are kept.

    Raises:
        DatasetError: a part of the folder is damaged.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = {key for part in _parts(folder) for key in part.select(_KEY).unique().rows()}
    yield from (shard for shard in shards if _key(shard) in kept)
    left = (shard for shard in shards if _key(shard) not in kept)
    by_box = [
        (asked, shards[asked[0]].read_bytes())
        for asked in ([*group] for _, group in groupby(left, attrgetter("box_digest")))
    ]
    with closing((workers or Workers()).run(_Asking(), by_box)) as results:
        for number, rows in results:
            asked, box = by_box[number]
            write_atomically(folder / f"box-{asked[0].box_digest[:DIGITS]}.toml", box)
            write_atomically(folder / f"rows-{asked[0].digest[:DIGITS]}.parquet", parquet(rows))
            yield from asked


def read_answers(folder: Path) -> pl.DataFrame:
    """All answers in a folder: `ESTIMATES` and what a `Shard` says of them.

    Raises:
        DatasetError: there are none, a file is damaged, or a player's are of several kinds.
    """
    parts = [part.drop_nulls("question") for part in _parts(folder)]
    if not any(map(len, parts)):
        raise DatasetError(
            f"{folder} has no answers, or nothing came up in {FEWEST_DEALS} deals or more; "
            "`shakespeare findings --out` makes some, in another folder with more --games"
        )
    rows = pl.concat(parts)
    mixed = rows.group_by("player", "players", "question").agg(
        pl.struct("agent", "games", "seed").n_unique().alias("kinds")
    )
    for player, players, question, _ in mixed.filter(pl.col("kinds") > 1).rows():
        raise DatasetError(
            f"{folder}: {player} was asked about {question!r} at {players} seats with several "
            "networks, --games or --seed; keep each in a folder of its own"
        )
    return rows


def _parts(folder: Path) -> Iterator[pl.DataFrame]:
    for path in sorted(folder.glob("rows-*.parquet")):
        try:
            yield read_parquet(path, [*ESTIMATES, *_KEY])
        except faults() as fault:
            raise DatasetError(f"{path} is damaged ({fault}); delete it and ask again") from fault


def _trained_for(player: AgentSpec, game: Game) -> str:
    folder = player.network().checkpoint(game)
    return "" if folder is None else read_card(folder).box_digest


def _answered(asked: tuple[list[Shard], bytes], _tell: ProgressCallback) -> pl.DataFrame:
    shards, box = asked
    with TemporaryDirectory() as folder:
        Path(folder, _BOX_FILE).write_bytes(box)
        done = subprocess.run(
            [sys.executable, "-P", "-m", __name__, folder],
            input=json.dumps([asdict(shard) for shard in shards]),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stderr=subprocess.PIPE,
            text=True,
        )
        if done.returncode:
            last = " ".join(done.stderr.splitlines()[-2:]) or f"exit status {done.returncode}"
            raise WorkerError(f"box {shards[0].box_digest[:DIGITS]} cannot be asked: {last}")
        return read_parquet(Path(folder, _ANSWERS_FILE))


def _answer_in(folder: Path) -> None:
    box, parts = folder / _BOX_FILE, []
    for entry in json.load(sys.stdin):
        shard = Shard(**entry)
        questions, game = questions_of(shard.game), registry.game(shard.game, box)
        seed = int(shard.digest[:16], 16)
        table = TableSetup(game, box_facts(box), shard.player, shard.players, shard.games, seed)
        rows = estimates(table, [questions[name] for name in shard.questions])
        rows = rows if len(rows) else pl.DataFrame([dict.fromkeys(ESTIMATES)], schema=ESTIMATES)
        values = {name: pl.lit(getattr(shard, name)) for name in _KEY}
        values["seed"] = pl.lit(shard.seed, pl.UInt64)
        parts.append(rows.with_columns(**values))
    pl.concat(parts).write_parquet(folder / _ANSWERS_FILE)


if __name__ == "__main__":
    _answer_in(Path(sys.argv[1]))
