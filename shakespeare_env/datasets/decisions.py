"""The decisions of recorded games as a lazy frame, made by playing the games again.

Only what a query asks for is made: texts of positions take a thousand times as long as seats.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.kernels import taken
from shakespeare_env.datasets.frames import DECISIONS, load, load_polars, polars_schema
from shakespeare_env.datasets.reading import read_games
from shakespeare_env.datasets.recorded_columns import RecordedColumns, chunks, seen

if TYPE_CHECKING:
    import polars

_INDEX = "index of the decision"


@dataclass
class _Decisions:
    """The decisions `at`, int64[k], of games; columns are made when asked for."""

    games: RecordedColumns
    at: NDArray[np.int64]
    seen: Mapping[str, NDArray[Any]]

    @cached_property
    def row(self) -> NDArray[np.int64]:
        """The game of each decision, by index."""
        return self.games.row[self.at]

    @property
    def seat(self) -> NDArray[np.int64]:
        """The seat that decides."""
        return self.seen["seats"]

    @cached_property
    def positions(self) -> list[dict[str, Any]]:
        """The positions in notation."""
        return [self.games.game.to_dict(record) for record in self.seen["records"]]

    @cached_property
    def moves(self) -> polars.Series:
        """Texts of the actions chosen."""
        return self.texts(self.games.actions[self.at], np.arange(len(self.at)))

    @cached_property
    def legal(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All legal actions of all decisions: the decision's index, and the action."""
        decisions, actions = self.seen["masks"].nonzero()
        return decisions, actions

    def texts(self, actions: NDArray[Any], decisions: NDArray[np.int64]) -> polars.Series:
        """Texts of some actions, as the deciding seats write them."""
        game = self.games.game
        texts = [
            text
            for players in range(game.max_seats + 1)
            for seat in range(game.max_seats)
            for text in game.actions.texts_for(seat, max(players, 1))
        ]
        whose = self.games.players[self.row[decisions]] * game.max_seats + self.seat[decisions]
        return _gathered(texts, whose * game.actions.size + actions)

    def lists(self, values: Any) -> polars.Series:
        """Values of `legal` in a list for each decision; no list is empty."""
        rows = load_polars().DataFrame({"decision": self.legal[0], "value": values})
        listed = rows.group_by("decision", maintain_order=True).agg("value")
        return listed["value"]  # type: ignore[no-any-return]

    def column(self, name: str) -> polars.Series:
        """A column of `DECISIONS`."""
        dtype = polars_schema(DECISIONS)[name]
        made: polars.Series = load_polars().Series(name, _MAKERS[name](self))
        return made.cast(dtype)


_MAKERS: dict[str, Callable[[_Decisions], Any]] = {
    "game_id": lambda some: some.games.game_ids[some.row],
    "number": lambda some: some.at - some.games.starts[some.row],
    "seat": lambda some: some.seat,
    "agent": lambda some: _gathered(some.games.names, some.games.agents[some.row, some.seat]),
    "phase": lambda some: list(map(some.games.game.phase, some.seen["records"])),
    "position": lambda some: [
        json.dumps(position, ensure_ascii=False, separators=(",", ":"))
        for position in some.positions
    ],
    "legal_actions": lambda some: some.lists(some.legal[1]),
    "legal_moves": lambda some: some.lists(some.texts(some.legal[1], some.legal[0])),
    "action": lambda some: some.games.actions[some.at],
    "move": lambda some: some.moves,
    "is_secret": lambda some: list(map(some.games.game.is_secret, some.positions, some.moves)),
    "value": lambda some: load_polars().Series(some.games.values[some.at]).fill_nan(None),
    "score": lambda some: some.games.scores[some.row, some.seat],
    "place": lambda some: some.games.places[some.row, some.seat],
    "won": lambda some: [
        first if players > 1 else None
        for first, players in zip(
            (some.games.places[some.row, some.seat] == 1).tolist(),
            some.games.players[some.row].tolist(),
            strict=True,
        )
    ],
}
_AS_STORED = frozenset({"game_id", "number", "action", "value"})
"""Columns for which no game is played."""
_OF_RECORDS = frozenset({"phase", "position", "is_secret"})
_OF_MASKS = frozenset({"legal_actions", "legal_moves"})


def read_decisions(folder: str | os.PathLike[str]) -> polars.LazyFrame:
    """All decisions, `DECISIONS`, of a folder's games; errors as of `read_games`."""
    return decisions_of(read_games(folder), str(folder))


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
        columns: list[str] | None, predicate: polars.Expr | None, most: int | None, _: int | None
    ) -> Iterator[polars.DataFrame]:
        wanted = list(schema) if columns is None else columns
        asked = set() if predicate is None else set(predicate.meta.root_names())
        left = most
        for chunk in chunks(games, source):
            at = np.arange(len(chunk.actions))[:left]
            yield _frame(chunk, at, wanted, predicate, asked)
            if left is not None:
                left -= len(at)
            if left == 0:
                return

    query: polars.LazyFrame = plugins.register_io_source(
        lambda *asked: _waited_for(rows(*asked)),
        schema=schema,
        is_pure=True,
        explain_name="games played again",
    )
    return query


_changed = threading.Condition()
_in_progress = 0
_HAND_OVER = 0.05
"""Seconds for Polars to take the last frame, for which it needs the interpreter."""


def _waited_for(frames: Iterator[polars.DataFrame]) -> Iterator[polars.DataFrame]:
    """Frames; Python does not end while one is made.

    A query that needs no more rows leaves a thread behind that still makes a frame. Python ends
    such a thread in the middle, and Polars then aborts the process.
    """
    global _in_progress
    while True:
        with _changed:
            _in_progress += 1
        try:
            frame = next(frames, None)
        finally:
            with _changed:
                _in_progress -= 1
                _changed.notify_all()
        if frame is None:
            return
        yield frame


@atexit.register
def _wait() -> None:
    with _changed:
        if not _in_progress:
            return
        _changed.wait_for(lambda: not _in_progress)
    time.sleep(_HAND_OVER)


def _frame(
    games: RecordedColumns,
    at: NDArray[np.int64],
    columns: list[str],
    predicate: polars.Expr | None,
    asked: set[str],
) -> polars.DataFrame:
    """The columns of those decisions `at` that the predicate, which asks for some, chooses."""
    pl = load_polars()
    some = _played(games, at, {*columns, *asked})
    if predicate is not None:
        chosen = _chosen(some, predicate, asked)
        left = {
            name: taken(values, chosen) if name == "records" else values[chosen]
            for name, values in some.seen.items()
        }
        some = _Decisions(games, at[chosen], left)
    made: polars.DataFrame = pl.DataFrame([some.column(name) for name in columns])
    return made


def _chosen(some: _Decisions, predicate: polars.Expr, asked: set[str]) -> NDArray[np.int64]:
    """Which of some decisions a predicate chooses, by index."""
    pl = load_polars()
    rows = pl.DataFrame([pl.int_range(len(some.at), eager=True).alias(_INDEX)])
    rows = rows.with_columns(*map(some.column, asked))
    found: NDArray[np.int64] = rows.filter(predicate)[_INDEX].to_numpy()
    return found


def _played(games: RecordedColumns, at: NDArray[np.int64], columns: Collection[str]) -> _Decisions:
    """Decisions with all columns asked for."""
    if _AS_STORED.issuperset(columns):
        return _Decisions(games, at, {})
    wanted = ["seats"]
    wanted += ["masks"] * (not _OF_MASKS.isdisjoint(columns))
    wanted += ["records"] * (not _OF_RECORDS.isdisjoint(columns))
    found, _ = seen(games, at, wanted)
    return _Decisions(games, at, found)


def _gathered(texts: Sequence[str], indices: NDArray[np.int64]) -> polars.Series:
    pl = load_polars()
    found: polars.Series = pl.Series(texts, dtype=pl.String).gather(indices)
    return found
