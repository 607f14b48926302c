"""Recorded games as checked arrays and as objects, and a function that plays them again."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.position import Position
from shakespeare_env.core.registry import box_mismatch, game_with_digest
from shakespeare_env.datasets.frames import (
    GAMES,
    RECORDED,
    check_unique,
    load_polars,
    naming_source,
    polars_schema,
)
from shakespeare_env.datasets.reading import Folder, read_games
from shakespeare_env.errors import DatasetError
from shakespeare_env.play.history import GameHistory

if TYPE_CHECKING:
    import polars

    Games = Folder | polars.LazyFrame | polars.DataFrame
    """A folder of results, or a frame such as some of its rows.

    A frame has a unique `game_id` and the columns `RECORDED`, and may have `values` and
    `forfeited_by`.
    """

NOBODY = -1
"""Stands for no agent, or for no seat."""
_GAMES_AT_ONCE = 128
"""The number of games read together. The texts of more games' decisions take much memory."""
_BY_SEAT = ("agents", "scores", "places")
_BY_GAME = (
    "game_ids",
    "players",
    "variants",
    "seeds",
    "deals",
    "agents",
    "scores",
    "places",
    "forfeited_by",
    "lengths",
)
"""Fields of `RecordedColumns` that hold an entry for each game."""
_VIEWS: dict[str, Callable[[Batch, Any], NDArray[Any]]] = {
    "seats": lambda batch, rows: batch.to_move[rows].astype(np.int64),
    "observations": lambda batch, rows: batch.obs[rows],
    "masks": lambda batch, rows: batch.mask[rows],
    "scores": lambda batch, rows: batch.scores(rows),
    # Records are copied many times faster as bytes than by fields.
    "records": lambda batch, rows: batch.save(rows).view(f"V{batch.game.state.itemsize}"),
}
"""The views that `replay` can record, each with the function that reads it from a batch's rows."""
_REQUIRED = ("game_id", *RECORDED)
"""The columns that a frame of games must have."""
_COLUMNS = {**GAMES, "forfeited_by": "int8"}
"""The columns that are read from a frame. Those that it may lack are then filled with nulls."""


@dataclass(frozen=True)
class RecordedColumns:
    """Arrays of g recorded games of one kind, such as Figaro, with m decisions in all.

    S is the most seats that the game allows.
    """

    source: str  # where the games come from, named in errors
    name: str  # the name of the kind of game, such as "figaro"
    box_digest: str  # the digest of the box in force when they were read
    game_ids: NDArray[np.int64]  # [g]
    players: NDArray[np.int64]  # [g], seats at the table
    variants: NDArray[np.str_]  # [g], the names of the variants played, joined by spaces
    seeds: NDArray[np.uint64]  # [g]
    deals: NDArray[np.int64]  # [g]
    names: tuple[str, ...]  # the names of all agents, sorted
    agents: NDArray[np.int64]  # [g, S], each seat's agent as an index of `names`, or `NOBODY`
    scores: NDArray[np.int16]  # [g, S], 0 where nobody sits
    places: NDArray[np.int8]  # [g, S], finishing places from 1, 0 where nobody sits
    forfeited_by: NDArray[np.int8]  # [g], the seat whose fault ended the game, or `NOBODY`
    lengths: NDArray[np.int64]  # [g], the number of decisions of each game
    actions: NDArray[np.int16]  # [m], the actions chosen, game by game
    values: NDArray[np.float32]  # [m], the returns that agents expected, NaN where unknown

    @classmethod
    def of(cls, frame: polars.DataFrame, source: str) -> RecordedColumns:
        """Return the games of a frame with `game_id`, `RECORDED`, `values` and `forfeited_by`.

        Raises:
            DatasetError: The rows are of several kinds of game, a row is invalid, or their box is
                not in force.
        """
        game = _game_of(frame)
        _check_rows(frame, game)

        players = frame["players"].to_numpy().astype(np.int64)
        present = np.arange(game.max_seats) < players[:, None]
        names_by_seat = frame["agents"].explode()
        names = names_by_seat.unique().sort()
        agents = np.full(present.shape, NOBODY, np.int64)
        agents[present] = names_by_seat.cast(load_polars().Enum(names)).to_physical()
        scores = np.zeros(present.shape, np.int16)
        scores[present] = frame["scores"].explode()
        places = np.zeros(present.shape, np.int8)
        places[present] = frame["places"].explode()

        lengths = frame["actions"].list.len().to_numpy().astype(np.int64)
        values = np.full(lengths.sum(), np.nan, np.float32)
        has_values = frame["values"].is_not_null()
        known_values = _flat(frame["values"].filter(has_values)).fill_null(np.nan)
        values[np.repeat(has_values.to_numpy(), lengths)] = known_values.to_numpy()

        return cls(
            source=source,
            name=game.name,
            box_digest=registry.box_digest(game.name),
            game_ids=frame["game_id"].to_numpy().astype(np.int64),
            players=players,
            variants=frame["variants"].list.sort().list.join(" ").to_numpy().astype(np.str_),
            seeds=frame["seed"].to_numpy().astype(np.uint64),
            deals=frame["deal"].to_numpy().astype(np.int64),
            names=tuple(names),
            agents=agents,
            scores=scores,
            places=places,
            forfeited_by=frame["forfeited_by"].fill_null(NOBODY).to_numpy().astype(np.int8),
            lengths=lengths,
            actions=_flat(frame["actions"]).to_numpy().astype(np.int16),
            values=values,
        )

    @property
    def game(self) -> Game:
        """The `Game` of all rows. Raises BoxError in a process that plays it with another box."""
        # A game stored in an attribute would be copied when the columns are pickled.
        return game_with_digest(self.name, self.box_digest)

    @property
    def size(self) -> int:
        """The number of games, g."""
        return len(self.game_ids)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The index of each game's first decision, int64[g]."""
        return self.lengths.cumsum() - self.lengths

    @cached_property
    def row(self) -> NDArray[np.int64]:
        """The row of each decision's game, from 0 to g - 1, int64[m]."""
        return np.repeat(np.arange(self.size), self.lengths)

    def select(self, rows: NDArray[np.int64]) -> RecordedColumns:
        """Return the games of the given rows, int64[k], in that order."""
        some = replace(self, **{name: getattr(self, name)[rows] for name in _BY_GAME})
        # A decision's old index is its game's old start plus its number in the game.
        shift = self.starts[rows] - some.starts
        old_indices = shift[some.row] + np.arange(len(some.row))
        return replace(some, actions=self.actions[old_indices], values=self.values[old_indices])

    def fault(self, row: int, words: str) -> DatasetError:
        """Return the error for an invalid game."""
        return DatasetError(f"{self.source}: game {self.game_ids[row]}: {words}; copy it again")


def open_games(games: Games) -> tuple[polars.LazyFrame, str]:
    """Return the columns that are needed to play games again, and the source's name for errors.

    Raises:
        DatasetError: As for `read_games`; or a frame lacks a column or has a `game_id` twice.
    """
    if isinstance(games, str | os.PathLike):
        source = str(games)
        rows = read_games(games)
    else:
        source = "the frame"
        rows = games.lazy()
    with naming_source(source):
        needed = _needed_columns(rows)
        remedy = "number them anew, as in games.with_columns(game_id=pl.int_range(pl.len()))"
        _check_numbers(rows, remedy)
        check_unique(needed, "game_id", remedy)
    return needed, source


def load_all(games: polars.LazyFrame, source: str) -> RecordedColumns:
    """Load all games of `open_games`. Raises the errors of `RecordedColumns.of`."""
    with naming_source(source):
        frame = games.collect()
        if not frame.height:
            raise DatasetError("there are no games yet; record some first")
        return RecordedColumns.of(frame, source)


def load_in_chunks(games: polars.LazyFrame, source: str) -> Iterator[RecordedColumns]:
    """Yield the games of `open_games`, some at a time, to bound the memory that they take."""
    with naming_source(source):
        for frame in games.collect_batches(chunk_size=_GAMES_AT_ONCE, maintain_order=True):
            if frame.height:
                yield RecordedColumns.of(frame, source)


def _flat(lists: polars.Series) -> polars.Series:
    """Return the entries of all lists. `explode` alone would give a null for an empty list."""
    return lists.filter(lists.list.len() > 0).explode()


def _needed_columns(games: polars.LazyFrame) -> polars.LazyFrame:
    """Return the columns that are needed to play games again, in order."""
    pl = load_polars()
    present = games.collect_schema().names()
    missing = [name for name in _REQUIRED if name not in present]
    if missing:
        raise DatasetError(
            f"the games have no column {missing[0]!r}, which is needed to play them again"
        )
    return games.select(
        (pl.col(name) if name in present else pl.lit(None).alias(name)).cast(dtype)
        for name, dtype in polars_schema(_COLUMNS).items()
    )


def _check_numbers(games: polars.LazyFrame, remedy: str) -> None:
    """Raise DatasetError unless every `game_id` is a whole number from 0."""
    pl = load_polars()
    kind = games.collect_schema()["game_id"]
    if not kind.is_integer():
        raise DatasetError(f"the column game_id has {kind}, not whole numbers; {remedy}")
    number = pl.col("game_id")
    wrong = games.filter(number.is_null() | (number < 0)).select(number).head(1).collect()
    if wrong.height:
        raise DatasetError(
            f"a game has the game_id {wrong.item()}, but numbers begin with 0; {remedy}"
        )


def _game_of(frame: polars.DataFrame) -> Game:
    """Return the game of all rows. Raises DatasetError if there are several, or for a wrong box."""
    pairs = frame.select("game", "box_digest").unique(maintain_order=True)
    names = pairs["game"].unique(maintain_order=True).to_list()
    if len(names) != 1:
        raise DatasetError(f"there are games of {names}; read those of one game at a time")
    try:
        faults = [box_mismatch(names[0], digest) for digest in pairs["box_digest"]]
    except ValueError as error:
        raise DatasetError(str(error)) from error
    fault = next(filter(None, faults), None)
    if fault is not None:
        raise DatasetError(fault)
    return registry.game(names[0])


def _check_rows(frame: polars.DataFrame, game: Game) -> None:
    """Raise DatasetError unless every row can be a record of this game."""
    pl = load_polars()
    players = pl.col("players")
    forfeited_by = pl.col("forfeited_by")
    values = pl.col("values")
    lengths = pl.col("actions").list.len()
    checks = {name: pl.col(name).is_not_null() for name in _REQUIRED}
    for name in (*_BY_SEAT, "variants", "actions"):
        entries = pl.col(name).list
        has_no_null = entries.drop_nulls().list.len() == entries.len()
        checks[name] &= has_no_null
    for name in _BY_SEAT:
        checks[name] &= pl.col(name).list.len() == players
    checks["players"] &= players.is_between(game.min_seats, game.max_seats)
    checks["deal"] &= pl.col("deal") >= 0
    checks["values"] = values.is_null() | (values.list.len() == lengths)
    checks["forfeited_by"] = forfeited_by.is_null() | forfeited_by.is_between(0, players - 1)
    # Unknown variants are refused, since they may be long: an array of texts is as wide as its
    # longest text.
    variants = pl.col("variants").list
    is_known = pl.element().is_in(list(game.options))
    checks["variants"] &= variants.eval(is_known).list.all()
    checks["variants"] &= variants.n_unique() == variants.len()
    for name, check in checks.items():
        holds = frame.select(check.fill_null(False)).to_series()
        if not holds.all():
            game_id, value = frame.select("game_id", name).row(int(holds.arg_min() or 0))
            raise DatasetError(
                f"game {game_id}: {name} {short_repr(value)} does not fit a game of {game.name}; "
                "copy it again"
            )


def replay(
    games: RecordedColumns, names: Collection[str]
) -> tuple[dict[str, NDArray[Any]], Records]:
    """Play all games again, and record views of them before every decision.

    Args:
        games: The games.
        names: The views to record: some of "seats" (who decides), "observations", "masks", "scores"
            and "records".

    Returns:
        The views by name, each an array [m, ...], and the final records of the games, [g].

    Raises:
        DatasetError: A game cannot have been played as recorded.
    """
    views: dict[str, NDArray[Any]] = {}

    def record(batch: Batch, rows: NDArray[np.int64], decisions: NDArray[np.int64]) -> None:
        for name, values in views.items():
            values[decisions] = _VIEWS[name](batch, rows)

    final_records = np.zeros(games.size, games.game.state)
    for variants in np.unique(games.variants):
        chosen = np.flatnonzero(games.variants == variants)
        batch = _deal(games, chosen, variants)
        for name in names:
            empty = _VIEWS[name](batch, chosen[:0])  # no rows, for the shape and dtype of one
            shape = (len(games.actions), *empty.shape[1:])
            views.setdefault(name, np.empty(shape, empty.dtype))
        _play(games, chosen, batch, record)
        final_records[chosen] = batch.save(slice(None))
    if "records" in views:  # they were recorded as bytes
        views["records"] = views["records"].view(final_records.dtype)
    return views, final_records


def _deal(games: RecordedColumns, rows: NDArray[np.int64], variants: str) -> Batch:
    """Return a batch of games with the same variants, each at its first decision."""
    options: dict[str, Any] = dict.fromkeys(variants.split(), True)
    players = games.players[rows]
    try:
        games.game.option_bits(options, np.unique(players).tolist())
    except (TypeError, ValueError) as error:
        raise games.fault(int(rows[0]), str(error)) from error
    batch = Batch(games.game.name, len(rows), players=players, autoreset=False, **options)
    seeds = games.seeds[rows]
    for seed in np.unique(seeds):
        with_seed = np.flatnonzero(seeds == seed)
        batch.reset(int(seed), games.deals[rows[with_seed]], with_seed)
    return batch


def _play(
    games: RecordedColumns,
    rows: NDArray[np.int64],
    batch: Batch,
    before_step: Callable[[Batch, NDArray[np.int64], NDArray[np.int64]], None],
) -> None:
    """Play the recorded actions in a batch, and check that the games end as recorded.

    `before_step` is called before every step with the batch, its rows that are still playing, and
    the indices of their decisions.
    """
    starts = games.starts[rows]
    lengths = games.lengths[rows]
    playing = np.flatnonzero(lengths)
    number = 0
    while len(playing):
        decisions = starts[playing] + number
        actions = games.actions[decisions].astype(np.int32)
        # A batch accepts -1 for a game that is over, but -1 cannot be a recorded action.
        actions[actions < 0] = batch.actions.size
        wrong = batch.first_illegal(actions, playing)
        if wrong >= 0:
            action = games.actions[decisions[wrong]]
            words = f"action {number} is {action}, which is not legal at that point"
            raise games.fault(int(rows[playing[wrong]]), words)
        before_step(batch, playing, decisions)
        batch.step(actions, playing)
        number += 1
        playing = playing[lengths[playing] > number]

    forfeited_by = games.forfeited_by[rows]
    # Winners are compared only in games that were played to their end by several seats.
    same_winners = (batch.final_winners == (games.places[rows] == 1)).all(1)
    matches = {
        # -1 in both if the game was played to its end; otherwise the seat at fault was to move
        "seat to move": batch.to_move == forfeited_by,
        "score": (batch.scores() == games.scores[rows]).all(1),
        "winner": same_winners | (forfeited_by != NOBODY) | (batch.players == 1),
    }
    for what, match in matches.items():
        if not match.all():
            row = int(rows[match.argmin()])
            raise games.fault(row, f"when it is played again, it ends with another {what}")


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class RecordedGame(GameHistory):
    """A recorded game, played again from its actions. Its players are named after its agents."""

    game_id: int
    scores: tuple[int, ...]  # by seat, at the end or when the game was forfeited
    places: tuple[int, ...]  # finishing places by seat, from 1; seats that tie share the best
    forfeited_by: int | None  # the seat whose fault ended the game, or None
    actions: tuple[int, ...]  # the ids of the actions chosen

    @classmethod
    def of(cls, columns: RecordedColumns) -> RecordedGame:
        """Return the recorded game from columns that hold a single game.

        Raises:
            DatasetError: The game cannot have been played as recorded.
        """
        views, final_records = replay(columns, ("records",))
        records = np.concatenate([views["records"], final_records])
        positions = [Position.of_record(columns.game, record) for record in records]
        actions = tuple(columns.actions.tolist())
        decisions = zip(positions[:-1], actions, strict=True)  # the last position has no action
        players = int(columns.players[0])
        forfeited_by = int(columns.forfeited_by[0])
        names = [columns.names[agent] for agent in columns.agents[0, :players]]
        forfeit = ""
        if forfeited_by != NOBODY:
            forfeit = f"Seat {forfeited_by} ({names[forfeited_by]}) forfeited the game"
        return cls(
            positions=positions,
            moves=[position.move_text(action) for position, action in decisions],
            names=names,
            values=[None if np.isnan(value) else float(value) for value in columns.values],
            forfeit=forfeit,
            game_id=int(columns.game_ids[0]),
            scores=tuple(columns.scores[0, :players].tolist()),
            places=tuple(columns.places[0, :players].tolist()),
            forfeited_by=None if forfeited_by == NOBODY else forfeited_by,
            actions=actions,
        )

    @property
    def agents(self) -> Sequence[str]:
        """The agents' names, by seat."""
        return self.names or ()

    def page(self, title: str = "") -> str:
        """Return an HTML document that steps through the game, as `film.film_page` does."""
        # The import is slow, and training does not need it.
        from shakespeare_env.film import Film, film_page

        return film_page(Film(self), title=title)

    def _repr_html_(self) -> str:
        from shakespeare_env.film import iframe

        return iframe(self.page())

    def _repr_svg_(self) -> str:
        return self.position.svg()

    def __repr__(self) -> str:
        return f"<Game {self.game_id} of {', '.join(self.agents)}, scores {list(self.scores)}>"


class RecordedGames:
    """A sequence of recorded games, each read and played again when it is accessed."""

    def __init__(self, games: Games) -> None:
        self._games, self._source = open_games(games)
        with naming_source(self._source):
            self._size = int(self._games.select(load_polars().len()).collect().item())

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, number: int) -> RecordedGame:
        if not -self._size <= number < self._size:
            raise IndexError(
                f"there is no game {short_repr(number)}; there are {self._size}, numbered from 0"
            )
        row = self._games.slice(number % self._size, 1)
        return RecordedGame.of(load_all(row, self._source))

    def __iter__(self) -> Iterator[RecordedGame]:
        for chunk in load_in_chunks(self._games, self._source):
            for row in range(chunk.size):
                yield RecordedGame.of(chunk.select(np.array([row])))


def recorded_games(games: Games) -> RecordedGames:
    """Return recorded games as a sequence of objects.

    Raises:
        DatasetError: As for `read_games`; or two games have the same `game_id`, a row is not a
            valid game, or a game cannot have been played as recorded.
    """
    return RecordedGames(games)
