"""Checks of rows of recorded games from outside; errors name the remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from shakespeare_env import registry
from shakespeare_env.datasets.frames import faults, load_polars, polars_schema
from shakespeare_env.datasets.schema import GAMES, RECORDED, Column
from shakespeare_env.errors import DatasetError
from shakespeare_env.game import Game

if TYPE_CHECKING:
    import polars

MOST_ACTIONS = 4000
"""The most actions of a game; those of the bundled boxes have some hundreds."""
_BY_SEAT = ("agents", "scores", "places")
_REQUIRED = ("game_id", *RECORDED)
_COLUMNS = (*GAMES, Column("forfeited_by", "int8", "the seat that lost by a fault"))


@contextmanager
def named_faults(source: str) -> Iterator[None]:
    """Turn Polars' errors for damaged files into a DatasetError."""
    try:
        yield
    except DatasetError:  # a ValueError, too
        raise
    except faults() as error:
        words = str(error).partition("\n")[0][:200]
        raise DatasetError(
            f"{place(source)}Polars cannot read the games ({words}); copy them again"
        ) from error


def needed(games: polars.LazyFrame, source: str) -> polars.LazyFrame:
    """The columns that are needed to play games again, in order."""
    pl = load_polars()
    there = games.collect_schema().names()
    for name in _REQUIRED:
        if name not in there:
            raise DatasetError(
                f"{place(source)}the frame of games has no column {name!r}: keep all that "
                "reading gave it, for games are played again from them"
            )
    return games.select(
        (pl.col(name) if name in there else pl.lit(None).alias(name)).cast(dtype)
        for name, dtype in polars_schema(_COLUMNS).items()
    )


def game_of(frame: polars.DataFrame, source: str) -> Game:
    """The one game of all rows, whose box is in force."""
    pairs = frame.select("game", "box_digest").unique(maintain_order=True)
    for name, digest in pairs.iter_rows():
        try:
            fault = registry.box_fault(name, digest)
        except ValueError as error:
            raise DatasetError(f"{place(source)}{error}") from error
        if fault:
            raise DatasetError(f"{place(source)}{fault}")
    names = pairs["game"].unique(maintain_order=True).to_list()
    if len(names) != 1:
        listed = " and ".join(names) or "none"
        raise DatasetError(f"{place(source)}games of {listed}: read those of one game at a time")
    return registry.game(names[0])


def check_rows(frame: polars.DataFrame, game: Game, source: str) -> None:
    """DatasetError unless every row has what a game of this kind has."""
    pl = load_polars()
    checks: list[tuple[Any, Callable[[Mapping[str, Any]], str]]] = [
        (pl.col(name).is_not_null(), lambda row, name=name: f"it has no {name}")  # type: ignore[misc]
        for name in _REQUIRED
    ]
    checks += [
        (
            pl.col(name).list.drop_nulls().list.len() == pl.col(name).list.len(),
            lambda row, name=name: f"an entry of its {name} is missing",  # type: ignore[misc]
        )
        for name in (*_BY_SEAT, "variants", "actions")
    ]
    checks += [
        (
            pl.col("players").is_between(game.min_seats, game.max_seats),
            lambda row: (
                f"players={row['players']}: {game.name} is played by "
                f"{game.min_seats} to {game.max_seats} seats"
            ),
        ),
        (
            pl.all_horizontal(pl.col(name).list.len() == pl.col("players") for name in _BY_SEAT),
            lambda row: "its agents, scores and places are not one for each seat",
        ),
        (pl.col("deal") >= 0, lambda row: f"deal {row['deal']} is below 0"),
        (
            pl.col("actions").list.len() <= MOST_ACTIONS,
            lambda row: f"{len(row['actions'])} actions, and a game has {MOST_ACTIONS} at most",
        ),
        (
            pl.col("values").is_null()
            | (pl.col("values").list.len() == pl.col("actions").list.len()),
            lambda row: f"{len(row['values'])} values for {len(row['actions'])} actions",
        ),
        (
            pl.col("forfeited_by").is_null()
            | pl.col("forfeited_by").is_between(0, pl.col("players") - 1),
            lambda row: f"forfeited_by={row['forfeited_by']} is no seat of it",
        ),
    ]
    for sound, words in checks:
        holds = frame.select(sound.fill_null(False)).to_series()
        if not holds.all():
            row = frame.row(int(holds.arg_min() or 0), named=True)
            raise row_fault(source, row["game_id"], words(row), row["package_version"])


def row_fault(source: str, game_id: int | None, words: str, version: str | None) -> DatasetError:
    """What is wrong with a game, and the remedy."""
    wrote = f"version {version!r} wrote it: use that, or copy" if version else "copy"
    return DatasetError(f"{source}{', ' * bool(source)}game {game_id}: {words}; {wrote} it again")


def place(source: str) -> str:
    """Where something is wrong, before a colon."""
    return f"{source}: " if source else ""
