"""A recorded game as an object, which notebooks show."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import shown
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.position import Position
from shakespeare_env.datasets.frames import load_polars, named_faults
from shakespeare_env.datasets.reading import read_games
from shakespeare_env.datasets.recorded_columns import NOBODY, RecordedColumns, chunks, seen

if TYPE_CHECKING:
    import polars


class Positions(Sequence[Position]):
    """A game's n + 1 positions around n moves, each made when asked for."""

    def __init__(self, game: Game, records: Records) -> None:
        self._game = game
        self._records = records

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, number: int) -> Position: ...
    @overload
    def __getitem__(self, number: slice) -> Positions: ...
    def __getitem__(self, number: int | slice) -> Position | Positions:
        if isinstance(number, slice):
            return Positions(self._game, self._records[number])
        return Position.of_record(self._game, self._records[number])


class RecordedGame:
    """A game, played again from its actions.

    Attributes:
        game_id: Its number.
        agents: The agents' names, by seat.
        scores: Scores by seat, at the end or where it was forfeited.
        places: Finishing places by seat, from 1; seats that tie share the best place.
        forfeited_by: The seat that lost it by a fault, None if it was played to the end.
        seats: The seats that decided, by decision.
        actions: The ids of the actions chosen.
        moves: The actions as text.
        values: The returns that the deciding agents expected, None where unknown.
        positions: One more than there are moves.

    Raises:
        DatasetError: it cannot have been played so (`play_again`).
    """

    def __init__(self, columns: RecordedColumns) -> None:
        game, count = columns.game, len(columns.actions)
        found, last = seen(columns, np.arange(count), ("seats", "records"))
        records = np.concatenate([found["records"], last])
        players = int(columns.players[0])
        self.game_id = int(columns.game_ids[0])
        self.agents = tuple(columns.names[agent] for agent in columns.agents[0, :players])
        self.scores = tuple(columns.scores[0, :players].tolist())
        self.places = tuple(columns.places[0, :players].tolist())
        by = int(columns.forfeited_by[0])
        self.forfeited_by = None if by == NOBODY else by
        self.seats = tuple(found["seats"].tolist())
        self.actions = tuple(columns.actions.tolist())
        self.moves = tuple(
            game.actions.text(action, seat, players)
            for action, seat in zip(self.actions, self.seats, strict=True)
        )
        self.values = tuple(None if np.isnan(value) else float(value) for value in columns.values)
        self.positions = Positions(game, records)

    def observation(self, number: int) -> NDArray[np.int8]:
        """int8[D]: what the deciding seat knew; IndexError if there is no such decision."""
        return self.positions[number].observation(self.seats[number])

    def mask(self, number: int) -> NDArray[np.bool_]:
        """bool[A]: a decision's legal actions; IndexError if there is no such decision."""
        return self.positions[number].action_mask()

    def svg(self, number: int) -> str:
        """A position as an SVG document; IndexError if there is none."""
        return self.positions[number].svg()

    def page(self, title: str = "") -> str:
        """The game as an HTML document to step through (see `film.film_page`)."""
        # Learners do not need the import.
        from shakespeare_env.film import film_page

        by = self.forfeited_by
        ending = "" if by is None else f"Seat {by} ({self.agents[by]}) forfeited the game"
        return film_page(self.positions, self.moves, self.agents, title=title, ending=ending)

    def _repr_html_(self) -> str:
        from shakespeare_env.film import framed

        return framed(self.page())

    def _repr_svg_(self) -> str:
        return self.svg(-1)

    def __repr__(self) -> str:
        return f"<Game {self.game_id} of {', '.join(self.agents)}, scores {list(self.scores)}>"


class RecordedGames:
    """The games of a frame, each read and played again when it is asked for.

    Args:
        games: Rows with `game_id` and `RECORDED`, perhaps `values` and `forfeited_by`.
        source: Where they come from, for errors.

    Raises:
        DatasetError: a row cannot be a game's (`RecordedColumns.of`), or a game asked for cannot
            have been played so (`play_again`).
    """

    def __init__(self, games: polars.LazyFrame, source: str = "") -> None:
        self._games = games
        self._source = source
        with named_faults(source):
            self._size = int(games.select(load_polars().len()).collect().item())

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, number: int) -> RecordedGame:
        if not -self._size <= number < self._size:
            raise IndexError(f"game {shown(number)}: there are {self._size}, numbered from 0")
        row = number % self._size
        return next(self._from(self._games.slice(row, 1)))

    def __iter__(self) -> Iterator[RecordedGame]:
        return self._from(self._games)

    def _from(self, games: polars.LazyFrame) -> Iterator[RecordedGame]:
        for chunk in chunks(games, self._source):
            for row in range(chunk.size):
                yield RecordedGame(chunk.taken(np.array([row])))


def recorded_games(folder: str | os.PathLike[str]) -> RecordedGames:
    """All games of a folder as objects; errors as of `read_games`."""
    return RecordedGames(read_games(folder), str(folder))
