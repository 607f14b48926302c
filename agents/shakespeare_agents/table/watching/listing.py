"""The finished games of a folder in a few words each, and pages of them, the latest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shakespeare_agents.arena.wording import shown_name
from shakespeare_env.checks.limits import regular_size
from shakespeare_env.datasets.frames import faults
from shakespeare_env.datasets.manifest import NAME, Manifest, Shard, read_manifest, shard_file
from shakespeare_env.datasets.reading import check_box
from shakespeare_env.datasets.results_reading import is_arena, read_results, results_files
from shakespeare_env.errors import DatasetError

MOST_LISTED = 20_000
"""How many of a dataset's latest games are listed; not all may fit into memory."""
ARENA, DATASET = "arena", "dataset"
State = tuple[tuple[str, int, int], ...]
"""Names, sizes and times of the files that say what a folder holds."""
COLUMNS: dict[str, Any] = {
    "game_id": pl.Int64,
    "players": pl.Int8,
    "agents": pl.List(pl.String),
    "scores": pl.List(pl.Int16),
    "places": pl.List(pl.Int8),
    "forfeited_by": pl.Int8,
    "fault": pl.String,
    "moves": pl.UInt32,
}
"""The columns of the games listed; `moves` is their number of moves."""
_COMMON = ("players", "agents", "scores", "places")
ON_A_PAGE = 40
_LONGEST = 100
"""The most characters of a search text."""


@dataclass(frozen=True)
class Listing:
    """Finished games.

    Attributes:
        kind: The kind of folder, `ARENA` or `DATASET`.
        game: Its name.
        count: The number of all games.
        planned: How many there will be, None if nobody knows.
        games: The latest of them, `COLUMNS`, the oldest first.
        results: All that an arena knows of its games, for standings; None once they are computed.
    """

    kind: str
    game: str
    count: int
    planned: int | None
    games: pl.DataFrame
    results: pl.DataFrame | None = None


def state_of(folder: Path) -> State:
    """A value that changes when a folder's files do; OSError if they cannot be read."""
    files = results_files(folder) if is_arena(folder) else [folder / NAME]
    state = []
    for path in files:
        try:
            about = path.stat()
        except FileNotFoundError:  # an arena has just put small files into one
            continue
        state.append((path.name, about.st_size, about.st_mtime_ns))
    return tuple(state)


class Lister:
    """Reads a folder again and again, each of a dataset's files only once.

    Args:
        folder: An arena's or a dataset's folder, or one that becomes such a folder.
        most: How many of a dataset's latest games are listed.
    """

    def __init__(self, folder: Path, most: int = MOST_LISTED) -> None:
        self._folder = folder
        self._most = most
        self._shards: dict[tuple[int, Shard], pl.DataFrame] = {}

    def read(self) -> Listing:
        """All games there are now.

        Raises:
            DatasetError: the folder is neither, is damaged, or is of another box than the one in
                force.
            ModuleNotFoundError: Polars is not installed.
            OSError: it cannot be read.
        """
        if is_arena(self._folder):
            return _arena(read_results(self._folder))
        if not (self._folder / NAME).exists():
            raise DatasetError(
                f"{self._folder} holds no games yet: neither an arena nor a dataset has begun there"
            )
        manifest = read_manifest(self._folder)
        check_box(self._folder, manifest.settings)
        return self._dataset(manifest)

    def _dataset(self, manifest: Manifest) -> Listing:
        first, count = len(manifest.shards), 0
        while first and count < self._most:
            first -= 1
            count += manifest.shards[first].games
        keys = [(number, manifest.shards[number]) for number in range(first, len(manifest.shards))]
        self._shards = {key: self._shard(*key) for key in keys}
        games = pl.concat(self._shards.values()) if keys else pl.DataFrame(schema=COLUMNS)
        settings = manifest.settings
        return Listing(
            DATASET, settings.game, manifest.finished_games, settings.games, games.tail(self._most)
        )

    def _shard(self, number: int, shard: Shard) -> pl.DataFrame:
        if (number, shard) in self._shards:
            return self._shards[number, shard]
        path = self._folder / shard_file(number)
        try:
            regular_size(path, shard.size)
            rows = pl.scan_parquet(path, glob=False)
            return _checked(
                rows.select(
                    "game_id",
                    *_COMMON,
                    pl.lit(None, pl.Int8).alias("forfeited_by"),
                    pl.lit(None, pl.String).alias("fault"),
                    pl.col("actions").list.len().alias("moves"),
                ).collect()
            )
        except faults() as error:
            words = str(error).partition("\n")[0][:200]
            raise DatasetError(
                f"{path} cannot be read ({words}); copy the dataset again"
            ) from error


def _arena(results: pl.DataFrame) -> Listing:
    games = results.with_row_index("game_id").select(
        pl.col("game_id").cast(pl.Int64),
        *_COMMON,
        "forfeited_by",
        "fault",
        pl.col("actions").list.len().alias("moves"),
    )
    game = results["game"][0] if results.height else ""
    return Listing(ARENA, game, results.height, None, games, results)


def _checked(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows that can be shown; ValueError for others."""
    if dict(rows.schema) != COLUMNS:
        raise ValueError("it has other columns than a dataset's")
    by_seat = ("agents", "scores", "places")
    whole = pl.all_horizontal(*[pl.col(name).list.len() == pl.col("players") for name in by_seat])
    sound: Any = rows.select(whole.all()).item()
    if not sound:
        raise ValueError("it holds rows that are no games")
    return rows


@dataclass(frozen=True)
class ListedGame:
    """A game in a list.

    Attributes:
        game_id: Its number.
        seats: Name, score and whether it won, by seat.
        moves: How many.
        forfeit: Which seat lost by a fault and how, "" if none did.
    """

    game_id: int
    seats: list[tuple[str, int, bool]]
    moves: int
    forfeit: str


@dataclass(frozen=True)
class Found:
    """A page of the games that somebody looks for.

    Attributes:
        games: The games on this page.
        count: The number of games on all pages.
        page: Its number, from 1.
        pages: The number of pages.
        agent: The text that is searched for in the agents' names.
    """

    games: list[ListedGame]
    count: int
    page: int
    pages: int
    agent: str


def find(listing: Listing, agent: str = "", page: int = 1) -> Found:
    """The games in which an agent's name contains a text, ignoring case."""
    agent = " ".join(agent.split())[:_LONGEST]
    games = listing.games
    if agent:
        named = pl.element().str.to_lowercase().str.contains(agent.lower(), literal=True)
        games = games.filter(pl.col("agents").list.eval(named).list.any())
    pages = max(1, -(-games.height // ON_A_PAGE))
    page = min(max(1, page), pages)
    end = games.height - (page - 1) * ON_A_PAGE
    rows = games.slice(max(0, end - ON_A_PAGE), min(end, ON_A_PAGE)).reverse()
    return Found(list(listed(rows)), games.height, page, pages, agent)


def listed(games: pl.DataFrame) -> Iterator[ListedGame]:
    """Games of a listing, one by one."""
    for row in games.iter_rows(named=True):
        won = [place == 1 and row["players"] > 1 for place in row["places"]]
        seats = list(zip(map(shown_name, row["agents"]), row["scores"], won, strict=True))
        by, fault = row["forfeited_by"], shown_name(row["fault"] or "")
        forfeit = "" if by is None else f"seat {by} forfeited: {fault}"
        yield ListedGame(row["game_id"], seats, row["moves"], forfeit)
