"""The recorded games of a dataset's or an arena's folder, in every form."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from shakespeare_env.datasets.batches import BUFFER, Batches
from shakespeare_env.datasets.decisions import decisions_of
from shakespeare_env.datasets.frames import load_polars
from shakespeare_env.datasets.reading import read_games
from shakespeare_env.datasets.recorded_game import RecordedGames
from shakespeare_env.datasets.results_reading import is_arena, read_results

if TYPE_CHECKING:
    import polars

Folder = str | os.PathLike[str]


def read_recorded(folder: Folder, *, unfinished: bool = False) -> polars.LazyFrame:
    """All games, with `game_id`, `RECORDED` and what else is needed to play them again.

    An arena's games are numbered in the order of its results and have `forfeited_by`; a dataset's
    have `values`, and some may be missing if `unfinished`.

    Raises:
        DatasetError: the folder is neither, is damaged, lacks games, or was recorded with another
            box than the one in force.
        ModuleNotFoundError: Polars is not installed.
    """
    if not is_arena(Path(folder)):
        return read_games(folder, unfinished=unfinished)
    pl = load_polars()
    games: polars.LazyFrame = read_results(folder).lazy().with_row_index("game_id")
    return games.with_columns(pl.col("game_id").cast(pl.Int64))


def read_decisions(folder: Folder, *, unfinished: bool = False) -> polars.LazyFrame:
    """All decisions, `schema.DECISIONS`, made by playing the games again; see `decisions_of`.

    Raises as `read_recorded` does.
    """
    return decisions_of(read_recorded(folder, unfinished=unfinished), str(folder))


def read_batches(
    folder: Folder,
    *,
    size: int,
    seed: int | None = None,
    agent: str | None = None,
    buffer: int = BUFFER,
    unfinished: bool = False,
) -> Batches:
    """All decisions as NumPy arrays; see `Batches`, also for the arguments.

    Raises as `read_recorded` and `Batches` do.
    """
    games = read_recorded(folder, unfinished=unfinished)
    return Batches(games, size=size, seed=seed, agent=agent, buffer=buffer, source=str(folder))


def recorded_games(folder: Folder, *, unfinished: bool = False) -> RecordedGames:
    """All games as objects, each read and played again when it is asked for.

    Raises as `read_recorded` does.
    """
    return RecordedGames(read_recorded(folder, unfinished=unfinished), str(folder))
