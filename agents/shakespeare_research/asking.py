"""Asks questions about good play in many boxes, on any workers, in runs that can be resumed.

A box is the file of the facts that are printed in a game's box, such as those of its cards. A
folder of answers holds copies of the boxes, and Parquet files with the answers. Only shards that it
does not answer yet are played. A shard's seed is a digest of all that decides the shard, so
shards share no luck. Facts of a box are compiled into the rules, so the shards of each box run in a
process of their own.
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
from itertools import groupby, product
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from shakespeare_agents.identity import agent_digest
from shakespeare_agents.making import make
from shakespeare_agents.naming import AgentSpec
from shakespeare_agents.networks.checkpoint import read_card
from shakespeare_agents.storage import write_atomically
from shakespeare_agents.travel import AgentSources
from shakespeare_agents.workers import Progress, Workers
from shakespeare_env.checks.box_files import box_facts, facts_digest
from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.frames import parquet_bytes, parquet_errors
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
"""The version of the answers. It changes whenever a changed question gets other answers."""
DIGITS = 16
"""The number of hexadecimal digits of a box's digest in its name."""
_BOX_FILE = "box.toml"
_ANSWERS_FILE = "answers.parquet"


@dataclass(frozen=True)
class Shard:
    """A unit of work: the games of one `questions.Play`, by one player at one table in one box."""

    game: str
    play: str  # the name of the play (see `plays_of`)
    questions: tuple[str, ...]  # the names of the questions that it answers
    player: str
    agent: str  # the player's digest
    trained_for: str  # the digest of the box that its network was trained for, or empty
    players: int  # the number of seats
    games: int  # as in `TableSetup`
    seed: int  # the seed of all shards
    box_digest: str

    @property
    def digest(self) -> str:
        """The SHA-256 digest of all that decides the answers, hexadecimal."""
        return hashlib.sha256(json.dumps([FORMAT, asdict(self)]).encode()).hexdigest()


# Stored with every answer, these columns identify the shard that the answer is from.
_KEY_COLUMNS = [field.name for field in fields(Shard) if field.name != "questions"]
_key_of = attrgetter(*_KEY_COLUMNS)


_NumberedBox = tuple[int, tuple[list[Shard], bytes]]
"""The number of a box, the shards that ask about it, and the content of its file."""


@dataclass(frozen=True)
class _Job:
    """A job for workers. A worker gets all `Shard`s of one box at once, and the box's content."""

    def start(self) -> Callable[[_NumberedBox], Iterator[Progress[tuple[int, pl.DataFrame]]]]:
        return _answer


def boxes_of(game: str, folders: Iterable[Path]) -> list[Path]:
    """Return the package's own box and those of some folders, or else the box in force."""
    boxes = []
    for folder in folders:
        files = sorted(folder.glob("*.toml"))
        if not files:
            raise DatasetError(
                f"{folder} holds no box; draw some with `shakespeare findings --sample 8 --out`"
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
    """Return the shards that ask questions in some boxes, each with its box file, box by box.

    Args:
        game: The game's name.
        boxes: The box files.
        players: Names of agents.
        tables: Numbers of seats.
        games: As in `TableSetup`.
        seed: The seed of all shards.
        only: Names of the questions to ask. If it is empty, all are asked.

    Raises:
        ValueError: There is no such question, agent or table, or a number is out of range.
        BoxError: A box cannot be read.
    """
    checked_count("games", games)
    loaded = registry.game(game)
    questions = questions_of(game)
    for name in only:
        if name not in questions:
            raise ValueError(
                f"there is no question {short_repr(name)}{did_you_mean(name, questions)}"
            )
    digests = {}
    trained_for = {}
    for player in players:
        spec = AgentSpec.parse(player)
        digests[player] = agent_digest(spec, make(spec, loaded), loaded)
        trained_for[player] = _trained_for(spec, loaded)
    plays = {seats: plays_of(questions.values(), loaded.check_players(seats)) for seats in tables}
    seed = int(check_seed(seed))
    by_digest = {facts_digest(registry.folder(game), box): box for box in boxes}
    shards = {}
    for box_digest, box in by_digest.items():
        for player, seats in product(players, tables):
            for play, answered in plays[seats].items():
                names = tuple(question.name for question in answered)
                if only and set(names).isdisjoint(only):
                    continue
                shard = Shard(
                    game=game,
                    play=play,
                    questions=names,
                    player=player,
                    agent=digests[player],
                    trained_for=trained_for[player],
                    players=seats,
                    games=games,
                    seed=seed,
                    box_digest=box_digest,
                )
                shards[shard] = box
    return shards


def ask(
    folder: Path, shards: Mapping[Shard, Path], workers: Workers | None = None
) -> Iterator[Shard]:
    """Answer the shards that a folder has no answers to, and add answers and boxes to the folder.

    Each worker plays one box at a time (see `open_workers`). By default this process plays them.

    Yields:
        Every shard, as soon as its answers are in the folder.

    Raises:
        DatasetError: A file of the folder is damaged.
    """
    folder.mkdir(parents=True, exist_ok=True)
    answered: set[tuple[Any, ...]] = set()
    for part in _parts(folder):
        answered.update(part.select(_KEY_COLUMNS).unique().rows())
    yield from (shard for shard in shards if _key_of(shard) in answered)

    missing = [shard for shard in shards if _key_of(shard) not in answered]
    by_box = []
    for _, group in groupby(missing, attrgetter("box_digest")):
        shards_of_box = list(group)
        by_box.append((shards_of_box, shards[shards_of_box[0]].read_bytes()))
    sources = AgentSources({shard.player for shard in shards})
    with closing((workers or Workers()).run(_Job(), enumerate(by_box))) as progress:
        for step in progress:
            if step.result is None:
                continue
            number, rows = step.result
            sources.check_unchanged()
            shards_of_box, box = by_box[number]
            first = shards_of_box[0]
            write_atomically(folder / f"box-{first.box_digest[:DIGITS]}.toml", box)
            answers = folder / f"rows-{first.digest[:DIGITS]}.parquet"
            write_atomically(answers, parquet_bytes(rows))
            yield from shards_of_box


def read_answers(folder: Path) -> pl.DataFrame:
    """Read all answers of a folder, with the columns `ESTIMATES` and those of their `Shard`.

    Raises:
        DatasetError: There are no answers, a file is damaged, or a player was asked in several
            ways.
    """
    parts = [part.drop_nulls("question") for part in _parts(folder)]
    if not any(map(len, parts)):
        raise DatasetError(
            f"{folder} holds no answers, or nothing came up in {FEWEST_DEALS} deals or more; ask "
            "with `shakespeare findings --out` and another folder, and with more --games"
        )
    rows = pl.concat(parts)
    mixed = rows.group_by("player", "players", "question").agg(
        pl.struct("agent", "games", "seed").n_unique().alias("kinds")
    )
    for player, players, question, _ in mixed.filter(pl.col("kinds") > 1).rows():
        raise DatasetError(
            f"{folder}: {player} was asked about {question!r} at {players} seats with different "
            "networks, --games or --seed; use a folder of its own for each of them"
        )
    return rows


def _parts(folder: Path) -> Iterator[pl.DataFrame]:
    for path in sorted(folder.glob("rows-*.parquet")):
        try:
            yield read_parquet(path, [*ESTIMATES, *_KEY_COLUMNS])
        except parquet_errors() as fault:
            raise DatasetError(f"{path} is damaged ({fault}); delete it and ask again") from fault


def _trained_for(player: AgentSpec, game: Game) -> str:
    """Return the digest of the box that a player's network was trained for, or nothing."""
    folder = player.network().checkpoint(game)
    return "" if folder is None else read_card(folder).box_digest


def _answer(numbered: _NumberedBox) -> Iterator[Progress[tuple[int, pl.DataFrame]]]:
    """Answer the shards of one box in a process of their own."""
    number, (shards, box) = numbered
    with TemporaryDirectory() as folder:
        Path(folder, _BOX_FILE).write_bytes(box)
        process = subprocess.run(
            [sys.executable, "-P", "-m", __name__, folder],
            input=json.dumps([asdict(shard) for shard in shards]),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stderr=subprocess.PIPE,
            text=True,
        )
        if process.returncode:
            last_words = " ".join(process.stderr.splitlines()[-2:])
            reason = last_words or f"the process ended with status {process.returncode}"
            name = shards[0].box_digest[:DIGITS]
            raise WorkerError(f"nothing can be asked in box {name}: {reason}")
        rows = read_parquet(Path(folder, _ANSWERS_FILE))
    yield Progress(result=(number, rows))


def _answer_in(folder: Path) -> None:
    """Answer the shards on standard input in the box of a folder, and write the answers there."""
    box = folder / _BOX_FILE
    parts = []
    for entry in json.load(sys.stdin):
        shard = Shard(**entry)
        questions = questions_of(shard.game)
        table = TableSetup(
            game=registry.game(shard.game, box),
            facts=box_facts(box),
            player=shard.player,
            players=shard.players,
            games=shard.games,
            seed=int(shard.digest[:16], 16),
        )
        rows = estimates(table, [questions[name] for name in shard.questions])
        if rows.is_empty():  # a row of nulls shows that the shard has been played
            rows = pl.DataFrame([dict.fromkeys(ESTIMATES)], schema=ESTIMATES)
        values = {name: pl.lit(getattr(shard, name)) for name in _KEY_COLUMNS}
        values["seed"] = pl.lit(shard.seed, pl.UInt64)
        parts.append(rows.with_columns(**values))
    pl.concat(parts).write_parquet(folder / _ANSWERS_FILE)


if __name__ == "__main__":
    _answer_in(Path(sys.argv[1]))
