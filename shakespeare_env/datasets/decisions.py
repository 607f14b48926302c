"""Decisions of recorded games, as a frame or in batches, made by playing the games again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import short_repr
from shakespeare_env.core.batch import victory_shares
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.rng import check_seed
from shakespeare_env.datasets.fields import field_column
from shakespeare_env.datasets.frames import DECISIONS, load_polars, polars_schema
from shakespeare_env.datasets.recorded_columns import (
    RecordedColumns,
    load_all,
    load_in_chunks,
    open_games,
    replay,
)

if TYPE_CHECKING:
    import polars

    from shakespeare_env.datasets.recorded_columns import Games

_BUFFER_SIZE = 2**16
"""The number of decisions that are shuffled together. Several hundred games have so many."""


_NEEDED_VIEWS = {
    "phase": "records",
    "position": "records",
    "is_secret": "records",
    "legal_actions": "masks",
    "legal_moves": "masks",
}
"""The view that a column of `DECISIONS` needs besides `seats` (see `replay`)."""


def read_decisions(games: Games, columns: Sequence[str] | None = None) -> polars.DataFrame:
    """Return the decisions of recorded games, one row per decision.

    Args:
        games: The games' folder, or a frame of some of them, lazy or not.
        columns: The columns to make, in order: some of `DECISIONS`, and fields of the deciding
            seat's observation, such as `day` or `seat0.pounds` (see `fields.field_column`). None
            means all of `DECISIONS`. `position` and `is_secret` take a hundred times as long as the
            others.

    Raises:
        DatasetError: As for `read_games`; or two games have the same number, a row is not a valid
            game, or a game cannot have been played as recorded.
        ValueError: There is no such column.
    """
    names = list(DECISIONS) if columns is None else list(columns)
    pl = load_polars()
    frames = [_frame(chunk, names) for chunk in load_in_chunks(*open_games(games))]
    if frames:
        decisions: polars.DataFrame = pl.concat(frames)
        return decisions
    # Without a game, nothing is known about the fields of its observation.
    types = polars_schema(DECISIONS)
    empty: polars.DataFrame = pl.DataFrame(
        schema={name: types.get(name, pl.Null) for name in names}
    )
    return empty


def _frame(games: RecordedColumns, names: Sequence[str]) -> polars.DataFrame:
    """Return some columns of the decisions of some games."""
    pl = load_polars()
    needed = {"seats"}
    for name in names:
        needed.add(_NEEDED_VIEWS.get(name, "seats" if name in DECISIONS else "observations"))
    views, _ = replay(games, needed)
    makers = _column_makers(games, views)
    schema = polars_schema(DECISIONS)
    columns = []
    for name in names:
        if name in schema:
            columns.append(pl.Series(name, makers[name]()).cast(schema[name]))
            continue
        try:
            columns.append(field_column(games.game.layout, name, views["observations"]))
        except ValueError as fault:
            raise ValueError(
                f"there is no column {short_repr(name)}; choose some of {', '.join(DECISIONS)}, or "
                f"fields of the observation: {fault}"
            ) from fault
    frame: polars.DataFrame = pl.DataFrame(columns)
    return frame


def _column_makers(
    games: RecordedColumns, views: Mapping[str, NDArray[Any]]
) -> dict[str, Callable[[], Any]]:
    """Return functions that make the columns of `DECISIONS`, by name.

    Args:
        games: The games.
        views: `seats`, and the views that the columns need (see `_NEEDED_VIEWS`).
    """
    pl = load_polars()
    game = games.game
    row = games.row
    seats = views["seats"]
    all_decisions = np.arange(len(games.actions))
    places = games.places[row, seats]
    # `move_texts` looks texts up in one flat column, by number of seats, seat and action. The texts
    # for 0 seats, which come first, are never read. They keep the index simple.
    all_texts = pl.Series(
        text
        for players in range(game.max_seats + 1)
        for seat in range(game.max_seats)
        for text in game.actions.texts_for(seat, max(players, 1))
    )

    def move_texts(actions: NDArray[Any], decisions: NDArray[np.int64]) -> Any:
        """Return the texts of some actions, as the deciding seats write them."""
        table = games.players[row[decisions]] * game.max_seats + seats[decisions]
        return all_texts.gather(table * game.actions.size + actions)

    def moves() -> Any:
        return move_texts(games.actions, all_decisions)

    def lists_by_decision(decisions: NDArray[np.int64], values: Any) -> Any:
        """Gather values of legal actions into one list for each decision.

        Every decision has a legal action, so there are as many lists as decisions.
        """
        flat = pl.DataFrame({"decision": decisions, "value": values})
        return flat.group_by("decision", maintain_order=True).agg("value")["value"]

    def legal_actions() -> Any:
        decisions, legal = views["masks"].nonzero()
        return lists_by_decision(decisions, legal)

    def legal_moves() -> Any:
        decisions, legal = views["masks"].nonzero()
        return lists_by_decision(decisions, move_texts(legal, decisions))

    @cache
    def positions() -> list[dict[str, Any]]:
        return list(map(game.to_dict, views["records"]))

    def position_texts() -> list[str]:
        return [
            json.dumps(position, ensure_ascii=False, separators=(",", ":"))
            for position in positions()
        ]

    return {
        "game_id": lambda: games.game_ids[row],
        "number": lambda: all_decisions - games.starts[row],
        "seat": lambda: seats,
        "agent": lambda: pl.Series(games.names, dtype=pl.String).gather(games.agents[row, seats]),
        "phase": lambda: list(map(game.phase, views["records"])),
        "position": position_texts,
        "legal_actions": legal_actions,
        "legal_moves": legal_moves,
        "action": lambda: games.actions,
        "move": moves,
        "is_secret": lambda: list(map(game.is_secret, positions(), moves())),
        "value": lambda: pl.Series(games.values).fill_nan(None),
        "score": lambda: games.scores[row, seats],
        "place": lambda: places,
        # null in solo games
        "won": lambda: pl.Series(places == 1).set(pl.Series(games.players[row] == 1), None),
    }


class Decisions(NamedTuple):
    """Arrays of n decisions: observations, masks and actions, and how the games ended.

    S is the most seats that the game allows. Columns by seat begin with the seat that decides and
    go on clockwise, as in its observation. They hold 0 where nobody sits.
    """

    observations: NDArray[np.int8]  # [n, D], what the deciding seat saw
    masks: NDArray[np.bool_]  # [n, A], its legal actions
    actions: NDArray[np.int64]  # [n], what it chose
    values: NDArray[np.float32]  # [n], the return that the agent expected, or NaN
    scores_before: NDArray[np.int16]  # [n, S], the scores at the decision
    scores: NDArray[np.int16]  # [n, S], the final scores
    shares: NDArray[np.float32]  # [n, S], shares of the victory; 1 in a solo game
    players: NDArray[np.int64]  # [n], seats at the table
    seats: NDArray[np.int64]  # [n], the seat that decides
    agents: NDArray[np.int64]  # [n], the agent at that seat, by index in `Batches.agents`
    game_ids: NDArray[np.int64]  # [n]
    numbers: NDArray[np.int64]  # [n], the decision's number in its game, from 0

    @property
    def size(self) -> int:
        """The number of decisions, n."""
        return len(self.actions)

    def rows(self, chosen: NDArray[np.int64]) -> Decisions:
        """Return the decisions with the given indices, int64[k]."""
        return Decisions._make(column[chosen] for column in self)


class Batches:
    """The decisions of recorded games in batches, for any number of epochs.

    Iterating over the object yields epoch 0. The object takes 6 bytes of memory per decision, plus
    the buffer of decisions that are shuffled together. It can be pickled and makes no call to
    Polars, so it survives a fork.

    Args:
        games: The games' folder, or a frame of some of them, lazy or not.
        size: The number of decisions in a batch. The last batch may have fewer.
        seed: The seed of the order. None keeps the order in which the games were recorded.

    Attributes:
        agents: Every agent's name, sorted.
        games: The number of games read.
        decisions: The number of decisions in an epoch.

    Raises:
        DatasetError: As for `read_games`; or there are no games, a game is invalid, or two games
            have the same number.
        TypeError: A number is not a whole number.
        ValueError: A number is out of range.
    """

    def __init__(self, games: Games, *, size: int, seed: int | None = None) -> None:
        self._size = checked_count("size", size)
        self._seed = None if seed is None else int(check_seed(seed))
        self._columns = load_all(*open_games(games))
        self.agents = self._columns.names
        self.games = self._columns.size
        self.decisions = int(self._columns.lengths.sum())

    def __iter__(self) -> Iterator[Decisions]:
        return self.epoch(0)

    def epoch(self, number: int, part: tuple[int, int] = (0, 1)) -> Iterator[Decisions]:
        """Yield all decisions once. With a seed, every epoch has an order of its own.

        Args:
            number: The number of the epoch, from 0.
            part: Two numbers k and n, to yield only the share of process k of n processes. All
                shares have equally many batches, because the processes may wait for each other
                after every batch. If necessary, up to n - 1 decisions are left out for that.

        Raises:
            ValueError: The epoch or the part is out of range.
        """
        if number < 0 or not 0 <= part[0] < part[1]:
            raise ValueError(
                f"epoch {number}, part={part}: number epochs from 0, and give (k, n) as the part, "
                "with k from 0 to n - 1"
            )
        order = np.arange(self.games)
        rng = None
        if self._seed is not None:
            # All parts share one order of the games, so that no decision is in two of them.
            order = np.random.default_rng([self._seed, number]).permutation(order)
            rng = np.random.default_rng([self._seed, number, *part])
        return self._cut(order, self._share(*part), rng)

    def _share(self, part: int, parts: int) -> tuple[int, int]:
        """Return where a part's decisions begin and end among the ordered decisions of an epoch."""
        fewest, remainder = divmod(self.decisions, parts)
        if fewest % self._size == 0:
            remainder = 0  # a part with one more decision would have one more batch
        begin = part * fewest + min(part, remainder)
        return begin, begin + fewest + (part < remainder)

    def _cut(
        self, order: NDArray[np.int64], share: tuple[int, int], rng: np.random.Generator | None
    ) -> Iterator[Decisions]:
        """Yield batches of one size. A batch may begin in one buffer and end in the next.

        A share may begin or end in the middle of a game. The game's other decisions belong to the
        neighbouring share and are skipped here.
        """
        counts = self._columns.lengths[order]
        ends = counts.cumsum()
        in_share = (ends > share[0]) & (ends - counts < share[1])
        first = int(in_share.argmax())
        passed = int(ends[first - 1]) if first else 0  # decisions of the epoch before the buffer
        batch: list[Decisions] = []  # the pieces of the next batch
        for games in self._chunks(order[in_share]):
            buffer = _decisions(games)
            pending = np.arange(buffer.size)
            share_in_buffer = slice(max(share[0] - passed, 0), max(share[1] - passed, 0))
            passed += len(pending)
            pending = pending[share_in_buffer]
            if rng is not None:
                pending = rng.permutation(pending)
            while len(pending):
                missing = self._size - sum(piece.size for piece in batch)
                batch.append(buffer.rows(pending[:missing]))
                pending = pending[missing:]
                if batch[-1].size == missing:
                    yield _concatenated(batch)
                    batch = []
        if batch:
            yield _concatenated(batch)

    def _chunks(self, rows: NDArray[np.int64]) -> Iterator[RecordedColumns]:
        """Yield the games of the given rows in chunks with as many decisions as a buffer holds."""
        ends = self._columns.lengths[rows].cumsum()
        first = 0
        while first < len(rows):
            limit = (ends[first - 1] if first else 0) + _BUFFER_SIZE
            last = max(int(np.searchsorted(ends, limit, side="right")), first + 1)
            yield self._columns.select(rows[first:last])
            first = last


def _concatenated(pieces: list[Decisions]) -> Decisions:
    return Decisions._make(map(np.concatenate, zip(*pieces, strict=True)))


def _decisions(games: RecordedColumns) -> Decisions:
    """Return all decisions of some games."""
    views, _ = replay(games, ("seats", "observations", "masks", "scores"))
    seats = views["seats"]
    row = games.row
    players = games.players[row]
    steps = np.arange(games.game.max_seats)
    by_seat = (seats[:, None] + steps) % players[:, None]
    present = steps < players[:, None]

    def clockwise_from_mover(values: NDArray[np.int16]) -> NDArray[np.int16]:
        return np.where(present, np.take_along_axis(values, by_seat, 1), np.int16(0))

    winners = clockwise_from_mover((games.places == 1).astype(np.int16)[row])
    return Decisions(
        observations=views["observations"],
        masks=views["masks"],
        actions=games.actions.astype(np.int64),
        values=games.values,
        scores_before=clockwise_from_mover(views["scores"]),
        scores=clockwise_from_mover(games.scores[row]),
        shares=victory_shares(winners).astype(np.float32),
        players=players,
        seats=seats,
        agents=games.agents[row, seats],
        game_ids=games.game_ids[row],
        numbers=np.arange(len(row)) - games.starts[row],
    )
