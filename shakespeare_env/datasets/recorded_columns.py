"""Recorded games as arrays, each row checked; playing the games again checks the moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env import registry
from shakespeare_env.datasets.frames import load_polars
from shakespeare_env.datasets.row_checks import check_rows, game_of, named_faults, needed, row_fault
from shakespeare_env.errors import DatasetError
from shakespeare_env.game import Game

if TYPE_CHECKING:
    import polars

NOBODY = -1
"""No agent, or no seat."""
_GAMES_AT_ONCE = 4096


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
        with named_faults(source):
            read = cls._of(frame, source)
        _check_tables(read)
        return read

    @classmethod
    def _of(cls, frame: polars.DataFrame, source: str) -> RecordedColumns:
        pl = load_polars()
        game = game_of(frame, source)
        check_rows(frame, game, source)
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
        return cls(
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

    @property
    def game(self) -> Game:
        """Their game; BoxError in a process that plays it with another box."""
        # It is not an attribute, as pickling would make it another object.
        return registry.game_saved(self.name, self.box_digest)

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
        by_game = {
            field.name: getattr(self, field.name)[rows]
            for field in fields(self)
            if field.name not in ("starts", "actions", "values")
            and isinstance(getattr(self, field.name), np.ndarray)
        }
        lengths = self.lengths[rows]
        starts = lengths.cumsum() - lengths
        # A decision's old index is its game's old start plus its number in the game.
        old = np.repeat(self.starts[rows] - starts, lengths) + np.arange(lengths.sum())
        about = {
            name: getattr(self, name)
            for name in ("source", "name", "box_digest", "tables", "names", "versions")
        }
        return RecordedColumns(
            **about, **by_game, starts=starts, actions=self.actions[old], values=self.values[old]
        )

    def fault(self, row: int, words: str) -> DatasetError:
        """The error for an invalid game, with the remedy."""
        version = self.versions[self.version[row]]
        return row_fault(self.source, int(self.game_ids[row]), words, version)


def whole(games: polars.LazyFrame, source: str = "") -> RecordedColumns:
    """All games of a frame; see `RecordedColumns.of`."""
    with named_faults(source):
        frame = needed(games, source).collect()
    if not frame.height:
        raise DatasetError(f"{source or 'the frame'} has no games yet; record some first")
    return RecordedColumns.of(frame, source)


def chunks(games: polars.LazyFrame, source: str = "") -> Iterator[RecordedColumns]:
    """The games, some thousand at a time to bound the memory; nothing if there are none."""
    with named_faults(source):
        rows = needed(games, source)
        batches = rows.collect_batches(chunk_size=_GAMES_AT_ONCE, maintain_order=True)
    while True:
        with named_faults(source):
            frame = next(batches, None)
        if frame is None:
            return
        if frame.height:
            yield RecordedColumns.of(frame, source)


def size_of(games: polars.LazyFrame, source: str = "") -> int:
    """The number of games."""
    with named_faults(source):
        return int(games.select(load_polars().len()).collect().item())


def _check_tables(games: RecordedColumns) -> None:
    for index, table in enumerate(games.tables):
        try:
            games.game.option_bits(dict.fromkeys(table.variants, True), [table.players])
        except (TypeError, ValueError) as error:
            raise games.fault(int((games.table == index).argmax()), str(error)) from error


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
