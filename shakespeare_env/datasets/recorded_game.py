"""A recorded game as an object, which notebooks show."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from shakespeare_env.checks.values import shown
from shakespeare_env.core.position import Position
from shakespeare_env.datasets.frames import load_polars, named_faults
from shakespeare_env.datasets.reading import read_recorded
from shakespeare_env.datasets.recorded_columns import NOBODY, RecordedColumns, chunks, seen

if TYPE_CHECKING:
    import polars


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
        DatasetError: it cannot have been played so.
    """

    def __init__(self, columns: RecordedColumns) -> None:
        game, count = columns.game, len(columns.actions)
        views, last = seen(columns, np.arange(count), ("seats", "records"))
        players = int(columns.players[0])
        self.game_id = int(columns.game_ids[0])
        self.agents = tuple(columns.names[agent] for agent in columns.agents[0, :players])
        self.scores = tuple(columns.scores[0, :players].tolist())
        self.places = tuple(columns.places[0, :players].tolist())
        by = int(columns.forfeited_by[0])
        self.forfeited_by = None if by == NOBODY else by
        self.seats = tuple(views["seats"].tolist())
        self.actions = tuple(columns.actions.tolist())
        self.moves = tuple(
            game.actions.text(action, seat, players)
            for action, seat in zip(self.actions, self.seats, strict=True)
        )
        self.values = tuple(None if np.isnan(value) else float(value) for value in columns.values)
        records = np.concatenate([views["records"], last])
        self.positions = tuple(Position.of_record(game, record) for record in records)

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
        return self.positions[-1].svg()

    def __repr__(self) -> str:
        return f"<Game {self.game_id} of {', '.join(self.agents)}, scores {list(self.scores)}>"


class RecordedGames:
    """The games of a frame, each read and played again when it is asked for.

    Args:
        games: Rows with `game_id` and `RECORDED`, perhaps `values` and `forfeited_by`.
        source: Where they come from, for errors.

    Raises:
        DatasetError: a row cannot be a game's, or a game cannot have been played so.
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
        row = self._games.slice(number % self._size, 1)
        return next(iter(RecordedGames(row, self._source)))

    def __iter__(self) -> Iterator[RecordedGame]:
        for chunk in chunks(self._games, self._source):
            for row in range(chunk.size):
                yield RecordedGame(chunk.taken(np.array([row])))


def recorded_games(folder: str | os.PathLike[str], *, unfinished: bool = False) -> RecordedGames:
    """All games of a folder as objects; errors as of `read_recorded`."""
    return RecordedGames(read_recorded(folder, unfinished=unfinished), str(folder))
