"""The decisions of recorded games as a lazy frame, made by playing the games again.

Only what a query asks for is made: texts of positions take a thousand times as long as seats.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.arrays import taken
from shakespeare_env.batch import Batch
from shakespeare_env.datasets.background import waited_for
from shakespeare_env.datasets.frames import load, load_polars, polars_schema
from shakespeare_env.datasets.playing_again import play_again
from shakespeare_env.datasets.recorded_columns import RecordedColumns, chunks
from shakespeare_env.datasets.schema import DECISIONS
from shakespeare_env.game import Records

if TYPE_CHECKING:
    import polars

_BYTES_AT_ONCE = 2**24
"""The most bytes kept of decisions while their rows are made."""


@dataclass
class _Decisions:
    """The decisions `at`, int64[k], of games; columns are made when asked for."""

    games: RecordedColumns
    at: NDArray[np.int64]
    seats: NDArray[np.int8]
    masks: NDArray[np.bool_]
    records: Records

    @cached_property
    def row(self) -> NDArray[np.int64]:
        """The game of each decision, by index."""
        return self.games.row[self.at]

    @cached_property
    def seat(self) -> NDArray[np.int8]:
        """The seat that decides."""
        return self.seats[self.at]

    @cached_property
    def action(self) -> NDArray[np.int16]:
        """The action chosen."""
        return self.games.actions[self.at]

    @cached_property
    def place(self) -> NDArray[np.int8]:
        """The deciding seat's finishing place."""
        return self.games.places[self.row, self.seat]

    @cached_property
    def positions(self) -> list[dict[str, Any]]:
        """The positions in notation."""
        return [self.games.game.to_dict(record) for record in taken(self.records, self.at)]

    @cached_property
    def moves(self) -> polars.Series:
        """Texts of the actions chosen."""
        return self.texts(self.action, np.arange(len(self.at)))

    @cached_property
    def legal(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All legal actions of all decisions: the decision's index, and the action."""
        decisions, actions = self.masks[self.at].nonzero()
        return decisions, actions

    def texts(self, actions: NDArray[Any], decisions: NDArray[np.int64]) -> polars.Series:
        """Texts of some actions, as the deciding seats write them."""
        game = self.games.game
        texts = [
            text
            for table in self.games.tables
            for seat in range(game.max_seats)
            for text in game.actions.texts_for(seat, table.players)
        ]
        whose = self.games.table[self.row[decisions]] * game.max_seats + self.seat[decisions]
        return _gathered(texts, whose * game.actions.size + actions)

    def lists(self, values: Any) -> polars.Series:
        """Values of `legal` in a list for each decision; no list is empty."""
        pl = load_polars()
        rows = pl.DataFrame({"decision": self.legal[0], "value": values})
        made: polars.Series = (
            rows.group_by("decision", maintain_order=True).agg("value").to_series(1)
        )
        return made


_MAKERS: dict[str, Callable[[_Decisions], Any]] = {
    "game_id": lambda some: some.games.game_ids[some.row],
    "number": lambda some: some.at - some.games.starts[some.row],
    "seat": lambda some: some.seat,
    "agent": lambda some: _gathered(some.games.names, some.games.agents[some.row, some.seat]),
    "phase": lambda some: [
        some.games.game.phase(record) for record in taken(some.records, some.at)
    ],
    "position": lambda some: [
        json.dumps(position, ensure_ascii=False, separators=(",", ":"))
        for position in some.positions
    ],
    "legal_actions": lambda some: some.lists(some.legal[1]),
    "legal_moves": lambda some: some.lists(some.texts(some.legal[1], some.legal[0])),
    "action": lambda some: some.action,
    "move": lambda some: some.moves,
    "is_secret": lambda some: [
        some.games.game.is_secret(position, move)
        for position, move in zip(some.positions, some.moves, strict=True)
    ],
    "value": lambda some: _nan_as_null(some.games.values[some.at]),
    "score": lambda some: some.games.scores[some.row, some.seat],
    "place": lambda some: some.place,
    "won": lambda some: _where(some.games.players[some.row] > 1, some.place == 1),
}
_AS_STORED = frozenset({"game_id", "number", "action", "value"})
"""Columns for which no game is played."""
_OF_RECORDS = frozenset({"phase", "position", "is_secret"})
_OF_TEXTS = frozenset({"position", "is_secret"})
_TEXT = 4096
"""The approximate bytes of a position in text."""
_OF_MASKS = frozenset({"legal_actions", "legal_moves"})


def decisions_of(games: polars.LazyFrame, source: str = "") -> polars.LazyFrame:
    """The decisions, `DECISIONS`, of recorded games, perhaps some of a folder's.

    Queries raise DatasetError for invalid games (`RecordedColumns.of`, `play_again`).

    Args:
        games: Rows with `game_id` and `RECORDED`, perhaps `values` and `forfeited_by`.
        source: Where they come from, for errors.
    """
    plugins = load("polars.io.plugins")
    schema = polars_schema(DECISIONS)

    def rows(
        columns: list[str] | None, predicate: polars.Expr | None, most: int | None, hint: int | None
    ) -> Iterator[polars.DataFrame]:
        frames = made(columns, predicate, most, hint)
        while True:
            with waited_for():
                frame = next(frames, None)
            if frame is None:
                return
            yield frame

    def made(
        columns: list[str] | None,
        predicate: polars.Expr | None,
        most: int | None,
        _hint: int | None,
    ) -> Iterator[polars.DataFrame]:
        wanted = list(schema) if columns is None else columns
        asked = set() if predicate is None else set(predicate.meta.root_names())
        left = most
        for chunk in chunks(games, source):
            for part in _parts(chunk, {*wanted, *asked}, left):
                at = np.arange(len(part.actions))[:left]
                yield _frame(part, at, wanted, predicate, asked)
                if left is not None:
                    left -= len(at)
            if left == 0:
                return

    query: polars.LazyFrame = plugins.register_io_source(
        rows, schema=schema, is_pure=True, explain_name="games played again"
    )
    return query


def _parts(
    games: RecordedColumns, columns: Collection[str], most: int | None
) -> Iterator[RecordedColumns]:
    """The games with the first `most` decisions, in parts small enough for what columns need."""
    game = games.game
    size = 64
    size += game.actions.size * (not _OF_MASKS.isdisjoint(columns))
    size += game.state.itemsize * (not _OF_RECORDS.isdisjoint(columns))
    size += _TEXT * (not _OF_TEXTS.isdisjoint(columns))
    count = games.size if most is None else int(np.searchsorted(games.starts, most))
    first = 0
    while first < count:
        room = games.starts[first] + _BYTES_AT_ONCE // size
        last = max(int(np.searchsorted(games.starts[:count], room)) - 1, first + 1)
        yield games.taken(np.arange(first, min(last, count)))
        first = last


def _frame(
    games: RecordedColumns,
    at: NDArray[np.int64],
    columns: list[str],
    predicate: polars.Expr | None,
    asked: set[str],
) -> polars.DataFrame:
    """The columns of those decisions `at` that the predicate, which asks for some, chooses."""
    pl = load_polars()
    if predicate is not None and asked <= _AS_STORED:
        # This precedes playing, as games without such a decision need not be played.
        at = at[_chosen(_stored(games, at), predicate, asked)]
        row = games.row[at]
        kept, row = np.unique(row, return_inverse=True)
        part = games.taken(kept)
        at = part.starts[row] + at - games.starts[kept][row]
        games, predicate = part, None
    some = _played(games, at, {*columns, *asked})
    if predicate is not None:
        chosen = _chosen(some, predicate, asked)
        some = _Decisions(games, at[chosen], some.seats, some.masks, some.records)
    made: polars.DataFrame = pl.DataFrame([_series(name, some) for name in columns])
    return made


def _chosen(some: _Decisions, predicate: polars.Expr, asked: set[str]) -> NDArray[np.int64]:
    """Which of some decisions a predicate chooses, by index."""
    pl = load_polars()
    rows = pl.DataFrame([pl.int_range(len(some.at), eager=True).alias(_INDEX)])
    rows = rows.with_columns(*(_series(name, some) for name in asked))
    found: NDArray[np.int64] = rows.filter(predicate)[_INDEX].to_numpy()
    return found


_INDEX = "index of the decision"


def _series(name: str, some: _Decisions) -> polars.Series:
    pl = load_polars()
    dtype = polars_schema(DECISIONS)[name]
    series: polars.Series = pl.Series(name, _MAKERS[name](some))
    return series.cast(dtype)


def _stored(games: RecordedColumns, at: NDArray[np.int64]) -> _Decisions:
    """Decisions with the columns `_AS_STORED` alone."""
    none = np.zeros(0)
    return _Decisions(games, at, none.astype(np.int8), none.astype(bool), none.astype(np.void))


def _played(games: RecordedColumns, at: NDArray[np.int64], columns: Collection[str]) -> _Decisions:
    """Decisions with all columns asked for."""
    if _AS_STORED.issuperset(columns):
        return _stored(games, at)
    game, size = games.game, len(games.actions)
    needs_masks = not _OF_MASKS.isdisjoint(columns)
    needs_records = not _OF_RECORDS.isdisjoint(columns)
    seats = np.zeros(size, np.int8)
    masks = np.zeros((size * needs_masks, game.actions.size), np.bool_)
    records = np.zeros(size * needs_records, game.state)
    whole = records.view((np.void, game.state.itemsize))

    def see(batch: Batch, rows: NDArray[np.int64], places: NDArray[np.int64]) -> None:
        seats[places] = batch.to_move[rows]
        if needs_masks:
            masks[places] = batch.mask[rows]
        if needs_records:
            whole[places] = batch.save(rows).view(whole.dtype)

    play_again(games, see)
    return _Decisions(games, at, seats, masks, records)


def _gathered(texts: Sequence[str], indices: NDArray[np.int64]) -> polars.Series:
    pl = load_polars()
    found: polars.Series = pl.Series(texts, dtype=pl.String).gather(indices)
    return found


def _nan_as_null(values: NDArray[np.float32]) -> Any:
    return load_polars().Series(values).fill_nan(None)


def _where(known: NDArray[np.bool_], values: NDArray[np.bool_]) -> Any:
    """The values, null where not `known`."""
    pl = load_polars()
    return pl.select(pl.when(pl.Series(known)).then(pl.Series(values))).to_series()
