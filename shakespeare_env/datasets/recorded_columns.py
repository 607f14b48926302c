"""Recorded games as arrays, each row checked; playing the games again checks the moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.core.registry import box_fault, game_saved
from shakespeare_env.datasets.frames import (
    GAMES,
    RECORDED,
    Column,
    load_polars,
    named_faults,
    polars_schema,
)
from shakespeare_env.errors import DatasetError

if TYPE_CHECKING:
    import polars

NOBODY = -1
"""No agent, or no seat."""
MOST_ACTIONS = 4000
"""The most actions of a game; those of the bundled boxes have some hundreds."""
_GAMES_AT_ONCE = 4096
_BY_SEAT = ("agents", "scores", "places")
_BY_GAME = (
    *("game_ids", "table", "seeds", "deals", "agents", "scores", "places", "forfeited_by"),
    *("version", "lengths"),
)
_REQUIRED = ("game_id", *RECORDED)
_COLUMNS = (*GAMES, Column("forfeited_by", "int8", "the seat that lost by a fault"))


class Table(NamedTuple):
    """What games must share to be played in one batch."""

    players: int
    variants: tuple[str, ...]


@dataclass(frozen=True)
class RecordedColumns:
    """g games of one kind with m decisions in all, at tables of S seats at most.

    Attributes:
        source: Where the games come from, for errors; may be empty.
        name: The name of their game.
        box_digest: The digest of the box in force when they were read.
        game_ids: int64[g].
        tables: The distinct tables.
        table: int64[g], the table of each game, by index.
        seeds: uint64[g].
        deals: int64[g].
        names: All agents' names, sorted.
        agents: int64[g, S], who holds each seat, by index in `names`, or `NOBODY`.
        scores: int16[g, S], 0 where nobody sits, as in `places`.
        places: int8[g, S], finishing places.
        forfeited_by: int8[g], the seat that lost by a fault, or `NOBODY`.
        versions: The versions of the package that wrote them.
        version: int64[g], the version that wrote each game, by index.
        starts: int64[g], the start of a game's decisions in the columns below.
        lengths: int64[g], the number of its decisions.
        actions: int16[m].
        values: float32[m], NaN where none.
    """

    source: str
    name: str
    box_digest: str
    game_ids: NDArray[np.int64]
    tables: tuple[Table, ...]
    table: NDArray[np.int64]
    seeds: NDArray[np.uint64]
    deals: NDArray[np.int64]
    names: tuple[str, ...]
    agents: NDArray[np.int64]
    scores: NDArray[np.int16]
    places: NDArray[np.int8]
    forfeited_by: NDArray[np.int8]
    versions: tuple[str, ...]
    version: NDArray[np.int64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    actions: NDArray[np.int16]
    values: NDArray[np.float32]

    @classmethod
    def of(cls, frame: polars.DataFrame, source: str = "") -> RecordedColumns:
        """The games of a frame with `game_id`, `RECORDED`, `values` and `forfeited_by`.

        Raises:
            DatasetError: there are none, they are of several games, a row is invalid, or they were
                recorded with another box than the one in force.
        """
        pl = load_polars()
        game = _game_of(frame, source)
        _check_rows(frame, game, source)
        variants, table = _coded(frame.select(pl.col("variants").list.sort().list.join(" ")))
        seats = frame["players"].to_numpy().astype(np.int64)
        kinds, table = np.unique(seats * len(variants) + table, return_inverse=True)
        tables = tuple(
            Table(int(kind) // len(variants), tuple(variants[int(kind) % len(variants)].split()))
            for kind in kinds
        )
        names, coded = _coded(frame.select(pl.col("agents").explode()))
        agents = np.full((frame.height, game.max_seats), NOBODY, np.int64)
        agents[np.arange(game.max_seats) < seats[:, None]] = coded
        versions, version = _coded(frame.select("package_version"))
        lengths = frame["actions"].list.len().to_numpy().astype(np.int64)
        read = cls(
            source,
            game.name,
            registry.box_digest(game.name),
            frame["game_id"].to_numpy().astype(np.int64),
            tables,
            table,
            frame["seed"].to_numpy().astype(np.uint64),
            frame["deal"].to_numpy().astype(np.int64),
            names,
            agents,
            _by_seat(frame["scores"], game.max_seats).astype(np.int16),
            _by_seat(frame["places"], game.max_seats).astype(np.int8),
            frame["forfeited_by"].fill_null(NOBODY).to_numpy().astype(np.int8),
            versions,
            version,
            lengths.cumsum() - lengths,
            lengths,
            _flat(frame["actions"]).to_numpy().astype(np.int16),
            _values(frame["values"], lengths),
        )
        for index, kind in enumerate(tables):
            try:
                game.option_bits(dict.fromkeys(kind.variants, True), [kind.players])
            except (TypeError, ValueError) as error:
                raise read.fault(int((table == index).argmax()), str(error)) from error
        return read

    @property
    def game(self) -> Game:
        """Their game; BoxError in a process that plays it with another box."""
        # It is not an attribute, as pickling would make it another object.
        return game_saved(self.name, self.box_digest)

    @property
    def size(self) -> int:
        """The number of games, g."""
        return len(self.game_ids)

    @property
    def players(self) -> NDArray[np.int64]:
        """int64[g], the number of seats of each game."""
        return np.array([table.players for table in self.tables], np.int64)[self.table]

    @cached_property
    def row(self) -> NDArray[np.int64]:
        """int64[m], the game of each decision."""
        return np.repeat(np.arange(self.size), self.lengths)

    def taken(self, rows: NDArray[np.int64]) -> RecordedColumns:
        """Some of the games, int64[k], in that order."""
        lengths = self.lengths[rows]
        starts = lengths.cumsum() - lengths
        # A decision's old index is its game's old start plus its number in the game.
        old = np.repeat(self.starts[rows] - starts, lengths) + np.arange(lengths.sum())
        by_game = {name: getattr(self, name)[rows] for name in _BY_GAME}
        by_decision = {"actions": self.actions[old], "values": self.values[old]}
        return replace(self, starts=starts, **by_game, **by_decision)

    def fault(self, row: int, words: str) -> DatasetError:
        """The error for an invalid game, with the remedy."""
        version = self.versions[self.version[row]]
        return _row_fault(self.source, int(self.game_ids[row]), words, version)


def whole(games: polars.LazyFrame, source: str = "") -> RecordedColumns:
    """All games of a frame; see `RecordedColumns.of`."""
    with named_faults(source):
        frame = _needed(games, source).collect()
        if not frame.height:
            raise DatasetError(f"{source or 'the frame'} has no games yet; record some first")
        return RecordedColumns.of(frame, source)


def chunks(games: polars.LazyFrame, source: str = "") -> Iterator[RecordedColumns]:
    """The games, some thousand at a time to bound the memory; nothing if there are none."""
    with named_faults(source):
        rows = _needed(games, source)
        for frame in rows.collect_batches(chunk_size=_GAMES_AT_ONCE, maintain_order=True):
            if frame.height:
                yield RecordedColumns.of(frame, source)


def size_of(games: polars.LazyFrame, source: str = "") -> int:
    """The number of games."""
    with named_faults(source):
        return int(games.select(load_polars().len()).collect().item())


def _coded(texts: polars.DataFrame) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """A column's distinct texts, sorted, and each entry's index among them."""
    pl = load_polars()
    column = texts.to_series()
    distinct = column.unique().sort()
    codes = column.cast(pl.Enum(distinct)).to_physical()
    return tuple(distinct.to_list()), codes.to_numpy().astype(np.int64)


def _by_seat(lists: polars.Series, seats: int) -> NDArray[Any]:
    """int[g, S] from lists with one number per seat; 0 where nobody sits."""
    columns = [lists.list.get(seat, null_on_oob=True).fill_null(0) for seat in range(seats)]
    return np.stack([column.to_numpy() for column in columns], axis=1)


def _values(lists: polars.Series, lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """float32[m], the values; NaN where a game or decision has none."""
    values = np.full(lengths.sum(), np.nan, np.float32)
    has = lists.is_not_null()
    given = _flat(lists.filter(has)).fill_null(np.nan)
    values[np.repeat(has.to_numpy(), lengths)] = given.to_numpy()
    return values


def _flat(lists: polars.Series) -> polars.Series:
    """All entries; an empty list has none, where Polars alone would give a null."""
    return lists.filter(lists.list.len() > 0).explode()


def _needed(games: polars.LazyFrame, source: str) -> polars.LazyFrame:
    """The columns that are needed to play games again, in order."""
    pl = load_polars()
    there = games.collect_schema().names()
    for name in _REQUIRED:
        if name not in there:
            raise _refusal(
                source,
                f"the frame of games has no column {name!r}: keep all that reading gave it, for "
                "games are played again from them",
            )
    return games.select(
        (pl.col(name) if name in there else pl.lit(None).alias(name)).cast(dtype)
        for name, dtype in polars_schema(_COLUMNS).items()
    )


def _game_of(frame: polars.DataFrame, source: str) -> Game:
    """The one game of all rows, whose box is in force."""
    pairs = frame.select("game", "box_digest").unique(maintain_order=True)
    for name, digest in pairs.iter_rows():
        try:
            fault = box_fault(name, digest)
        except ValueError as error:
            raise _refusal(source, str(error)) from error
        if fault:
            raise _refusal(source, fault)
    names = pairs["game"].unique(maintain_order=True).to_list()
    if len(names) != 1:
        listed = " and ".join(names) or "none"
        raise _refusal(source, f"games of {listed}: read those of one game at a time")
    return registry.game(names[0])


def _check_rows(frame: polars.DataFrame, game: Game, source: str) -> None:
    """DatasetError unless every row has what a game of this kind has."""
    pl = load_polars()
    players, by, values = pl.col("players"), pl.col("forfeited_by"), pl.col("values")
    lengths = pl.col("actions").list.len()
    seats = f"{game.min_seats} to {game.max_seats} seats"
    checks = {f"it has no {name}": pl.col(name).is_not_null() for name in _REQUIRED}
    for name in (*_BY_SEAT, "variants", "actions"):
        entries = pl.col(name).list
        checks[f"an entry of its {name} is missing"] = (
            entries.drop_nulls().list.len() == entries.len()
        )
    checks |= {
        f"players={{players}}: {game.name} is played by {seats}": players.is_between(
            game.min_seats, game.max_seats
        ),
        "its agents, scores and places are not one for each seat": pl.all_horizontal(
            pl.col(name).list.len() == players for name in _BY_SEAT
        ),
        "deal {deal} is below 0": pl.col("deal") >= 0,
        f"{{chosen}} actions, and a game has {MOST_ACTIONS} at most": lengths <= MOST_ACTIONS,
        "{expected} values for {chosen} actions": values.is_null() | (values.list.len() == lengths),
        "forfeited_by={forfeited_by} is no seat of it": by.is_null()
        | by.is_between(0, players - 1),
    }
    for words, sound in checks.items():
        holds = frame.select(sound.fill_null(False)).to_series()
        if not holds.all():
            row = frame.row(int(holds.arg_min() or 0), named=True)
            chosen, expected = (len(row[name] or ()) for name in ("actions", "values"))
            said = words.format(**row, chosen=chosen, expected=expected)
            raise _row_fault(source, row["game_id"], said, row["package_version"])


def _row_fault(source: str, game_id: int | None, words: str, version: str | None) -> DatasetError:
    """What is wrong with a game, and the remedy."""
    wrote = f"version {version!r} wrote it: use that, or copy" if version else "copy"
    return DatasetError(f"{source}{', ' * bool(source)}game {game_id}: {words}; {wrote} it again")


def _refusal(source: str, words: str) -> DatasetError:
    return DatasetError(f"{source}{': ' * bool(source)}{words}")
